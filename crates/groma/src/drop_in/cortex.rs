//! Cortex: `mcp`, and `index`, which writes the chunk files that it serves.

use super::{CommandLine, Translation};
use crate::chunks;
use crate::environment::Environment;
use clap::{Parser, Subcommand};
use std::path::{Path, PathBuf};

/// Cortex's commands, run by Groma
#[derive(Debug, Parser)]
#[command(name = "cortex", version)]
pub struct Cortex {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Serve an assistant over MCP on standard input and output
    Mcp,
    /// Index the project and write its chunk files
    Index {
        /// Keep them up to date
        #[arg(short, long)]
        watch: bool,
        /// Index everything again
        #[arg(short, long)]
        force: bool,
    },
    /// Delete the index and the chunk files
    Clean,
    /// Print the version
    Version,
}

impl CommandLine for Cortex {
    fn translated(self, environment: &Environment) -> Translation {
        match self.command {
            Command::Mcp => Translation::new(&["serve-mcp", "--contract", "cortex"]),
            Command::Index { watch, force } => Translation::new(&["index"])
                .flag("--watch", watch)
                .flag("--force", force)
                .option("--chunks-dir", Some(chunks_folder(environment))),
            Command::Clean => Translation::new(&["clear", "--yes"])
                .option("--chunks-dir", Some(chunks_folder(environment))),
            Command::Version => Translation::new(&["--version"]),
        }
    }
}

/// The folder of the chunk files, by `CORTEX_CHUNKS_DIR`, `.cortex/config.yml` or default.
fn chunks_folder(environment: &Environment) -> PathBuf {
    let root = environment.folder.as_deref().unwrap_or(Path::new(""));
    chunks::folder_of(root, environment.chunks.as_deref(), false).path
}
