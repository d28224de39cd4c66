//! Batching and splitting, within the limits of the service.

use crate::asked::{DIMENSIONS, endpoint, milliseconds, model, opened};
use groma_core::{EmbedError, Embedder, TextRole};
use groma_embed::Endpoint;
use groma_testkit::{Misbehaviour, Service, Takes, embed};

fn texts(count: usize) -> Vec<String> {
    (0..count).map(|number| format!("text number {number} of a pool")).collect()
}

fn all(model: &dyn Embedder, texts: &[String]) -> Vec<groma_core::Vector> {
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    model.embed(TextRole::Passage, &texts).unwrap()
}

#[test]
fn texts_go_in_batches_and_come_back_in_order() {
    let service = Service::start();
    let model = opened(Endpoint { batch: 10, ..endpoint(&service) });
    let texts = texts(25);
    let vectors = all(&model, &texts);
    let sizes: Vec<_> = service.requests().iter().map(|request| request.texts().len()).collect();
    assert_eq!(sizes, [10, 10, 5]);
    for (text, vector) in texts.iter().zip(&vectors) {
        assert!(vector.similarity(&embed(text)) > 0.99, "{text}");
    }
}

#[test]
fn the_same_text_is_sent_once() {
    let service = Service::start();
    let vectors =
        model(&service).embed(TextRole::Passage, &["a pool", "a user", "a pool"]).unwrap();
    assert_eq!(vectors[0], vectors[2]);
    assert_eq!(service.requests()[0].texts(), ["a pool", "a user"]);
}

#[test]
fn requests_stay_below_a_size() {
    let service = Service::start();
    let model = opened(Endpoint { longest: 100_000, ..endpoint(&service) });
    let long: Vec<String> = (0..6).map(|n| format!("{n} {}", "pool ".repeat(12_000))).collect();
    all(&model, &long);
    let sizes: Vec<_> = service.requests().iter().map(|request| request.texts().len()).collect();
    assert_eq!(sizes, [3, 3]);
}

#[test]
fn a_batch_that_is_too_large_is_halved_and_the_limit_remembered() {
    let service = Service::start();
    service.takes(Takes { texts: 10, bytes: usize::MAX });
    let model = opened(Endpoint { batch: 16, ..endpoint(&service) });
    let vectors = all(&model, &texts(48));
    assert_eq!(vectors.len(), 48);
    let sizes: Vec<_> = service.requests().iter().map(|request| request.texts().len()).collect();
    assert_eq!(sizes, [16, 8, 8, 8, 8, 8, 8]);
}

#[test]
fn a_text_that_is_too_long_is_split_between_lines() {
    let service = Service::start();
    service.takes(Takes { texts: 99, bytes: 300 });
    let model = model(&service);
    let lines: Vec<String> = (0..20).map(|n| format!("let pool_{n} = connect({n});\n")).collect();
    let long = lines.concat();
    let vectors = all(&model, &["a user".into(), long.clone(), "the config".into()]);
    assert!(vectors[0].similarity(&embed("a user")) > 0.99);
    assert!(vectors[1].similarity(&embed(&long)) > 0.9, "{}", vectors[1].similarity(&embed(&long)));
    assert!(vectors[2].similarity(&embed("the config")) > 0.99);
    let taken: Vec<String> = service
        .requests()
        .iter()
        .flat_map(|request| request.texts())
        .filter(|text| text.len() <= 300 && text.contains("pool"))
        .collect();
    assert_eq!(taken.concat(), long);
    assert!(taken.iter().all(|piece| piece.ends_with('\n')));

    // What was learned is used: the next long text is not sent whole.
    let before = service.requests().len();
    all(&model, &[long.replace("pool", "user")]);
    let sent = &service.requests()[before..];
    assert!(sent.iter().flat_map(|request| request.texts()).all(|text| text.len() <= 300));
}

#[test]
fn a_text_longer_than_the_settings_say_is_never_sent_whole() {
    let service = Service::start();
    let model = opened(Endpoint { longest: 100, ..endpoint(&service) });
    let long = "word ".repeat(100_000);
    assert_eq!(all(&model, &[long])[0].values.len(), DIMENSIONS);
    assert!(service.requests().iter().flat_map(|r| r.texts()).all(|text| text.len() <= 100));
}

#[test]
fn a_service_that_takes_no_text_however_short_has_refused() {
    let service = Service::start();
    service.takes(Takes { texts: 99, bytes: 3 });
    let refused = model(&service).embed(TextRole::Passage, &["word ".repeat(100).as_str()]);
    assert!(matches!(refused, Err(EmbedError::Refused(_))), "{refused:?}");
    assert!(service.requests().len() < 30);
}

#[test]
fn a_query_does_not_queue_behind_passages() {
    let service = Service::start();
    service.misbehave(vec![Misbehaviour::Late(milliseconds(80)); 8]);
    let model = opened(Endpoint { concurrency: 1, ..endpoint(&service) });
    std::thread::scope(|scope| {
        for thread in 0..8 {
            let model = &model;
            scope.spawn(move || all(model, &[format!("text of thread {thread}")]));
        }
        std::thread::sleep(milliseconds(40));
        model.embed(TextRole::Query, &["where is the pool"]).unwrap();
    });
    let asked = service.requests().iter().position(|request| request.texts()[0].contains("where"));
    assert!(asked.unwrap() <= 2, "{asked:?}");
    assert_eq!(service.peak_concurrency(), 1);
}

#[test]
fn no_more_requests_at_once_than_allowed() {
    let service = Service::start();
    service.misbehave(vec![Misbehaviour::Late(milliseconds(60)); 12]);
    let model = opened(Endpoint { concurrency: 3, ..endpoint(&service) });
    std::thread::scope(|scope| {
        for thread in 0..12 {
            let model = &model;
            scope.spawn(move || all(model, &[format!("text of thread {thread}")]));
        }
    });
    assert_eq!((service.requests().len(), service.peak_concurrency()), (12, 3));
}
