//! Which lines of a definition are shown.
//!
//! A short definition is shown whole, without the rest of a long doc comment. Of a longer one its head and the lines
//! with most evidence are shown, each with a few lines around it, as many as the allotment has room for.

use crate::text::Text;
use groma_core::Lines;

/// Lines shown around a line with evidence.
const RADIUS: u32 = 2;

/// A gap of so many lines is shown instead of marked.
const MAX_HIDDEN: u32 = 2;

/// Characters that a line costs beyond its text: number and separators.
const GUTTER: usize = 6;

/// The number of characters that are shown of a line.
pub const MAX_LINE: usize = 240;

/// Lines of a doc comment up to which it is shown whole.
const MAX_DOC_LINES: usize = 2;

/// Whether a line is a comment, in most languages.
fn is_comment(line: &str) -> bool {
    let text = line.trim_start();
    ["//", "#", "/*", "* ", "--"].iter().any(|mark| text.starts_with(mark))
}

/// Whether a character marks a comment or a doc string.
fn is_comment_mark(c: char) -> bool {
    "/*#!-\"'<>;%".contains(c) || c.is_whitespace()
}

/// Shows the lines of short gaps, which cost no more than to mark the gap.
fn fill_gaps(shown: &mut [bool]) {
    let mut last = None;
    for index in 0..shown.len() {
        if !shown[index] {
            continue;
        }
        if let Some(last) = last
            && index - last <= MAX_HIDDEN as usize + 1
        {
            shown[last..index].fill(true);
        }
        last = Some(index);
    }
}

/// A definition, or another piece of a file, to choose lines of.
pub(super) struct Piece<'a> {
    pub text: &'a Text,
    pub lines: Lines,
    /// The line that names the definition; the lines before it are comments and attributes.
    pub name_line: u32,
    /// The doc comment, without its marks.
    pub doc: &'a str,
    /// The evidence of each of its lines.
    pub evidence: &'a [f32],
}

impl Piece<'_> {
    /// The lines to show for at most `allotment` characters, and what they cost. At least the head is shown.
    pub fn choose(&self, allotment: usize) -> (Vec<Lines>, usize) {
        let head = self.name_line.clamp(self.lines.start, self.lines.end);
        let mut shown = vec![false; self.lines.count() as usize];
        let hidden = self.hidden_doc();
        for line in self.lines.start..=self.lines.end {
            shown[self.index(line)] = !hidden[self.index(line)];
        }
        let whole: usize = self.shown_lines(&shown).map(|line| self.price(line)).sum();
        if whole > allotment {
            shown.fill(false);
            shown[self.index(head)] = true;
            let mut cost = self.price(head);
            for line in self.by_evidence(head, &hidden) {
                let around =
                    line.saturating_sub(crate::snippet::par(5, 2.0) as u32).max(self.lines.start)
                        ..=(line + crate::snippet::par(5, 2.0) as u32).min(self.lines.end);
                let added: Vec<u32> = around
                    .filter(|line| !shown[self.index(*line)] && !hidden[self.index(*line)])
                    .collect();
                let price: usize = added.iter().map(|line| self.price(*line)).sum();
                if cost + price > allotment {
                    break;
                }
                cost += price;
                added.iter().for_each(|line| shown[self.index(*line)] = true);
            }
            fill_gaps(&mut shown);
        }
        let cost = self.shown_lines(&shown).map(|line| self.price(line)).sum();
        (self.ranges(&shown), cost)
    }

    fn index(&self, line: u32) -> usize {
        (line - self.lines.start) as usize
    }

    fn shown_lines<'s>(&self, shown: &'s [bool]) -> impl Iterator<Item = u32> + 's {
        (self.lines.start..).zip(shown).filter(|(_, shown)| **shown).map(|(line, _)| line)
    }

    /// What it costs to show a line.
    fn price(&self, line: u32) -> usize {
        self.text.line(line).trim_end().len().min(MAX_LINE) + GUTTER
    }

    /// The lines of a doc comment beyond its first sentence or line.
    fn hidden_doc(&self) -> Vec<bool> {
        let mut hidden = vec![false; self.lines.count() as usize];
        if self.doc.lines().count() <= MAX_DOC_LINES {
            return hidden;
        }
        let mut seen = 0;
        for line in self.lines.start..=self.lines.end {
            let text = self.text.line(line).trim();
            let bare =
                text.trim_start_matches(is_comment_mark).trim_end_matches(is_comment_mark).trim();
            // Marks and blank lines belong to the comment if it goes on after them.
            let is_doc = if bare.is_empty() {
                seen > 0 && !text.is_empty() || line < self.name_line
            } else {
                self.doc.contains(bare)
            };
            if is_doc {
                seen += usize::from(!bare.is_empty());
                hidden[self.index(line)] = seen > 1 || bare.is_empty() && seen > 0;
            } else if line > self.name_line && seen > 0 {
                break;
            }
        }
        hidden
    }

    /// The lines in the order in which they are added: those with evidence, best first, then from the head on.
    fn by_evidence(&self, head: u32, hidden: &[bool]) -> Vec<u32> {
        let at = |line: u32| {
            let index = line.checked_sub(self.lines.start)? as usize;
            self.evidence.get(index).copied()
        };
        let weight = |line: u32| {
            let near = |offset: u32| {
                at(line + offset).unwrap_or(0.0)
                    + line.checked_sub(offset).and_then(at).unwrap_or(0.0)
            };
            // A comment describes the code beside it, which is the answer.
            let is_comment = line < head || is_comment(self.text.line(line));
            let share = if is_comment { 0.5 } else { 1.0 };
            share * (at(line).unwrap_or(0.0) + 0.5 * near(1) + 0.25 * near(2))
        };
        let mut lines: Vec<(f32, u32)> = (self.lines.start..=self.lines.end)
            .filter(|line| !hidden[self.index(*line)])
            .map(|line| (weight(line), line))
            .collect();
        lines.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let best = lines.into_iter().filter(|(weight, _)| *weight > 0.0).map(|(_, line)| line);
        best.chain(head..=self.lines.end).collect()
    }

    fn ranges(&self, shown: &[bool]) -> Vec<Lines> {
        let mut ranges: Vec<Lines> = Vec::new();
        for (line, _) in (self.lines.start..).zip(shown).filter(|(_, shown)| **shown) {
            match ranges.last_mut() {
                Some(last) if last.end + 1 == line => last.end = line,
                _ => ranges.push(Lines::new(line, line)),
            }
        }
        // A blank line at the edge of a range shows nothing.
        for range in &mut ranges {
            while range.end > range.start && self.text.line(range.end).trim().is_empty() {
                range.end -= 1;
            }
            while range.end > range.start && self.text.line(range.start).trim().is_empty() {
                range.start += 1;
            }
        }
        ranges
    }
}
