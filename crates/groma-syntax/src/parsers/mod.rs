//! Parsers of our own, for the languages whose trees took most of the time of an index.
//!
//! tree-sitter's parsers are tables that a general machine runs; a parser written for one language takes a tenth of
//! their time. Each gives the tree that the language's grammar would, its named nodes and their fields, or nothing:
//! what it does not know, or what is wrong, is left to the grammar, which goes on after mistakes. So nothing that
//! reads trees can tell who made them, and a test compares both on real code.

/// An enum and the list of its names, by which a number becomes a name again.
macro_rules! names {
    ($(#[$meta:meta])* $type:ident, $list:ident: $($variant:ident = $name:literal,)*) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq)]
        #[repr(u16)]
        pub(super) enum $type { $($variant,)* }

        pub(crate) const $list: &[&str] = &[$($name,)*];
    };
}

mod go;
mod nodes;
mod rust;
#[cfg(test)]
mod tests;

pub(crate) use nodes::{Node, Nodes};

use crate::tree::{Entry, Tree};
use tree_sitter::Language as Grammar;

/// Lists the nodes of a text, parents first; `None` where the grammar has to be asked.
type Parse = fn(&str) -> Option<Vec<Node>>;

/// A parser of ours with the grammar's numbers for its kinds and fields.
pub(crate) struct Own {
    parse: Parse,
    kinds: Vec<u16>,
    fields: Vec<u16>,
}

impl Own {
    /// The parser for a language, where there is one.
    pub fn of(language: &str, grammar: &Grammar) -> Option<Self> {
        let (parse, kinds, fields): (Parse, _, _) = match language {
            "go" => (go::parse, go::KINDS, go::FIELDS),
            "rust" => (rust::parse, rust::KINDS, rust::FIELDS),
            _ => return None,
        };
        let field = |name: &&str| grammar.field_id_for_name(name).map_or(0, |id| id.get());
        Some(Self {
            parse,
            kinds: kinds.iter().map(|kind| grammar.id_for_node_kind(kind, true)).collect(),
            fields: fields.iter().map(field).collect(),
        })
    }

    /// The tree of a text, unless the grammar has to be asked.
    pub fn tree<'a>(
        &self,
        text: &str,
        grammar: &'a Grammar,
        line_starts: &'a [usize],
    ) -> Option<Tree<'a>> {
        let list = (self.parse)(text)?;
        let mut entries: Vec<Entry> = Vec::with_capacity(list.len());
        let mut parent = 0;
        for (at, node) in list.iter().enumerate() {
            let at = at as u32;
            // What ended before this node is not its parent.
            while at > 0 && entries[parent as usize].next <= at {
                parent = entries[parent as usize].parent;
            }
            entries.push(Entry {
                start: node.start,
                end: node.end,
                parent,
                next: at + node.size,
                kind: self.kinds[usize::from(node.kind)],
                field: self.fields[usize::from(node.field)],
                named: true,
            });
            parent = at;
        }
        Some(Tree { entries, grammar, line_starts })
    }
}
