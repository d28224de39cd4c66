//! `groma trust`: lets the settings of a project widen what Groma does.

use super::Call;
use crate::failure::Exit;
use crate::trust;
use anyhow::Result;
use clap::Args;
use serde_json::json;
use std::io::Write;
use std::path::PathBuf;

const AFTER: &str = "\
Settings that come with a project's files may narrow what groma does. Only those of a trusted project
may widen it: use an embedding service on this machine (.groma.toml), raise max_file_size, or name a
folder outside of the project (.cortex/config.yml). Trust ends when these files change; `groma doctor`
shows it.

With --json:
  project, trusted

Examples:
  groma trust
  groma trust ~/src/server
  groma trust --revoke";

/// Trust the settings in a project's files
#[derive(Debug, Args)]
#[command(after_help = AFTER)]
pub struct TrustArgs {
    /// The project's folder
    pub path: Option<PathBuf>,
    /// Trust them no more
    #[arg(long)]
    pub revoke: bool,
}

/// Grants or revokes trust.
pub fn run(args: &TrustArgs, call: &mut Call) -> Result<Exit> {
    let root = call.project(args.path.as_deref())?.root;
    if args.revoke {
        trust::revoke(&root, &call.environment)?;
    } else {
        trust::grant(&root, &call.environment)?;
    }
    if call.global.json {
        let project = root.to_string_lossy();
        call.printer.json(&json!({ "project": project, "trusted": !args.revoke }))?;
    } else {
        let words =
            if args.revoke { "is not trusted" } else { "is trusted until its settings change" };
        writeln!(call.printer, "{} {words}", root.display())?;
    }
    Ok(Exit::Fine)
}
