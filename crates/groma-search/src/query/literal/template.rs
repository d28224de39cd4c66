//! The words of source lines, the literals they belong to, and what two lists of words have in common.

use crate::text::Text;
use groma_core::Lines;

/// Maximum number of words of a window of lines.
const MAX_WORDS: usize = 240;

/// Minimum length of a word that counts although its neighbours differ.
const MIN_SINGLE: usize = 2;

/// Words: runs of letters and digits, with their byte offsets.
pub(super) fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at + text[at..].find(char::is_alphanumeric)?;
        let rest = &text[start..];
        let end = start + rest.find(|c: char| !c.is_alphanumeric()).unwrap_or(rest.len());
        at = end;
        Some((start, &text[start..end]))
    })
}

/// A word of the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SourceWord {
    pub lower: String,
    pub line: u32,
    /// The number of the literal it is in.
    pub literal: Option<usize>,
}

/// The words of some lines. Placeholders and escapes in literals are no words.
pub(super) fn source_words(text: &Text, lines: Lines) -> Vec<SourceWord> {
    let mut found = Vec::new();
    let mut literal = 0;
    for number in lines.start..=lines.end {
        let line = text.line(number);
        let ranges = literal_ranges(line);
        let holes = placeholders(line);
        for (start, word) in words(line) {
            let inside = ranges.iter().position(|(from, to)| (*from..*to).contains(&start));
            let is_hole = holes.iter().any(|(from, to)| (*from..*to).contains(&start));
            if inside.is_some() && is_hole {
                continue;
            }
            let lower = word.to_lowercase();
            found.push(SourceWord { lower, line: number, literal: inside.map(|at| literal + at) });
            if found.len() == MAX_WORDS {
                return found;
            }
        }
        literal += ranges.len();
    }
    found
}

/// The byte ranges between quotes on a line. A quote in a comment or an apostrophe makes a wrong range, which costs an
/// unlikely line at most.
fn literal_ranges(line: &str) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut open: Option<(usize, char)> = None;
    let mut is_escaped = false;
    for (at, c) in line.char_indices() {
        if is_escaped {
            is_escaped = false;
            continue;
        }
        match (c, open) {
            ('\\', _) => is_escaped = true,
            ('"' | '`', Some((start, quote))) if c == quote => {
                found.push((start, at));
                open = None;
            }
            ('\'', Some((start, '\''))) => {
                // An apostrophe stands between letters.
                let next = line[at + 1..].chars().next();
                let before = line[..at].chars().next_back();
                let is_letter = |c: Option<char>| c.is_some_and(char::is_alphabetic);
                if !(is_letter(before) && is_letter(next)) {
                    found.push((start, at));
                    open = None;
                }
            }
            ('"' | '`', None) => open = Some((at + 1, c)),
            ('\'', None) => {
                // After a word it is an apostrophe, after `f` or `rb` a literal of Python.
                let word =
                    line[..at].len() - line[..at].trim_end_matches(char::is_alphanumeric).len();
                let is_prefix =
                    word <= 2 && line[at - word..at].chars().all(|c| "fFrRbBuU".contains(c));
                if is_prefix {
                    open = Some((at + 1, c));
                }
            }
            _ => {}
        }
    }
    // A literal may go on on the next line.
    if let Some((start, quote)) = open
        && quote != '\''
    {
        found.push((start, line.len()));
    }
    found
}

/// The byte ranges of `%s`, `%-5d`, `{}`, `{name}`, `${x}`, `#{x}`, `$x` and escapes such as `\n`.
fn placeholders(line: &str) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(next) = line[at..].find(['%', '{', '$', '\\']).map(|offset| at + offset) {
        let length = placeholder(&line[next..]);
        if length > 0 {
            found.push((next, next + length));
        }
        at = next + length.max(1);
        while !line.is_char_boundary(at) {
            at += 1;
        }
    }
    found
}

