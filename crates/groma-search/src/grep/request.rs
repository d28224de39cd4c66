//! Request and answer of a grep.

use super::query::Query;
use crate::error::SearchError;
use groma_core::RelPath;
use std::time::Duration;

/// Case sensitivity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Case {
    /// Case-sensitive.
    #[default]
    Sensitive,
    /// Case-insensitive.
    Insensitive,
    /// Case-sensitive if the pattern contains an upper-case letter.
    Smart,
}

/// A search for lines that match a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GrepRequest {
    /// A regular expression in ripgrep's syntax, at most 1,000 characters. It is matched line by line.
    pub pattern: String,
    /// Treat the pattern as a literal string.
    pub literal: bool,
    /// Case sensitivity.
    pub case: Case,
    /// Match only between word boundaries.
    pub whole_words: bool,
    /// Path globs, as [`groma_core::ChunkFilter::set_paths`] takes them; empty admits all.
    pub paths: Vec<String>,
    /// Canonical names of languages; empty admits all.
    pub languages: Vec<String>,
    /// Context lines before a match, at most 100.
    pub before: u32,
    /// Context lines after a match, at most 100.
    pub after: u32,
    /// Maximum number of matches to return, 1 to 10,000.
    pub limit: usize,
}

impl GrepRequest {
    /// A regular expression with the defaults: case-sensitive, no context, 50 matches.
    pub fn new(pattern: impl Into<String>) -> Self {
        Self {
            pattern: pattern.into(),
            literal: false,
            case: Case::default(),
            whole_words: false,
            paths: Vec::new(),
            languages: Vec::new(),
            before: 0,
            after: 0,
            limit: 50,
        }
    }

    /// Validates the request. Opens no file.
    pub fn check(&self) -> Result<(), SearchError> {
        Query::new(self).map(drop)
    }
}

/// A line that matches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GrepMatch {
    /// The file.
    pub path: RelPath,
    /// The line's number, from 1.
    pub line: u32,
    /// Column of the first match on the line, in characters from 1.
    pub column: u32,
    /// The line without its terminator; invalid UTF-8 is replaced.
    pub text: String,
    /// Context lines before it.
    pub before: Vec<String>,
    /// Context lines after it.
    pub after: Vec<String>,
}

/// The lines that match.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GrepAnswer {
    /// The first of them, in order of path and line; each line occurs once.
    pub matches: Vec<GrepMatch>,
    /// How many there are in all.
    pub total: usize,
    /// Whether `total` is exact. Counting stops at a million lines; then there are at least that many.
    pub is_total_exact: bool,
    /// Number of files that pass the filters. A file whose language can only be detected from its content is included.
    pub files_searched: usize,
    /// How many of them were opened; the index ruled out the others.
    pub files_read: usize,
    /// Number of files with a match; if the total is not exact, the number of files in `matches`.
    pub files_matched: usize,
    /// How long it took.
    pub duration: Duration,
    /// Notes for the reader.
    pub notes: Vec<String>,
}
