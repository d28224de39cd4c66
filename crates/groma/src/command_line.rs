//! The command line: every command, how it is read, and where it runs.

use crate::args::Global;
use crate::commands::{self, Call};
use crate::commands::{
    as_program::AsArgs, clear::ClearArgs, completions::CompletionsArgs, config::ConfigArgs,
    context::ContextArgs, doctor::DoctorArgs, embed::EmbedArgs, eval::EvalArgs, grep::GrepArgs,
    hook::HookArgs, impact::ImpactArgs, index::IndexArgs, ingest::IngestArgs, init::InitArgs,
    install::InstallArgs, languages::LanguagesArgs, list::ListArgs, man::ManArgs, notes::NotesArgs,
    outline::OutlineArgs, read::ReadArgs, remember::RememberArgs, search::SearchArgs,
    serve::ServeArgs, serve_mcp::ServeMcpArgs, stats::StatsArgs, status::StatusArgs,
    symbol::SymbolArgs, sync::SyncArgs, trust::TrustArgs,
};
use crate::drop_in;
use crate::environment::Environment;
use crate::failure::{Exit, Failure, Kind};
use crate::program::Program;
use crate::report::{self, print_failure};
use anyhow::Result;
use clap::error::ErrorKind;
use clap::{CommandFactory, Parser, Subcommand};
use std::ffi::OsString;
use std::io::Write;

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

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    Search(Box<SearchArgs>),
    Symbol(SymbolArgs),
    Impact(ImpactArgs),
    Grep(GrepArgs),
    Read(ReadArgs),
    Index(IndexArgs),
    Sync(SyncArgs),
    Status(StatusArgs),
    Stats(StatsArgs),
    Outline(OutlineArgs),
    #[command(alias = "notebook")]
    Notes(NotesArgs),
    // Former names of `groma notes search`, `add`, `ingest` and `hook`.
    #[command(hide = true)]
    Context(ContextArgs),
    #[command(hide = true)]
    Remember(RememberArgs),
    #[command(hide = true)]
    Ingest(IngestArgs),
    #[command(hide = true)]
    Hook(HookArgs),
    List(ListArgs),
    Clear(ClearArgs),
    Languages(LanguagesArgs),
    Doctor(DoctorArgs),
    Embed(EmbedArgs),
    Init(InitArgs),
    Config(ConfigArgs),
    Trust(TrustArgs),
    ServeMcp(ServeMcpArgs),
    Serve(ServeArgs),
    As(AsArgs),
    Install(InstallArgs),
    Eval(EvalArgs),
    Completions(CompletionsArgs),
    Man(ManArgs),
}

impl Command {
    /// Runs the command.
    pub fn run(&self, call: &mut Call) -> Result<Exit> {
        let exit = match self {
            Self::Search(args) => commands::search::run(args, call),
            Self::Symbol(args) => commands::symbol::run(args, call),
            Self::Impact(args) => commands::impact::run(args, call),
            Self::Read(args) => commands::read::run(args, call),
            Self::Grep(args) => commands::grep::run(args, call),
            Self::Index(args) => commands::index::run(args, call),
            Self::Sync(args) => commands::sync::run(args, call),
            Self::Status(args) => commands::status::run(args, call),
            Self::Stats(args) => commands::stats::run(args, call),
            Self::Outline(args) => commands::outline::run(args, call),
            Self::Context(args) => commands::context::run(args, call),
            Self::Remember(args) => commands::remember::run(args, call),
            Self::Notes(args) => commands::notes::run(args, call),
            Self::Ingest(args) => commands::ingest::run(args, call),
            Self::Hook(args) => commands::hook::run(args, call),
            Self::List(args) => commands::list::run(args, call),
            Self::Clear(args) => commands::clear::run(args, call),
            Self::Languages(args) => commands::languages::run(args, call),
            Self::Doctor(args) => commands::doctor::run(args, call),
            Self::Embed(args) => commands::embed::run(args, call),
            Self::Init(args) => commands::init::run(args, call),
            Self::Config(args) => commands::config::run(args, call),
            Self::Trust(args) => commands::trust::run(args, call),
            Self::ServeMcp(args) => commands::serve_mcp::run(args, call),
            Self::Serve(args) => commands::serve::run(args, call),
            Self::As(args) => Ok(run_as(args.program, &args.arguments)),
            Self::Install(args) => commands::install::run(args, call),
            Self::Eval(args) => commands::eval::run(args, call),
            Self::Completions(args) => commands::completions::run(args, Args::command(), call),
            Self::Man(args) => commands::man::run(args, Args::command(), call),
        }?;
        call.printer.flush()?;
        Ok(exit)
    }
}

impl Args {
    /// Parses the arguments. Help and errors are printed here; the exit code is the error.
    pub fn read(arguments: &[OsString]) -> Result<Self, Exit> {
        Self::try_parse_from(arguments).map_err(|error| print_error(&error, arguments))
    }
}

/// Runs as another program with these arguments.
pub fn run_as(program: &'static Program, arguments: &[OsString]) -> Exit {
    let mut environment = Environment::read();
    let line: Vec<OsString> =
        std::iter::once(program.name.into()).chain(arguments.iter().cloned()).collect();
    let translation = match drop_in::translate(program, &line, &mut environment) {
        Ok(translation) => translation,
        Err(error) => return print_error(&error, &line),
    };
    let args = match Args::try_parse_from(&translation.line) {
        Ok(args) => args,
        Err(error) => return print_error(&error, &line),
    };
    let mut call = Call::new(args.global);
    environment.settings = call.environment.settings.take();
    (call.environment, call.contract) = (environment, Some(program.contract));
    let outcome = translation.index.locate(&mut call).and_then(|()| {
        let exit = args.command.run(&mut call)?;
        translation.index.keep(&call)?;
        Ok(exit)
    });
    outcome.unwrap_or_else(|error| report::report(&error, &call.global))
}

/// Prints help, or why the arguments are wrong; returns the exit code.
pub fn print_error(error: &clap::Error, arguments: &[OsString]) -> Exit {
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            // Standard output is closed if this fails.
            let _ = error.print();
            Exit::Fine
        }
        _ if arguments.iter().any(|argument| argument == "--json") => {
            print_failure(&usage(error), true);
            Exit::Usage
        }
        _ => {
            let _ = error.print();
            Exit::Usage
        }
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

    #[test]
    fn the_command_line_is_well_formed() {
        Args::command().debug_assert();
    }

    /// CodeCompass: "All CLI commands support `--verbose` / `-v` for increased log output and `--config PATH` for custom config file
    /// path."
    #[test]
    fn every_command_takes_a_settings_file_and_verbose() {
        let mut command = Args::command();
        command.build();
        for one in command.get_subcommands().filter(|one| one.get_name() != "help") {
            let options: Vec<&str> = one.get_arguments().filter_map(|arg| arg.get_long()).collect();
            for name in ["config", "verbose"] {
                assert!(options.contains(&name), "{}: {options:?}", one.get_name());
            }
        }
    }
}
