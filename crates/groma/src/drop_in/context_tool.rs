//! Context Tool: `init`, `serve`, `status`.

use super::{CommandLine, Translation};
use crate::environment::Environment;
use clap::{Parser, Subcommand};
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
}

impl CommandLine for ContextTool {
    fn translated(self, environment: &Environment) -> Translation {
        let translation = match self.command {
            Some(Command::Init) => Translation::new(&["init"]),
            Some(Command::Status) => Translation::new(&["status"]),
            Some(Command::Serve) | None => {
                Translation::new(&["serve-mcp", "--contract", "context"])
            }
        };
        let level = environment.variables.text("CONTEXT_TOOL_LOG_LEVEL");
        match level.as_deref() {
            Some("debug" | "trace") => translation.argument("--verbose"),
            Some("error" | "silent") => translation.argument("--quiet"),
            _ => translation,
        }
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
