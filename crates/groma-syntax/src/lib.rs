//! What a file says: its symbols, references, imports and chunks.
//!
//! Pure: a path and bytes in, facts out. Nothing is read, no clock is asked and nothing fails: a file that
//! does not follow its grammar yields what can be understood and a [`ParseHealth`](groma_core::ParseHealth)
//! that says what could not.
#![deny(missing_docs)]

mod language;
mod memory;
mod parse;
mod extract;
mod naming;
mod ddd;
mod document;
mod chunking;
mod overview;
mod tags;
mod resolve;

pub use language::{Language, LANGUAGES, Role, detect, find_language};
pub use overview::overview;
pub use resolve::ImportMap;
pub use parse::{Parsed, line_starts, parse};
