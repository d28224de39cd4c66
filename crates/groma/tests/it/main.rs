//! The command line from outside: the real program, in folders of its own.

mod answers;
mod chaos;
mod chunk_files;
mod client;
mod commands;
mod contracts;
mod documents;
mod drop_in;
mod embedders;
mod failures;
mod faults;
mod grep;
mod help;
mod http;
mod ingest;
mod isolation;
mod logs;
mod losses;
mod notebook;
mod processes;
mod protocol;
mod refs;
mod retrieval;
mod sample;
mod secrets;
mod states;
mod symbol;
#[cfg(unix)]
mod terminal;
mod watch;
