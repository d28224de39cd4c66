//! A service that is away, slow, busy or in a bad mood.

use crate::asked::{endpoint, message, milliseconds, model, opened};
use groma_core::{EmbedError, Embedder, TextRole};
use groma_embed::{Endpoint, Patience, Provider, Secret};
use groma_testkit::{Misbehaviour, Service, embed};
use std::time::{Duration, Instant};

fn embed_one(model: &dyn Embedder) -> Result<(), EmbedError> {
    let vectors = model.embed(TextRole::Passage, &["a pool"])?;
    assert!(vectors[0].similarity(&embed("a pool")) > 0.99);
    Ok(())
}

/// Runs it and fails when it takes longer than it may.
fn within<T>(time: Duration, work: impl FnOnce() -> T) -> T {
    let started = Instant::now();
    let value = work();
    assert!(started.elapsed() < time, "took {:?}", started.elapsed());
    value
}

#[test]
fn what_passes_is_tried_again() {
    let passing = [
        Misbehaviour::Status(500, "", "oops"),
        Misbehaviour::Status(503, "", ""),
        Misbehaviour::Status(408, "", ""),
        Misbehaviour::Truncated,
        Misbehaviour::HangsUp,
        Misbehaviour::Late(milliseconds(600)),
        Misbehaviour::Drip(milliseconds(20)),
    ];
    for misbehaviour in passing {
        let service = Service::start();
        service.misbehave([misbehaviour.clone(), misbehaviour.clone()]);
        within(milliseconds(2500), || embed_one(&model(&service))).unwrap();
        assert_eq!(service.requests().len(), 3, "{misbehaviour:?}");
    }
}

#[test]
fn nobody_is_tried_forever() {
    let cases = [
        (Misbehaviour::Status(500, "", "oops"), "answered 500 (oops)"),
        (Misbehaviour::HangsUp, "broke the connection off"),
        (Misbehaviour::Truncated, "broke the connection off"),
        (Misbehaviour::Late(milliseconds(2000)), "did not answer within 0.4 s"),
    ];
    for (misbehaviour, expected) in cases {
        let service = Service::start();
        service.misbehave(vec![misbehaviour; 9]);
        let told = within(milliseconds(3000), || message(embed_one(&model(&service))));
        assert!(told.contains(expected), "{told}");
        assert_eq!(service.requests().len(), 3);
    }
}

