//! An outdated index is rebuilt in the background and answers until then.

use groma_core::{Embedder, Pipeline};
use groma_engine::{
    Cancel, Engine, LocateRequest, PIPELINE_VERSION, Parts, Ranking, Readiness, SearchAnswer,
    SearchRequest, WalkOptions,
};
use groma_store::EmbeddedStore;
use groma_testkit::{Gate, Sandbox, Setup, WordEmbedder};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Longer than anything here takes; reached only by a test that fails.
const LONG: Duration = Duration::from_secs(60);

/// A project that another version, with these vectors, indexed; and the gate before this one's.
fn left_by(embedder: Option<WordEmbedder>) -> (Sandbox, Arc<Gate>) {
    let gate = Gate::shut_for("");
    let setup = Setup { embedder: Some(gate.clone()), ..Setup::default() };
    let text = "//- a.rs\nfn apple() {}\n//- b.rs\nfn banana() {}\n";
    let sandbox = Sandbox::with(setup, text);
    let identity = embedder.map(|embedder| embedder.identity());
    let pipeline = Pipeline { version: PIPELINE_VERSION + 1, embedder: identity };
    let other = Engine::new(Parts {
        root: sandbox.root().to_path_buf(),
        store: Arc::new(EmbeddedStore::open(sandbox.index_folder(), pipeline).unwrap()),
        notebook: None,
        embedder: embedder.map(|embedder| Arc::new(embedder) as Arc<dyn Embedder>),
        walk: WalkOptions::default(),
        ranking: Ranking::default(),
    });
    other.index(&(), &Cancel::default()).unwrap();
    (sandbox, gate)
}

fn ask(engine: &Engine, query: &str) -> SearchAnswer {
    engine.search(&SearchRequest::new(query), &(), &Cancel::default()).unwrap()
}

#[test]
fn the_old_index_answers_until_the_new_one_is_made() {
    let (sandbox, gate) = left_by(Some(WordEmbedder));
    let engine = sandbox.shared(Duration::from_millis(50));
    assert_eq!(engine.readiness().unwrap(), Readiness::Outdated);
    sandbox.write("b.rs", "fn blueberry() {}\n");
    let answer = ask(&engine, "apple");
    assert_eq!(answer.hits[0].path.as_str(), "a.rs");
    assert!(answer.notes[0].contains("rebuilt for this version"), "{:?}", answer.notes);
    assert!(answer.is_behind && answer.notes.len() == 1, "{:?}", answer.notes);
    assert!(ask(&engine, "banana").hits.iter().all(|hit| hit.path.as_str() != "b.rs"), "outdated");
    let found = engine.locate(&LocateRequest::new("apple"), &(), &Cancel::default()).unwrap();
    assert_eq!(found.definitions.len(), 1);
    gate.set_shut(false);
    let started = Instant::now();
    while ask(&engine, "blueberry").is_behind {
        assert!(started.elapsed() < LONG, "it is never made");
    }
    assert_eq!(engine.readiness().unwrap(), Readiness::Ready);
    let answer = ask(&engine, "blueberry");
    assert_eq!((answer.hits[0].path.as_str(), answer.notes.len()), ("b.rs", 0));
}

#[test]
fn vectors_of_another_model_are_not_compared() {
    let (sandbox, _gate) = left_by(None);
    let engine = sandbox.shared(Duration::from_millis(50));
    let answer = ask(&engine, "apple");
    assert_eq!(answer.hits[0].path.as_str(), "a.rs");
    let told = |words: &str| answer.notes.iter().any(|note| note.contains(words));
    assert!(told("vectors of another model") && told("being rebuilt"), "{:?}", answer.notes);
}

#[test]
fn an_outdated_index_is_rebuilt_without_a_query() {
    let (sandbox, gate) = left_by(Some(WordEmbedder));
    gate.set_shut(false);
    let engine = sandbox.shared(LONG);
    engine.index_in_background();
    let started = Instant::now();
    while engine.readiness().unwrap() != Readiness::Ready {
        assert!(started.elapsed() < LONG, "it is never made");
        std::thread::sleep(Duration::from_millis(20));
    }
}
