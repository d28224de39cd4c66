//! Cortex: `mcp`, and `index`, which writes the chunk files that it serves.

use super::{CommandLine, Translation, not_offered};
use crate::chunks;
use crate::environment::Environment;
use clap::{Parser, Subcommand, ValueEnum};
use std::ffi::OsString;
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
    /// The index keeps itself up to date; `start` does so once, `status` shows it
    Indexer { action: Indexer },
    /// Not offered
    #[command(hide = true)]
    Embed { arguments: Vec<OsString> },
    /// Not offered
    #[command(hide = true)]
    Cache { arguments: Vec<OsString> },
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Indexer {
    Start,
    Stop,
    Status,
    Logs,
}

impl CommandLine for Cortex {
    fn translated(self, environment: &Environment) -> Result<Translation, clap::Error> {
        Ok(match self.command {
            Command::Mcp => Translation::new(&["serve-mcp", "--contract", "cortex"]),
            Command::Index { watch, force } => Translation::new(&["index"])
                .flag("--watch", watch)
                .flag("--force", force)
                .option("--chunks-dir", Some(chunks_folder(environment))),
            Command::Clean => Translation::new(&["clear", "--yes"])
                .option("--chunks-dir", Some(chunks_folder(environment))),
            Command::Version => Translation::new(&["--version"]),
            Command::Indexer { action: Indexer::Start } => Translation::new(&["sync"]),
            Command::Indexer { action: Indexer::Stop | Indexer::Status } => {
                Translation::new(&["status"])
            }
            Command::Indexer { action: Indexer::Logs } => {
                let reason =
                    "no indexer runs by itself; `groma serve-mcp --log info` logs index runs";
                return Err(not_offered("indexer logs", reason));
            }
            Command::Embed { .. } => {
                let reason =
                    "the built-in model needs no server, and `.cortex/config.yml` names another";
                return Err(not_offered("embed", reason));
            }
            Command::Cache { .. } => {
                return Err(not_offered(
                    "cache",
                    "`groma list` and `groma clear` manage what is stored",
                ));
            }
        })
    }
}

/// The folder of the chunk files, by `CORTEX_CHUNKS_DIR`, `.cortex/config.yml` or default.
fn chunks_folder(environment: &Environment) -> PathBuf {
    let root = environment.folder.as_deref().unwrap_or(Path::new(""));
    chunks::folder_of(root, environment.chunks.as_deref(), false).path
}
