//! Which lines of a text differ from those of an older one.

use gix::diff::blob::{Algorithm, Diff, InternedInput};
use groma_core::Lines;

/// The places of `after` that differ from `before`: each line that is new or changed, and the two lines around a removal,
/// which belongs to what holds both. Line ends do not count.
pub fn changed_lines(before: &str, after: &str) -> Vec<Lines> {
    let (before, after) = (before.replace("\r\n", "\n"), after.replace("\r\n", "\n"));
    let input = InternedInput::new(before.as_str(), after.as_str());
    let mut diff = Diff::compute(Algorithm::Histogram, &input);
    diff.postprocess_lines(&input);
    let mut found = Vec::new();
    for hunk in diff.hunks() {
        if !hunk.after.is_empty() {
            found.extend(hunk.after.map(|line| Lines::new(line + 1, line + 1)));
        } else if hunk.after.start > 0 {
            found.push(Lines::new(hunk.after.start, hunk.after.start + 1));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changed(before: &str, after: &str) -> Vec<(u32, u32)> {
        changed_lines(before, after).iter().map(|one| (one.start, one.end)).collect()
    }

    #[test]
    fn lines_that_differ_are_found() {
        assert_eq!(changed("a\nb\nc\n", "a\nB\nc\nd\n"), [(2, 2), (4, 4)]);
        assert_eq!(changed("a\nb\nc\n", "a\nc\n"), [(1, 2)], "between the lines around it");
        assert_eq!(changed("a\nb\n", "b\n"), [], "before the first line");
        assert_eq!(changed("a\r\nb\r\n", "a\nb\n"), [], "line ends");
        assert_eq!(changed("", "a\n"), [(1, 1)]);
        assert_eq!(changed("a\n", ""), []);
    }
}
