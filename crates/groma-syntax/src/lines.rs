//! Offsets of lines in a text.

/// The offset at which each line starts. A final line feed does not begin another line.
pub fn line_starts(text: &str) -> Vec<usize> {
    let mut starts = vec![0];
    starts.extend(memchr::memchr_iter(b'\n', text.as_bytes()).map(|at| at + 1));
    if starts.len() > 1 && *starts.last().expect("not empty") == text.len() {
        starts.pop();
    }
    starts
}

/// The text of lines `start..=end`, 1-based, with their line ends.
pub(crate) fn lines_text<'t>(text: &'t str, starts: &[usize], start: u32, end: u32) -> &'t str {
    let from = starts.get(start as usize - 1).copied().unwrap_or(text.len());
    let to = starts.get(end as usize).copied().unwrap_or(text.len());
    &text[from..to]
}
