//! From tree-sitter's tree to ours.

use super::{Kinds, Query};
use crate::tree::{Entry, Tree};
use std::time::Instant;
use tree_sitter::{Language as Grammar, TreeCursor};

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

impl Query {
    /// Lists the nodes of the tree, those that no pattern speaks of left out, unless time runs out.
    pub fn tree<'a>(
        &self,
        tree: &tree_sitter::Tree,
        grammar: &'a Grammar,
        line_starts: &'a [usize],
        deadline: Instant,
    ) -> Option<Tree<'a>> {
        let entries = flatten(tree, &self.kinds, &mut Clock::until(deadline))?;
        Some(Tree { entries, grammar, line_starts })
    }
}

/// Each call across the border to the parser's library counts, so a node costs no more than it must: itself, its
/// kind, the moves to and from it, and the field only where somebody may ask for it.
fn flatten(tree: &tree_sitter::Tree, kinds: &Kinds, clock: &mut Clock) -> Option<Vec<Entry>> {
    let root = tree.root_node();
    let mut entries: Vec<Entry> = Vec::with_capacity(root.descendant_count());
    let mut open: Vec<u32> = Vec::new();
    let mut cursor = root.walk();
    loop {
        if clock.is_late() {
            return None;
        }
        let at = entries.len() as u32;
        let parent = open.last().copied();
        let mut entry = entry(&cursor, parent.map(|at| entries[at as usize].kind), kinds);
        entry.parent = parent.unwrap_or(at);
        if cursor.goto_first_child() {
            open.push(at);
            entries.push(entry);
            continue;
        }
        if entry.field > 0 || kinds.interest(entry.kind).kept {
            entries.push(Entry { next: at + 1, ..entry });
        }
        while !cursor.goto_next_sibling() {
            let Some(at) = open.pop() else { return Some(entries) };
            entries[at as usize].next = entries.len() as u32;
            cursor.goto_parent();
        }
    }
}

fn entry(cursor: &TreeCursor<'_>, parent: Option<u16>, kinds: &Kinds) -> Entry {
    let node = cursor.node();
    let kind = node.kind_id();
    let interest = kinds.interest(kind);
    let asked = parent.is_some_and(|parent| {
        let parent = kinds.interest(parent);
        parent.child_fields && (parent.all_child_fields || interest.field)
    });
    let field = if asked { cursor.field_id().map_or(0, std::num::NonZeroU16::get) } else { 0 };
    let (start, end) = (node.start_byte() as u32, node.end_byte() as u32);
    Entry { start, end, parent: 0, next: 0, kind, field, named: interest.named }
}
