//! Flattening of tree-sitter's tree into the list that the matcher walks.

use super::{Kinds, Query};
use crate::deadline::Deadline;
use crate::tree::{Entry, Tree};
use tree_sitter::{Language as Grammar, TreeCursor};

/// The number of nodes or steps between two looks at the clock.
const CHECK_INTERVAL: u32 = 4096;

/// A deadline that reads the clock only every [`CHECK_INTERVAL`] steps.
pub(super) struct SteppedDeadline<'a> {
    deadline: &'a Deadline,
    left: u32,
    passed: bool,
}

impl<'a> SteppedDeadline<'a> {
    pub fn new(deadline: &'a Deadline) -> Self {
        Self { deadline, left: CHECK_INTERVAL, passed: false }
    }

    /// Counts a step; whether the deadline has passed.
    pub fn has_passed(&mut self) -> bool {
        self.left -= 1;
        if self.left == 0 {
            self.left = CHECK_INTERVAL;
            self.passed |= self.deadline.has_passed();
        }
        self.passed
    }
}

impl Query {
    /// Lists the nodes of the tree without those that no pattern can match; `None` if the deadline passes.
    pub fn tree<'a>(
        &self,
        tree: &tree_sitter::Tree,
        grammar: &'a Grammar,
        line_starts: &'a [usize],
        deadline: &Deadline,
    ) -> Option<Tree<'a>> {
        let entries = flatten(tree, &self.kinds, &mut SteppedDeadline::new(deadline))?;
        Some(Tree { entries, grammar, line_starts })
    }
}

/// Foreign calls dominate, so a node takes as few as possible: itself, its kind, the moves of the cursor, and its field only
/// if a pattern or a definition needs it.
fn flatten(
    tree: &tree_sitter::Tree,
    kinds: &Kinds,
    deadline: &mut SteppedDeadline<'_>,
) -> Option<Vec<Entry>> {
    let root = tree.root_node();
    let mut entries: Vec<Entry> = Vec::with_capacity(root.descendant_count());
    let mut open: Vec<u32> = Vec::new();
    let mut cursor = root.walk();
    loop {
        if deadline.has_passed() {
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
