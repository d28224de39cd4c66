//! What a file says: its symbols, references, imports and chunks.
//!
//! A path and a text in, facts out: no file is opened and nothing fails. A file with syntax errors yields the facts that
//! could be extracted and a [`ParseHealth`](groma_core::ParseHealth) that says what could not. The only thing besides the
//! input that matters is time: a parse is given up after a deadline.
#![deny(missing_docs)]

mod chunking;
mod ddd;
mod document;
mod extract;
mod fast;
mod grammars;
mod language;
mod memory;
mod naming;
mod overview;
mod parse;
mod query;
mod resolve;
mod tags;
#[cfg(test)]
mod tests;
mod tree;

pub use grammars::grammar_fingerprint;
pub use language::{LANGUAGES, Language, Role, detect, find_language};
pub use naming::name_in_file;
pub use overview::overview;
pub use parse::{Parsed, line_starts, parse, parse_by_grammar};
pub use resolve::ImportMap;
