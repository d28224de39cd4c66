//! Languages, and the facts of a file: its symbols, references, imports and chunks.
//!
//! A path and a text in, facts out. Nothing is read from disk and nothing fails: a file with syntax errors yields
//! what could be parsed and a [`ParseHealth`](groma_core::ParseHealth) that describes the rest. The clock is used only
//! for the deadline of a parse.
#![deny(missing_docs)]

mod chunking;
mod comment;
mod ddd;
mod detection;
mod document;
mod extract;
mod language;
mod languages;
mod memory;
mod naming;
mod overview;
mod parse;
mod parsers;
mod query;
mod resolve;
mod signature;
mod tags;
mod tree;
mod visibility;

pub use detection::{detect, detect_by_name, find_language};
pub use language::{CommentSyntax, Dialect, Language, LanguageKind};
pub use languages::LANGUAGES;
pub use naming::name_in_file;
pub use overview::overview;
pub use parse::{Parsed, line_starts, parse};
pub use resolve::ImportMap;
