//! The command line from outside: the real program, in folders of its own.

mod answers;
mod client;
mod commands;
mod contracts;
mod embedders;
mod failures;
mod grep;
mod help;
mod http;
mod ingest;
mod notebook;
mod protocol;
mod sample;
mod symbol;
mod watch;
