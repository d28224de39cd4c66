//! Recent answers are kept until there is a new generation.

use crate::show::exact;
use groma_core::{ChunkKind, NameGlob, SymbolKind, SymbolPredicate};
use groma_engine::{Context, SearchMode, SearchRequest};
use groma_testkit::Sandbox;

const PROJECT: &str = "\
//- src/pool.rs
/// A pool of connections.
pub struct Pool { size: usize }
//- src/user.go
package user

// UserService holds the pool.
type UserService struct{}
";

#[test]
fn the_second_answer_is_cached_and_the_same() {
    let sandbox = Sandbox::new(PROJECT);
    let (first, second) = (sandbox.search("pool"), sandbox.search("pool"));
    assert_eq!((first.cached, second.cached), (false, true));
    assert_eq!(exact(&first), exact(&second));
    assert_eq!((first.plan, first.stages), (second.plan, second.stages));
}

#[test]
fn a_new_generation_empties_it() {
    let sandbox = Sandbox::new(PROJECT);
    sandbox.search("pool");
    sandbox.write("src/other.rs", "fn unrelated() {}\n");
    assert!(!sandbox.search("pool").cached);
    assert!(sandbox.search("pool").cached);
    sandbox.touch("src/other.rs");
    assert!(!sandbox.search("pool").cached, "whatever the generation changed");
    let other = sandbox.another();
    sandbox.write("src/other.rs", "fn pool() {}\n");
    other.index(&(), &Default::default()).unwrap();
    let answer = sandbox.search("pool");
    assert!(!answer.cached, "another process made the generation");
    assert!(answer.hits.iter().any(|hit| hit.path.as_str() == "src/other.rs"));
}

/// A field, and another value for it.
type Change = (&'static str, fn(&mut SearchRequest));

#[test]
fn every_field_of_a_request_counts() {
    let changes: &[Change] = &[
        ("query", |request| request.query = "pools".into()),
        ("limit", |request| request.limit = 9),
        ("mode", |request| request.mode = SearchMode::Keyword),
        ("min_score", |request| request.min_score = 0.001),
        ("lines before", |request| request.context = Context::Lines { before: 1, after: 0 }),
        ("lines after", |request| request.context = Context::Lines { before: 0, after: 1 }),
        ("enclosing", |request| request.context = Context::Enclosing),
        ("surroundings", |request| request.context = Context::Surroundings),
        ("overviews", |request| request.overviews = true),
        ("languages", |request| request.filter.languages = vec!["rust".into()]),
        ("symbol kinds", |request| request.filter.symbol_kinds = vec![SymbolKind::Struct]),
        ("symbol name", |request| request.filter.symbol_name = NameGlob::new("P*").ok()),
        ("packages", |request| request.filter.packages = vec!["user".into()]),
        ("chunk kinds", |request| request.filter.chunk_kinds = vec![ChunkKind::Code]),
        ("tags", |request| request.filter.tags = vec!["rust".into()]),
        ("predicate", |request| {
            request.filter.symbol = Some(SymbolPredicate::new("any", |_| true));
        }),
        ("another predicate", |request| {
            request.filter.symbol = Some(SymbolPredicate::new("none", |_| false));
        }),
        ("paths", |request| request.filter.set_paths(&["src"]).unwrap()),
    ];
    let sandbox = Sandbox::new(PROJECT);
    assert!(!sandbox.search("pool").cached);
    for (name, change) in changes {
        let mut request = SearchRequest::new("pool");
        change(&mut request);
        assert!(!sandbox.ask(&request).cached, "{name}");
        assert!(sandbox.ask(&request).cached, "{name}, again");
    }
}

#[test]
fn an_explained_answer_is_of_this_run() {
    let sandbox = Sandbox::new(PROJECT);
    let request = SearchRequest { explain: true, ..SearchRequest::new("pool") };
    assert!(!sandbox.ask(&request).cached);
    assert!(!sandbox.ask(&request).cached);
    assert!(!sandbox.search("pool").cached, "nor is it cached for requests without one");
}

#[test]
fn only_so_many_are_kept() {
    let sandbox = Sandbox::in_memory(PROJECT);
    for number in 0..300 {
        sandbox.search(&format!("pool {number}"));
    }
    assert!(sandbox.search("pool 299").cached);
    assert!(!sandbox.search("pool 0").cached);
}
