//! The command line from outside: the real program, in folders of its own.

mod answers;
mod commands;
mod embedders;
mod failures;
mod help;
mod sample;
