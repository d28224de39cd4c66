//! `groma`, the program: arguments in, an exit code out.
//!
//! The way is always the same: `args` says what was asked, `environment` what the process was given, `project`
//! which project that means, `commands` does it, `print` shows it, `failure` says what went wrong and what to do.

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
mod print;
mod progress;
mod project;
mod registry;
mod transcript;

use args::Args;
use commands::Call;
use std::process::ExitCode;

/// Indexing makes and frees small strings on all cores, where the system's allocator is slower.
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