#[test]
fn what_does_not_pass_is_not_tried_again() {
    let cases = [
        (401, "bad key sk-test", "(bad key [key]): check the key in MY_KEY"),
        (403, "", "answered 403: check the key in MY_KEY"),
        (404, r#"{"error":{"message":"model not found"}}"#, "(model not found): `ollama pull"),
        (429, "insufficient_quota", "answered 429 (insufficient_quota)"),
        (418, "", "answered 418"),
    ];
    for (status, body, expected) in cases {
        let service = Service::start();
        service.misbehave([Misbehaviour::Status(status, "", body)]);
        let model = opened(Endpoint {
            key: Some(Secret::new("sk-test")),
            key_variable: Some("MY_KEY".into()),
            ..endpoint(&service)
        });
        let told = message(embed_one(&model));
        assert!(told.contains(expected), "{told}");
        assert_eq!(service.requests().len(), 1);
    }
}

#[test]
fn a_redirection_is_told_and_not_followed() {
    let (service, other) = (Service::start(), Service::start());
    let to: &'static str = format!("location: {}/v1/embeddings", other.url()).leak();
    service.misbehave([Misbehaviour::Status(307, to, "")]);
    let told = message(embed_one(&model(&service)));
    assert!(told.contains(&format!("redirects to {}", other.url())), "{told}");
    assert!(other.requests().is_empty());
}

#[test]
fn a_service_that_is_not_there_says_how_to_start_it() {
    let service = Service::start();
    let model = model(&service);
    drop(service);
    let told = within(milliseconds(1500), || message(embed_one(&model)));
    assert!(told.contains("refuses connections: `ollama serve` starts it"), "{told}");
    assert!(told.contains("http://127.0.0.1:"), "{told}");
}

#[test]
fn a_service_that_asks_for_a_pause_gets_it() {
    let asks = ["retry-after: 0.2", "retry-after-ms: 200", "x-ratelimit-reset-tokens: 200ms"];
    for header in asks {
        let service = Service::start();
        service.misbehave([Misbehaviour::Status(429, header, "slow down")]);
        let started = Instant::now();
        embed_one(&model(&service)).unwrap();
        assert!(started.elapsed() >= milliseconds(200), "{header}");
        assert_eq!(service.requests().len(), 2);
    }
}

#[test]
fn a_pause_is_for_everybody() {
    let service = Service::start();
    let model = model(&service);
    service.misbehave([Misbehaviour::Status(429, "retry-after: 0.3", "slow down")]);
    std::thread::scope(|scope| {
        scope.spawn(|| embed_one(&model).unwrap());
        std::thread::sleep(milliseconds(100));
        let started = Instant::now();
        model.embed(TextRole::Passage, &["another"]).unwrap();
        assert!(started.elapsed() >= milliseconds(150));
    });
    assert_eq!(service.requests().len(), 3);
}

#[test]
fn too_long_a_pause_is_not_waited_for() {
    let service = Service::start();
    service.misbehave([Misbehaviour::Status(429, "retry-after: 300", "slow down")]);
    let told = within(milliseconds(300), || message(embed_one(&model(&service))));
    assert!(told.contains("answered 429 (slow down) and asks to wait for 300 s"), "{told}");
}

#[test]
fn who_was_given_up_is_left_alone_for_a_while() {
    let service = Service::start();
    service.misbehave(vec![Misbehaviour::Status(500, "", "oops"); 3]);
    let endpoint = endpoint(&service);
    let rest = milliseconds(300);
    let model = opened(Endpoint { patience: Patience { rest, ..endpoint.patience }, ..endpoint });
    let told = message(embed_one(&model));
    assert!(!model.is_ready());
    assert_eq!(within(milliseconds(50), || message(embed_one(&model))), told);
    assert_eq!(service.requests().len(), 3);
    std::thread::sleep(rest);
    assert!(model.is_ready());
    embed_one(&model).unwrap();
}

#[test]
fn whether_it_is_there_is_found_out_quickly() {
    let service = Service::start();
    let model = model(&service);
    assert!(model.is_ready() && model.is_ready());
    assert_eq!(service.requests().len(), 1, "and remembered");
    let address = service.address();
    drop(service);
    let (gone, there) = (Service::start(), crate::asked::model);
    let waiting = there(&gone);
    drop(gone);
    assert!(!within(milliseconds(200), || waiting.is_ready()));
    let back = Service::start_at(address);
    embed_one(&model).unwrap();
    assert_eq!(back.requests().len(), 1);
}

#[test]
fn a_service_that_is_busy_with_others_is_not_given_up() {
    let service = Service::start();
    let model = model(&service);
    embed_one(&model).unwrap();
    service.misbehave(vec![Misbehaviour::Late(milliseconds(700)); 2]);
    let told = message(model.embed(TextRole::Query, &["a question"]));
    assert!(told.contains("did not answer within"), "{told}");
    assert!(model.is_ready());
    model.embed(TextRole::Passage, &["another"]).unwrap();
}

#[test]
fn a_question_is_answered_or_given_up_soon() {
    let service = Service::start();
    service.misbehave(vec![Misbehaviour::Status(500, "", "oops"); 9]);
    let told = message(model(&service).embed(TextRole::Query, &["a pool"]));
    assert!(told.contains("answered 500"), "{told}");
    assert_eq!(service.requests().len(), 2);
}

#[test]
fn a_rejection_is_the_services_fault_or_the_texts() {
    // A service that takes nothing is asked in a wrong way.
    let service = Service::start();
    service.misbehave(vec![Misbehaviour::Status(400, "", "unknown model"); 9]);
    let rejected = model(&service).embed(TextRole::Passage, &["one", "two", "three", "four"]);
    assert!(matches!(rejected, Err(EmbedError::Unavailable(_))), "{rejected:?}");
    assert!(message(rejected).contains("answered 400 (unknown model)"));
    assert_eq!(service.requests().len(), 2, "itself and a harmless one");

    // One that takes other texts means this one.
    let service = Service::start();
    service.refuses("poison");
    let model = model(&service);
    let rejected = model.embed(TextRole::Passage, &["one", "two", "poison", "four"]);
    assert!(matches!(rejected, Err(EmbedError::Refused(_))), "{rejected:?}");
    assert!(message(rejected).contains("answered 400 (not this)"));
    assert!(service.requests().len() <= 6);
    embed_one(&model).unwrap();
}

#[test]
fn an_endpoint_that_cannot_be_is_no_model() {
    let wrong = Endpoint { base_url: "localhost".into(), ..Endpoint::of(Provider::Ollama) };
    let opened = groma_embed::HttpEmbedder::open(wrong, std::sync::Arc::new(()));
    assert!(message(opened).contains("no address of a service"));
    let keyless =
        groma_embed::HttpEmbedder::open(Endpoint::of(Provider::OpenAi), std::sync::Arc::new(()));
    assert!(message(keyless).contains("set OPENAI_API_KEY"));
}
