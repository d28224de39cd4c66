//! A file's text and its lines.

/// The text of a file as it is now.
pub(crate) struct Text {
    pub text: String,
    /// The byte at which each line starts.
    pub starts: Vec<usize>,
}

impl Text {
    pub fn new(text: String) -> Self {
        Self { starts: groma_syntax::line_starts(&text), text }
    }

    /// Where a line starts; the end of the text for one that is not there.
    pub fn start(&self, line: u32) -> usize {
        let row = line.saturating_sub(1) as usize;
        self.starts.get(row).copied().unwrap_or(self.text.len())
    }

    pub fn line(&self, line: u32) -> &str {
        &self.text[self.start(line)..self.start(line.saturating_add(1))]
    }
}
