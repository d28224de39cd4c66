//! An answer as lines with roles.

use groma_engine::Excerpt;
use std::fmt;

/// A line of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line {
    /// What the answer is, in a few words.
    Summary(String),
    /// A file.
    Path(String),
    /// A definition: kind, name and lines.
    Heading(String),
    /// A line of a file.
    Code {
        /// Its number.
        number: u32,
        /// Its text, without the terminator.
        text: String,
        /// Whether it is the line that was looked for, rather than its context.
        is_match: bool,
    },
    /// Lines that are not shown.
    Gap,
    /// A place that is only named: a path and lines, then what is there.
    Place {
        /// The path and lines.
        location: String,
        /// What is there.
        text: String,
    },
    /// Something the reader should know.
    Note(String),
}

/// An answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Page {
    /// Its lines.
    pub lines: Vec<Line>,
}

impl Page {
    /// Adds a line.
    pub fn push(&mut self, line: Line) {
        self.lines.push(line);
    }

    /// Adds the lines of excerpts, with the gaps between them.
    pub fn push_excerpts(&mut self, excerpts: &[Excerpt]) {
        for (index, excerpt) in excerpts.iter().enumerate() {
            if index > 0 {
                self.push(Line::Gap);
            }
            for (number, text) in (excerpt.lines.start..).zip(&excerpt.text) {
                self.push(Line::Code { number, text: text.clone(), is_match: true });
            }
        }
    }

    /// Adds notes.
    pub fn push_notes(&mut self, notes: &[String]) {
        self.lines.extend(notes.iter().cloned().map(Line::Note));
    }

    /// The number of characters of its text.
    pub fn chars(&self) -> usize {
        self.lines.iter().map(|line| line.to_string().len() + 1).sum()
    }
}

impl fmt::Display for Page {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.lines.iter().try_for_each(|line| writeln!(f, "{line}"))
    }
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Summary(text) | Self::Path(text) | Self::Heading(text) => f.write_str(text),
            Self::Code { number, text, is_match } => {
                let separator = if *is_match { ':' } else { '-' };
                write!(f, "{number}{separator}{text}")
            }
            Self::Gap => f.write_str("..."),
            Self::Place { location, text } if text.is_empty() => f.write_str(location),
            Self::Place { location, text } => write!(f, "{location} {text}"),
            Self::Note(text) => write!(f, "note: {text}"),
        }
    }
}
