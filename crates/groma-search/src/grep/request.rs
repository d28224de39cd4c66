//! What is asked of a grep, and what it answers.

use super::query::Query;
use crate::error::SearchError;
use groma_core::RelPath;
use std::time::Duration;

/// Whether letters must be as written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Case {
    /// They must.
    #[default]
    Sensitive,
    /// They need not.
    Insensitive,
    /// They must if the pattern has a capital.
    Smart,
}

/// A search for lines that match a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GrepRequest {
    /// A regular expression in ripgrep's syntax, at most 1,000 characters. It is matched line by line.
    pub pattern: String,
    /// Take the pattern as plain text.
    pub literal: bool,
    /// Whether letters must be as written.
    pub case: Case,
    /// Match only where no letter, digit or underscore stands right before or after.
    pub whole_words: bool,
    /// Globs of paths, as those of [`groma_core::ChunkFilter::set_paths`]; none admits all.
    pub paths: Vec<String>,
    /// Canonical names of languages; none admits all.
    pub languages: Vec<String>,
    /// Lines shown before a match, at most 100.
    pub before: u32,
    /// Lines shown after a match, at most 100.
    pub after: u32,
    /// Most matches to answer with, 1 to 10,000.
    pub limit: usize,
}

impl GrepRequest {
    /// A regular expression with the defaults: letters as written, no context, 50 matches.
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

    /// Whether it can be answered at all; what is wrong where it cannot. No file is looked at.
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
    /// Where the first match on the line begins, in characters from 1.
    pub column: u32,
    /// The line without its end; what is not UTF-8 in it is replaced.
    pub text: String,
    /// The lines before it, as many as were asked for and are there.
    pub before: Vec<String>,
    /// The lines after it.
    pub after: Vec<String>,
}

/// The lines that match.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GrepAnswer {
    /// The first of them, in order of path and line, each line once.
    pub matches: Vec<GrepMatch>,
    /// How many there are in all.
    pub total: usize,
    /// Whether that is the exact number. Beyond a million lines nobody counts on; then there are at least that many.
    pub is_total_exact: bool,
    /// Files that pass the filters: those the answer is about. A file whose language only its content tells
    /// counts if its name does not speak against it.
    pub files_searched: usize,
    /// Those of them that had to be opened; the index vouches for the others.
    pub files_read: usize,
    /// Files with a match; where the total is not exact, those of `matches`.
    pub files_matched: usize,
    /// How long it took.
    pub duration: Duration,
    /// What the reader should know.
    pub notes: Vec<String>,
}
