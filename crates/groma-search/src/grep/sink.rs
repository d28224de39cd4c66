//! Collects the matching lines of one file with their context lines.
//!
//! The searcher reports each line once, as a match or as context. The context of a match may contain other matches, so
//! recent lines are buffered for later matches, and each line is appended to every match whose context is still open.

use super::request::GrepMatch;
use grep_matcher::Matcher;
use grep_regex::RegexMatcher;
use grep_searcher::{Searcher, Sink, SinkContext, SinkMatch};
use groma_core::RelPath;
use groma_files::source::mask_secrets;
use std::borrow::Cow;
use std::collections::VecDeque;
use std::io;

/// Maximum length of a line in an answer, in bytes; longer ones are truncated.
pub(super) const MAX_LINE_LENGTH: usize = 64 << 10;

/// Maximum bytes of lines in an answer.
pub(super) const MAX_TEXT: usize = 16 << 20;

/// Counting stops at this number of matching lines.
pub(super) const MAX_COUNT: usize = 1_000_000;

/// The matches of one file.
#[derive(Debug, Default)]
pub(super) struct FileMatches {
    /// The first matches.
    pub matches: Vec<GrepMatch>,
    /// How many lines match.
    pub count: usize,
    /// Bytes of the lines in `matches`.
    pub bytes: usize,
    /// Whether one of those lines is truncated.
    pub is_truncated: bool,
}

/// How many matches to keep, with how much context.
#[derive(Clone, Copy, Debug)]
pub(super) struct SinkOptions {
    /// Maximum number of matches to keep; 0 to count only.
    pub max_matches: usize,
    /// Context lines before each match.
    pub before: usize,
    /// Context lines after each match.
    pub after: usize,
}

/// Receives the lines of one file from the searcher.
pub(super) struct LineSink<'a> {
    matcher: &'a RegexMatcher,
    path: &'a RelPath,
    options: SinkOptions,
    found: FileMatches,
    /// The last lines, at most `before` of them.
    recent: VecDeque<String>,
    /// Index of the first match whose context after it is incomplete.
    open: usize,
}

impl<'a> LineSink<'a> {
    pub fn new(matcher: &'a RegexMatcher, path: &'a RelPath, options: SinkOptions) -> Self {
        let (found, recent) = (FileMatches::default(), VecDeque::new());
        Self { matcher, path, options, found, recent, open: 0 }
    }

    pub fn into_matches(self) -> FileMatches {
        self.found
    }

    /// Whether any line matched.
    pub fn has_matches(&self) -> bool {
        self.found.count > 0
    }

    /// Drops everything, to receive the lines of another text of the same file.
    pub fn reset(&mut self) {
        *self = Self::new(self.matcher, self.path, self.options);
    }

    /// Overwrites the secrets in the lines that were received.
    pub fn mask_lines(&mut self) {
        for one in &mut self.found.matches {
            let lines = std::iter::once(&mut one.text).chain(&mut one.before).chain(&mut one.after);
            lines.for_each(|line| {
                mask_secrets(self.path, line);
            });
        }
    }

    /// Whether another match would be kept.
    fn has_room(&self) -> bool {
        self.found.matches.len() < self.options.max_matches && self.found.bytes < MAX_TEXT
    }

    fn is_open(&self) -> bool {
        self.open < self.found.matches.len()
    }

    /// Handles a matching line or a context line.
    fn line(&mut self, number: u32, bytes: &[u8], is_match: bool) {
        let line = trim_line_ending(bytes);
        let (text, is_truncated) = display_text(line);
        self.found.is_truncated |= is_truncated;
        self.append_context(number, &text);
        if is_match && self.has_room() {
            let column = self.matcher.find(trim_newline(bytes)).ok().flatten();
            let column = column.map_or(0, |found| char_count(&bytes[..found.start()]));
            let before: Vec<String> = self.recent.iter().cloned().collect();
            self.found.bytes += text.len() + before.iter().map(String::len).sum::<usize>();
            self.found.matches.push(GrepMatch {
                path: self.path.clone(),
                line: number,
                column: u32::try_from(column + 1).unwrap_or(u32::MAX),
                text: text.to_string(),
                before,
                after: Vec::new(),
            });
        }
        if self.options.before > 0 && self.has_room() {
            if self.recent.len() == self.options.before {
                self.recent.pop_front();
            }
            self.recent.push_back(text.into_owned());
        }
    }

    /// Appends a line to the context of the matches before it.
    fn append_context(&mut self, number: u32, text: &str) {
        let after = self.options.after as u32;
        while self.is_open() && self.found.matches[self.open].line.saturating_add(after) < number {
            self.open += 1;
        }
        for found in &mut self.found.matches[self.open..] {
            found.after.push(text.to_string());
            self.found.bytes += text.len();
        }
    }
}

impl Sink for LineSink<'_> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, line: &SinkMatch<'_>) -> io::Result<bool> {
        self.found.count += 1;
        if self.has_room() || self.is_open() {
            self.line(number(line.line_number()), line.bytes(), true);
        }
        Ok(self.has_room() || self.is_open() || self.found.count < MAX_COUNT)
    }

    fn context(&mut self, _: &Searcher, line: &SinkContext<'_>) -> io::Result<bool> {
        if self.has_room() || self.is_open() {
            self.line(number(line.line_number()), line.bytes(), false);
        }
        Ok(true)
    }

    fn context_break(&mut self, _: &Searcher) -> io::Result<bool> {
        self.recent.clear();
        Ok(true)
    }
}

fn number(line: Option<u64>) -> u32 {
    line.map_or(0, |line| u32::try_from(line).unwrap_or(u32::MAX))
}

fn trim_newline(bytes: &[u8]) -> &[u8] {
    bytes.strip_suffix(b"\n").unwrap_or(bytes)
}

fn trim_line_ending(bytes: &[u8]) -> &[u8] {
    let line = trim_newline(bytes);
    if line.len() < bytes.len() { line.strip_suffix(b"\r").unwrap_or(line) } else { line }
}

/// A line as text, and whether it was truncated.
fn display_text(line: &[u8]) -> (Cow<'_, str>, bool) {
    if line.len() <= MAX_LINE_LENGTH {
        return (String::from_utf8_lossy(line), false);
    }
    // Do not split a character.
    let mut end = MAX_LINE_LENGTH;
    while end > MAX_LINE_LENGTH - 4 && line[end] & 0xc0 == 0x80 {
        end -= 1;
    }
    (String::from_utf8_lossy(&line[..end]), true)
}

/// The number of characters of bytes that are decoded lossily.
fn char_count(bytes: &[u8]) -> usize {
    let decoded = |chunk: std::str::Utf8Chunk<'_>| {
        chunk.valid().chars().count() + usize::from(!chunk.invalid().is_empty())
    };
    bytes.utf8_chunks().map(decoded).sum()
}
