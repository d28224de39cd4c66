//! The tree of a file, whoever parsed it: a list in which a node stands before its children.

use std::ops::Range;
use tree_sitter::Language as Grammar;

/// The named nodes of a file, and of the others those that a query asks for.
pub(crate) struct Tree<'a> {
    pub entries: Vec<Entry>,
    /// Who knows what the kinds and fields are called.
    pub grammar: &'a Grammar,
    /// The byte at which each line of the file starts.
    pub line_starts: &'a [usize],
}

/// A node in the list.
#[derive(Clone, Copy)]
pub(crate) struct Entry {
    /// Its bytes.
    pub start: u32,
    pub end: u32,
    /// The place of its parent; its own for the root.
    pub parent: u32,
    /// Where the nodes inside of it end, and so its next sibling, if any, stands.
    pub next: u32,
    pub kind: u16,
    /// The field of its parent that it is; 0 for none, and where nobody asks.
    pub field: u16,
    pub named: bool,
}

/// A node of a tree.
#[derive(Clone, Copy)]
pub(crate) struct Node<'t> {
    pub tree: &'t Tree<'t>,
    /// Its place in the list.
    pub at: u32,
}

impl<'t> Node<'t> {
    fn entry(&self) -> &'t Entry {
        &self.tree.entries[self.at as usize]
    }

    pub fn start_byte(&self) -> usize {
        self.entry().start as usize
    }

    pub fn end_byte(&self) -> usize {
        self.entry().end as usize
    }

    pub fn byte_range(&self) -> Range<usize> {
        self.start_byte()..self.end_byte()
    }

    /// The row it starts in, from 0.
    pub fn row(&self) -> u32 {
        self.row_of(self.start_byte())
    }

    /// The last row it reaches into; one that ends at the start of a row does not.
    pub fn last_row(&self) -> u32 {
        self.row_of(self.end_byte().saturating_sub(1).max(self.start_byte()))
    }

    /// How many bytes stand before it in its row.
    pub fn column(&self) -> u32 {
        (self.start_byte() - self.tree.line_starts[self.row() as usize]) as u32
    }

    fn row_of(&self, byte: usize) -> u32 {
        self.tree.line_starts.partition_point(|start| *start <= byte) as u32 - 1
    }

    /// What the grammar calls it.
    pub fn kind(&self) -> &'t str {
        self.tree.grammar.node_kind_for_id(self.entry().kind).unwrap_or("ERROR")
    }

    /// What it stands in; nothing for the root.
    pub fn parent(&self) -> Option<Self> {
        let at = self.entry().parent;
        (at != self.at).then_some(Self { tree: self.tree, at })
    }

    /// Its children that are listed.
    fn children(self) -> impl Iterator<Item = Self> {
        let end = self.entry().next;
        let mut at = self.at + 1;
        std::iter::from_fn(move || {
            let child = (at < end).then_some(Self { tree: self.tree, at })?;
            at = child.entry().next;
            Some(child)
        })
    }

    pub fn named_children(self) -> impl Iterator<Item = Self> {
        self.children().filter(|child| child.entry().named)
    }

    /// The child that is the field. Only those of definitions, and those that a query asks for, are known.
    pub fn field(self, field: u16) -> Option<Self> {
        self.children().find(|child| child.entry().field == field)
    }

    /// The part of a definition that is called its body.
    pub fn body(self) -> Option<Self> {
        self.field(self.tree.grammar.field_id_for_name("body")?.get())
    }

    /// The named sibling before it.
    pub fn before(self) -> Option<Self> {
        self.parent()?.named_children().take_while(|child| child.at < self.at).last()
    }
}
