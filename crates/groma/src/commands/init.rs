//! `groma init`: registers a project, writes a commented settings file and makes the index.

use super::{Call, RecordedRun};
use crate::config::{Config, FILE_NAME};
use crate::failure::Exit;
use crate::numbers::counted;
use crate::progress::{ProgressReporter, cancel_on_interrupt};
use anyhow::{Context, Result};
use clap::Args;
use groma_core::JobTask;
use groma_engine::Ranking;
use serde_json::json;
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

const AFTER: &str = "\
Only the CodeCompass contract requires it. Settings are optional: without .groma.toml the defaults
apply, and an existing file is kept.

With --json:
  id, project, folder, version_control, settings, written, files

Examples:
  groma init
  groma init ~/src/server --force";

/// Register a project: write a commented .groma.toml and make the index
#[derive(Debug, Args)]
#[command(after_help = AFTER)]
pub struct InitArgs {
    /// The project's folder
    pub path: Option<PathBuf>,
    /// Replace an existing .groma.toml
    #[arg(short, long)]
    pub force: bool,
}

/// Registers the project. Doing it twice is as doing it once.
pub fn run(args: &InitArgs, call: &mut Call) -> Result<Exit> {
    let project = call.project(args.path.as_deref())?;
    let settings = project.root.join(FILE_NAME);
    let is_written = args.force || !settings.exists();
    if is_written {
        std::fs::write(&settings, Config::default_toml())
            .with_context(|| format!("cannot write {}", settings.display()))?;
    }
    let progress = ProgressReporter::new(call.global.quiet);
    let engine = Arc::new(project.engine(Ranking::default())?);
    let is_full = !engine.readiness()?.is_ready();
    let report = engine.index(&progress, &cancel_on_interrupt())?;
    drop(progress);
    let (task, report) = (JobTask::Index, &report);
    call.record_run(engine, &RecordedRun { task, reference: None, is_full, report });
    let control = project.version_control();
    if call.global.json {
        call.printer.json(&json!({
            "id": project.id.as_str(),
            "project": project.root.to_string_lossy(),
            "folder": project.location(),
            "version_control": control,
            "settings": settings.to_string_lossy(),
            "written": is_written,
            "files": report.files,
        }))?;
        return Ok(Exit::Fine);
    }
    let printer = &mut call.printer;
    let done = if is_written { "wrote" } else { "kept" };
    writeln!(printer, "{done} {}", settings.display())?;
    let rows = [
        vec!["id".into(), project.id.to_string()],
        vec!["root".into(), project.root.to_string_lossy().into_owned()],
        vec!["folder".into(), project.location()],
        vec!["version control".into(), control.into()],
        vec!["indexed".into(), counted(report.files, "file")],
    ];
    printer.table(&rows, &[])?;
    Ok(Exit::Fine)
}
