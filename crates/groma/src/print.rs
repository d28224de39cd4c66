//! Showing things: data on standard output, words on standard error.
//!
//! Colours are for a person at a terminal; a program that reads the output gets plain text.

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

/// What a piece of text is, and so how it looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tint {
    /// Text as it is.
    Plain,
    /// A file.
    Path,
    /// The name of a definition, a heading.
    Name,
    /// What matters least.
    Dim,
    /// A word of the question.
    Match,
    /// All is well.
    Good,
    /// Something to know.
    Warn,
    /// Something is wrong.
    Bad,
    Keyword,
    Text,
    Comment,
    Number,
}

impl Tint {
    /// The codes of ECMA-48: the sixteen colours that every terminal's own theme sets.
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

    /// The text in its colour.
    pub fn paint(&self, tint: Tint, text: &str) -> String {
        paint(self.colors, tint, text)
    }

    /// Text of a file, as a terminal may see it: control characters in it could do anything there.
    pub fn visible<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let harmful = |c: char| c.is_control() && c != '\t';
        match self.terminal && text.contains(harmful) {
            true => Cow::Owned(text.replace(harmful, "\u{fffd}")),
            false => Cow::Borrowed(text),
        }
    }

    /// One JSON value, indented, as the whole output.
    pub fn json(&mut self, value: &Value) -> Result<()> {
        serde_json::to_writer_pretty(&mut self.out, value).map_err(io::Error::from)?;
        writeln!(self.out)?;
        Ok(())
    }

    /// JSON on one line, out at once, for who reads while more is to come.
    pub fn json_line(&mut self, value: &Value) -> Result<()> {
        writeln!(self.out, "{value}")?;
        Ok(self.out.flush()?)
    }

    /// Rows in columns as wide as their widest cell; those in `right` hold numbers and stand to the right.
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
        self.out.flush()
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

/// Says something on standard error. Where that is closed nobody listens, and the work goes on.
pub fn words(text: &str) {
    let _ = writeln!(io::stderr(), "{text}");
}

/// The columns a text takes up, colours not counted.
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
    fn colours_take_no_room() {
        assert_eq!(width(&paint(true, Tint::Bad, "four")), 4);
        assert_eq!(paint(false, Tint::Bad, "four"), "four");
    }
}
