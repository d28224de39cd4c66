//! CocoSearch: its commands, over named indexes. Like CocoSearch it prints JSON unless `--pretty` is given.

use super::{CommandLine, NamedIndex, Translation, Transport, not_offered};
use crate::environment::Environment;
use clap::{Parser, Subcommand};
use std::ffi::OsString;
use std::path::PathBuf;

/// CocoSearch's commands, run by Groma
#[derive(Debug, Parser)]
#[command(name = "cocosearch", version)]
pub struct CocoSearch {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Serve an assistant over MCP on standard input and output
    Mcp {
        /// No effect: the working directory counts if the client reports no roots
        #[arg(long)]
        project_from_cwd: bool,
        #[arg(short, long, default_value = "stdio")]
        transport: Transport,
        #[arg(short, long, default_value_t = 3000)]
        port: u16,
    },
    /// Index a folder
    Index {
        path: Option<PathBuf>,
        /// The name of the index
        #[arg(short, long)]
        name: Option<String>,
        /// Index everything again
        #[arg(long)]
        fresh: bool,
        /// No effect: imports are always part of the index
        #[arg(long)]
        deps: bool,
        /// Not offered
        #[arg(short, long, hide = true, value_name = "GLOB")]
        include: Vec<String>,
        /// Not offered
        #[arg(short, long, hide = true, value_name = "GLOB")]
        exclude: Vec<String>,
        /// Not offered
        #[arg(long, hide = true)]
        no_gitignore: bool,
    },
    /// Search an index
    Search(SearchArgs),
    /// Show how a query is answered
    Analyze {
        query: String,
        #[arg(short = 'n', long = "index")]
        index: Option<String>,
    },
    /// List the indexes
    List {
        #[arg(long)]
        pretty: bool,
    },
    /// Count what an index holds
    Stats {
        name: Option<String>,
        #[arg(long)]
        show_failures: bool,
        /// No effect: an index is brought up to date by every query
        #[arg(long, value_name = "DAYS")]
        staleness_threshold: Option<u32>,
        /// Not offered
        #[arg(long, alias = "watch", hide = true)]
        live: bool,
        #[arg(long)]
        pretty: bool,
    },
    /// Delete an index
    Clear {
        name: Option<String>,
        /// Do not ask
        #[arg(long)]
        force: bool,
        #[arg(long)]
        pretty: bool,
    },
    /// List the languages
    Languages,
    /// Set up the project
    Init,
    /// Settings: show, path or check
    Config { action: String },
    /// Not offered
    #[command(hide = true)]
    Grammars { arguments: Vec<OsString> },
    /// Not offered
    #[command(hide = true)]
    Deps { arguments: Vec<OsString> },
    /// Not offered
    #[command(hide = true)]
    Dashboard { arguments: Vec<OsString> },
}

#[derive(Debug, clap::Args)]
struct SearchArgs {
    #[arg(required_unless_present = "interactive")]
    query: Option<String>,
    /// Not offered
    #[arg(short, long, hide = true)]
    interactive: bool,
    /// Not offered
    #[arg(long, hide = true, value_name = "NAMES")]
    indexes: Vec<String>,
    #[arg(short = 'n', long = "index")]
    index: Option<String>,
    #[arg(short, long)]
    limit: Option<usize>,
    #[arg(long)]
    lang: Option<String>,
    #[arg(long)]
    min_score: Option<f32>,
    #[arg(short = 'A', long)]
    after: Option<u32>,
    #[arg(short = 'B', long)]
    before: Option<u32>,
    #[arg(short = 'C', long)]
    context: Option<u32>,
    /// No effect: results are cut to the lines that matter
    #[arg(long)]
    no_smart: bool,
    #[arg(long)]
    hybrid: bool,
    #[arg(long)]
    symbol_type: Vec<String>,
    #[arg(long)]
    symbol_name: Option<String>,
    /// No effect: nothing is kept between processes
    #[arg(long)]
    no_cache: bool,
    #[arg(long)]
    pretty: bool,
}

impl CommandLine for CocoSearch {
    fn translated(self, _: &Environment) -> Result<Translation, clap::Error> {
        Ok(match self.command {
            Command::Mcp { transport: Transport::Stdio, .. } => {
                Translation::new(&["serve-mcp", "--contract", "cocosearch"])
            }
            Command::Mcp { port, .. } => Translation::new(&["serve", "--contract", "cocosearch"])
                .option("--port", Some(port.to_string())),
            Command::Index { include, exclude, no_gitignore, .. }
                if no_gitignore || !include.is_empty() || !exclude.is_empty() =>
            {
                let reason =
                    "set what is indexed in `[index]` of .groma.toml, which every query follows";
                return Err(not_offered("index --include, --exclude or --no-gitignore", reason));
            }
            Command::Index { path, name, fresh, .. } => {
                let index = Translation::new(&["--json", "index"]).flag("--force", fresh);
                let root = path.clone();
                let named = name.map_or(NamedIndex::None, |name| NamedIndex::New { name, root });
                Translation { index: named, ..index.optional(path) }
            }
            Command::Search(SearchArgs { interactive: true, .. }) => {
                return Err(not_offered("search --interactive", "one command asks one question"));
            }
            Command::Search(search) if !search.indexes.is_empty() => {
                let reason = "index a folder around several projects, or name one with --index";
                return Err(not_offered("search --indexes", reason));
            }
            Command::Search(search) => search.translated(),
            Command::Analyze { query, index } => {
                let search = Translation::new(&["--json", "search", "--explain", "--"]);
                search.argument(query).on(index)
            }
            Command::List { pretty } => command("list", pretty),
            Command::Stats { live: true, .. } => {
                return Err(not_offered("stats --live", "`groma serve` has /metrics"));
            }
            Command::Stats { name, show_failures, pretty, .. } => {
                command("stats", pretty).flag("--failures", show_failures).on(name)
            }
            Command::Clear { name, force, pretty } => {
                command("clear", pretty).flag("--yes", force).on(name)
            }
            Command::Languages => command("languages", false),
            Command::Init => Translation::new(&["init"]),
            Command::Config { action } => Translation::new(&["config"]).argument(action),
            Command::Grammars { .. } => {
                return Err(not_offered("grammars", "`groma languages` lists what is parsed"));
            }
            Command::Deps { .. } => {
                let reason =
                    "`groma symbol NAME --callers` and the tool `symbol` know what uses what";
                return Err(not_offered("deps", reason));
            }
            Command::Dashboard { .. } => {
                return Err(not_offered("dashboard", "`groma serve` has /health and /metrics"));
            }
        })
    }
}

impl SearchArgs {
    fn translated(self) -> Translation {
        let text = |number: Option<u32>| number.map(|number| number.to_string());
        let mode = self.hybrid.then_some("hybrid");
        let kinds = (!self.symbol_type.is_empty()).then(|| self.symbol_type.join(","));
        command("search", self.pretty)
            .option("--limit", self.limit.map(|limit| limit.to_string()))
            .option("--lang", self.lang)
            .option("--min-score", self.min_score.map(|score| score.to_string()))
            .option("--mode", mode)
            .option("--kind", kinds)
            .option("--name", self.symbol_name)
            .option("--after", text(self.after))
            .option("--before", text(self.before))
            .option("--context", text(self.context))
            .argument("--")
            .optional(self.query)
            .on(self.index)
    }
}

fn command(name: &str, is_pretty: bool) -> Translation {
    let words: &[&str] = if is_pretty { &[name] } else { &["--json", name] };
    Translation::new(words)
}
