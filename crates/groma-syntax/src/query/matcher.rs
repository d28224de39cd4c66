//! The search for patterns.

use super::flat::Clock;
use super::{Branch, ERROR, Kind, Pattern, Predicate, Query, Step, Test};
use crate::tree::{Entry, Node, Tree};
use std::time::Instant;

/// A captured node.
#[derive(Clone, Copy)]
pub(crate) struct Captured<'t> {
    pub node: Node<'t>,
    /// The index of the capture's name.
    pub index: u16,
}

impl Query {
    /// Calls `found` with each match: the index of its pattern, and its captures in the order of the text, a node
    /// before what is in it. Matches come in the order of their roots, those of one root in the order of the
    /// patterns, those of one pattern in the order of the text.
    ///
    /// Gives whether there was time for all.
    pub fn matches<'t>(
        &self,
        tree: &'t Tree<'t>,
        text: &str,
        deadline: Instant,
        mut found: impl FnMut(usize, &[Captured<'t>]),
    ) -> bool {
        let mut search = Search {
            query: self,
            tree,
            text: text.as_bytes(),
            clock: Clock::until(deadline),
            captures: Vec::new(),
            kept: Vec::new(),
            found: &mut found,
        };
        let mut parents = Parents::default();
        for (at, entry) in tree.entries.iter().enumerate() {
            let family = parents.family(at as u32, entry);
            for index in self.kinds.starting_at(entry.kind) {
                search.start(usize::from(*index), at as u32, family);
            }
            if search.clock.is_late() {
                return false;
            }
        }
        true
    }
}

/// The parent of a node.
#[derive(Clone, Copy)]
struct Family {
    /// Where its children end.
    end: u32,
    kind: u16,
}

/// The nodes around the one that the search has come to.
#[derive(Default)]
struct Parents {
    open: Vec<Family>,
}

impl Parents {
    /// The parent of the next node of the list; none for the root.
    fn family(&mut self, at: u32, entry: &Entry) -> Option<Family> {
        while self.open.last().is_some_and(|parent| parent.end <= at) {
            self.open.pop();
        }
        let parent = self.open.last().copied();
        if entry.next > at + 1 {
            self.open.push(Family { end: entry.next, kind: entry.kind });
        }
        parent
    }
}

/// The steps still to place, among siblings, and what is to be placed after them.
#[derive(Clone, Copy)]
struct Todo<'a> {
    pattern: &'a Pattern,
    index: usize,
    steps: &'a [Step],
    /// The sibling to begin with, and where the siblings end.
    at: u32,
    end: u32,
    outer: Option<&'a Todo<'a>>,
}

struct Search<'a, 't> {
    query: &'a Query,
    tree: &'t Tree<'t>,
    text: &'a [u8],
    clock: Clock,
    /// What the steps placed so far capture.
    captures: Vec<Captured<'t>>,
    /// The matches of a pattern at one root, where only the fullest count.
    kept: Vec<Vec<Captured<'t>>>,
    found: &'a mut dyn FnMut(usize, &[Captured<'t>]),
}

