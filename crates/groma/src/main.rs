//! `groma`, the program: arguments in, an exit code out.
//!
//! `command_line` parses the arguments and runs the command, which is one of `commands`; `drop_in` translates the
//! command lines of other programs for it. Below them, `host` serves surfaces, `project` locates the project and assembles its engine, `report` maps errors to messages and exit codes,
//! `environment` reads variables and terminals, `print` and `page` print.

mod args;
mod chunks;
mod command_line;
mod commands;
mod config;
mod cortex_settings;
mod drop_in;
mod embedding;
mod environment;
mod failure;
mod highlight;
mod host;
mod logs;
mod numbers;
mod page;
mod print;
mod program;
mod progress;
mod project;
mod registry;
mod report;
mod transcript;
mod trust;
mod variables;

use command_line::Args;
use commands::Call;
use std::process::ExitCode;

/// Indexing allocates many small strings on all cores, where the system allocator is slower.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The argument, by itself, that makes a process a worker: see groma-worker.
const WORKER: &str = "parse-worker";

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args_os().collect();
    if arguments.len() == 2 && arguments[1] == WORKER {
        return groma_worker::run_worker().map_or(ExitCode::FAILURE, |()| ExitCode::SUCCESS);
    }
    if let Some(program) = environment::program() {
        groma_worker::isolate_grammars(program, WORKER);
    }
    let started_as = arguments.first().and_then(|name| program::started_as(name));
    if let Some(program) = started_as {
        return command_line::run_as(program, &arguments[1..]).into();
    }
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
