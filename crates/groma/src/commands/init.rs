//! `groma init`: writes a commented settings file and shows the project's id.

use super::Call;
use crate::config::{Config, FILE_NAME};
use crate::failure::{Exit, Failure, Kind};
use anyhow::{Context, Result};
use clap::Args;
use serde_json::json;
use std::io::Write;
use std::path::PathBuf;

const AFTER: &str = "\
Settings are optional: without .groma.toml the defaults apply.

With --json:
  id, project, folder, version_control, settings

Examples:
  groma init
  groma init ~/src/server --force";

/// Write a commented .groma.toml into a project
#[derive(Debug, Args)]
#[command(after_help = AFTER)]
pub struct InitArgs {
    /// The project's folder
    pub path: Option<PathBuf>,
    /// Replace an existing .groma.toml
    #[arg(short, long)]
    pub force: bool,
}

/// Writes the settings file.
pub fn run(args: &InitArgs, call: &mut Call) -> Result<Exit> {
    let project = call.project(args.path.as_deref())?;
    let settings = project.root.join(FILE_NAME);
    if settings.exists() && !args.force {
        let failure = Failure::new(Kind::Usage, format!("{} exists already", settings.display()));
        return Err(failure.hint("edit it, or replace it with --force").into());
    }
    std::fs::write(&settings, Config::default_toml())
        .with_context(|| format!("cannot write {}", settings.display()))?;
    let control = project.version_control();
    if call.global.json {
        call.printer.json(&json!({
            "id": project.id.as_str(),
            "project": project.root.to_string_lossy(),
            "folder": project.location(),
            "version_control": control,
            "settings": settings.to_string_lossy(),
        }))?;
        return Ok(Exit::Fine);
    }
    let printer = &mut call.printer;
    writeln!(printer, "wrote {}", settings.display())?;
    let rows = [
        vec!["id".into(), project.id.to_string()],
        vec!["root".into(), project.root.to_string_lossy().into_owned()],
        vec!["folder".into(), project.location()],
        vec!["version control".into(), control.into()],
    ];
    printer.table(&rows, &[])?;
    Ok(Exit::Fine)
}
