//! The result of parsing.

use crate::language::Language;
use groma_core::FileFacts;
use std::ops::Range;

/// The result of parsing a file.
#[derive(Clone, Debug)]
pub struct Parsed {
    /// The language's row.
    pub language: &'static Language,
    /// The facts that an index stores.
    pub facts: FileFacts,
    /// The bytes that are comments or doc strings, ascending.
    pub comments: Vec<Range<usize>>,
}
