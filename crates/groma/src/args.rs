//! The command line: every command, and the options all of them share.

use crate::commands::{
    clear::ClearArgs, completions::CompletionsArgs, config::ConfigArgs, context::ContextArgs,
    doctor::DoctorArgs, embed::EmbedArgs, eval::EvalArgs, grep::GrepArgs, hook::HookArgs,
    index::IndexArgs, ingest::IngestArgs, init::InitArgs, languages::LanguagesArgs, list::ListArgs,
    man::ManArgs, notebook::NotebookArgs, outline::OutlineArgs, read::ReadArgs,
    remember::RememberArgs, search::SearchArgs, serve::ServeArgs, serve_mcp::ServeMcpArgs,
    stats::StatsArgs, status::StatusArgs, symbol::SymbolArgs,
};
use crate::failure::{self, Exit, Failure, Kind};
use crate::print::When;
use clap::error::ErrorKind;
use clap::{ArgAction, Args as Group, Parser, Subcommand};
use groma_engine::{Engine, EngineError, RefEngine};
use std::ffi::OsString;
use std::path::PathBuf;

const AFTER: &str = "\
Projects:
  A command works on the folder given by --project, else PATH, else $GROMA_PROJECT, else on the
  repository (or the folder with a .groma.toml) that contains the working directory.
  Indexes are stored in $GROMA_HOME, else in the platform's data directory; files are written
  into a project only on request, for example by `groma init`.

Exit codes:
  0    success, or something was found
  1    nothing was found (search, symbol, grep), or a problem was reported (doctor)
  2    invalid arguments, settings or request
  3    no such project, index or file
  4    another process is indexing the project
  5    the disk, the index or the program failed
  130  interrupted with Ctrl-C

With --json an error is printed to standard error as
  {\"error\": {\"kind\": \"...\", \"message\": \"...\", \"hint\": \"...\"}}
where kind is usage, not_found, busy, damaged, internal or cancelled.

Examples:
  groma search \"where are requests rate limited\"
  groma search verify_token --lang go,rust --kind function
  groma symbol RateLimiter --callers
  groma grep 'fn \\w+_token' --lang rust
  groma index --dry-run
  groma doctor";

/// Search a codebase by meaning, keywords and names; the index updates itself
#[derive(Debug, Parser)]
#[command(name = "groma", version, after_help = AFTER, subcommand_required = true)]
#[command(arg_required_else_help = true, max_term_width = 100)]
pub struct Args {
    /// Global options.
    #[command(flatten)]
    pub global: Global,
    /// The command.
    #[command(subcommand)]
    pub command: Command,
}

/// Options of all commands.
#[derive(Clone, Debug, Default, Group)]
#[command(next_help_heading = "Global options")]
pub struct Global {
    /// Print JSON; field names are stable
    #[arg(long, global = true)]
    pub json: bool,
    /// Print only errors on standard error, no progress and no notes
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Print more on standard error: counts, times and the causes of an error
    #[arg(short, long, global = true, action = ArgAction::SetTrue)]
    pub verbose: bool,
    /// When to use colours; `auto` means on a terminal unless NO_COLOR is set
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto", value_enum)]
    pub color: When,
    /// The project's root folder, exactly as given
    #[arg(short = 'P', long, global = true, value_name = "DIR")]
    pub project: Option<PathBuf>,
}

/// The ref a command works on.
#[derive(Clone, Debug, Default, Group)]
pub struct Reference {
    /// A branch, tag or commit, read from git without a checkout [default: the working tree]
    #[arg(long = "ref", id = "ref", value_name = "REF")]
    pub name: Option<String>,
}

impl Reference {
    /// The view of the engine on this ref.
    pub fn of<'e>(&self, engine: &'e Engine) -> Result<RefEngine<'e>, EngineError> {
        engine.at(self.name.as_deref())
    }
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    Search(Box<SearchArgs>),
    Symbol(SymbolArgs),
    Grep(GrepArgs),
    Read(ReadArgs),
    Index(IndexArgs),
    Status(StatusArgs),
    Stats(StatsArgs),
    Outline(OutlineArgs),
    Context(ContextArgs),
    Remember(RememberArgs),
    Notebook(NotebookArgs),
    Ingest(IngestArgs),
    Hook(HookArgs),
    List(ListArgs),
    Clear(ClearArgs),
    Languages(LanguagesArgs),
    Doctor(DoctorArgs),
    Embed(EmbedArgs),
    Init(InitArgs),
    Config(ConfigArgs),
    ServeMcp(ServeMcpArgs),
    Serve(ServeArgs),
    Eval(EvalArgs),
    Completions(CompletionsArgs),
    Man(ManArgs),
}

impl Args {
    /// Parses the arguments. Help and errors are printed here; the exit code is the error.
    pub fn read(arguments: &[OsString]) -> Result<Self, Exit> {
        Self::try_parse_from(arguments).map_err(|error| match error.kind() {
            ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
                // Standard output is closed if this fails.
                let _ = error.print();
                Exit::Fine
            }
            _ if arguments.iter().any(|argument| argument == "--json") => {
                failure::print_failure(&usage(&error), true);
                Exit::Usage
            }
            _ => {
                let _ = error.print();
                Exit::Usage
            }
        })
    }
}

/// A usage error without clap's formatting for terminals.
fn usage(error: &clap::Error) -> Failure {
    let text = error.to_string();
    let lines: Vec<&str> =
        text.lines().map(str::trim).take_while(|line| !line.is_empty()).collect();
    let message = lines.join(" ").trim_start_matches("error: ").to_string();
    Failure::new(Kind::Usage, message).hint("`groma help` lists the commands and options")
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_well_formed() {
        Args::command().debug_assert();
    }
}
