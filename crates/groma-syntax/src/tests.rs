//! The query matcher beside tree-sitter's own engine: the same matches, each as often, on every fixture.
//!
//! The one difference by design does not occur in the fixtures: a group of siblings, `((a) . (b))`, is not searched among
//! the children of an error node, where the parser's recovery and not the author made them siblings.

use crate::deadline::Deadline;
use crate::query::{Captured, Query};
use crate::{detect, line_starts};
use groma_core::RelPath;
use std::path::PathBuf;
use std::time::Duration;
use tree_sitter::{Language as Grammar, Parser, QueryCursor, StreamingIterator, Tree};

/// A captured range, and the capture's name.
type Capture = (usize, usize, String);

/// A match: the index of its pattern, and its captures in the order of the text.
type Match = (usize, Vec<Capture>);

#[test]
fn every_fixture_has_the_matches_of_tree_sitters_engine() {
    let fixtures = fixtures();
    let mut matched = 0;
    for path in &fixtures {
        let text = std::fs::read_to_string(path).unwrap();
        let name = path.file_name().unwrap().to_str().unwrap();
        let language = detect(&RelPath::new(name).unwrap(), text.as_bytes());
        let Some(compiled) = language.compiled() else { continue };
        let query = tree_sitter::Query::new(&compiled.grammar, language.query).unwrap();
        // Whole, and cut off somewhere, so that there are error nodes.
        for eighths in 1..=8 {
            let text = &text[..text.floor_char_boundary(text.len() * eighths / 8)];
            let tree = parsed(&compiled.grammar, text);
            let actual = matches(&compiled.query, &compiled.grammar, &tree, text);
            let expected = tree_sitter_matches(&query, &tree, text);
            assert_equal(name, text, &expected, &actual);
            matched += actual.len();
        }
    }
    assert!(fixtures.len() > 35 && matched > 2000, "{} {matched}", fixtures.len());
}

/// The fixtures of this crate, without what is expected of them.
fn fixtures() -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![PathBuf::from(env!("CARGO_MANIFEST_DIR"))];
    while let Some(folder) = folders.pop() {
        let is_fixture = folder.file_name().is_some_and(|name| name == "fixtures");
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if is_fixture && path.extension().is_none_or(|one| one != "expect") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

fn parsed(grammar: &Grammar, text: &str) -> Tree {
    let mut parser = Parser::new();
    parser.set_language(grammar).unwrap();
    parser.parse(text, None).unwrap()
}

fn matches(query: &Query, grammar: &Grammar, tree: &Tree, text: &str) -> Vec<Match> {
    let deadline = &Deadline::after(Duration::from_secs(600));
    let starts = line_starts(text);
    let tree = query.tree(tree, grammar, &starts, deadline).unwrap();
    let mut found = Vec::new();
    assert!(query.matches(&tree, text, deadline, |pattern, captures| {
        let capture = |one: &Captured<'_>| {
            let name = query.capture_names[usize::from(one.index)].clone();
            (one.node.start_byte(), one.node.end_byte(), name)
        };
        found.push((pattern, sorted(captures.iter().map(capture))));
    }));
    found
}

fn tree_sitter_matches(query: &tree_sitter::Query, tree: &Tree, text: &str) -> Vec<Match> {
    let names = query.capture_names();
    let mut cursor = QueryCursor::new();
    let mut matches = cursor.matches(query, tree.root_node(), text.as_bytes());
    let mut found = Vec::new();
    while let Some(one) = matches.next() {
        let capture = |capture: &tree_sitter::QueryCapture<'_>| {
            let name = names[capture.index as usize].to_string();
            (capture.node.start_byte(), capture.node.end_byte(), name)
        };
        found.push((one.pattern_index, sorted(one.captures().iter().map(capture))));
    }
    found
}

fn sorted(captures: impl Iterator<Item = Capture>) -> Vec<Capture> {
    let mut captures: Vec<_> = captures.collect();
    captures.sort();
    captures
}

#[track_caller]
fn assert_equal(name: &str, text: &str, expected: &[Match], actual: &[Match]) {
    let show = |(pattern, captures): &Match| {
        let captures = captures.iter().map(|(start, end, capture)| {
            let first = text[*start..*end].lines().next().unwrap_or("");
            format!("@{capture} {start}..{end} `{first}`")
        });
        format!("  pattern {pattern}: {}", captures.collect::<Vec<_>>().join(", "))
    };
    let without = |from: &[Match], others: &[Match]| -> Vec<String> {
        let mut others = others.to_vec();
        let mut is_left = |one: &&Match| match others.iter().position(|other| other == *one) {
            Some(at) => {
                others.swap_remove(at);
                false
            }
            None => true,
        };
        from.iter().filter(|one| is_left(one)).map(show).collect()
    };
    let (missing, surplus) = (without(expected, actual), without(actual, expected));
    assert!(
        missing.is_empty() && surplus.is_empty(),
        "{name}\nmissing:\n{}\nsurplus:\n{}",
        missing.join("\n"),
        surplus.join("\n")
    );
}
