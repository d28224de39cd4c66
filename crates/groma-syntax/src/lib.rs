//! What a file says: its symbols, references, imports and chunks.
//!
//! Pure: a path and bytes in, facts out. Nothing is read, no clock is asked and nothing fails: a file that
//! does not follow its grammar yields what can be understood and a [`ParseHealth`](groma_core::ParseHealth)
//! that says what could not.
#![deny(missing_docs)]

mod chunking;
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
mod tags;
mod tree;

pub use detection::{detect, find_language};
pub use language::{CommentSyntax, Dialect, Language, Role};
pub use languages::LANGUAGES;
pub use naming::name_in_file;
pub use overview::overview;
pub use parse::{Parsed, line_starts, parse};
pub use resolve::ImportMap;
