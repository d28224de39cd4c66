//! The first matches in order of path, in whatever order the files are done.
//!
//! Files are searched on all cores and are done in any order. A file's matches are kept until enough are kept of
//! files before it, so that memory is bounded by the answer and not by what was found.

use super::lines::{Found, MOST_TEXT};
use super::request::GrepMatch;
use std::collections::BTreeMap;

/// The matches kept so far, by the file's place in the order.
#[derive(Debug)]
pub(super) struct Keep {
    limit: usize,
    files: BTreeMap<usize, Found>,
    matches: usize,
    bytes: usize,
}

/// The first matches of all.
#[derive(Debug, Default)]
pub(super) struct Kept {
    pub matches: Vec<GrepMatch>,
    /// Files they are in.
    pub files: usize,
    /// Whether a line is cut.
    pub is_cut: bool,
}

impl Keep {
    pub fn new(limit: usize) -> Self {
        Self { limit, files: BTreeMap::new(), matches: 0, bytes: 0 }
    }

    /// Takes what was found in a file. Gives the last file that can still be part of the answer, if that is known.
    pub fn add(&mut self, place: usize, found: Found) -> Option<usize> {
        self.matches += found.matches.len();
        self.bytes += found.bytes;
        self.files.insert(place, found);
        while let Some((last, found)) = self.files.last_key_value() {
            let matches = self.matches - found.matches.len();
            let bytes = self.bytes - found.bytes;
            if !self.is_enough(matches, bytes) {
                break;
            }
            let last = *last;
            self.files.remove(&last);
            (self.matches, self.bytes) = (matches, bytes);
        }
        let is_enough = self.is_enough(self.matches, self.bytes);
        self.files.last_key_value().filter(|_| is_enough).map(|(place, _)| *place)
    }

    fn is_enough(&self, matches: usize, bytes: usize) -> bool {
        matches >= self.limit || bytes >= MOST_TEXT
    }

    /// The matches of the answer.
    pub fn finish(self) -> Kept {
        let mut kept = Kept::default();
        let mut bytes = 0;
        for found in self.files.into_values() {
            let room = self.limit - kept.matches.len();
            if room == 0 || bytes >= MOST_TEXT {
                break;
            }
            bytes += found.bytes;
            kept.files += 1;
            kept.is_cut |= found.is_cut;
            kept.matches.extend(found.matches.into_iter().take(room));
        }
        kept
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use groma_core::RelPath;

    /// So many matches of a file, each of so many bytes.
    fn found(place: usize, count: usize, bytes: usize) -> Found {
        let path = RelPath::new(format!("{place}.rs")).unwrap();
        let found = |line: usize| GrepMatch {
            path: path.clone(),
            line: line as u32,
            column: 1,
            text: String::new(),
            before: Vec::new(),
            after: Vec::new(),
        };
        let matches = (1..=count).map(found).collect();
        Found { matches, count, bytes: count * bytes, is_cut: false }
    }

    fn places(kept: &Kept) -> Vec<(&str, u32)> {
        kept.matches.iter().map(|found| (found.path.as_str(), found.line)).collect()
    }

    #[test]
    fn the_order_of_arrival_does_not_matter() {
        let mut keep = Keep::new(3);
        assert_eq!(keep.add(7, found(7, 2, 1)), None);
        assert_eq!(keep.add(9, found(9, 2, 1)), Some(9));
        assert_eq!(keep.add(4, found(4, 1, 1)), Some(7), "9 can no longer be part of it");
        assert_eq!(keep.add(1, found(1, 1, 1)), Some(7));
        assert_eq!(keep.add(2, found(2, 5, 1)), Some(2));
        let kept = keep.finish();
        assert_eq!(places(&kept), [("1.rs", 1), ("2.rs", 1), ("2.rs", 2)]);
        assert_eq!(kept.files, 2);
    }

    #[test]
    fn memory_is_bounded() {
        let mut keep = Keep::new(1000);
        assert_eq!(keep.add(2, found(2, 1, MOST_TEXT)), Some(2));
        assert_eq!(keep.add(3, found(3, 1, MOST_TEXT)), Some(2));
        assert_eq!(keep.add(1, found(1, 1, 1)), Some(2));
        assert_eq!(places(&keep.finish()), [("1.rs", 1), ("2.rs", 1)]);
    }
}
