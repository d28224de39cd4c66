//! The matcher: finds the patterns of a query in a tree.

use super::flat::SteppedDeadline;
use super::{Branch, ERROR, Kind, Pattern, Predicate, Query, Step, Test};
use crate::deadline::Deadline;
use crate::tree::{Entry, Node, Tree};

/// A captured node.
#[derive(Clone, Copy)]
pub(crate) struct Captured<'t> {
    pub node: Node<'t>,
    /// The index of the capture's name.
    pub index: u16,
}

impl Query {
    /// Calls `found` with each match: the index of its pattern, and its captures in pre-order. Matches are ordered by their
    /// roots, then by pattern, then by position.
    ///
    /// Returns whether all matches were found before the deadline.
    pub fn matches<'t>(
        &self,
        tree: &'t Tree<'t>,
        text: &str,
        deadline: &Deadline,
        mut found: impl FnMut(usize, &[Captured<'t>]),
    ) -> bool {
        let mut search = Search {
            query: self,
            tree,
            text: text.as_bytes(),
            deadline: SteppedDeadline::new(deadline),
            captures: Vec::new(),
            collected: Vec::new(),
            found: &mut found,
        };
        let mut ancestors = Ancestors::default();
        for (at, entry) in tree.entries.iter().enumerate() {
            let parent = ancestors.parent(at as u32, entry);
            for index in self.kinds.starting_at(entry.kind) {
                search.start(usize::from(*index), at as u32, parent);
            }
            if search.deadline.has_passed() {
                return false;
            }
        }
        true
    }
}

/// The parent of the current node.
#[derive(Clone, Copy)]
struct Parent {
    /// The index after its last descendant.
    end: u32,
    kind: u16,
}

/// The ancestors of the current node.
#[derive(Default)]
struct Ancestors {
    open: Vec<Parent>,
}

impl Ancestors {
    /// The parent of the next node of the list; `None` for the root.
    fn parent(&mut self, at: u32, entry: &Entry) -> Option<Parent> {
        while self.open.last().is_some_and(|parent| parent.end <= at) {
            self.open.pop();
        }
        let parent = self.open.last().copied();
        if entry.next > at + 1 {
            self.open.push(Parent { end: entry.next, kind: entry.kind });
        }
        parent
    }
}

/// The steps still to match, among siblings, and what has to match after them.
#[derive(Clone, Copy)]
struct Pending<'a> {
    pattern: &'a Pattern,
    index: usize,
    steps: &'a [Step],
    /// The first candidate, and the end of the siblings.
    at: u32,
    end: u32,
    outer: Option<&'a Pending<'a>>,
}

struct Search<'a, 't> {
    query: &'a Query,
    tree: &'t Tree<'t>,
    text: &'a [u8],
    deadline: SteppedDeadline<'a>,
    /// The captures of the steps matched so far.
    captures: Vec<Captured<'t>>,
    /// The matches of a pattern with `?` at one root, of which only the maximal ones count.
    collected: Vec<Vec<Captured<'t>>>,
    found: &'a mut dyn FnMut(usize, &[Captured<'t>]),
}

impl<'t> Search<'_, 't> {
    fn entry(&self, at: u32) -> &'t Entry {
        &self.tree.entries[at as usize]
    }

    /// Finds the matches of a pattern at a root node.
    fn start(&mut self, index: usize, at: u32, parent: Option<Parent>) {
        let pattern = &self.query.patterns[index];
        let (root, siblings) = pattern.steps.split_first().expect("a pattern has a root");
        // Children of an error node are siblings by chance.
        if !siblings.is_empty() && parent.is_none_or(|parent| parent.kind == ERROR) {
            return;
        }
        let next = self.entry(at).next;
        let end = parent.map_or(next, |parent| parent.end);
        let after = Pending { pattern, index, steps: siblings, at: next, end, outer: None };
        for branch in &root.branches {
            if self.fits(branch, at) {
                self.assign(branch, at, after);
            }
        }
        self.report_maximal(index);
    }

    /// Matches the steps in every possible way; whether there is one.
    fn match_steps(&mut self, pending: Pending<'_>) -> bool {
        let Some((step, rest)) = pending.steps.split_first() else {
            return match pending.outer {
                Some(outer) => self.match_steps(*outer),
                None => self.complete(pending),
            };
        };
        let mut any = false;
        let mut at = pending.at;
        while at < pending.end && !self.deadline.has_passed() {
            let next = self.entry(at).next;
            let after = Pending { steps: rest, at: next, ..pending };
            let mut done = false;
            for branch in &step.branches {
                if self.fits(branch, at) && !(step.last && self.has_named(next, pending.end)) {
                    let matched = self.assign(branch, at, after);
                    any |= matched;
                    done |= step.first_match_only && (matched || branch.children.is_empty());
                }
            }
            if done || step.anchored && self.is_named(at) {
                break;
            }
            at = next;
        }
        if step.optional {
            any |= self.match_steps(Pending { steps: rest, ..pending });
        }
        any
    }

    /// Assigns the node to the branch, then matches the children of the branch and all pending steps.
    fn assign(&mut self, branch: &Branch, at: u32, after: Pending<'_>) -> bool {
        let before = self.captures.len();
        let (entry, node) = (self.entry(at), Node { tree: self.tree, at });
        let fits = branch.captures.iter().all(|index| {
            self.captures.push(Captured { node, index: *index });
            // With `?`, a match that a predicate rejects still suppresses those it contains.
            after.pattern.optional || self.is_allowed(after.pattern, node, *index)
        });
        let matched = fits
            && if branch.children.is_empty() {
                self.match_steps(after)
            } else {
                self.match_steps(Pending {
                    steps: &branch.children,
                    at: at + 1,
                    end: entry.next,
                    outer: Some(&after),
                    ..after
                })
            };
        self.captures.truncate(before);
        matched
    }

    fn complete(&mut self, pending: Pending<'_>) -> bool {
        if pending.pattern.optional {
            self.collected.push(self.captures.clone());
        } else if self.are_same(pending.pattern, &self.captures) {
            (self.found)(pending.index, &self.captures);
        }
        true
    }

    /// Reports the collected matches that are not contained in others.
    fn report_maximal(&mut self, index: usize) {
        if self.collected.is_empty() {
            return;
        }
        let collected = std::mem::take(&mut self.collected);
        let pattern = &self.query.patterns[index];
        for (at, captures) in collected.iter().enumerate() {
            let contained = collected.iter().enumerate().any(|(other, fuller)| {
                let same = fuller.len() == captures.len();
                other != at && (!same || other < at) && contains(fuller, captures)
            });
            if self.deadline.has_passed() {
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
                .absent_fields
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

    /// Whether the predicates that compare two captures hold.
    fn are_same(&self, pattern: &Pattern, captures: &[Captured<'_>]) -> bool {
        let text = |one: &Captured<'_>| &self.text[one.node.byte_range()];
        let of = |index: u16| captures.iter().filter(move |one| one.index == index).map(text);
        pattern.predicates.iter().all(|Predicate { capture, test, holds }| match test {
            Test::Same(other) => of(*capture).zip(of(*other)).all(|(a, b)| (a == b) == *holds),
            Test::OneOf(_) | Test::Match(_) => true,
        })
    }
}

/// Whether the captures of a match are a subsequence of those of another.
fn contains(fuller: &[Captured<'_>], captures: &[Captured<'_>]) -> bool {
    let mut left = fuller.iter();
    captures
        .iter()
        .all(|one| left.any(|other| other.node.at == one.node.at && other.index == one.index))
}
