//! Markdown: headings and code fences.
//!
//! Scanned by hand: a scan of the lines finds all that is needed twenty times faster than the grammar crate, and no
//! text is a syntax error.

use crate::language::{Language, prose};
use crate::sections::{Document, Heading, nest};
use groma_core::Lines;

pub(super) const LANGUAGE: Language = Language {
    aliases: &["md"],
    scan: Some(scan),
    ..prose("markdown", &["md", "markdown", "mdx", "mkd"])
};

/// Finds headings and code fences.
fn scan(text: &str) -> Document {
    let last = text.lines().count() as u32;
    let mut fence: Option<(u32, &str)> = None;
    let mut found = Document::default();
    let mut headings = Vec::new();
    let mut before = "";
    let front = front_matter_lines(text);
    for (row, line) in text.lines().enumerate().skip(front) {
        let number = row as u32 + 1;
        let mark = fence_mark(line);
        match fence {
            Some((start, open)) => {
                if mark.is_some_and(|mark| closes(line, mark, open)) {
                    found.fences.push(Lines::new(start, number));
                    fence = None;
                }
            }
            None if mark.is_some() => fence = mark.map(|mark| (number, mark)),
            None => headings.extend(heading(before, line, number)),
        }
        before = if fence.is_some() { "" } else { line };
    }
    if let Some((start, _)) = fence {
        found.fences.push(Lines::new(start, last.max(start)));
    }
    found.sections = nest(headings, last);
    found
}

/// The number of lines of YAML in front of the document.
fn front_matter_lines(text: &str) -> usize {
    let mut lines = text.lines();
    if lines.next().map(str::trim_end) != Some("---") {
        return 0;
    }
    lines.position(|line| line.trim_end() == "---").map_or(0, |at| at + 2)
}

/// The marks that open or close a code fence.
fn fence_mark(line: &str) -> Option<&str> {
    let marks = line.trim_start();
    let first = marks.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
    let length = marks.chars().take_while(|mark| *mark == first).count();
    (length >= 3).then(|| &marks[..length])
}

/// Whether a line closes a fence: it has at least as many of the same marks and nothing else.
fn closes(line: &str, mark: &str, open: &str) -> bool {
    mark.starts_with(open) && line.trim().len() == mark.len()
}

/// A heading marked by `#`, or one underlined by the line after it.
fn heading(before: &str, line: &str, number: u32) -> Option<Heading> {
    let indent = line.len() - line.trim_start_matches(' ').len();
    if indent > 3 {
        return None;
    }
    let line = line.trim();
    let marks = line.bytes().take_while(|byte| *byte == b'#').count();
    if (1..=6).contains(&marks) {
        let name = line[marks..].strip_prefix([' ', '\t'])?.trim().trim_end_matches(['#', ' ']);
        return (!name.is_empty()).then(|| Heading {
            name: name.to_string(),
            level: marks,
            line: number,
        });
    }
    let level = match line.bytes().next()? {
        b'=' if line.bytes().all(|byte| byte == b'=') => 1,
        b'-' if line.len() >= 2 && line.bytes().all(|byte| byte == b'-') => 2,
        _ => return None,
    };
    let title = before.trim();
    let plain = !title.is_empty() && !title.starts_with(['#', '>', '-', '*', '+', '|', '<', '`']);
    plain.then(|| Heading { name: title.to_string(), level, line: number - 1 })
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
    fn markdown_splits_on_headings_and_not_in_fences() {
        let body = "text\n".repeat(8);
        let text = format!(
            "# Top\n\n{body}\n## One\n\n{body}\n```sh\n# not a heading\n```\n\n## Two\n\n{body}"
        );
        assert_eq!(titles("a.md", &text), ["1-11 Top", "12-26 Top > One", "27-36 Top > Two"]);
    }

    #[test]
    fn a_long_fence_stays_whole() {
        let fence = format!("```\n{}```\n", "x\n\n".repeat(60));
        let text = format!("# Top\n\n{}\n{fence}\nafter\n", "word\n".repeat(30));
        let chunks = titles("a.md", &text);
        assert!(chunks.iter().any(|chunk| chunk.starts_with("34-1")), "{chunks:?}");
        assert!(chunks.iter().all(|chunk| !chunk.starts_with("1-6")), "{chunks:?}");
    }
}
