//! From the uses of names to references.

use super::symbols::Built;
use crate::language::Language;
use crate::tree::Node;
use crate::{naming, signature};
use groma_core::{Reference, ReferenceKind};
use std::cmp::Reverse;

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
    let mut next = 0;
    let mut open: Vec<u32> = Vec::new();
    for one in in_order(uses) {
        let start = one.node.start_byte();
        if names.binary_search(&start).is_ok() {
            continue;
        }
        while next < built.spans.len() && built.spans[next].start <= start {
            open.push(next as u32);
            next += 1;
        }
        while open.pop_if(|index| built.spans[*index as usize].end <= start).is_some() {}
        let name = one.name(language, text);
        if name.is_empty() || name.len() > MAX_NAME || language.is_builtin(&name, one.kind) {
            continue;
        }
        references.push(Reference {
            name,
            kind: one.kind,
            line: one.node.row() + 1,
            column: one.node.column(),
            enclosing: open
                .iter()
                .rev()
                .find(|index| built.spans[**index as usize].end > start)
                .copied(),
            implementor: one.implementor.map(|node| signature::one_line(&text[node.byte_range()])),
        });
    }
    references
}

/// Sorts uses by position. Of several matches of one name the most specific remains.
fn in_order(mut uses: Vec<Use<'_>>) -> Vec<Use<'_>> {
    let specificity = |kind| match kind {
        ReferenceKind::Base => 0,
        ReferenceKind::Call => 1,
        ReferenceKind::Type => 2,
    };
    uses.sort_by_key(|one| {
        let members = Reverse(one.members.len());
        (one.node.start_byte(), specificity(one.kind), members, one.implementor.is_none())
    });
    uses.dedup_by_key(|one| one.node.start_byte());
    uses
}
