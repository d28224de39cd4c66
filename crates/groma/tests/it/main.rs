//! The command line from outside: the real program, in folders of its own.

mod answers;
mod commands;
mod failures;
mod grep;
mod help;
mod sample;
