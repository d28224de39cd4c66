//! The vector cache: no text is embedded twice.

use crate::asked::{DIMENSIONS, MemoryCache, endpoint, message, opened};
use groma_core::{Embedder, TextRole};
use groma_embed::{Endpoint, HttpEmbedder, Provider};
use groma_testkit::{Misbehaviour, Service, Takes};
use std::sync::Arc;

#[test]
fn a_passage_is_sent_once_however_often_the_model_is_opened() {
    let (service, cache) = (Service::start(), Arc::new(MemoryCache::default()));
    let open = || HttpEmbedder::open(endpoint(&service), cache.clone()).unwrap();
    let first = open().embed(TextRole::Passage, &["a pool", "a user"]).unwrap();
    let second = open().embed(TextRole::Passage, &["a user", "a pool", "the config"]).unwrap();
    assert_eq!((&first[0], &first[1]), (&second[1], &second[0]));
    assert_eq!(service.requests()[1].texts(), ["the config"]);
    assert_eq!(service.requests().len(), 2);
}

#[test]
fn models_do_not_share() {
    let (service, cache) = (Service::start(), Arc::new(MemoryCache::default()));
    let base = endpoint(&service);
    for (sent, change) in [
        base.clone(),
        Endpoint { model: "another".into(), ..base.clone() },
        Endpoint { passage_prefix: "passage: ".into(), ..base.clone() },
        Endpoint { provider: Provider::Vllm, ..base.clone() },
    ]
    .into_iter()
    .enumerate()
    {
        let model = HttpEmbedder::open(change, cache.clone()).unwrap();
        model.embed(TextRole::Passage, &["a pool"]).unwrap();
        assert_eq!(service.requests().len(), sent + 1);
    }
    let moved = Endpoint { query_prefix: "query: ".into(), ..base };
    let model = HttpEmbedder::open(moved, cache).unwrap();
    model.embed(TextRole::Passage, &["a pool"]).unwrap();
    assert_eq!(service.requests().len(), 4, "a question's prefix makes no other passages");
}

#[test]
fn what_was_made_before_a_failure_is_kept() {
    let (service, cache) = (Service::start(), Arc::new(MemoryCache::default()));
    let small = Endpoint { batch: 2, ..endpoint(&service) };
    let open = || HttpEmbedder::open(small.clone(), cache.clone()).unwrap();
    service.misbehave([Misbehaviour::Late(Default::default()), Misbehaviour::Status(401, "", "")]);
    let texts = ["one", "two", "three", "four", "five"];
    assert!(message(open().embed(TextRole::Passage, &texts)).contains("401"));
    assert_eq!(open().embed(TextRole::Passage, &texts).unwrap().len(), 5);
    let sent: Vec<_> = service.requests().iter().map(|request| request.texts()).collect();
    assert_eq!(
        sent,
        [vec!["one", "two"], vec!["three", "four"], vec!["three", "four"], vec!["five"]]
    );
}

#[test]
fn pieces_of_a_long_text_are_kept_too() {
    let (service, cache) = (Service::start(), Arc::new(MemoryCache::default()));
    service.takes(Takes { texts: 1, bytes: 300 });
    let long = "connect the pool\n".repeat(30);
    let small = Endpoint { batch: 1, longest: 300, ..endpoint(&service) };
    let open = || HttpEmbedder::open(small.clone(), cache.clone()).unwrap();
    service.misbehave([Misbehaviour::Late(Default::default()), Misbehaviour::Status(401, "", "")]);
    // The two pieces are alike, so their lines are numbered.
    let long: String = long.lines().enumerate().map(|(n, line)| format!("{n} {line}\n")).collect();
    assert!(message(open().embed(TextRole::Passage, &[&long])).contains("401"));
    let first = open().embed(TextRole::Passage, &[&long]).unwrap();
    assert_eq!(service.requests().len(), 3, "one piece, one failure, one piece");
    assert_eq!(open().embed(TextRole::Passage, &[&long]).unwrap(), first);
    assert_eq!(service.requests().len(), 3);
}

#[test]
fn a_question_is_remembered_and_not_stored() {
    let (service, cache) = (Service::start(), Arc::new(MemoryCache::default()));
    let model = HttpEmbedder::open(endpoint(&service), cache.clone()).unwrap();
    for _ in 0..3 {
        model.embed(TextRole::Query, &["where is the pool"]).unwrap();
    }
    assert_eq!(service.requests().len(), 1);
    let again = HttpEmbedder::open(endpoint(&service), cache).unwrap();
    again.embed(TextRole::Query, &["where is the pool"]).unwrap();
    assert_eq!(service.requests().len(), 2);
}

#[test]
fn dimensions_are_asked_for_once_and_then_known_without_the_service() {
    let (service, cache) = (Service::start(), Arc::new(MemoryCache::default()));
    let unknown = Endpoint { dimensions: None, model: "house-made".into(), ..endpoint(&service) };
    let open = || HttpEmbedder::open(unknown.clone(), cache.clone());
    assert_eq!(open().unwrap().identity().to_string(), "ollama/house-made@1/16");
    assert_eq!(service.requests().len(), 1);
    assert_eq!(open().unwrap().identity().dimensions, DIMENSIONS);
    assert_eq!(service.requests().len(), 1);
    drop(service);
    assert_eq!(open().unwrap().identity().dimensions, DIMENSIONS, "while it is away, too");
    let other = Endpoint { model: "never-seen".into(), ..unknown };
    let error = message(HttpEmbedder::open(other.clone(), cache.clone()));
    assert!(error.contains("refuses connections"), "{error}");
    let cache: Arc<dyn groma_core::VectorCache> = cache;
    assert!(HttpEmbedder::open_known(&other, &cache).unwrap().is_none());
}

#[test]
fn known_models_are_opened_without_asking() {
    let service = Service::start();
    let known = Endpoint { dimensions: None, ..endpoint(&service) };
    assert_eq!(opened(known).identity().dimensions, 768);
    assert!(service.requests().is_empty());
}

#[test]
fn a_probe_asks_whatever_is_kept() {
    let service = Service::start();
    let model = opened(endpoint(&service));
    for _ in 0..2 {
        assert_eq!(model.probe(3).unwrap().dimensions, DIMENSIONS);
    }
    let sizes: Vec<_> = service.requests().iter().map(|request| request.texts().len()).collect();
    assert_eq!(sizes, [3, 3]);
}
