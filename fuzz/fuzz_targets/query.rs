//! Any query text is compiled or rejected with an error, and one that compiles can be run, without a panic.
#![no_main]

// The modules are private to groma-syntax, whose forty grammars would take minutes to build for this.
#[allow(dead_code, unused_imports, reason = "what the extractor needs of a query is not used here")]
#[path = "../../crates/groma-syntax/src/query/mod.rs"]
mod query;
#[path = "../../crates/groma-syntax/src/deadline.rs"]
mod deadline;
#[allow(dead_code, reason = "what the extractor needs of a tree is not used here")]
#[path = "../../crates/groma-syntax/src/tree.rs"]
mod tree;

use libfuzzer_sys::fuzz_target;
use std::sync::LazyLock;
use std::time::Duration;
use tree_sitter::{Language, Parser, Tree};

/// A document with every node kind of the grammar, and an error.
const DOCUMENT: &str = "// a\n{\"a\": [1, [2, 3], true, null], \"b\\n\": {\"c\": \"d\"}, \"e\": [false ] } }";

/// Queries may have more matches than there is time for.
const TIMEOUT: Duration = Duration::from_millis(200);

static JSON: LazyLock<(Language, Tree)> = LazyLock::new(|| {
    let grammar: Language = tree_sitter_json::LANGUAGE.into();
    let mut parser = Parser::new();
    parser.set_language(&grammar).expect("the grammar fits tree-sitter");
    let tree = parser.parse(DOCUMENT, None).expect("there is no deadline");
    (grammar, tree)
});

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let (grammar, tree) = &*JSON;
    let Ok(query) = query::Query::new(grammar, text) else { return };
    let deadline = &deadline::Deadline::after(TIMEOUT);
    let Some(tree) = query.tree(tree, grammar, &[0, 5], deadline) else { return };
    query.matches(&tree, DOCUMENT, deadline, |_, captures| {
        for one in captures {
            assert!(usize::from(one.index) < query.capture_names.len());
            assert!(DOCUMENT.get(one.node.byte_range()).is_some());
        }
    });
});
