//! The syntax tree of a file as a list of nodes in pre-order, whichever parser made it.

use std::ops::Range;
use tree_sitter::Language as Grammar;

/// The named nodes of a file, and those anonymous nodes that a query mentions.
pub(crate) struct Tree<'a> {
    pub entries: Vec<Entry>,
    /// Has the names of kinds and fields.
    pub grammar: &'a Grammar,
    /// The offset at which each line of the file starts.
    pub line_starts: &'a [usize],
}

/// A node in the list.
#[derive(Clone, Copy)]
pub(crate) struct Entry {
    /// Its byte range.
    pub start: u32,
    pub end: u32,
    /// The index of its parent; its own for the root.
    pub parent: u32,
    /// The index after its last descendant, which is that of its next sibling if it has one.
    pub next: u32,
    pub kind: u16,
    /// Its field in the parent; 0 if it has none, and if neither a query nor a definition needs it.
    pub field: u16,
    pub named: bool,
}

/// A node of a tree.
#[derive(Clone, Copy)]
pub(crate) struct Node<'t> {
    pub tree: &'t Tree<'t>,
    /// Its index in the list.
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

    /// The row of its last byte: a node that ends at the start of a row does not extend into it.
    pub fn last_row(&self) -> u32 {
        self.row_of(self.end_byte().saturating_sub(1).max(self.start_byte()))
    }

    /// The number of bytes before it in its row.
    pub fn column(&self) -> u32 {
        (self.start_byte() - self.tree.line_starts[self.row() as usize]) as u32
    }

    /// The row of a byte.
    pub fn row_of(&self, byte: usize) -> u32 {
        self.tree.line_starts.partition_point(|start| *start <= byte) as u32 - 1
    }

    /// The id of its kind in the grammar.
    pub fn kind_id(&self) -> u16 {
        self.entry().kind
    }

    /// The name of its kind.
    pub fn kind(&self) -> &'t str {
        self.tree.grammar.node_kind_for_id(self.entry().kind).unwrap_or("ERROR")
    }

    /// Its parent; `None` for the root.
    pub fn parent(&self) -> Option<Self> {
        let at = self.entry().parent;
        (at != self.at).then_some(Self { tree: self.tree, at })
    }

    /// Its children that are listed.
    fn children(self) -> impl Iterator<Item = Self> + use<'t> {
        let end = self.entry().next;
        let mut at = self.at + 1;
        std::iter::from_fn(move || {
            let child = (at < end).then_some(Self { tree: self.tree, at })?;
            at = child.entry().next;
            Some(child)
        })
    }

    pub fn named_children(self) -> impl Iterator<Item = Self> + use<'t> {
        self.children().filter(|child| child.entry().named)
    }

    /// The child with the field. Fields are known only in definitions and where a query mentions them.
    pub fn field(self, field: u16) -> Option<Self> {
        self.children().find(|child| child.entry().field == field)
    }

    /// The named children with the field, which is not 0: of a list, the grammar gives the field to its commas, too.
    pub fn fields(self, field: u16) -> impl Iterator<Item = Self> + use<'t> {
        self.named_children().filter(move |child| field != 0 && child.entry().field == field)
    }

    /// The id of its field in the parent; 0 if it has none.
    pub fn field_in_parent(&self) -> u16 {
        self.entry().field
    }

    /// The named nodes below it.
    pub fn named_below(self) -> impl Iterator<Item = Self> + use<'t> {
        let all = (self.at + 1..self.entry().next).map(move |at| Self { tree: self.tree, at });
        all.filter(|node| node.entry().named)
    }

    /// The named nodes below it, or itself, that have no listed children.
    pub fn named_leaves(self) -> impl Iterator<Item = Self> + use<'t> {
        let all = (self.at..self.entry().next).map(move |at| Self { tree: self.tree, at });
        all.filter(|node| node.entry().named && node.entry().next == node.at + 1)
    }

    /// The body of a definition: its child with that field.
    pub fn body(self) -> Option<Self> {
        self.field(self.tree.grammar.field_id_for_name("body")?.get())
    }

    /// The named sibling before it.
    pub fn before(self) -> Option<Self> {
        self.parent()?.named_children().take_while(|child| child.at < self.at).last()
    }
}
