//! The lines a fix changed, as the parent had them.

use std::ops::RangeInclusive;

/// A line with fewer letters and digits, such as a brace, occurs everywhere and shows nothing.
const MIN_ALPHANUMERIC: usize = 6;

/// How far from a range without such a line one is looked for.
const MAX_DISTANCE: usize = 2;

/// A file that a fix changed.
#[derive(Clone, Debug)]
pub struct Gold {
    pub path: String,
    /// The changed ranges of the parent's file; of an insertion, the line before it.
    pub ranges: Vec<RangeInclusive<usize>>,
    /// The lines of which one must be visible, with their numbers, trimmed.
    pub lines: Vec<(usize, String)>,
}

impl Gold {
    /// From a diff without context and the parent's file.
    pub fn new(path: &str, diff: &str, file: &str) -> Self {
        let ranges: Vec<_> = diff.lines().filter_map(changed_range).collect();
        let text: Vec<&str> = file.lines().collect();
        let mut lines: Vec<_> = ranges.iter().flat_map(|range| telling(range, &text)).collect();
        lines.sort();
        lines.dedup();
        Self { path: path.into(), ranges, lines }
    }
}

/// The parent's range of a hunk header such as `@@ -10,2 +11,3 @@`.
fn changed_range(line: &str) -> Option<RangeInclusive<usize>> {
    let before = line.strip_prefix("@@ -")?.split(' ').next()?;
    let (start, count) = before.split_once(',').unwrap_or((before, "1"));
    let (start, count): (usize, usize) = (start.parse().ok()?, count.parse().ok()?);
    let start = start.max(1);
    Some(start..=start + count.max(1) - 1)
}

/// The lines of a range that tell it from others; if there is none, the nearest around it.
fn telling(range: &RangeInclusive<usize>, text: &[&str]) -> Vec<(usize, String)> {
    let line = |number: usize| {
        let line = text.get(number.checked_sub(1)?)?.trim();
        let alphanumeric = line.chars().filter(|c| c.is_alphanumeric()).count();
        (alphanumeric >= MIN_ALPHANUMERIC).then(|| (number, line.to_string()))
    };
    let within: Vec<_> = range.clone().filter_map(line).collect();
    if !within.is_empty() {
        return within;
    }
    let around = (1..=MAX_DISTANCE)
        .flat_map(|distance| [range.start().checked_sub(distance), Some(range.end() + distance)]);
    around.flatten().find_map(line).into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str =
        "fn first() {\n    one(1);\n}\n\nfn second_one() {\n    let x =\n        1;\n}\n";

    #[track_caller]
    fn check(header: &str, expected: &[(usize, &str)]) {
        let gold = Gold::new("a.rs", header, FILE);
        let lines: Vec<_> = gold.lines.iter().map(|(n, line)| (*n, line.as_str())).collect();
        assert_eq!(lines, expected, "{header}");
    }

    #[test]
    fn a_hunk_is_a_range_of_the_parent() {
        assert_eq!(changed_range("@@ -10,2 +11,3 @@ fn x()"), Some(10..=11));
        assert_eq!(changed_range("@@ -10 +11,3 @@"), Some(10..=10));
        assert_eq!(changed_range("@@ -10,0 +11,3 @@"), Some(10..=10), "the line before it");
        assert_eq!(changed_range("@@ -0,0 +1,3 @@"), Some(1..=1));
        assert_eq!(changed_range("-- a line that was removed"), None);
    }

    #[test]
    fn lines_that_occur_everywhere_do_not_count() {
        check("@@ -1,3 +1 @@", &[(1, "fn first() {")]);
        check("@@ -5,2 +5,2 @@", &[(5, "fn second_one() {")]);
    }

    #[test]
    fn the_nearest_line_stands_for_a_range_without_one() {
        check("@@ -2 +2 @@", &[(1, "fn first() {")]);
        check("@@ -4,0 +5,2 @@", &[(5, "fn second_one() {")]);
        check("@@ -7 +7 @@", &[(5, "fn second_one() {")]);
        check("@@ -8 +8 @@", &[]);
    }

    #[test]
    fn a_line_counts_once() {
        check("@@ -2 +2 @@\n@@ -1 +1 @@", &[(1, "fn first() {")]);
    }
}