impl<'t> Search<'_, 't> {
    fn entry(&self, at: u32) -> &'t Entry {
        &self.tree.entries[at as usize]
    }

    /// Finds the matches of a pattern whose root is the node.
    fn start(&mut self, index: usize, at: u32, family: Option<Family>) {
        let pattern = &self.query.patterns[index];
        let (root, siblings) = pattern.steps.split_first().expect("a pattern has a root");
        // Where the grammar does not fit, neighbours stand beside each other by chance.
        if !siblings.is_empty() && family.is_none_or(|parent| parent.kind == ERROR) {
            return;
        }
        let next = self.entry(at).next;
        let end = family.map_or(next, |parent| parent.end);
        let after = Todo { pattern, index, steps: siblings, at: next, end, outer: None };
        for branch in &root.branches {
            if self.fits(branch, at) {
                self.take(branch, at, after);
            }
        }
        self.give_fullest(index);
    }

    /// Places the steps in all ways there are; whether there is one.
    fn place(&mut self, todo: Todo<'_>) -> bool {
        let Some((step, rest)) = todo.steps.split_first() else {
            return match todo.outer {
                Some(outer) => self.place(*outer),
                None => self.complete(todo),
            };
        };
        let mut any = false;
        let mut at = todo.at;
        while at < todo.end && !self.clock.is_late() {
            let next = self.entry(at).next;
            let after = Todo { steps: rest, at: next, ..todo };
            let mut does = false;
            for branch in &step.branches {
                if self.fits(branch, at) && !(step.last && self.has_named(next, todo.end)) {
                    let placed = self.take(branch, at, after);
                    any |= placed;
                    does |= step.first_does && (placed || branch.children.is_empty());
                }
            }
            if does || step.follows && self.is_named(at) {
                break;
            }
            at = next;
        }
        if step.optional {
            any |= self.place(Todo { steps: rest, ..todo });
        }
        any
    }

    /// Takes the node for the branch, and places what the branch asks of its children and all that is left.
    fn take(&mut self, branch: &Branch, at: u32, after: Todo<'_>) -> bool {
        let before = self.captures.len();
        let (entry, node) = (self.entry(at), Node { tree: self.tree, at });
        let fits = branch.captures.iter().all(|index| {
            self.captures.push(Captured { node, index: *index });
            // A fuller match that a predicate rejects still stands for those it contains.
            after.pattern.optional || self.is_allowed(after.pattern, node, *index)
        });
        let placed = fits
            && if branch.children.is_empty() {
                self.place(after)
            } else {
                self.place(Todo {
                    steps: &branch.children,
                    at: at + 1,
                    end: entry.next,
                    outer: Some(&after),
                    ..after
                })
            };
        self.captures.truncate(before);
        placed
    }

    fn complete(&mut self, todo: Todo<'_>) -> bool {
        if todo.pattern.optional {
            self.kept.push(self.captures.clone());
        } else if self.are_same(todo.pattern, &self.captures) {
            (self.found)(todo.index, &self.captures);
        }
        true
    }

    /// Gives the matches that were kept back and are not contained in others.
    fn give_fullest(&mut self, index: usize) {
        if self.kept.is_empty() {
            return;
        }
        let kept = std::mem::take(&mut self.kept);
        let pattern = &self.query.patterns[index];
        for (at, captures) in kept.iter().enumerate() {
            let contained = kept.iter().enumerate().any(|(other, fuller)| {
                let same = fuller.len() == captures.len();
                other != at && (!same || other < at) && contains(fuller, captures)
            });
            if self.clock.is_late() {
                return;
            }
            let allowed = |one: &Captured<'t>| self.is_allowed(pattern, one.node, one.index);
            if !contained && captures.iter().all(allowed) && self.are_same(pattern, captures) {
                (self.found)(index, captures);
            }
        }
    }

    fn fits(&self, branch: &Branch, at: u32) -> bool {
        let entry = self.entry(at);
        let kind = match branch.kind {
            Kind::Is(kind) => entry.kind == kind,
            Kind::Named => entry.kind != ERROR && self.is_named(at),
            Kind::Any => entry.kind != ERROR,
        };
        kind && (branch.field == 0 || branch.field == entry.field)
            && branch
                .without
                .iter()
                .all(|field| Node { tree: self.tree, at }.field(*field).is_none())
    }

    fn is_named(&self, at: u32) -> bool {
        self.entry(at).named
    }

    /// Whether a named node is among the siblings.
    fn has_named(&self, mut at: u32, end: u32) -> bool {
        while at < end {
            if self.is_named(at) {
                return true;
            }
            at = self.entry(at).next;
        }
        false
    }

    /// Whether the predicates on the capture allow the node.
    fn is_allowed(&self, pattern: &Pattern, node: Node<'_>, capture: u16) -> bool {
        let about = pattern.predicates.iter().filter(|predicate| predicate.capture == capture);
        about.into_iter().all(|Predicate { test, holds, .. }| {
            let text = &self.text[node.byte_range()];
            match test {
                Test::OneOf(texts) => texts.iter().any(|one| one.as_bytes() == text) == *holds,
                Test::Match(regex) => regex.is_match(text) == *holds,
                Test::Same(_) => true,
            }
        })
    }

    /// Whether the predicates that compare two captures are content.
    fn are_same(&self, pattern: &Pattern, captures: &[Captured<'_>]) -> bool {
        let text = |one: &Captured<'_>| &self.text[one.node.byte_range()];
        let of = |index: u16| captures.iter().filter(move |one| one.index == index).map(text);
        pattern.predicates.iter().all(|Predicate { capture, test, holds }| match test {
            Test::Same(other) => of(*capture).zip(of(*other)).all(|(a, b)| (a == b) == *holds),
            Test::OneOf(_) | Test::Match(_) => true,
        })
    }
}

/// Whether all captures of a match are among those of another, which has them in the same order.
fn contains(fuller: &[Captured<'_>], captures: &[Captured<'_>]) -> bool {
    let mut left = fuller.iter();
    captures
        .iter()
        .all(|one| left.any(|other| other.node.at == one.node.at && other.index == one.index))
}
