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
use groma_engine::{Engine, EngineError, View};
use std::ffi::OsString;
use std::path::PathBuf;

const AFTER: &str = "\
Projects:
  A command is about the folder given by --project, else by PATH, else by $GROMA_PROJECT, else
  about the repository (or the folder with a .groma.toml) around the working directory.
  Indexes live in $GROMA_HOME, else in the platform's data directory; nothing is written into a
  project unless `groma init` is asked to.

Exit codes:
  0    done, or something was found
  1    nothing was found (search, symbol, grep), or a problem is reported (doctor)
  2    wrong arguments, settings or request
  3    no such project, index or file
  4    another process is indexing the project
  5    the disk, the index or the program failed
  130  stopped with Ctrl-C

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

/// Search a codebase by meaning, words and names; index it once, stay up to date
#[derive(Debug, Parser)]
#[command(name = "groma", version, after_help = AFTER, subcommand_required = true)]
#[command(arg_required_else_help = true, max_term_width = 100)]
pub struct Args {
    /// What all commands share.
    #[command(flatten)]
    pub global: Global,
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What all commands share.
#[derive(Clone, Debug, Default, Group)]
#[command(next_help_heading = "Global options")]
pub struct Global {
    /// Print JSON; its field names stay as they are
    #[arg(long, global = true)]
    pub json: bool,
    /// No progress and no remarks on standard error, only errors
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Say more on standard error: counts and times, the causes of an error
    #[arg(short, long, global = true, action = ArgAction::SetTrue)]
    pub verbose: bool,
    /// When to use colours; `auto` means on a terminal unless NO_COLOR is set
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto", value_enum)]
    pub color: When,
    /// The project's folder, taken as it is
    #[arg(short = 'P', long, global = true, value_name = "DIR")]
    pub project: Option<PathBuf>,
}

/// Which ref of the project a command is about.
#[derive(Clone, Debug, Default, Group)]
pub struct Reference {
    /// A branch, tag or commit, read from git without a checkout [default: the working tree]
    #[arg(long = "ref", id = "ref", value_name = "REF")]
    pub name: Option<String>,
}

impl Reference {
    /// The engine that answers for it.
    pub fn of<'e>(&self, engine: &'e Engine) -> Result<View<'e>, EngineError> {
        engine.at(self.name.as_deref())
    }
}

/// What to do.
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
    /// Reads the arguments; where they ask for help or are wrong, says so and how the program ends.
    pub fn read(arguments: &[OsString]) -> Result<Self, Exit> {
        Self::try_parse_from(arguments).map_err(|error| match error.kind() {
            ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
                // Nobody is left to tell when this cannot be printed.
                let _ = error.print();
                Exit::Fine
            }
            _ if arguments.iter().any(|argument| argument == "--json") => {
                failure::tell(&usage(&error), true);
                Exit::Usage
            }
            _ => {
                let _ = error.print();
                Exit::Usage
            }
        })
    }
}

/// A wrong argument, without the decorations meant for a terminal.
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
