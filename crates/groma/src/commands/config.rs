//! `groma config`: which settings count, where they are written, and whether they are right.

use super::Call;
use crate::config::FILE_NAME;
use crate::failure::Exit;
use anyhow::Result;
use clap::{Args, Subcommand};
use serde_json::json;
use std::io::Write;
use std::path::PathBuf;

const AFTER: &str = "\
With --json:
  show: settings (path or null), config {index {...}, search {...}, embeddings {...}}
  path: settings, exists
  check: settings (path or null), ok; a mistake is an error, exit code 2

Examples:
  groma config show
  groma config check ~/src/server";

/// Show or check a project's settings
#[derive(Debug, Args)]
#[command(after_help = AFTER)]
pub struct ConfigArgs {
    /// The action.
    #[command(subcommand)]
    pub action: Action,
}

/// The actions.
#[derive(Debug, Subcommand)]
pub enum Action {
    /// Print the effective settings, defaults included, in the form of .groma.toml
    Show(Target),
    /// Print the path of the settings file
    Path(Target),
    /// Validate the settings
    Check(Target),
}

/// The project.
#[derive(Debug, Args)]
pub struct Target {
    /// The project's folder
    pub path: Option<PathBuf>,
}

/// Shows or checks the settings.
pub fn run(args: &ConfigArgs, call: &mut Call) -> Result<Exit> {
    let (Action::Show(target) | Action::Path(target) | Action::Check(target)) = &args.action;
    let project = call.project(target.path.as_deref())?;
    let file = call.environment.settings.clone().unwrap_or(project.root.join(FILE_NAME));
    let (path, exists) = (file.to_string_lossy(), file.exists());
    let settings = exists.then_some(&path);
    let (value, text) = match args.action {
        Action::Show(_) => {
            let config = project.config.to_json();
            let origin =
                if exists { format!("# {path}\n") } else { "# defaults: no .groma.toml\n".into() };
            let text = format!("{origin}{}", toml::to_string(&config)?);
            (json!({ "settings": settings, "config": config }), text)
        }
        Action::Path(_) => (json!({ "settings": path, "exists": exists }), format!("{path}\n")),
        Action::Check(_) => {
            let found = if exists {
                format!("{path} is valid\n")
            } else {
                format!("no {path}: the defaults apply\n")
            };
            (json!({ "settings": settings, "ok": true }), found)
        }
    };
    if call.global.json {
        call.printer.json(&value)?;
    } else {
        write!(call.printer, "{text}")?;
    }
    Ok(Exit::Fine)
}
