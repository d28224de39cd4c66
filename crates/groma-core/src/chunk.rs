//! The unit of retrieval.

use crate::Lines;
use crate::symbol::named_enum;
use std::fmt;
use std::str::FromStr;

named_enum! {
    /// What a chunk is made of.
    ChunkKind {
        /// A section of a document.
        Prose = "prose",
        /// The overview of a file: package, imports, types and functions with their lines.
        Overview = "overview",
        /// Functions, methods and types, with the comments above them.
        Code = "code",
        /// Constants and configuration.
        Data = "data",
    }
}

/// A piece of a file that is found and shown as one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chunk {
    /// What it is made of.
    pub kind: ChunkKind,
    /// Where it is. Chunks of one file other than its overview never share a line.
    pub lines: Lines,
    /// The definition it shows (the first and largest, where small neighbours were merged), by its index in
    /// [`FileFacts::symbols`](crate::FileFacts::symbols).
    pub symbol: Option<u32>,
    /// For a document: the headings above, outermost first, joined by ` > `.
    pub title: String,
}
