//! Languages, and the facts of a file: its symbols, references, imports and chunks.
//!
//! A path and a text in, facts out: no file is opened and nothing fails. A file with syntax errors yields the facts that
//! could be extracted and a [`ParseHealth`](groma_core::ParseHealth) that says what could not. The only thing besides the
//! input that matters is CPU time: a parse is given up after a deadline, and says so.
//!
//! Grammars are C that reads what others wrote. A program can have them run in another process: see [`GrammarHost`].
#![deny(missing_docs)]

mod capture;
mod chunking;
mod comment;
mod compiled;
mod deadline;
mod detection;
mod document;
mod extract;
mod fast;
mod grammars;
mod import_map;
mod isolation;
mod language;
mod languages;
mod lines;
mod lowering;
mod memory;
mod naming;
mod overview;
mod parse;
mod parsed;
mod qualifier;
mod query;
mod resolve;
mod sections;
mod signature;
mod tags;
#[cfg(test)]
mod tests;
mod tree;
mod visibility;

pub use detection::{detect, detect_by_name, find_language};
pub use grammars::grammar_fingerprint;
pub use import_map::ImportMap;
pub use isolation::{GrammarHost, HostError, set_grammar_host};
pub use language::{CommentSyntax, Dialect, Language, LanguageKind, SharedScope};
pub use languages::LANGUAGES;
pub use lines::line_starts;
pub use naming::name_in_file;
pub use overview::overview;
pub use parse::{parse, parse_by_grammar};
pub use parsed::Parsed;
