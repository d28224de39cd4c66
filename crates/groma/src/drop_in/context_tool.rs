//! Context Tool: `init`, `serve`, `show`, `status`, `doctor`.

use super::{CommandLine, Translation, not_offered};
use crate::environment::Environment;
use clap::{Parser, Subcommand};
use std::ffi::OsString;
use std::path::Path;

/// Context Tool's commands, run by Groma
#[derive(Debug, Parser)]
#[command(name = "context-tool", version)]
pub struct ContextTool {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Set up the project
    Init,
    /// Serve an assistant over MCP on standard input and output
    Serve,
    /// Show the state of the project
    Status,
    /// Show what is known about the project
    Show {
        /// Only this module
        #[arg(long, value_name = "NAME")]
        module: Option<String>,
        /// Earlier sessions instead
        #[arg(long)]
        sessions: bool,
        /// Counts instead
        #[arg(long)]
        stats: bool,
    },
    /// Health check
    Doctor {
        /// Restore damaged notes
        #[arg(long)]
        repair: bool,
        /// No effect: nothing is changed without --repair
        #[arg(long, conflicts_with = "repair")]
        dry_run: bool,
        /// No effect: the whole check takes seconds
        #[arg(long)]
        quick: bool,
    },
    /// Not offered
    #[command(hide = true)]
    Setup { arguments: Vec<OsString> },
    /// Not offered
    #[command(hide = true)]
    Dashboard { arguments: Vec<OsString> },
    /// Not offered
    #[command(hide = true)]
    CleanupSessions {
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<OsString>,
    },
}

impl CommandLine for ContextTool {
    fn translated(self, environment: &Environment) -> Result<Translation, clap::Error> {
        let level = environment.variables.text("CONTEXT_TOOL_LOG_LEVEL").unwrap_or_default();
        Ok(match self.command {
            Some(Command::Init) => Translation::new(&["init"]),
            Some(Command::Status) => Translation::new(&["status"]),
            Some(Command::Show { stats: true, .. }) => Translation::new(&["stats"]),
            Some(Command::Show { sessions: true, .. }) => {
                let reason = "the resource context://sessions/recent shows them to assistants";
                return Err(not_offered("show --sessions", reason));
            }
            Some(Command::Show { module, .. }) => {
                Translation::new(&["notes", "list", "--all"]).option("--module", module)
            }
            Some(Command::Doctor { repair, .. }) => {
                Translation::new(&["doctor"]).flag("--restore", repair)
            }
            Some(Command::Setup { .. }) => {
                let reason =
                    "`context-tool init` sets up the project, docs/assistants.md assistants";
                return Err(not_offered("setup", reason));
            }
            Some(Command::Dashboard { .. }) => {
                return Err(not_offered("dashboard", "`groma serve` has /health and /metrics"));
            }
            Some(Command::CleanupSessions { .. }) => {
                return Err(not_offered("cleanup-sessions", "sessions end by themselves"));
            }
            Some(Command::Serve) | None => {
                Translation::new(&["serve-mcp", "--contract", "context"])
                    .option("--log", log_level(&level))
            }
        })
    }
}

/// The level of the logs that a value of `CONTEXT_TOOL_LOG_LEVEL` asks for.
fn log_level(level: &str) -> Option<&'static str> {
    match &*level.to_lowercase() {
        "silent" | "off" => Some("off"),
        "fatal" | "error" => Some("error"),
        "warn" | "warning" => Some("warn"),
        "info" => Some("info"),
        "debug" => Some("debug"),
        "trace" => Some("trace"),
        _ => None,
    }
}

/// `CONTEXT_DIR` is the folder of the program's store, in the project.
pub fn prepare(environment: &mut Environment) {
    let store = environment.variables.text("CONTEXT_DIR");
    let project = store.as_deref().and_then(|store| Path::new(store).parent());
    if let Some(project) = project.filter(|project| !project.as_os_str().is_empty()) {
        environment.project.get_or_insert(project.to_path_buf());
    }
}
