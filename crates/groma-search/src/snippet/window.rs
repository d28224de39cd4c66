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

/// Lines of a doc comment that are shown.
const MAX_DOC_LINES: u32 = 2;

/// Characters that a line costs beyond its text: number and separators.
const GUTTER: usize = 6;

/// The number of characters that are shown of a line.
pub const MAX_LINE: usize = 240;

/// A definition, or another piece of a file, to choose lines of.
pub(super) struct Piece<'a> {
    pub text: &'a Text,
    pub lines: Lines,
    /// The line that names the definition; the lines before it are comments and attributes.
    pub name_line: u32,
    /// The evidence of each of its lines.
    pub evidence: &'a [f32],
}

impl Piece<'_> {
    /// The lines to show for at most `allotment` characters, and what they cost. At least the head is shown.
    pub fn choose(&self, allotment: usize) -> (Vec<Lines>, usize) {
        let mut shown = vec![false; self.lines.count() as usize];
        let body = self.name_line.max(self.lines.start);
        let doc = Lines::new(self.lines.start, self.lines.end.min(body));
        let doc_end =
            if doc.count() > MAX_DOC_LINES + 1 { doc.start + MAX_DOC_LINES - 1 } else { body };
        let mut cost = self.mark(&mut shown, Lines::new(body, body));
        let whole = self.cost_of(Lines::new(body, self.lines.end))
            + if doc_end < body {
                self.cost_of(Lines::new(doc.start, doc_end))
            } else {
                self.cost_of(doc)
            };
        if whole <= allotment {
            self.mark(&mut shown, Lines::new(doc.start, doc_end.min(body)));
            self.mark(&mut shown, Lines::new(body, self.lines.end));
        } else {
            for line in self.by_evidence(body) {
                let around = Lines::new(
                    line.saturating_sub(crate::snippet::par(5, 2.0) as u32).max(self.lines.start),
                    (line + crate::snippet::par(5, 2.0) as u32).min(self.lines.end),
                );
                let price = self.price(&shown, around);
                if cost + price > allotment {
                    break;
                }
                cost += self.mark(&mut shown, around);
            }
        }
        self.fill_gaps(&mut shown);
        let ranges = self.ranges(&shown);
        let cost = ranges.iter().map(|lines| self.cost_of(*lines) + GUTTER).sum();
        (ranges, cost)
    }

    /// The lines in the order in which they are added: those with evidence, best first, then from the head on.
    fn by_evidence(&self, body: u32) -> Vec<u32> {
        let weight = |line: u32| {
            let at = |line: u32| {
                let index = line.checked_sub(self.lines.start)? as usize;
                self.evidence.get(index).copied()
            };
            let near = |offset: u32| {
                at(line + offset).unwrap_or(0.0)
                    + line.checked_sub(offset).and_then(at).unwrap_or(0.0)
            };
            // A comment above the definition describes it, but the lines below do it.
            let share = if line < body { 0.5 } else { 1.0 };
            share * (at(line).unwrap_or(0.0) + 0.5 * near(1) + 0.25 * near(2))
        };
        let mut lines: Vec<(f32, u32)> =
            (self.lines.start..=self.lines.end).map(|line| (weight(line), line)).collect();
        lines.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let from_head = body..=self.lines.end;
        let best = lines.into_iter().filter(|(weight, _)| *weight > 0.0).map(|(_, line)| line);
        best.chain(from_head).collect()
    }

    fn mark(&self, shown: &mut [bool], lines: Lines) -> usize {
        let price = self.price(shown, lines);
        for line in lines.start..=lines.end {
            shown[(line - self.lines.start) as usize] = true;
        }
        price
    }

    /// What it costs to show the lines that are not shown yet.
    fn price(&self, shown: &[bool], lines: Lines) -> usize {
        let hidden =
            (lines.start..=lines.end).filter(|line| !shown[(line - self.lines.start) as usize]);
        hidden.map(|line| self.cost_of(Lines::new(line, line))).sum()
    }

    fn cost_of(&self, lines: Lines) -> usize {
        (lines.start..=lines.end)
            .map(|line| self.text.line(line).trim_end().len().min(MAX_LINE) + GUTTER)
            .sum()
    }

    /// Shows the lines of short gaps, which cost no more than to mark the gap.
    fn fill_gaps(&self, shown: &mut [bool]) {
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
