//! `groma`, the program: arguments in, an exit code out.
//!
//! `command_line` parses the arguments and runs the command, which is one of `commands`. Below them, `host` serves
//! surfaces, `project` locates the project and assembles its engine, `report` maps errors to messages and exit codes,
//! `environment` reads variables and terminals, `print` and `page` print.

mod args;
mod chunks;
mod command_line;
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
mod report;
mod transcript;

use command_line::Args;
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
            let outcome = args.command.run(&mut call);
            outcome.unwrap_or_else(|error| report::report(&error, &call.global))
        }
        Err(exit) => exit,
    };
    exit.into()
}
