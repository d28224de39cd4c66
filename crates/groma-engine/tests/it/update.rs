//! Indexing behind queries: a slow run holds nobody up for long, and one that nobody wants ends.

use groma_core::{EmbedError, Embedder, EmbedderIdentity, TextRole, Vector};
use groma_engine::{Cancel, Engine, EngineError, SearchRequest};
use groma_testkit::{Keep, Sandbox, Setup, WordEmbedder};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

/// An embedder that passages wait at while it is shut.
#[derive(Default)]
struct Gate {
    shut: Mutex<bool>,
    opened: Condvar,
    waiting: AtomicUsize,
}

impl Gate {
    fn set(&self, shut: bool) {
        *self.shut.lock().unwrap() = shut;
        self.opened.notify_all();
    }
}

impl Embedder for Gate {
    fn identity(&self) -> EmbedderIdentity {
        WordEmbedder.identity()
    }

    fn embed(&self, role: TextRole, texts: &[&str]) -> Result<Vec<Vector>, EmbedError> {
        if role == TextRole::Passage {
            self.waiting.fetch_add(1, Ordering::SeqCst);
            let shut = self.shut.lock().unwrap();
            let _open = self.opened.wait_while(shut, |shut| *shut).unwrap();
        }
        WordEmbedder.embed(role, texts)
    }
}

fn gated() -> (Sandbox, Arc<Gate>) {
    let gate = Arc::new(Gate::default());
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
    gate.set(true);
    sandbox.write("b.rs", "fn banana() {}\nfn blueberry() {}\n");
    let ask =
        |query: &str| engine.search(&SearchRequest::new(query), &(), &Cancel::default()).unwrap();
    let answer = ask("apple");
    assert_eq!(answer.hits[0].path.as_str(), "a.rs");
    assert!(answer.notes[0].contains("still being indexed"), "{:?}", answer.notes);
    assert!(answer.is_behind);
    // A file that changed since is left out rather than shown as it was.
    assert!(ask("banana").hits.iter().all(|hit| hit.path.as_str() != "b.rs"));
    gate.set(false);
    let deadline = Instant::now() + LONG;
    while ask("blueberry").hits.first().is_none_or(|hit| hit.path.as_str() != "b.rs") {
        assert!(Instant::now() < deadline, "the run never ended");
    }
    assert!(ask("blueberry").notes.is_empty());
}

/// Saves a file and asks at once, so many times.
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
fn a_query_sees_what_was_saved_before_it_where_nothing_tells_of_changes() {
    let sandbox = one_file(Keep::InMemory);
    let engine = sandbox.another().unwatched().into_shared(Some(LONG));
    check_saves(1000, &engine, &sandbox);
}

#[test]
fn a_query_sees_what_was_saved_before_it_while_another_process_keeps_the_index() {
    let sandbox = one_file(Keep::OnDisk);
    sandbox.index();
    let keeper = sandbox.shared(LONG);
    keeper.keep_behind();
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
    assert_eq!(gate.waiting.load(Ordering::SeqCst), 2, "each file is embedded once");
}

#[test]
fn a_first_run_that_everybody_gave_up_on_stops() {
    let (sandbox, gate) = gated();
    for number in 0..200 {
        sandbox.write(&format!("more/{number}.rs"), format!("fn more{number}() {{}}\n"));
    }
    gate.set(true);
    let engine = sandbox.shared(LONG);
    let cancel = Cancel::default();
    let outcome = std::thread::scope(|scope| {
        scope.spawn(|| {
            while gate.waiting.load(Ordering::SeqCst) == 0 {
                std::thread::sleep(Duration::from_millis(1));
            }
            cancel.cancel();
        });
        engine.search(&SearchRequest::new("apple"), &(), &cancel)
    });
    assert!(matches!(outcome, Err(EngineError::Cancelled)), "{outcome:?}");
    gate.set(false);
    std::thread::sleep(Duration::from_millis(300));
    assert!(engine.status().unwrap().generation.is_none(), "the run went on and was committed");
    // The next query starts afresh.
    let answer = engine.search(&SearchRequest::new("apple"), &(), &Cancel::default()).unwrap();
    assert_eq!(answer.hits[0].path.as_str(), "a.rs");
}
