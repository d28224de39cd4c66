//! Hand-written parsers for Go and Rust that give the trees of their tree-sitter grammars.
//!
//! An optimisation and nothing else: a generated parser is tables run by a general LR machine, a recursive-descent parser
//! for one language takes a fraction of its time. `cargo xtask bench` prints the ratio as `parse: grammar / fastparse`,
//! for each language and measured in one run: CPU time of parsing and extracting facts, 5.5 for Go (the Go distribution)
//! and 4.8 for Rust (our dependencies). A cold index of such sources takes about half the CPU time for it.
//!
//! A [`FastParser`] yields the named nodes and fields that the grammar would, or `None`: for input that is invalid,
//! ambiguous to the grammar, or rare, the caller runs the grammar, which also recovers from errors. Callers cannot tell
//! which of the two made a tree. That is checked by
//! - the tests of this crate, on a fixture with every construct and on mutations of it,
//! - `cargo xtask parsers`, on the sources of all dependencies and of a Go distribution,
//! - the fuzz targets `go` and `rust` in `fuzz/`, whose oracle is the grammar.
//!
//! The grammars' versions are pinned in the workspace's `Cargo.toml`. A grammar that lacks one of the names used here is
//! not imitated at all: [`FastParser::new`] returns `None`. After an update of a grammar all three checks above must be
//! run; where they fail, let the parser decline the construct (return `None`) rather than imitate it.
#![deny(missing_docs)]

/// An enum of node kinds or fields, and the grammar's name for each variant.
macro_rules! names {
    ($(#[$meta:meta])* $type:ident, $list:ident: $($variant:ident = $name:literal,)*) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq)]
        #[repr(u16)]
        pub(super) enum $type { $($variant,)* }

        pub(crate) const $list: &[&str] = &[$($name,)*];
    };
}

#[cfg(any(test, feature = "differential"))]
pub mod differential;
mod go;
mod nodes;
mod rust;
#[cfg(test)]
mod tests;

pub use nodes::Node;
pub(crate) use nodes::Nodes;

use tree_sitter::Language as Grammar;

/// Parses a text into nodes in pre-order; `None` if the grammar has to parse it.
type Parse = fn(&str) -> Option<Vec<Node>>;

/// A hand-written parser, with the grammar's ids for its node kinds and fields.
#[derive(Debug)]
pub struct FastParser {
    parse: Parse,
    kinds: Vec<u16>,
    fields: Vec<u16>,
}

impl FastParser {
    /// The parser for the language of that name; `None` if there is none, or if the grammar lacks a node kind or field
    /// that the parser produces and so cannot be the grammar it was written for.
    pub fn new(language: &str, grammar: &Grammar) -> Option<Self> {
        let (parse, kinds, fields): (Parse, _, _) = match language {
            "go" => (go::parse, go::KINDS, go::FIELDS),
            "rust" => (rust::parse, rust::KINDS, rust::FIELDS),
            _ => return None,
        };
        Some(Self { parse, kinds: kind_ids(kinds, grammar)?, fields: field_ids(fields, grammar)? })
    }

    /// The nodes of a text in pre-order, kinds and fields as the grammar's ids; `None` if the grammar has to parse it.
    pub fn parse(&self, text: &str) -> Option<impl ExactSizeIterator<Item = Node>> {
        let nodes = (self.parse)(text)?;
        Some(nodes.into_iter().map(|node| Node {
            kind: self.kinds[usize::from(node.kind)],
            field: self.fields[usize::from(node.field)],
            ..node
        }))
    }
}

/// The id of each named node kind, if the grammar has all of them.
fn kind_ids(names: &[&str], grammar: &Grammar) -> Option<Vec<u16>> {
    let id = |name: &&str| match grammar.id_for_node_kind(name, true) {
        0 => None,
        id => Some(id),
    };
    names.iter().map(id).collect()
}

/// The id of each field, if the grammar has all of them. The first name stands for "no field", whose id is 0.
fn field_ids(names: &[&str], grammar: &Grammar) -> Option<Vec<u16>> {
    let id = |name: &&str| grammar.field_id_for_name(name).map(std::num::NonZeroU16::get);
    std::iter::once(Some(0)).chain(names.iter().skip(1).map(id)).collect()
}
