//! Compilation and matching of tree-sitter queries.
//!
//! This engine supports the subset of the query language that the query files use. tree-sitter's own engine analyses each
//! pattern against the grammar's parse tables, in every process again, and determines later siblings, fields and
//! supertypes of each node whether or not a pattern needs them. On a cold index of Prometheus running the queries took
//! 21 % of the CPU time and compiling them 5 %; to parse one small file in a fresh process took 10 ms for Go, 75 ms for
//! Python, 0.19 s for TSX and 0.5 s for C++ and Swift. Here compiling only looks up names, the tree is flattened once
//! ([`flat`]), and a pattern is tried only at nodes of its root's kind ([`matcher`]): 10 % of a cold index, and 4 to 8 ms
//! for a file of any language.
//!
//! Matches are those of tree-sitter: every assignment of nodes to a pattern's captures is a match, and of matches whose
//! captures contain one another, which only `?` produces, the maximal ones remain. A differential test compares the two
//! engines.

mod flat;
mod matcher;
mod reader;
#[cfg(test)]
mod tests;

pub(crate) use matcher::Captured;

use regex::bytes::Regex;
use rustc_hash::FxHashMap;
use tree_sitter::Language as Grammar;

/// The kind of error nodes.
const ERROR: u16 = u16::MAX;

/// A compiled query file.
pub(crate) struct Query {
    /// The names of the captures, by index, without the `@`.
    pub capture_names: Vec<String>,
    patterns: Vec<Pattern>,
    kinds: Kinds,
}

/// One pattern of the file.
struct Pattern {
    /// The root, and the siblings after it if the pattern is a group.
    steps: Vec<Step>,
    predicates: Vec<Predicate>,
    /// Whether it has a `?`, so that matches may contain one another.
    optional: bool,
}

/// A condition on one child of a node.
#[derive(Debug)]
struct Step {
    /// The alternatives; one unless the pattern has `[...]`.
    branches: Vec<Branch>,
    /// `.` before it: no named sibling may be between it and the previous step's node.
    anchored: bool,
    /// `.` after it: no named sibling may follow.
    last: bool,
    /// `?`: it may be absent.
    optional: bool,
    /// Whether further candidates can be skipped after a match, because nothing in it is captured or anchored to.
    first_match_only: bool,
}

/// One alternative of a step.
#[derive(Debug)]
struct Branch {
    kind: Kind,
    /// The field it must have; 0 for any or none.
    field: u16,
    /// `!field`: the fields that no child may have.
    absent_fields: Vec<u16>,
    /// Capture indices, in source order.
    captures: Vec<u16>,
    children: Vec<Step>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Is(u16),
    /// `(_)`
    Named,
    /// `_`
    Any,
}

/// A condition on the text of captures.
struct Predicate {
    capture: u16,
    test: Test,
    /// Whether the test must hold; it must fail in `#not-eq?`.
    holds: bool,
}

enum Test {
    /// `#eq?` and `#any-of?`
    OneOf(Vec<String>),
    /// `#eq?` of two captures.
    Same(u16),
    /// `#match?`
    Match(Regex),
}

/// What the patterns need of a node kind.
#[derive(Clone, Copy, Default)]
struct Interest {
    /// Whether it is a named kind.
    named: bool,
    /// Whether the flat tree includes such nodes. Anonymous ones that no pattern mentions are left out.
    kept: bool,
    /// Whether patterns test the field of nodes of this kind.
    field: bool,
    /// Whether patterns test the fields of its children: of those marked `field`, or of all.
    child_fields: bool,
    all_child_fields: bool,
    /// The range of `Kinds::starts` with the patterns whose root it is.
    starts: (u32, u32),
}

/// The kinds of the grammar by id; the last is for error nodes.
struct Kinds {
    interests: Vec<Interest>,
    /// The patterns by the kind of their root, ascending for each kind.
    starts: Vec<u16>,
}

impl Query {
    /// Keeps the fields of all children of such kinds in flat trees, for readers besides the patterns.
    pub fn keep_fields(&mut self, of: impl Fn(u16) -> bool) {
        for (id, interest) in (0..).zip(&mut self.kinds.interests) {
            let wanted = of(id);
            interest.child_fields |= wanted;
            interest.all_child_fields |= wanted;
        }
    }
}

impl Kinds {
    fn new(grammar: &Grammar, patterns: &[Pattern], captures: &[String]) -> Self {
        let count = grammar.node_kind_count();
        let named = |id: usize| id == count || grammar.node_kind_is_named(id as u16);
        let mut interests: Vec<Interest> = (0..=count)
            .map(|id| Interest { named: named(id), kept: named(id), ..Interest::default() })
            .collect();
        let defines = |capture: &u16| captures[usize::from(*capture)].starts_with("definition.");
        let mut roots: FxHashMap<usize, Vec<u16>> = FxHashMap::default();
        for (index, pattern) in patterns.iter().enumerate() {
            for step in &pattern.steps {
                mark(step, &defines, &mut interests);
            }
            for branch in &pattern.steps[0].branches {
                if let Kind::Is(kind) = branch.kind {
                    let list = roots.entry(usize::from(kind).min(count)).or_default();
                    if list.last() != Some(&(index as u16)) {
                        list.push(index as u16);
                    }
                }
            }
        }
        let mut starts = Vec::new();
        for (kind, list) in roots {
            interests[kind].starts = (starts.len() as u32, (starts.len() + list.len()) as u32);
            starts.extend(list);
        }
        Self { interests, starts }
    }

    fn interest(&self, kind: u16) -> &Interest {
        let error = self.interests.len() - 1;
        &self.interests[usize::from(kind).min(error)]
    }

    fn starting_at(&self, kind: u16) -> &[u16] {
        let (from, to) = self.interest(kind).starts;
        &self.starts[from as usize..to as usize]
    }
}

/// Records what a step needs of the nodes that may match it.
fn mark(step: &Step, defines: &impl Fn(&u16) -> bool, interests: &mut [Interest]) {
    let error = interests.len() - 1;
    for branch in &step.branches {
        let met = match branch.kind {
            Kind::Is(kind) => {
                let at = usize::from(kind).min(error);
                at..at + 1
            }
            Kind::Named | Kind::Any => 0..interests.len(),
        };
        let children = || branch.children.iter().flat_map(|step| &step.branches);
        let fields = children().any(|child| child.field != 0);
        let wild = |child: &Branch| child.field != 0 && !matches!(child.kind, Kind::Is(_));
        // The extractor needs the `body` child of a definition.
        let all = children().any(wild)
            || !branch.absent_fields.is_empty()
            || branch.captures.iter().any(defines);
        for interest in &mut interests[met] {
            interest.kept |= branch.kind != Kind::Named;
            interest.child_fields |= fields || all;
            interest.all_child_fields |= all;
            interest.field |= branch.field != 0 && matches!(branch.kind, Kind::Is(_));
        }
        for child in &branch.children {
            mark(child, defines, interests);
        }
    }
}
