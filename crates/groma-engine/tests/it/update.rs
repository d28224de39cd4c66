//! Indexing in the background of queries: a slow run delays no query for long, and an unwanted run is stopped.

use groma_engine::{Cancel, Engine, EngineError, SearchRequest};
use groma_testkit::{Gate, Keep, Sandbox, Setup};
use std::sync::Arc;
use std::time::{Duration, Instant};

fn gated() -> (Sandbox, Arc<Gate>) {
    let gate = Gate::open();
    let setup = Setup { embedder: Some(gate.clone()), ..Setup::default() };
    let text = "//- a.rs\nfn apple() {}\n//- b.rs\nfn banana() {}\n";
    (Sandbox::with(setup, text), gate)
}

const LONG: Duration = Duration::from_secs(60);

#[test]
fn a_slow_run_does_not_hold_a_query_up() {
    let (sandbox, gate) = gated();
    sandbox.index();
    let engine = sandbox.shared(Duration::from_millis(100));
    gate.set_shut(true);
    sandbox.write("b.rs", "fn banana() {}\nfn blueberry() {}\n");
    let ask =
        |query: &str| engine.search(&SearchRequest::new(query), &(), &Cancel::default()).unwrap();
    let answer = ask("apple");
    assert_eq!(answer.hits[0].path.as_str(), "a.rs");
    assert!(answer.notes[0].contains("still being indexed"), "{:?}", answer.notes);
    assert!(answer.is_behind);
    // A file that changed meanwhile is omitted rather than shown with its old content.
    assert!(ask("banana").hits.iter().all(|hit| hit.path.as_str() != "b.rs"));
    gate.set_shut(false);
    let deadline = Instant::now() + LONG;
    while ask("blueberry").hits.first().is_none_or(|hit| hit.path.as_str() != "b.rs") {
        assert!(Instant::now() < deadline, "the run never ended");
    }
    assert!(ask("blueberry").notes.is_empty());
}

/// Saves a file and queries immediately, so many times.
fn check_saves(times: usize, engine: &Engine, sandbox: &Sandbox) {
    for round in 0..times {
        sandbox.save("a.rs", format!("fn round{round}() {{}}\n"));
        let request = SearchRequest::new(format!("round{round}"));
        let answer = engine.search(&request, &(), &Cancel::default()).unwrap();
        assert!(answer.hits[0].content.contains(&format!("round{round}")), "{answer:?}");
        assert!(!answer.is_behind && answer.notes.is_empty(), "{answer:?}");
    }
}

fn one_file(keep: Keep) -> Sandbox {
    Sandbox::with(Setup { keep, ..Setup::default() }, "//- a.rs\nfn first() {}\n")
}

#[test]
fn a_query_sees_what_was_saved_before_it() {
    let sandbox = one_file(Keep::InMemory);
    check_saves(1000, &sandbox.shared(LONG), &sandbox);
}

#[test]
fn a_query_sees_what_was_saved_before_it_without_file_events() {
    let sandbox = one_file(Keep::InMemory);
    let engine = sandbox.another().unwatched().into_shared(Some(LONG));
    check_saves(1000, &engine, &sandbox);
}

#[test]
fn a_query_sees_what_was_saved_before_it_beside_a_background_indexer() {
    let sandbox = one_file(Keep::OnDisk);
    sandbox.index();
    let background = sandbox.shared(LONG);
    background.index_in_background();
    check_saves(200, &sandbox.shared(LONG), &sandbox);
}

#[test]
fn queries_that_arrive_together_share_runs() {
    let (sandbox, gate) = gated();
    let engine = sandbox.shared(LONG);
    std::thread::scope(|scope| {
        for _ in 0..16 {
            scope.spawn(|| {
                let request = SearchRequest::new("apple");
                let answer = engine.search(&request, &(), &Cancel::default()).unwrap();
                assert_eq!(answer.hits[0].path.as_str(), "a.rs");
            });
        }
    });
    assert_eq!(gate.arrived(), 2, "each file is embedded once");
}

#[test]
fn a_first_run_whose_callers_all_cancelled_stops() {
    let (sandbox, gate) = gated();
    for number in 0..200 {
        sandbox.write(&format!("more/{number}.rs"), format!("fn more{number}() {{}}\n"));
    }
    gate.set_shut(true);
    let engine = sandbox.shared(LONG);
    let cancel = Cancel::default();
    let outcome = std::thread::scope(|scope| {
        scope.spawn(|| {
            while gate.arrived() == 0 {
                std::thread::sleep(Duration::from_millis(1));
            }
            cancel.cancel();
        });
        engine.search(&SearchRequest::new("apple"), &(), &cancel)
    });
    assert!(matches!(outcome, Err(EngineError::Cancelled)), "{outcome:?}");
    gate.set_shut(false);
    // The thread of the run owns the engine until it ends.
    let deadline = Instant::now() + LONG;
    while Arc::strong_count(&engine) > 1 {
        assert!(Instant::now() < deadline, "the run never ended");
        std::thread::sleep(Duration::from_millis(1));
    }
    assert!(engine.status().unwrap().generation.is_none(), "the run went on and was committed");
    assert!(gate.arrived() < 202, "every file was embedded");
    // The next query starts a new run.
    let answer = engine.search(&SearchRequest::new("apple"), &(), &Cancel::default()).unwrap();
    assert_eq!(answer.hits[0].path.as_str(), "a.rs");
}
