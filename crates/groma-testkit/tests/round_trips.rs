//! How often an engine goes to the ledger, the blobs and the leases: each call is a round trip where they are remote.

use groma_testkit::{Calls, Sandbox, Setup};
use std::sync::Arc;
use std::time::Duration;

fn project() -> (Sandbox, Arc<Calls>) {
    let calls = Arc::new(Calls::default());
    let setup = Setup { calls: Some(calls.clone()), ..Setup::default() };
    let sandbox = Sandbox::with(setup, "");
    for number in 0..40 {
        sandbox
            .write(&format!("src/file{number}.rs"), format!("fn lamp_{number}() {{ pool() }}\n"));
    }
    sandbox.index();
    (sandbox, calls)
}

#[test]
fn a_warm_query_makes_no_call() {
    let (sandbox, calls) = project();
    sandbox.search("lamp");
    for query in ["pool", "lamp_7", "where is the pool"] {
        let made = calls.of(|| assert!(!sandbox.search(query).hits.is_empty(), "{query}"));
        assert_eq!(made, 0, "{query}: {calls:?}");
    }
}

#[test]
fn a_commit_of_another_process_is_seen_by_the_next_query() {
    let (sandbox, calls) = project();
    sandbox.search("lamp");
    sandbox.write("src/file3.rs", "fn lantern() {}\n");
    sandbox.another().index(&(), &Default::default()).unwrap();
    let made = calls.of(|| assert_eq!(sandbox.found("lantern")[0], "src/file3.rs"));
    assert!((1..=3).contains(&made), "{made}: {calls:?}");
    assert_eq!(calls.of(|| drop(sandbox.search("lantern here"))), 0);
}

#[test]
fn opening_a_project_makes_three_calls() {
    let (sandbox, calls) = project();
    let engine = sandbox.another();
    let request = groma_engine::SearchRequest::new("lamp");
    let ask = || engine.search(&request, &(), &Default::default()).unwrap();
    let made = calls.of(|| assert!(!ask().hits.is_empty()));
    assert!(made <= 3, "{made}: {calls:?}");
}

#[test]
fn an_index_run_makes_as_many_calls_for_one_file_as_for_many() {
    let (sandbox, calls) = project();
    let run = |files: std::ops::Range<usize>, word: &str| {
        for number in files {
            sandbox.write(&format!("src/file{number}.rs"), format!("fn {word}_{number}() {{}}\n"));
        }
        calls.of(|| drop(sandbox.index()))
    };
    let (one, many) = (run(0..1, "candle"), run(1..16, "torch"));
    assert_eq!(one, many, "{calls:?}");
    assert!(one <= 12, "{one}: {calls:?}");
}

#[test]
fn delays_change_no_answer() {
    let (sandbox, calls) = project();
    let expected = sandbox.found("lamp_7 pool");
    calls.set_delay(Duration::from_millis(2));
    sandbox.write("src/other.rs", "fn other() {}\n");
    assert!(calls.of(|| drop(sandbox.index())) > 0);
    assert_eq!(sandbox.found("lamp_7 pool"), expected);
    assert_eq!(sandbox.found("other")[0], "src/other.rs");
}
