//! `groma`, the program: arguments in, an exit code out.
//!
//! `args` parses the command line, `environment` reads variables and terminals, `project` locates the project and
//! assembles its engine, `commands` runs the command, `print` and `page` print, `failure` maps errors to messages and exit codes.

mod args;
mod chunks;
mod commands;
mod config;
mod embedding;
mod environment;
mod failure;
mod highlight;
mod host;
mod numbers;
mod page;
mod print;
mod progress;
mod project;
mod registry;
mod transcript;

use args::Args;
use commands::Call;
use std::process::ExitCode;

/// Indexing allocates many small strings on all cores, where the system allocator is slower.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args_os().collect();
    let exit = match Args::read(&arguments) {
        Ok(args) => {
            let mut call = Call::new(args.global);
            let outcome = commands::run(&args.command, &mut call);
            outcome.unwrap_or_else(|error| failure::report(&error, &call.global))
        }
        Err(exit) => exit,
    };
    exit.into()
}
