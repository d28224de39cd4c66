//! A tree as a list.

use super::Kinds;
use std::time::Instant;
use tree_sitter::{Node, Tree, TreeCursor};

/// A node with its place in the list, which is where the walk met it: before its children.
pub(super) struct Entry<'t> {
    pub node: Node<'t>,
    /// Where the nodes inside of it end, and so its next sibling, if any, stands.
    pub end: u32,
    pub kind: u16,
    /// The field of its parent that it is; 0 for none, and where no pattern asks.
    pub field: u16,
}

/// How often the clock is asked, in nodes or steps.
const CLOCK: u32 = 4096;

/// Counts what is done, and tells when there is no time for more.
pub(super) struct Clock {
    deadline: Instant,
    left: u32,
    late: bool,
}

impl Clock {
    pub fn until(deadline: Instant) -> Self {
        Self { deadline, left: CLOCK, late: false }
    }

    /// Whether it is too late to do another thing.
    pub fn is_late(&mut self) -> bool {
        self.left -= 1;
        if self.left == 0 {
            self.left = CLOCK;
            self.late |= Instant::now() > self.deadline;
        }
        self.late
    }
}

/// Lists the nodes of the tree, those that no pattern speaks of left out, unless time runs out.
///
/// Each call across the border to the parser's library counts, so a node costs no more than it must: itself, its
/// kind, the moves to and from it, and the field only where a pattern may ask for it.
pub(super) fn flatten<'t>(
    tree: &'t Tree,
    kinds: &Kinds,
    clock: &mut Clock,
) -> Option<Vec<Entry<'t>>> {
    let root = tree.root_node();
    let mut entries: Vec<Entry<'t>> = Vec::with_capacity(root.descendant_count());
    let mut open: Vec<u32> = Vec::new();
    let mut cursor = root.walk();
    loop {
        if clock.is_late() {
            return None;
        }
        let entry = entry(&cursor, open.last().map(|at| entries[*at as usize].kind), kinds);
        if cursor.goto_first_child() {
            open.push(entries.len() as u32);
            entries.push(entry);
            continue;
        }
        if kinds.interest(entry.kind).kept {
            let end = entries.len() as u32 + 1;
            entries.push(Entry { end, ..entry });
        }
        while !cursor.goto_next_sibling() {
            let Some(at) = open.pop() else { return Some(entries) };
            entries[at as usize].end = entries.len() as u32;
            cursor.goto_parent();
        }
    }
}

fn entry<'t>(cursor: &TreeCursor<'t>, parent: Option<u16>, kinds: &Kinds) -> Entry<'t> {
    let node = cursor.node();
    let kind = node.kind_id();
    let asked = parent.is_some_and(|parent| {
        let parent = kinds.interest(parent);
        parent.child_fields && (parent.all_child_fields || kinds.interest(kind).field)
    });
    let field = if asked { cursor.field_id().map_or(0, std::num::NonZeroU16::get) } else { 0 };
    Entry { node, end: 0, kind, field }
}
