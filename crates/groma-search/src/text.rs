//! The text of a file with its line index.

/// The text of a file.
pub(crate) struct Text {
    pub text: String,
    /// The byte offset of each line.
    pub starts: Vec<usize>,
}

impl Text {
    pub fn new(text: String) -> Self {
        Self { starts: groma_syntax::line_starts(&text), text }
    }

    /// The byte offset of a line; the length of the text for lines past the end.
    pub fn start(&self, line: u32) -> usize {
        let row = line.saturating_sub(1) as usize;
        self.starts.get(row).copied().unwrap_or(self.text.len())
    }

    pub fn line(&self, line: u32) -> &str {
        &self.text[self.start(line)..self.start(line.saturating_add(1))]
    }
}
