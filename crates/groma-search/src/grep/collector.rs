//! Collects the first matches in path order while files complete in any order.
//!
//! Files are searched in parallel. The matches of a file are dropped as soon as the files before it fill the answer, so
//! memory is bounded by the answer, not by the number of matches.

use super::request::GrepMatch;
use super::sink::{FileMatches, MAX_TEXT};
use std::collections::BTreeMap;

/// The matches collected so far, by the index of their file.
#[derive(Debug)]
pub(super) struct Collector {
    limit: usize,
    files: BTreeMap<usize, FileMatches>,
    matches: usize,
    bytes: usize,
}

/// The first matches in path order.
#[derive(Debug, Default)]
pub(super) struct FirstMatches {
    pub matches: Vec<GrepMatch>,
    /// The number of files they are in.
    pub files: usize,
    /// Whether a line is truncated.
    pub is_truncated: bool,
}

impl Collector {
    pub fn new(limit: usize) -> Self {
        Self { limit, files: BTreeMap::new(), matches: 0, bytes: 0 }
    }

    /// Adds the matches of one file. Returns the last file that can still contribute to the answer, once that is known.
    pub fn add(&mut self, file: usize, found: FileMatches) -> Option<usize> {
        self.matches += found.matches.len();
        self.bytes += found.bytes;
        self.files.insert(file, found);
        while let Some((last, found)) = self.files.last_key_value() {
            let matches = self.matches - found.matches.len();
            let bytes = self.bytes - found.bytes;
            if !self.is_full(matches, bytes) {
                break;
            }
            let last = *last;
            self.files.remove(&last);
            (self.matches, self.bytes) = (matches, bytes);
        }
        let is_full = self.is_full(self.matches, self.bytes);
        self.files.last_key_value().filter(|_| is_full).map(|(file, _)| *file)
    }

    fn is_full(&self, matches: usize, bytes: usize) -> bool {
        matches >= self.limit || bytes >= MAX_TEXT
    }

    /// The matches of the answer.
    pub fn finish(self) -> FirstMatches {
        let mut first = FirstMatches::default();
        let mut bytes = 0;
        for found in self.files.into_values() {
            let room = self.limit - first.matches.len();
            if room == 0 || bytes >= MAX_TEXT {
                break;
            }
            bytes += found.bytes;
            first.files += 1;
            first.is_truncated |= found.is_truncated;
            first.matches.extend(found.matches.into_iter().take(room));
        }
        first
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use groma_core::RelPath;

    /// `count` matches of a file, each of `bytes` bytes.
    fn found(file: usize, count: usize, bytes: usize) -> FileMatches {
        let path = RelPath::new(format!("{file}.rs")).unwrap();
        let found = |line: usize| GrepMatch {
            path: path.clone(),
            line: line as u32,
            column: 1,
            text: String::new(),
            before: Vec::new(),
            after: Vec::new(),
        };
        let matches = (1..=count).map(found).collect();
        FileMatches { matches, count, bytes: count * bytes, is_truncated: false }
    }

    fn locations(first: &FirstMatches) -> Vec<(&str, u32)> {
        first.matches.iter().map(|found| (found.path.as_str(), found.line)).collect()
    }

    #[test]
    fn the_order_of_arrival_does_not_matter() {
        let mut collector = Collector::new(3);
        assert_eq!(collector.add(7, found(7, 2, 1)), None);
        assert_eq!(collector.add(9, found(9, 2, 1)), Some(9));
        assert_eq!(
            collector.add(4, found(4, 1, 1)),
            Some(7),
            "9 can no longer be part of the answer"
        );
        assert_eq!(collector.add(1, found(1, 1, 1)), Some(7));
        assert_eq!(collector.add(2, found(2, 5, 1)), Some(2));
        let first = collector.finish();
        assert_eq!(locations(&first), [("1.rs", 1), ("2.rs", 1), ("2.rs", 2)]);
        assert_eq!(first.files, 2);
    }

    #[test]
    fn memory_is_bounded() {
        let mut collector = Collector::new(1000);
        assert_eq!(collector.add(2, found(2, 1, MAX_TEXT)), Some(2));
        assert_eq!(collector.add(3, found(3, 1, MAX_TEXT)), Some(2));
        assert_eq!(collector.add(1, found(1, 1, 1)), Some(2));
        assert_eq!(locations(&collector.finish()), [("1.rs", 1), ("2.rs", 1)]);
    }
}
