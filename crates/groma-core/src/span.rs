//! Line ranges.

/// A range of lines: the first is 1, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Lines {
    /// First line.
    pub start: u32,
    /// Last line.
    pub end: u32,
}

impl Lines {
    /// A range from `start` to `end`.
    pub fn new(start: u32, end: u32) -> Self {
        debug_assert!(start >= 1 && start <= end, "lines {start}..={end}");
        Self { start, end }
    }

    /// How many lines the range holds.
    pub fn count(self) -> u32 {
        self.end - self.start + 1
    }

    /// Whether `line` is inside.
    pub fn contains(self, line: u32) -> bool {
        self.start <= line && line <= self.end
    }

    /// Whether `other` is wholly inside.
    pub fn encloses(self, other: Lines) -> bool {
        self.start <= other.start && other.end <= self.end
    }
}
