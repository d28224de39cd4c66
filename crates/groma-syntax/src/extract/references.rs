//! From the uses of names to references.

use super::symbols::Built;
use crate::language::Language;
use crate::lowering::{Codes, Lowerer, Lowering, Place};
use crate::tree::{Node, Tree};
use crate::{naming, signature};
use groma_core::{Links, Reference, ReferenceKind};
use std::cmp::Reverse;
use std::ops::Range;

/// Longest name of a reference that is kept, in bytes.
const MAX_NAME: usize = 120;

/// A use of a name, which may have further parts.
pub(super) struct Use<'t> {
    pub node: Node<'t>,
    pub kind: ReferenceKind,
    pub members: Vec<Node<'t>>,
    /// The type that extends or implements the name, where the query captures it.
    pub implementor: Option<Node<'t>>,
}

impl<'t> Use<'t> {
    pub fn new(node: Node<'t>, kind: ReferenceKind) -> Self {
        Self { node, kind, members: Vec::new(), implementor: None }
    }

    fn name(&self, language: &Language, text: &str) -> String {
        let mut name = naming::identifier(language, &text[self.node.byte_range()]).to_string();
        for member in &self.members {
            name.push_str(language.naming.separator);
            name.push_str(&text[member.byte_range()]);
        }
        name
    }
}

/// The references of a file, each with the symbol around it. Names of definitions and of built-ins are none.
pub(super) fn references(
    language: &Language,
    text: &str,
    built: &Built<'_>,
    uses: Vec<Use<'_>>,
) -> Vec<Reference> {
    let mut names: Vec<usize> =
        built.definitions.iter().flat_map(|definition| definition.name_starts()).collect();
    names.sort_unstable();
    let mut references = Vec::with_capacity(uses.len());
    let mut around = Around::new(&built.spans);
    for one in in_order(uses) {
        let start = one.node.start_byte();
        if names.binary_search(&start).is_ok() {
            continue;
        }
        let enclosing = around.innermost(start);
        let name = one.name(language, text);
        if name.is_empty() || name.len() > MAX_NAME || language.is_builtin(&name, one.kind) {
            continue;
        }
        references.push(Reference {
            name: name.into(),
            kind: one.kind,
            line: one.node.row() + 1,
            column: one.node.column(),
            enclosing,
            implementor: one.implementor.map(|node| signature::one_line(&text[node.byte_range()])),
            target: None,
        });
    }
    references
}

/// The references that a lowering finds, each with the symbol around it, and what they mean.
pub(super) fn lowered<'t>(
    lowering: &Lowering,
    codes: &'t Codes,
    tree: &'t Tree<'t>,
    text: &'t str,
    built: &'t Built<'t>,
) -> (Vec<Reference>, Links) {
    let definitions = (0..).zip(&built.definitions);
    let names = definitions
        .flat_map(|(index, definition)| definition.name_starts().map(move |start| (start, index)));
    let place = Place { symbols: &built.symbols, spans: &built.spans, names: names.collect() };
    let mut lowerer = Lowerer::new(text, place, codes);
    if !tree.entries.is_empty() {
        (lowering.lower)(&mut lowerer, Node { tree, at: 0 });
    }
    let (occurrences, links) = lowerer.finish();
    let mut around = Around::new(&built.spans);
    let mut row = 0;
    let references = occurrences.into_iter().map(|one| {
        let start = one.start as usize;
        while tree.line_starts.get(row + 1).is_some_and(|next| *next <= start) {
            row += 1;
        }
        Reference {
            name: one.name,
            kind: one.kind,
            line: row as u32 + 1,
            column: (start - tree.line_starts[row]) as u32,
            enclosing: around.innermost(start),
            implementor: one.implementor,
            target: Some(one.target),
        }
    });
    (references.collect(), links)
}

/// The symbols around ascending positions.
struct Around<'a> {
    spans: &'a [Range<usize>],
    next: usize,
    open: Vec<u32>,
}

impl<'a> Around<'a> {
    fn new(spans: &'a [Range<usize>]) -> Self {
        Self { spans, next: 0, open: Vec::new() }
    }

    /// The innermost symbol around a position, which is not before the last one asked for.
    fn innermost(&mut self, start: usize) -> Option<u32> {
        while self.next < self.spans.len() && self.spans[self.next].start <= start {
            self.open.push(self.next as u32);
            self.next += 1;
        }
        let spans = self.spans;
        while self.open.pop_if(|index| spans[*index as usize].end <= start).is_some() {}
        self.open.iter().rev().find(|index| spans[**index as usize].end > start).copied()
    }
}

/// Sorts uses by position. Of several matches of one name the most specific remains.
fn in_order(mut uses: Vec<Use<'_>>) -> Vec<Use<'_>> {
    let specificity = |kind| match kind {
        ReferenceKind::Base => 0,
        ReferenceKind::Call => 1,
        ReferenceKind::Type => 2,
        ReferenceKind::Import | ReferenceKind::Value => 3,
    };
    uses.sort_by_key(|one| {
        let members = Reverse(one.members.len());
        (one.node.start_byte(), specificity(one.kind), members, one.implementor.is_none())
    });
    uses.dedup_by_key(|one| one.node.start_byte());
    uses
}
