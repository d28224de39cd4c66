//! Prints the pages of `groma-render`: the text that MCP clients get, with colours by the role of a line.

use crate::highlight::Highlighter;
use crate::print::{Printer, Tint};
use anyhow::Result;
use groma_engine::{MatchSpans, find_language};
use groma_render::{Line, Page};
use std::io::Write;

/// What stands out in lines of code.
pub enum Emphasis<'a> {
    /// The syntax, and words with these stems.
    Terms(Vec<&'a str>),
    /// The matches of a pattern.
    Spans(MatchSpans),
}

impl Emphasis<'_> {
    /// The syntax only.
    pub fn syntax() -> Self {
        Self::Terms(Vec::new())
    }
}

/// Prints a page.
pub fn print(printer: &mut Printer, page: &Page, emphasis: &Emphasis<'_>) -> Result<()> {
    let mut painter = Painter { emphasis, language: "", highlighter: None };
    let mut last: Option<&Line> = None;
    for line in &page.lines {
        let starts_block = matches!(line, Line::Path(_) | Line::Summary(_));
        let ends_block = matches!(last, Some(Line::Code { .. } | Line::Heading(_)));
        if printer.is_terminal() && starts_block && ends_block {
            writeln!(printer)?;
        }
        let text = painter.paint(printer, line);
        writeln!(printer, "{text}")?;
        last = Some(line);
    }
    Ok(())
}

/// Colours the lines of a page, in order.
struct Painter<'a> {
    emphasis: &'a Emphasis<'a>,
    /// The language of the current file.
    language: &'static str,
    /// The highlighter of consecutive lines.
    highlighter: Option<Highlighter<'a>>,
}

impl Painter<'_> {
    fn paint(&mut self, printer: &Printer, line: &Line) -> String {
        if !printer.colors() {
            return printer.visible(&line.to_string()).into_owned();
        }
        if !matches!(line, Line::Code { .. }) {
            self.highlighter = None;
        }
        match line {
            Line::Path(text) => {
                let (path, rest) = text.split_at(text.find(' ').unwrap_or(text.len()));
                self.language = language(path);
                let path = printer.paint(Tint::Path, &printer.visible(path));
                format!("{path}{}", printer.visible(rest))
            }
            Line::Summary(text) | Line::Heading(text) => {
                printer.paint(Tint::Name, &printer.visible(text))
            }
            Line::Code { number, text, is_match } => {
                let (separator, tint) =
                    if *is_match { (':', Tint::Good) } else { ('-', Tint::Dim) };
                let number = printer.paint(tint, &format!("{number}{separator}"));
                format!("{number}{}", self.code(printer, text, *is_match))
            }
            Line::Place { location, text } => {
                let path = printer.paint(Tint::Path, &printer.visible(location));
                let gap = if text.is_empty() { "" } else { " " };
                format!("{path}{gap}{}", printer.visible(text))
            }
            Line::Gap | Line::Note(_) => {
                printer.paint(Tint::Dim, &printer.visible(&line.to_string()))
            }
        }
    }

    fn code(&mut self, printer: &Printer, text: &str, is_match: bool) -> String {
        let text = printer.visible(text);
        match self.emphasis {
            Emphasis::Spans(spans) if is_match => painted_spans(printer, &text, spans),
            Emphasis::Spans(_) => text.into_owned(),
            Emphasis::Terms(terms) => {
                let language = self.language;
                let highlighter = self.highlighter.get_or_insert_with(|| {
                    Highlighter::new(printer.colors(), language, terms.iter().copied())
                });
                highlighter.line(&text)
            }
        }
    }
}

/// A line with the matches of a pattern in colour.
pub fn painted_spans(printer: &Printer, text: &str, spans: &MatchSpans) -> String {
    let mut line = String::with_capacity(text.len() + 32);
    let mut done = 0;
    for span in spans.of(text) {
        line.push_str(&text[done..span.start]);
        line.push_str(&printer.paint(Tint::Match, &text[span.clone()]));
        done = span.end;
    }
    line.push_str(&text[done..]);
    line
}

/// The language of a file, by its extension or else its name.
fn language(path: &str) -> &'static str {
    let name = path.rsplit('/').next().unwrap_or(path);
    let extension = name.rsplit('.').next().unwrap_or(name);
    find_language(extension).map_or("text", |language| language.name)
}
