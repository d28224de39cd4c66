//! One module for each command, and the context they share.

pub mod as_program;
pub mod clear;
pub mod completions;
pub mod config;
pub mod context;
pub mod doctor;
pub mod embed;
pub mod eval;
pub mod grep;
pub mod hook;
pub mod impact;
pub mod index;
pub mod ingest;
pub mod init;
pub mod install;
pub mod languages;
pub mod list;
pub mod man;
pub mod notes;
pub mod outline;
pub mod read;
pub mod remember;
pub mod search;
pub mod serve;
pub mod serve_mcp;
pub mod stats;
pub mod status;
pub mod symbol;
pub mod sync;
pub mod trust;

use crate::args::Global;
use crate::environment::Environment;
use crate::print::{self, Printer};
use crate::project::Project;
use anyhow::Result;
use groma_core::{JobTask, RefName};
use groma_engine::{Engine, IndexReport, JobRequest, Jobs};
use groma_mcp::contracts::Contract;
use std::path::Path;
use std::sync::Arc;

/// An index run of a command.
pub struct RecordedRun<'a> {
    /// What was asked for.
    pub task: JobTask,
    /// The ref, if one was named.
    pub reference: Option<&'a str>,
    /// Whether everything was indexed.
    pub is_full: bool,
    /// What it did.
    pub report: &'a IndexReport,
}

/// One invocation of the program: its context and its output.
pub struct Call {
    /// Global options.
    pub global: Global,
    /// The environment of the process.
    pub environment: Environment,
    /// Standard output.
    pub printer: Printer,
    /// The contract of the program that Groma was started as; its variables choose the embedder.
    pub contract: Option<Contract>,
}

impl Call {
    /// The invocation of this process.
    pub fn new(global: Global) -> Self {
        let mut environment = Environment::read();
        environment.settings = global.config.clone();
        let printer = Printer::new(&environment, global.color);
        Self { global, environment, printer, contract: None }
    }

    /// The project of the command: `--project`, the command's own argument, or the enclosing one.
    pub fn project(&self, argument: Option<&Path>) -> Result<Project> {
        let given = self.global.project.as_deref().or(argument);
        let project = Project::choose(given, &self.environment)?;
        Ok(match self.contract {
            Some(contract) => project.on_surface(contract.as_str(), &self.environment),
            None => project,
        })
    }

    /// Records an index run in the job history, which CodeCompass has of its commands, too.
    pub fn record_run(&self, engine: Arc<Engine>, run: &RecordedRun<'_>) {
        if self.contract != Some(Contract::CodeCompass) {
            return;
        }
        let reference = RefName::new(engine.resolve_ref(run.reference).name());
        let request = JobRequest { task: run.task, reference, force: run.is_full };
        // The index is made; a history that cannot be written must not fail the command.
        let _ = Jobs::new(engine).record_run(&request, run.report);
    }

    /// Prints a note on standard error unless `--quiet` is given.
    pub fn remark(&self, text: &str) {
        if !self.global.quiet {
            print::message(text);
        }
    }

    /// Prints a note on standard error if `--verbose` is given.
    pub fn detail(&self, text: &str) {
        if self.global.verbose {
            print::message(text);
        }
    }
}
