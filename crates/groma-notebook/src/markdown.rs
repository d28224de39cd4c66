//! A line-based Markdown parser: paragraphs, list items and table rows, each with its headings.

/// A paragraph, a list item or a table row.
#[derive(Debug)]
pub(super) struct Block {
    pub line: u32,
    pub text: String,
    pub is_item: bool,
    /// The headings it is below, outermost first.
    pub headings: Vec<String>,
}

/// The blocks of a document, without code.
pub(super) fn parse_blocks(text: &str) -> Vec<Block> {
    let mut parser = Parser::default();
    let mut lines = text.lines().enumerate().peekable();
    while let Some((row, line)) = lines.next() {
        let underline = lines.peek().map_or("", |(_, next)| next.trim());
        if parser.line(row as u32 + 1, line, underline) {
            lines.next();
        }
    }
    parser.blocks
}

/// The state after some lines of a document.
#[derive(Default)]
struct Parser {
    blocks: Vec<Block>,
    headings: Vec<(usize, String)>,
    fence: Option<String>,
    /// Whether the next line continues the last block.
    continues: bool,
}

impl Parser {
    /// Parses a line; returns whether the next one is its underline, to be skipped.
    fn line(&mut self, line: u32, text: &str, next: &str) -> bool {
        let trimmed = text.trim();
        let marker: String = trimmed.chars().take_while(|c| matches!(c, '`' | '~')).collect();
        if let Some(open) = &self.fence {
            if marker.len() >= open.len() && marker.starts_with(&**open) {
                self.fence = None;
            }
            return false;
        }
        if marker.len() >= 3 {
            self.fence = Some(marker);
            self.continues = false;
            return false;
        }
        if let Some((level, name, underlined)) = heading(trimmed, next, self.continues) {
            self.headings.retain(|(known, _)| *known < level);
            self.headings.push((level, name));
            self.continues = false;
            return underlined;
        }
        self.add(line, text, trimmed);
        false
    }

    fn add(&mut self, line: u32, text: &str, trimmed: &str) {
        let is_noise = trimmed.is_empty()
            || trimmed.starts_with(['<', '!'])
            || trimmed.starts_with("[![")
            || trimmed.chars().all(|c| "|-:=*_ ".contains(c));
        if is_noise {
            self.continues = false;
            return;
        }
        let item = item(trimmed);
        let row = trimmed.starts_with('|');
        if self.continues
            && item.is_none()
            && !row
            && let Some(last) = self.blocks.last_mut()
        {
            last.text.push(' ');
            last.text.push_str(trimmed);
            return;
        }
        let is_code = item.is_none() && (text.starts_with("    ") || text.starts_with('\t'));
        if is_code {
            return;
        }
        let body = match (item, row) {
            (Some(item), _) => item.to_string(),
            (None, true) => cells(trimmed),
            (None, false) => trimmed.to_string(),
        };
        let headings = self.headings.iter().map(|(_, name)| name.clone()).collect();
        self.blocks.push(Block { line, text: body, is_item: item.is_some() || row, headings });
        self.continues = !row;
    }
}

/// The level and text of a heading, and whether the next line underlines it.
fn heading(line: &str, next: &str, in_paragraph: bool) -> Option<(usize, String, bool)> {
    let level = line.bytes().take_while(|byte| *byte == b'#').count();
    let clean = |name: &str| name.trim_matches(['#', ' ', '*', '_', ':']).to_string();
    if (1..=6).contains(&level) && line[level..].starts_with(' ') {
        return Some((level, clean(line), false));
    }
    let rule = next.chars().next().filter(|c| "=-~^".contains(*c))?;
    let underlined = next.len() >= 3 && next.chars().all(|c| c == rule);
    let is_name = !in_paragraph && !line.is_empty() && !line.starts_with(['|', '-', '*', '=', '>']);
    let level = if rule == '=' { 1 } else { 2 };
    (underlined && is_name).then(|| (level, clean(line), true))
}

/// The text of a list item.
fn item(line: &str) -> Option<&str> {
    let bulleted = ["- ", "* ", "+ "].iter().find_map(|mark| line.strip_prefix(mark));
    let numbered = || {
        let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
        let mark = rest.strip_prefix(". ").or_else(|| rest.strip_prefix(") "));
        mark.filter(|_| rest.len() < line.len())
    };
    let text = bulleted.or_else(numbered)?.trim_start();
    Some(text.strip_prefix("[ ] ").or_else(|| text.strip_prefix("[x] ")).unwrap_or(text))
}

/// The cells of a table row, without a leading row number.
fn cells(row: &str) -> String {
    let cells = row.trim_matches('|').split('|').map(str::trim).filter(|cell| !cell.is_empty());
    cells.skip_while(|cell| cell.chars().all(|c| c.is_ascii_digit())).collect::<Vec<_>>().join("; ")
}
