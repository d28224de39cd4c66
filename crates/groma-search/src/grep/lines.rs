//! The lines of one file that match, with the lines around them.
//!
//! The searcher tells each line once, be it a match or context of one. A match's own context may hold other
//! matches, so recent lines are kept for the matches to come, and each line is given to the matches still open.

use super::request::GrepMatch;
use grep_matcher::Matcher;
use grep_regex::RegexMatcher;
use grep_searcher::{Searcher, Sink, SinkContext, SinkMatch};
use groma_core::RelPath;
use std::borrow::Cow;
use std::collections::VecDeque;
use std::io;

/// Longest line that is shown whole, in bytes.
pub(super) const LONGEST_LINE: usize = 64 << 10;

/// Most bytes of lines that an answer holds.
pub(super) const MOST_TEXT: usize = 16 << 20;

/// Most lines that are counted.
pub(super) const MOST_COUNTED: usize = 1_000_000;

/// What was found in one file.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// The first matches.
    pub matches: Vec<GrepMatch>,
    /// How many lines match.
    pub count: usize,
    /// Bytes of the lines in `matches`.
    pub bytes: usize,
    /// Whether one of those lines is cut.
    pub is_cut: bool,
}

/// How much is wanted of the lines that match.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wanted {
    /// Most matches to keep; none of them if they are only counted.
    pub matches: usize,
    /// Lines before each.
    pub before: usize,
    /// Lines after each.
    pub after: usize,
}

/// Takes the lines of one file from the searcher.
pub(super) struct Lines<'a> {
    matcher: &'a RegexMatcher,
    path: &'a RelPath,
    wanted: Wanted,
    found: Found,
    /// The last lines, as many as a match wants before it.
    recent: VecDeque<String>,
    /// The first match that still wants lines after it.
    open: usize,
}

impl<'a> Lines<'a> {
    pub fn new(matcher: &'a RegexMatcher, path: &'a RelPath, wanted: Wanted) -> Self {
        let (found, recent) = (Found::default(), VecDeque::new());
        Self { matcher, path, wanted, found, recent, open: 0 }
    }

    pub fn found(self) -> Found {
        self.found
    }

    /// Whether one more match would be kept.
    fn has_room(&self) -> bool {
        self.found.matches.len() < self.wanted.matches && self.found.bytes < MOST_TEXT
    }

    fn is_open(&self) -> bool {
        self.open < self.found.matches.len()
    }

    /// A line that matches, or stands around one that does.
    fn line(&mut self, number: u32, bytes: &[u8], is_match: bool) {
        let line = without_end(bytes);
        let (text, is_cut) = shown(line);
        self.found.is_cut |= is_cut;
        self.give(number, &text);
        if is_match && self.has_room() {
            let column = self.matcher.find(without_feed(bytes)).ok().flatten();
            let column = column.map_or(0, |found| characters(&bytes[..found.start()]));
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
        if self.wanted.before > 0 && self.has_room() {
            if self.recent.len() == self.wanted.before {
                self.recent.pop_front();
            }
            self.recent.push_back(text.into_owned());
        }
    }

    /// Gives a line to the matches that want it after them.
    fn give(&mut self, number: u32, text: &str) {
        let after = self.wanted.after as u32;
        while self.is_open() && self.found.matches[self.open].line.saturating_add(after) < number {
            self.open += 1;
        }
        for found in &mut self.found.matches[self.open..] {
            found.after.push(text.to_string());
            self.found.bytes += text.len();
        }
    }
}

impl Sink for Lines<'_> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, line: &SinkMatch<'_>) -> io::Result<bool> {
        self.found.count += 1;
        if self.has_room() || self.is_open() {
            self.line(number(line.line_number()), line.bytes(), true);
        }
        Ok(self.has_room() || self.is_open() || self.found.count < MOST_COUNTED)
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

fn without_feed(bytes: &[u8]) -> &[u8] {
    bytes.strip_suffix(b"\n").unwrap_or(bytes)
}

fn without_end(bytes: &[u8]) -> &[u8] {
    let line = without_feed(bytes);
    match line.len() < bytes.len() {
        true => line.strip_suffix(b"\r").unwrap_or(line),
        false => line,
    }
}

/// A line as text, and whether it had to be cut.
fn shown(line: &[u8]) -> (Cow<'_, str>, bool) {
    if line.len() <= LONGEST_LINE {
        return (String::from_utf8_lossy(line), false);
    }
    // Not in the middle of a character.
    let mut end = LONGEST_LINE;
    while end > LONGEST_LINE - 4 && line[end] & 0xc0 == 0x80 {
        end -= 1;
    }
    (String::from_utf8_lossy(&line[..end]), true)
}

/// How many characters some bytes are shown as.
fn characters(bytes: &[u8]) -> usize {
    let shown = |chunk: std::str::Utf8Chunk<'_>| {
        chunk.valid().chars().count() + usize::from(!chunk.invalid().is_empty())
    };
    bytes.utf8_chunks().map(shown).sum()
}
