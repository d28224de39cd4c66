//! reStructuredText: headings, which are lines underlined (and perhaps overlined) with one repeated mark.
//!
//! The order in which the marks appear gives the levels. Scanned by hand: no grammar crate is maintained.

use crate::language::{Language, prose};
use crate::sections::{Document, Heading, nest};

pub(super) const LANGUAGE: Language =
    Language { aliases: &["restructuredtext"], scan: Some(scan), ..prose("rst", &["rst"]) };

/// Finds headings.
fn scan(text: &str) -> Document {
    let lines: Vec<&str> = text.lines().collect();
    let mut styles: Vec<(char, bool)> = Vec::new();
    let mut headings = Vec::new();
    for at in 1..lines.len() {
        let (title, under) = (lines[at - 1].trim_end(), lines[at].trim_end());
        let Some(mark) = underline(under) else { continue };
        if title.trim().is_empty() || underline(title).is_some() {
            continue;
        }
        if under.chars().count() < title.trim().chars().count() {
            continue;
        }
        let over = at >= 2 && underline(lines[at - 2].trim_end()) == Some(mark);
        if title.starts_with(' ') && !over {
            continue;
        }
        let style = (mark, over);
        let level = styles.iter().position(|known| *known == style).unwrap_or_else(|| {
            styles.push(style);
            styles.len() - 1
        });
        let line = if over { at as u32 - 1 } else { at as u32 };
        headings.push(Heading { name: title.trim().to_string(), level: level + 1, line });
    }
    Document { sections: nest(headings, lines.len() as u32), fences: Vec::new() }
}

/// The mark that a whole line repeats at least three times.
fn underline(line: &str) -> Option<char> {
    let mark = line.chars().next().filter(|c| "=-~^\"'`#*+.:_<>".contains(*c))?;
    (line.chars().count() >= 3 && line.chars().all(|c| c == mark)).then_some(mark)
}

#[cfg(test)]
mod tests {
    use groma_core::RelPath;

    fn titles(path: &str, text: &str) -> Vec<String> {
        let parsed = crate::parse(&RelPath::new(path).unwrap(), text);
        parsed.facts.chunks[1..]
            .iter()
            .map(|chunk| format!("{}-{} {}", chunk.lines.start, chunk.lines.end, chunk.title))
            .collect()
    }

    #[test]
    fn restructured_text_has_levels_by_first_use() {
        let body = "text\n".repeat(8);
        let text = format!("=====\nTitle\n=====\n\n{body}\nOne\n---\n\n{body}\nTwo\n---\n\n{body}");
        assert_eq!(
            titles("a.rst", &text),
            ["1-13 Title", "14-25 Title > One", "26-36 Title > Two"]
        );
    }
}
