//! A definition that a query found, before it is named and nested.

use super::{LONG_DEFINITION, line_of, rows};
use crate::signature;
use crate::tree::Node;
use groma_core::{Lines, SymbolKind};
use std::cmp::Reverse;
use std::ops::Range;

/// The nodes of a definition.
pub(super) struct Definition<'t> {
    pub node: Node<'t>,
    /// The bytes it covers: those of the node, or more if it has clauses or extends to the next definition.
    pub bytes: Range<usize>,
    pub kind: SymbolKind,
    pub name: Node<'t>,
    /// Further parts of the name.
    pub name_parts: Vec<Node<'t>>,
    pub doc: Option<Node<'t>>,
    pub body: Option<Node<'t>>,
    pub signature: Option<Node<'t>>,
    pub receiver: Option<Node<'t>>,
    /// The number of parameters, if this is a clause.
    pub clause: Option<usize>,
    /// The clauses after the first, with their names.
    pub clauses: Vec<(Node<'t>, Node<'t>)>,
    /// Whether it extends to the next definition that has this set.
    pub reaches: bool,
    /// The index of its pattern in the query file.
    pub pattern: usize,
}

/// Sorts definitions outer before inner, without duplicates, and merges their clauses.
pub(super) fn in_order<'t>(mut found: Vec<Definition<'t>>, text: &str) -> Vec<Definition<'t>> {
    // Of the patterns that find the same definition, the first in the query file counts.
    found.sort_by_key(|one| {
        (one.node.start_byte(), Reverse(one.node.end_byte()), one.name.start_byte(), one.pattern)
    });
    found.dedup_by_key(|one| (one.node.start_byte(), one.name.start_byte()));
    let mut merged = merge_clauses(found, text);
    extend_to_next(&mut merged, text.len());
    merged
}

/// Makes one definition of neighbouring clauses with the same name and number of parameters.
fn merge_clauses<'t>(found: Vec<Definition<'t>>, text: &str) -> Vec<Definition<'t>> {
    let mut merged: Vec<Definition<'t>> = Vec::with_capacity(found.len());
    // The index in `merged` of the last definition that may have another clause.
    let mut last: Option<usize> = None;
    for one in found {
        if one.clause.is_none() {
            merged.push(one);
            continue;
        }
        if let Some(index) = last {
            // Definitions in between may only be inside of the previous clause.
            let apart = merged.last().is_some_and(|end| end.bytes.start > merged[index].bytes.end);
            let first = &mut merged[index];
            if !apart && first.continues_with(&one, text) {
                first.bytes.end = one.bytes.end;
                first.clauses.push((one.node, one.name));
                continue;
            }
        }
        last = Some(merged.len());
        merged.push(one);
    }
    merged
}

/// Extends definitions that have no end of their own to the next of them.
fn extend_to_next(found: &mut [Definition<'_>], end: usize) {
    let mut next = end;
    for one in found.iter_mut().rev().filter(|one| one.reaches) {
        one.bytes.end = next;
        next = one.bytes.start;
    }
}

impl Definition<'_> {
    /// Whether another definition behind it is a further clause of the same function.
    fn continues_with(&self, other: &Self, text: &str) -> bool {
        text[self.name.byte_range()] == text[other.name.byte_range()]
            && self.clause == other.clause
            && self.bytes.end <= other.bytes.start
    }

    /// The first byte of each of its names, one for each clause.
    pub fn name_starts(&self) -> impl Iterator<Item = usize> {
        let clauses = self.clauses.iter().map(|(_, name)| *name);
        clauses.chain([self.name]).map(|name| name.start_byte())
    }

    /// The lines, from 1, at which the statements of a long definition start.
    pub fn cuts(&self, lines: Lines) -> Vec<u32> {
        if lines.count() <= LONG_DEFINITION {
            return Vec::new();
        }
        let body = signature::body(&self.node, self.body).unwrap_or(self.node);
        let mut cuts = Vec::new();
        statement_lines(body, 8, &mut cuts);
        for (clause, _) in &self.clauses {
            cuts.push(line_of(*clause));
            statement_lines(*clause, 3, &mut cuts);
        }
        cuts.retain(|line| *line > lines.start);
        cuts.dedup();
        cuts
    }
}

/// Adds the lines of the named children, and of the children of those that are long themselves.
fn statement_lines(node: Node<'_>, depth: usize, lines: &mut Vec<u32>) {
    for child in node.named_children() {
        lines.push(line_of(child));
        let (first, last) = rows(child);
        if depth > 0 && last - first > LONG_DEFINITION / 2 {
            statement_lines(child, depth - 1, lines);
        }
    }
}
