//! Documents: sections by heading, never cut inside a code fence.

use crate::chunking::{Piece, merge_small, split_long};
use crate::extract::Extracted;
use crate::parse::lines_text;
use groma_core::{Chunk, ChunkKind, DddPatterns, Lines, Symbol, SymbolKind, Visibility};

/// A section longer than this is cut between paragraphs.
const LONGEST_SECTION: u32 = 60;

/// Sections shorter than this join the next of the same parent.
const SHORT_SECTION: u32 = 6;

/// The chunks of a document whose headings are `sections`.
pub(crate) fn chunks(
    sections: &[Symbol],
    fences: &[Lines],
    text: &str,
    line_starts: &[usize],
) -> Vec<Chunk> {
    let last = line_starts.len() as u32;
    let mut pieces = Vec::new();
    let first = sections.first().map_or(last + 1, |section| section.lines.start);
    if first > 1 {
        pieces.push(Piece { lines: Lines::new(1, first - 1), symbol: None });
    }
    for (index, section) in sections.iter().enumerate() {
        let end = sections.get(index + 1).map_or(last, |next| next.lines.start - 1);
        if end >= section.lines.start {
            pieces.push(Piece {
                lines: Lines::new(section.lines.start, end),
                symbol: Some(index as u32),
            });
        }
    }
    pieces.retain(|piece| {
        !lines_text(text, line_starts, piece.lines.start, piece.lines.end).trim().is_empty()
    });
    let parent = |piece: &Piece| piece.symbol.and_then(|index| sections[index as usize].parent);
    let pieces = merge_small(pieces, |a, b| {
        let kin = a.symbol.is_none() || parent(a) == parent(b) || parent(b) == a.symbol;
        kin && a.lines.count() < SHORT_SECTION && b.lines.end - a.lines.start < LONGEST_SECTION / 2
    });
    let fenced = |line: u32| fences.iter().any(|fence| fence.contains(line));
    let blank =
        |line: u32| !fenced(line) && lines_text(text, line_starts, line, line).trim().is_empty();
    pieces
        .into_iter()
        .flat_map(|piece| {
            let cuts: Vec<u32> =
                (piece.lines.start + 1..=piece.lines.end).filter(|line| blank(line - 1)).collect();
            split_long(piece, LONGEST_SECTION, &cuts)
        })
        // A table or list without a blank line is cut between any two lines.
        .flat_map(|piece| {
            let cuts: Vec<u32> = (piece.lines.start + 1..=piece.lines.end)
                .filter(|line| !fenced(line - 1))
                .collect();
            split_long(piece, LONGEST_SECTION, &cuts)
        })
        .map(|piece| Chunk {
            kind: ChunkKind::Documentation,
            lines: piece.lines,
            symbol: piece.symbol,
            title: piece.symbol.map_or(String::new(), |index| title(sections, index)),
        })
        .collect()
}

fn title(sections: &[Symbol], index: u32) -> String {
    sections[index as usize].qualified.clone()
}

/// Gives sections their parents by level, and the lines up to the next section of the same or a higher one.
pub(crate) fn nest(headings: Vec<Heading>, last_line: u32) -> Vec<Symbol> {
    let mut open: Vec<(u32, usize)> = Vec::new();
    let mut sections: Vec<Symbol> = Vec::new();
    for heading in headings {
        while open.last().is_some_and(|(_, level)| *level >= heading.level) {
            let (index, _) = open.pop().expect("just seen");
            let end = (heading.line - 1).max(sections[index as usize].lines.start);
            sections[index as usize].lines.end = end;
        }
        let parent = open.last().map(|(index, _)| *index);
        let qualified = match parent {
            Some(parent) => format!("{} > {}", sections[parent as usize].qualified, heading.name),
            None => heading.name.clone(),
        };
        open.push((sections.len() as u32, heading.level));
        sections.push(Symbol {
            signature: heading.name.clone(),
            name: heading.name,
            kind: SymbolKind::Section,
            qualified,
            doc: String::new(),
            visibility: Visibility::Public,
            parent,
            receiver: None,
            lines: Lines::new(heading.line, last_line.max(heading.line)),
            name_line: heading.line,
            name_column: 0,
            patterns: DddPatterns::default(),
        });
    }
    sections
}

/// A heading with its level, 1 being the outermost.
pub(crate) struct Heading {
    pub name: String,
    pub level: usize,
    pub line: u32,
}

/// Headings and code fences of Markdown. Hand-made: all that is needed of a document is where its headings and
/// fences are, a scan of its lines finds them twenty times faster than the grammar crate does, and a document is
/// never wrong.
pub(crate) fn markdown(text: &str, line_starts: &[usize]) -> Extracted {
    let last = line_starts.len() as u32;
    let mut fence: Option<(u32, &str)> = None;
    let mut found = Extracted::default();
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
    found.symbols = nest(headings, last);
    found
}

/// How many lines of YAML stand before the document.
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

/// A fence is closed by as many of its own marks, with nothing behind them.
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

/// Headings of reStructuredText: a line of text underlined (and perhaps overlined) with one repeated mark.
/// The order in which the marks appear gives the levels. Hand-made: no grammar crate is maintained.
pub(crate) fn restructured(text: &str, line_starts: &[usize]) -> Extracted {
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
    let symbols = nest(headings, line_starts.len() as u32);
    Extracted { symbols, ..Default::default() }
}

/// The mark that a whole line repeats, three times at least.
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
