//! CodeCompass: the commands of its document.

use super::{CommandLine, Translation, Transport, not_offered};
use crate::environment::Environment;
use clap::{Args, Parser, Subcommand};
use std::ffi::OsString;
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
    ServeMcp(ServeArgs),
    /// Not offered
    #[command(hide = true)]
    State { arguments: Vec<OsString> },
    /// Not offered
    #[command(hide = true)]
    PruneOverlays {
        #[arg(long)]
        older_than: Option<String>,
    },
    /// Not offered
    #[command(hide = true)]
    Eval { arguments: Vec<OsString> },
}

#[derive(Debug, Args)]
struct ServeArgs {
    #[arg(long)]
    workspace: Option<PathBuf>,
    #[arg(long, default_value = "stdio")]
    transport: Transport,
    #[arg(long)]
    port: Option<u16>,
    #[arg(long)]
    bind: Option<IpAddr>,
    /// A folder whose projects clients may open, over HTTP
    #[arg(long, value_name = "DIR")]
    allowed_root: Vec<PathBuf>,
    /// No effect: nothing has to be loaded before the first query
    #[arg(long)]
    no_prewarm: bool,
    /// No effect: a client's roots always count
    #[arg(long)]
    auto_workspace: bool,
    /// No effect: open projects are bounded by themselves
    #[arg(long, value_name = "N")]
    max_auto_workspaces: Option<usize>,
}

impl ServeArgs {
    fn translated(self) -> Translation {
        if self.transport == Transport::Stdio {
            return Translation::new(&["serve-mcp", "--contract", "codecompass"])
                .option("--workspace", self.workspace);
        }
        let serve = Translation::new(&["serve", "--contract", "codecompass"])
            .option("--workspace", self.workspace)
            .option("--port", Some(self.port.unwrap_or(9100).to_string()))
            .option("--host", self.bind.map(|address| address.to_string()));
        let roots = self.allowed_root.into_iter();
        roots.fold(serve, |serve, root| serve.option("--allow", Some(root)))
    }
}

impl CommandLine for CodeCompass {
    fn translated(self, _: &Environment) -> Result<Translation, clap::Error> {
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
            Command::ServeMcp(serve) => (serve.translated(), None),
            Command::State { .. } => {
                let reason =
                    "an index is rebuilt from the files; `groma notes export` exports notes";
                return Err(not_offered("state", reason));
            }
            Command::PruneOverlays { .. } => {
                let reason =
                    "there are no overlays, and unused parts of an index are deleted by themselves";
                return Err(not_offered("prune-overlays", reason));
            }
            Command::Eval { .. } => {
                return Err(not_offered("eval", "`groma eval` measures retrieval"));
            }
        };
        let translation = translation.flag("--verbose", verbose).option("--config", config);
        match query {
            // A query may begin with a dash.
            Some(query) => Ok(translation.argument("--").argument(query)),
            None => Ok(translation),
        }
    }
}