/// The length of the placeholder at the beginning of a text; 0 if there is none.
fn placeholder(text: &str) -> usize {
    let bytes = text.as_bytes();
    let run = |from: usize, fits: fn(&u8) -> bool| {
        bytes.get(from..).unwrap_or_default().iter().take_while(|byte| fits(byte)).count()
    };
    match bytes[0] {
        b'\\' => 2.min(text.len()),
        b'{' => text.find('}').filter(|end| *end <= 60).map_or(0, |end| end + 1),
        b'$' if bytes.get(1) == Some(&b'{') => {
            text.find('}').filter(|end| *end <= 60).map_or(0, |end| end + 1)
        }
        b'$' => match run(1, |byte| byte.is_ascii_alphanumeric() || b"_->".contains(byte)) {
            0 => 0,
            length => 1 + length,
        },
        b'%' if bytes.get(1) == Some(&b'(') => {
            text.find(')').map_or(0, |end| (end + 2).min(text.len()))
        }
        _ => {
            let flags = run(1, |byte| b"0123456789.-+#* lzhjtq".contains(byte));
            let is_verb = bytes.get(1 + flags).is_some_and(u8::is_ascii_alphabetic);
            if is_verb && bytes.get(1) != Some(&b' ') { 2 + flags } else { 0 }
        }
    }
}

/// Words that two lists have in common: `length` words from `left` in one and from `right` in the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Block {
    pub left: usize,
    pub right: usize,
    pub length: usize,
}

/// The common blocks of two lists, in the order of both: the longest one, then those before and after it. A block of one
/// word counts only if the word is long.
pub(super) fn common_blocks(left: &[&str], right: &[&str]) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut ranges = vec![((0, left.len()), (0, right.len()))];
    while let Some(((l0, l1), (r0, r1))) = ranges.pop() {
        let Some(block) = longest(&left[l0..l1], &right[r0..r1]) else { continue };
        let block = Block { left: block.left + l0, right: block.right + r0, ..block };
        if block.length == 1 && left[block.left].len() < MIN_SINGLE {
            continue;
        }
        ranges.push(((l0, block.left), (r0, block.right)));
        ranges.push(((block.left + block.length, l1), (block.right + block.length, r1)));
        blocks.push(block);
    }
    // Single words far from any longer block are chance.
    if !blocks.iter().any(|block| block.length > 1) {
        blocks.clear();
    }
    blocks.sort_by_key(|block| block.left);
    blocks
}

/// The longest common block; the first of equals.
fn longest(left: &[&str], right: &[&str]) -> Option<Block> {
    let mut best: Option<Block> = None;
    let mut lengths = vec![0usize; right.len() + 1];
    for (l, word) in left.iter().enumerate() {
        // From the end, so that the entry before is that of the row above.
        for r in (0..right.len()).rev() {
            lengths[r + 1] = if *word == right[r] { lengths[r] + 1 } else { 0 };
            let length = lengths[r + 1];
            if length > best.map_or(0, |block| block.length) {
                best = Some(Block { left: l + 1 - length, right: r + 1 - length, length });
            }
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(line: &str) -> Vec<String> {
        let text = Text::new(line.to_string());
        let found = source_words(&text, Lines::new(1, 1)).into_iter();
        found
            .map(|word| match word.literal {
                Some(number) => format!("{}@{number}", word.lower),
                None => word.lower,
            })
            .collect()
    }

    #[test]
    fn literals_have_no_placeholders_and_escapes() {
        assert_eq!(shown("log(\"bad %s in %-5d\\n\", x)"), ["log", "bad@0", "in@0", "x"]);
        assert_eq!(
            shown("f'no {name} and ${x} of $y' + 'end'"),
            ["f", "no@0", "and@0", "of@0", "end@1"]
        );
        assert_eq!(shown("\"don't stop\""), ["don@0", "t@0", "stop@0"]);
        assert_eq!(shown("'can\\'t stop' and 'x"), ["can@0", "t@0", "stop@0", "and", "x"]);
    }

    #[test]
    fn blocks_are_in_the_order_of_both() {
        let left = ["a1", "cannot", "open", "x7", "for", "reading"];
        let right = ["log", "cannot", "open", "for", "reading", "a1"];
        let blocks: Vec<_> =
            common_blocks(&left, &right).iter().map(|b| (b.left, b.right, b.length)).collect();
        assert_eq!(blocks, [(1, 1, 2), (4, 3, 2)]);
        assert!(common_blocks(&["open", "the"], &["the", "open"]).is_empty());
    }
}
