//! One module for each command, and the context they share.

pub mod clear;
pub mod completions;
pub mod config;
pub mod context;
pub mod doctor;
pub mod embed;
pub mod eval;
pub mod grep;
pub mod hook;
pub mod index;
pub mod ingest;
pub mod init;
pub mod languages;
pub mod list;
pub mod man;
pub mod notebook;
pub mod outline;
pub mod read;
pub mod remember;
pub mod search;
pub mod serve;
pub mod serve_mcp;
pub mod stats;
pub mod status;
pub mod symbol;

use crate::args::{Command, Global};
use crate::environment::Environment;
use crate::failure::Exit;
use crate::print::{self, Printer};
use crate::project::Project;
use anyhow::Result;
use std::io::Write;
use std::path::Path;

/// One invocation of the program: its context and its output.
pub struct Call {
    /// Global options.
    pub global: Global,
    /// The environment of the process.
    pub environment: Environment,
    /// Standard output.
    pub printer: Printer,
}

impl Call {
    /// The invocation of this process.
    pub fn new(global: Global) -> Self {
        let environment = Environment::read();
        let printer = Printer::new(&environment, global.color);
        Self { global, environment, printer }
    }

    /// The project of the command: `--project`, the command's own argument, or the enclosing one.
    pub fn project(&self, argument: Option<&Path>) -> Result<Project> {
        Project::choose(self.global.project.as_deref().or(argument), &self.environment)
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

/// Runs a command.
pub fn run(command: &Command, call: &mut Call) -> Result<Exit> {
    let exit = match command {
        Command::Search(args) => search::run(args, call),
        Command::Symbol(args) => symbol::run(args, call),
        Command::Read(args) => read::run(args, call),
        Command::Grep(args) => grep::run(args, call),
        Command::Index(args) => index::run(args, call),
        Command::Status(args) => status::run(args, call),
        Command::Stats(args) => stats::run(args, call),
        Command::Outline(args) => outline::run(args, call),
        Command::Context(args) => context::run(args, call),
        Command::Remember(args) => remember::run(args, call),
        Command::Notebook(args) => notebook::run(args, call),
        Command::Ingest(args) => ingest::run(args, call),
        Command::Hook(args) => hook::run(args, call),
        Command::List(args) => list::run(args, call),
        Command::Clear(args) => clear::run(args, call),
        Command::Languages(args) => languages::run(args, call),
        Command::Doctor(args) => doctor::run(args, call),
        Command::Embed(args) => embed::run(args, call),
        Command::Init(args) => init::run(args, call),
        Command::Config(args) => config::run(args, call),
        Command::ServeMcp(args) => serve_mcp::run(args, call),
        Command::Serve(args) => serve::run(args, call),
        Command::Eval(args) => eval::run(args, call),
        Command::Completions(args) => completions::run(args, call),
        Command::Man(args) => man::run(args, call),
    }?;
    call.printer.flush()?;
    Ok(exit)
}
