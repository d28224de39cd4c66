//! Single signals of the ranking, each on a tree that nothing else decides.

use groma_engine::{SearchMode, SearchRequest};
use groma_testkit::Sandbox;

/// The best places by keyword, as `path:line`.
fn places(tree: &str, query: &str) -> Vec<String> {
    let request = SearchRequest { mode: SearchMode::Keyword, ..SearchRequest::new(query) };
    let hits = Sandbox::in_memory(tree).ask(&request).hits;
    hits.iter().map(|hit| format!("{}:{}", hit.path, hit.lines.start)).collect()
}

/// A signal's factor for a hit in a file, if it took part.
fn factor(tree: &str, query: &str, path: &str, signal: &str) -> Option<f32> {
    let request =
        SearchRequest { mode: SearchMode::Keyword, explain: true, ..SearchRequest::new(query) };
    let hits = Sandbox::in_memory(tree).ask(&request).hits;
    let hit = hits.iter().find(|hit| hit.path.as_str() == path).expect("the file is found");
    hit.signals.iter().find(|(name, _)| *name == signal).map(|(_, factor)| *factor)
}

#[test]
fn a_type_is_the_home_of_its_name_and_a_field_is_not() {
    let tree = "\
//- src/statement.rs
pub struct InsertStatement {
    pub table: u32,
}
//- src/table.rs
pub struct Table {
    pub name: String,
}
";
    assert_eq!(places(tree, "Table")[0], "src/table.rs:1");
    let home = factor(tree, "Table", "src/table.rs", "exact_name").unwrap();
    let field = factor(tree, "Table", "src/statement.rs", "exact_name").unwrap();
    assert!(home > 3.0 * (field - 1.0) + 1.0, "{home} against {field}");
    assert!(field > 1.0, "it still is a definition of that name");
}

#[test]
fn a_header_ranks_below_its_implementation() {
    let both = "\
//- lib/transfer.h
int transfer_start(int size);
//- lib/transfer.c
int transfer_start(int size) {
    return size > 0;
}
";
    assert_eq!(factor(both, "transfer start", "lib/transfer.h", "place"), Some(0.8));
    assert_eq!(factor(both, "transfer start", "lib/transfer.c", "place"), Some(1.0));
    let alone = "\
//- lib/transfer.h
int transfer_start(int size);
";
    assert_eq!(factor(alone, "transfer start", "lib/transfer.h", "place"), Some(1.0));
}

const POOLS: &str = "\
//- src/pool.rs
/// Opens connections of the pool.
pub fn open_pool(limit: u32) -> u32 {
    let pooled = limit + 1;
    pooled
}

/// Closes connections of the pool.
pub fn close_pool(limit: u32) -> u32 {
    let pooled = limit - 1;
    pooled
}

/// Counts idle connections of the pool.
pub fn idle_pool(limit: u32) -> u32 {
    let pooled = limit * 2;
    pooled
}
//- src/report.rs
/// Reports pooled connections.
pub fn report(connections: u32) -> u32 {
    let pooled = connections / 2;
    pooled
}
";

#[test]
fn the_file_that_is_about_a_topic_is_raised_once() {
    let request = SearchRequest {
        mode: SearchMode::Keyword,
        explain: true,
        ..SearchRequest::new("how connections are pooled")
    };
    let hits = Sandbox::in_memory(POOLS).ask(&request).hits;
    let raised = |path: &str| -> Vec<f32> {
        let of_file = hits.iter().filter(|hit| hit.path.as_str() == path);
        let signals = of_file.flat_map(|hit| &hit.signals);
        signals.filter(|(name, _)| *name == "coherence").map(|(_, factor)| *factor).collect()
    };
    assert_eq!(raised("src/pool.rs"), [1.7], "its best chunk, and no other");
    let other = raised("src/report.rs");
    assert!(other.len() == 1 && other[0] > 1.0 && other[0] < 1.7, "{other:?}");
    assert_eq!(hits[0].path.as_str(), "src/pool.rs");
}

#[test]
fn a_query_for_an_action_does_not_prefer_the_larger_file() {
    assert_eq!(factor(POOLS, "report pooled connections", "src/pool.rs", "coherence"), None);
    assert_eq!(places(POOLS, "report pooled connections")[0], "src/report.rs:1");
}

#[test]
fn a_name_in_an_action_is_what_it_is_done_to() {
    let tree = "\
//- src/wire.rs
pub struct PacketHeader {
    pub size: u32,
}
";
    let gain = |query: &str| factor(tree, query, "src/wire.rs", "exact_name").unwrap() - 1.0;
    let (topic, action) = (gain("size of PacketHeader"), gain("dispatches a PacketHeader size"));
    assert!(action > 0.0, "it still is a definition of that name");
    assert!((topic - 2.0 * action).abs() < 1e-5, "{topic} against {action}");
}

#[test]
fn a_sentence_may_find_several_functions_of_a_file() {
    let second = |query: &str| {
        let request =
            SearchRequest { mode: SearchMode::Keyword, explain: true, ..SearchRequest::new(query) };
        let hits = Sandbox::in_memory(POOLS).ask(&request).hits;
        let factors = hits.iter().flat_map(|hit| &hit.signals);
        let left = factors.filter(|(name, factor)| *name == "saturation" && *factor < 1.0);
        left.map(|(_, factor)| *factor).fold(0.0, f32::max)
    };
    let words = second("close connections");
    let sentence = second("closes connections of the pool and counts pooled limits, idle ones too");
    assert!(0.0 < words && words < 0.9 && sentence > 0.97, "{words} against {sentence}");
}
