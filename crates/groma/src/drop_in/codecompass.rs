//! CodeCompass: the commands of its document.

use super::{CommandLine, Translation};
use crate::environment::Environment;
use clap::{Parser, Subcommand, ValueEnum};
use std::net::IpAddr;
use std::path::PathBuf;

/// CodeCompass's commands, run by Groma
#[derive(Debug, Parser)]
#[command(name = "codecompass", version)]
pub struct CodeCompass {
    #[command(subcommand)]
    command: Command,
    /// Print more
    #[arg(short, long, global = true)]
    verbose: bool,
    /// The settings file
    #[arg(long, global = true, value_name = "PATH")]
    config: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Register the project, make the index, detect the version control
    Init { path: Option<PathBuf> },
    /// Health check
    Doctor,
    /// Index or re-index the project
    Index {
        #[arg(long)]
        force: bool,
        #[arg(long)]
        path: Option<PathBuf>,
        #[arg(long = "ref")]
        reference: Option<String>,
    },
    /// Bring the index up to date
    Sync {
        #[arg(long)]
        force: bool,
        #[arg(long)]
        workspace: Option<PathBuf>,
    },
    /// Search the project
    Search {
        query: String,
        #[arg(long = "ref")]
        reference: Option<String>,
        #[arg(long)]
        lang: Option<String>,
        #[arg(long)]
        limit: Option<usize>,
    },
    /// Serve an assistant over MCP
    ServeMcp {
        #[arg(long)]
        workspace: Option<PathBuf>,
        #[arg(long, default_value = "stdio")]
        transport: Transport,
        #[arg(long)]
        port: Option<u16>,
        #[arg(long)]
        bind: Option<IpAddr>,
        /// No effect: nothing has to be loaded before the first query
        #[arg(long)]
        no_prewarm: bool,
        /// No effect: a client's roots always count
        #[arg(long)]
        auto_workspace: bool,
    },
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Transport {
    Stdio,
    Http,
}

impl CommandLine for CodeCompass {
    fn translated(self, _: &Environment) -> Translation {
        let Self { command, verbose, config } = self;
        let (translation, query) = match command {
            Command::Init { path } => (Translation::new(&["init"]).optional(path), None),
            Command::Doctor => (Translation::new(&["doctor"]), None),
            Command::Index { force, path, reference } => {
                let index = Translation::new(&["index"]).flag("--force", force);
                (index.option("--path", path).option("--ref", reference), None)
            }
            Command::Sync { force, workspace } => {
                let sync = Translation::new(&["sync"]).flag("--force", force);
                (sync.option("--workspace", workspace), None)
            }
            Command::Search { query, reference, lang, limit } => {
                let search = Translation::new(&["search"]).option("--ref", reference);
                let limit = limit.map(|limit| limit.to_string());
                (search.option("--lang", lang).option("--limit", limit), Some(query))
            }
            Command::ServeMcp { workspace, transport: Transport::Stdio, .. } => {
                let serve = Translation::new(&["serve-mcp", "--contract", "codecompass"]);
                (serve.option("--workspace", workspace), None)
            }
            Command::ServeMcp { workspace, port, bind, .. } => {
                let serve = Translation::new(&["serve", "--contract", "codecompass"])
                    .option("--workspace", workspace)
                    .option("--port", Some(port.unwrap_or(9100).to_string()))
                    .option("--host", bind.map(|address| address.to_string()));
                (serve, None)
            }
        };
        let translation = translation.flag("--verbose", verbose).option("--config", config);
        match query {
            // A query may begin with a dash.
            Some(query) => translation.argument("--").argument(query),
            None => translation,
        }
    }
}
