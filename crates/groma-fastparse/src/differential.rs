//! Comparison of the fast parsers with the grammars whose trees they must produce.

use crate::{FastParser, Node};
use tree_sitter::{Language as Grammar, Parser, Tree};

/// A fast parser and the grammar that is its oracle.
#[derive(Debug)]
pub struct Pair {
    /// The fast parser.
    pub fast: FastParser,
    /// The grammar it must agree with.
    pub grammar: Grammar,
}

/// The result of a comparison.
#[derive(Debug, PartialEq)]
pub enum Outcome {
    /// Both give the same tree.
    Equal,
    /// The fast parser declines a text in which the grammar finds no error.
    Fallback,
    /// The grammar finds a syntax error, and the fast parser declines.
    Invalid,
    /// The grammar finds a syntax error that the fast parser does not.
    AcceptsInvalid,
    /// The trees differ: the first node that does, and some before it.
    Different(String),
}

impl Outcome {
    /// Whether a caller of the fast parser would see another tree than the grammar's.
    pub fn is_mismatch(&self) -> bool {
        matches!(self, Self::AcceptsInvalid | Self::Different(_))
    }
}

/// A named node of either tree.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Row {
    depth: usize,
    kind: u16,
    field: u16,
    start: usize,
    end: usize,
}

impl Pair {
    /// Go.
    pub fn go() -> Self {
        Self::new("go", tree_sitter_go::LANGUAGE.into())
    }

    /// Rust.
    pub fn rust() -> Self {
        Self::new("rust", tree_sitter_rust::LANGUAGE.into())
    }

    fn new(language: &str, grammar: Grammar) -> Self {
        let fast = FastParser::new(language, &grammar).expect("the pinned grammar has every name");
        Self { fast, grammar }
    }

    /// Parses a text with both.
    pub fn compare(&self, text: &str) -> Outcome {
        let fast = self.fast.parse(text);
        let tree = self.grammar_tree(text);
        match fast {
            None if tree.root_node().has_error() => Outcome::Invalid,
            None => Outcome::Fallback,
            Some(_) if tree.root_node().has_error() => Outcome::AcceptsInvalid,
            Some(nodes) => self.compare_rows(text, &self.tree_rows(&tree), &list_rows(nodes)),
        }
    }

    /// The grammar's tree.
    pub fn grammar_tree(&self, text: &str) -> Tree {
        let mut parser = Parser::new();
        parser.set_language(&self.grammar).expect("the pinned grammar fits tree-sitter");
        parser.parse(text, None).expect("a parser with a language and no deadline gives a tree")
    }

    fn compare_rows(&self, text: &str, expected: &[Row], actual: &[Row]) -> Outcome {
        let rows = expected.len().max(actual.len());
        let Some(at) = (0..rows).find(|at| expected.get(*at) != actual.get(*at)) else {
            return Outcome::Equal;
        };
        let show = |row: &Row| self.show(row);
        let before: Vec<String> = expected[at.saturating_sub(8)..at].iter().map(show).collect();
        let (should, is) = (expected.get(at), actual.get(at));
        let start = should.or(is).map_or(0, |row| row.start);
        let line = text.as_bytes()[..start].iter().filter(|byte| **byte == b'\n').count() + 1;
        Outcome::Different(format!(
            "line {line}\n{}\nexpected {:?}\nactual   {:?}",
            before.join("\n"),
            should.map(show),
            is.map(show)
        ))
    }

    /// A node as `field: kind start-end`, indented.
    fn show(&self, row: &Row) -> String {
        let field = self.grammar.field_name_for_id(row.field);
        let field = field.map_or(String::new(), |field| format!("{field}: "));
        let kind = self.grammar.node_kind_for_id(row.kind).unwrap_or("?");
        format!("{}{field}{kind} {}-{}", " ".repeat(row.depth), row.start, row.end)
    }

    /// The named nodes in pre-order. Iterative, because trees may be deeper than the stack.
    fn tree_rows(&self, tree: &Tree) -> Vec<Row> {
        let mut rows = Vec::new();
        let mut cursor = tree.walk();
        let mut depth = 0;
        loop {
            let node = cursor.node();
            if node.is_named() {
                // Several ids may share a name; the parsers and the queries use the one that the name has.
                let kind = self.grammar.id_for_node_kind(node.kind(), true);
                let field = cursor.field_id().map_or(0, std::num::NonZeroU16::get);
                rows.push(Row {
                    depth,
                    kind,
                    field,
                    start: node.start_byte(),
                    end: node.end_byte(),
                });
                if cursor.goto_first_child() {
                    depth += 1;
                    continue;
                }
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return rows;
                }
                depth -= 1;
            }
        }
    }
}

fn list_rows(nodes: impl Iterator<Item = Node>) -> Vec<Row> {
    let mut ancestor_ends: Vec<usize> = Vec::new();
    let row = |(at, node): (usize, Node)| {
        while ancestor_ends.last().is_some_and(|end| *end <= at) {
            ancestor_ends.pop();
        }
        let depth = ancestor_ends.len();
        ancestor_ends.push(at + node.size as usize);
        let (start, end) = (node.start as usize, node.end as usize);
        Row { depth, kind: node.kind, field: node.field, start, end }
    };
    nodes.enumerate().map(row).collect()
}
