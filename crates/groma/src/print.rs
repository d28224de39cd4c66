//! Output: data on standard output, messages on standard error.
//!
//! Colours are used on a terminal only; pipes get plain text.

use crate::environment::Environment;
use anyhow::Result;
use clap::ValueEnum;
use serde_json::Value;
use std::borrow::Cow;
use std::io::{self, BufWriter, Write};

/// When to use colours. The option's own help says what the values mean.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum When {
    #[default]
    Auto,
    Always,
    Never,
}

/// The role of a piece of text, which determines its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tint {
    /// No colour.
    Plain,
    /// The path of a file.
    Path,
    /// A heading or the name of a definition.
    Name,
    /// Secondary text.
    Dim,
    /// A word that matches the query.
    Match,
    /// Success.
    Good,
    /// A warning.
    Warn,
    /// An error.
    Bad,
    Keyword,
    Text,
    Comment,
    Number,
}

impl Tint {
    /// The ECMA-48 code: one of the sixteen colours that a terminal's theme defines.
    fn code(self) -> &'static str {
        match self {
            Self::Plain => "",
            Self::Path => "35",
            Self::Name => "1",
            Self::Dim => "2",
            Self::Match => "1;33",
            Self::Good => "32",
            Self::Warn => "33",
            Self::Bad => "1;31",
            Self::Keyword => "34",
            Self::Text => "32",
            Self::Comment => "2;3",
            Self::Number => "36",
        }
    }
}

/// Standard output.
pub struct Printer {
    out: BufWriter<io::Stdout>,
    colors: bool,
    terminal: bool,
}

impl Printer {
    /// The printer of this process.
    pub fn new(environment: &Environment, when: When) -> Self {
        let colors = match when {
            When::Always => true,
            When::Never => false,
            When::Auto => environment.stdout_is_terminal && !environment.no_color,
        };
        Self { out: BufWriter::new(io::stdout()), colors, terminal: environment.stdout_is_terminal }
    }

    /// Whether colours are used.
    pub fn colors(&self) -> bool {
        self.colors
    }

    /// Whether standard output is a terminal.
    pub fn is_terminal(&self) -> bool {
        self.terminal
    }

    /// The text in its colour.
    pub fn paint(&self, tint: Tint, text: &str) -> String {
        paint(self.colors, tint, text)
    }

    /// Text that is safe for a terminal: control characters, which could change its state, are replaced.
    pub fn visible<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let harmful = |c: char| c.is_control() && c != '\t';
        if self.terminal && text.contains(harmful) {
            Cow::Owned(text.replace(harmful, "\u{fffd}"))
        } else {
            Cow::Borrowed(text)
        }
    }

    /// Prints one indented JSON value.
    pub fn json(&mut self, value: &Value) -> Result<()> {
        serde_json::to_writer_pretty(&mut self.out, value).map_err(io::Error::from)?;
        writeln!(self.out)?;
        Ok(())
    }

    /// Prints one line of JSON and flushes, for streams of values.
    pub fn json_line(&mut self, value: &Value) -> Result<()> {
        writeln!(self.out, "{value}")?;
        Ok(self.out.flush()?)
    }

    /// Prints aligned columns; those in `right` are right-aligned.
    pub fn table(&mut self, rows: &[Vec<String>], right: &[usize]) -> Result<()> {
        let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
        let widths: Vec<usize> = (0..columns)
            .map(|column| {
                rows.iter()
                    .filter_map(|row| row.get(column))
                    .map(|cell| width(cell))
                    .max()
                    .unwrap_or(0)
            })
            .collect();
        for row in rows {
            let mut line = String::from(" ");
            for (column, (cell, wide)) in row.iter().zip(&widths).enumerate() {
                let fill = " ".repeat(wide - width(cell));
                let number = right.contains(&column);
                line += &if number { format!(" {fill}{cell} ") } else { format!(" {cell}{fill} ") };
            }
            writeln!(self.out, "{}", line.trim_end())?;
        }
        Ok(())
    }
}

impl Write for Printer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        // A server whose client reads nothing has a thread that holds the lock of standard output while it writes.
        if self.out.buffer().is_empty() { Ok(()) } else { self.out.flush() }
    }
}

/// The text in its colour, if colours are used.
pub fn paint(colors: bool, tint: Tint, text: &str) -> String {
    match tint.code() {
        code if colors && !code.is_empty() && !text.is_empty() => {
            format!("\x1b[{code}m{text}\x1b[0m")
        }
        _ => text.to_string(),
    }
}

/// Prints a line on standard error. A closed standard error is not a failure.
pub fn message(text: &str) {
    let _ = writeln!(io::stderr(), "{text}");
}

/// The display width of a text without colour codes.
fn width(text: &str) -> usize {
    let mut columns = 0;
    let mut escape = false;
    for letter in text.chars() {
        match letter {
            '\x1b' => escape = true,
            'm' if escape => escape = false,
            _ if escape => {}
            _ => columns += 1,
        }
    }
    columns
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_have_no_width() {
        assert_eq!(width(&paint(true, Tint::Bad, "four")), 4);
        assert_eq!(paint(false, Tint::Bad, "four"), "four");
    }
}
