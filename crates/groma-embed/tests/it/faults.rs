//! A service that is unreachable, slow, overloaded or answers with errors.

use crate::asked::{endpoint, message, milliseconds, model, opened};
use crate::clock::ManualClock;
use groma_core::{EmbedError, Embedder, TextRole};
use groma_embed::{Endpoint, HttpEmbedder, Provider, RetryPolicy, Secret};
use groma_testkit::{Misbehaviour, Service, embed};
use std::sync::Arc;
use std::time::Duration;

fn embed_one(model: &dyn Embedder) -> Result<(), EmbedError> {
    let vectors = model.embed(TextRole::Passage, &["a pool"])?;
    assert!(vectors[0].similarity(&embed("a pool")) > 0.99);
    Ok(())
}

/// The model at the service, with a clock that only sleeping moves.
fn clocked(service: &Service) -> (HttpEmbedder, ManualClock) {
    let clock = ManualClock::new();
    (model(service).with_clock(Arc::new(clock.clone())), clock)
}

/// The waits between attempts of `RetryPolicy` in these tests: 10 ms, doubled, with up to a quarter added.
fn assert_backoff(slept: &[Duration], retries: usize) {
    assert_eq!(slept.len(), retries, "{slept:?}");
    for (wait, least) in slept.iter().zip([10, 20, 40]) {
        let bounds = milliseconds(least)..=milliseconds(least).mul_f32(1.25);
        assert!(bounds.contains(wait), "{slept:?}");
    }
}

#[test]
fn transient_errors_are_retried() {
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
        let (model, clock) = clocked(&service);
        embed_one(&model).unwrap();
        assert_eq!(service.requests().len(), 3, "{misbehaviour:?}");
        assert_backoff(&clock.slept(), 2);
    }
}

#[test]
fn retries_are_bounded() {
    let cases = [
        (Misbehaviour::Status(500, "", "oops"), "answered 500 (oops)"),
        (Misbehaviour::HangsUp, "closed the connection"),
        (Misbehaviour::Truncated, "closed the connection"),
        (Misbehaviour::Late(milliseconds(2000)), "did not answer within 0.4 s"),
    ];
    for (misbehaviour, expected) in cases {
        let service = Service::start();
        service.misbehave(vec![misbehaviour; 9]);
        let (model, clock) = clocked(&service);
        let error = message(embed_one(&model));
        assert!(error.contains(expected), "{error}");
        assert_eq!(service.requests().len(), 3);
        assert_backoff(&clock.slept(), 2);
    }
}

#[test]
fn permanent_errors_are_not_retried() {
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
        let error = message(embed_one(&model));
        assert!(error.contains(expected), "{error}");
        assert_eq!(service.requests().len(), 1);
    }
}

#[test]
fn a_redirect_is_reported_and_not_followed() {
    let (service, other) = (Service::start(), Service::start());
    let to: &'static str = format!("location: {}/v1/embeddings", other.url()).leak();
    service.misbehave([Misbehaviour::Status(307, to, "")]);
    let error = message(embed_one(&model(&service)));
    assert!(error.contains(&format!("redirects to {}", other.url())), "{error}");
    assert!(other.requests().is_empty());
}

#[test]
fn an_error_for_an_absent_service_says_how_to_start_it() {
    let service = Service::start();
    let (model, clock) = clocked(&service);
    drop(service);
    let error = message(embed_one(&model));
    assert_backoff(&clock.slept(), 2);
    assert!(error.contains("refuses connections: `ollama serve` starts it"), "{error}");
    assert!(error.contains("http://127.0.0.1:"), "{error}");
}

#[test]
fn retry_after_headers_are_honoured() {
    let asks = ["retry-after: 0.2", "retry-after-ms: 200", "x-ratelimit-reset-tokens: 200ms"];
    for header in asks {
        let service = Service::start();
        service.misbehave([Misbehaviour::Status(429, header, "slow down")]);
        let (model, clock) = clocked(&service);
        embed_one(&model).unwrap();
        assert_eq!(clock.slept(), [milliseconds(200)], "{header}");
        assert_eq!(service.requests().len(), 2);
    }
}

#[test]
fn all_threads_observe_a_pause() {
    let service = Service::start();
    let clock = ManualClock::held();
    let model = model(&service).with_clock(Arc::new(clock.clone()));
    service.misbehave([Misbehaviour::Status(429, "retry-after: 0.3", "slow down")]);
    let until_sleeping = |threads: usize| {
        while clock.sleeping() < threads {
            assert!(service.requests().len() <= 1, "a request was sent during the pause");
            std::thread::yield_now();
        }
    };
    std::thread::scope(|scope| {
        scope.spawn(|| embed_one(&model).unwrap());
        until_sleeping(1);
        scope.spawn(|| model.embed(TextRole::Passage, &["another"]).unwrap());
        until_sleeping(2);
        assert_eq!(service.requests().len(), 1);
        clock.advance(milliseconds(300));
    });
    assert_eq!(service.requests().len(), 3);
    assert_eq!(clock.slept(), [milliseconds(300); 2]);
}

#[test]
fn too_long_a_pause_is_not_waited_for() {
    let service = Service::start();
    service.misbehave([Misbehaviour::Status(429, "retry-after: 300", "slow down")]);
    let (model, clock) = clocked(&service);
    let error = message(embed_one(&model));
    assert!(error.contains("answered 429 (slow down) and asks to wait for 300 s"), "{error}");
    assert_eq!((clock.slept(), service.requests().len()), (Vec::new(), 1));
}

#[test]
fn a_failed_service_is_not_asked_during_the_cooldown() {
    let service = Service::start();
    service.misbehave(vec![Misbehaviour::Status(500, "", "oops"); 3]);
    let endpoint = endpoint(&service);
    let cooldown = milliseconds(300);
    let clock = ManualClock::new();
    let model = opened(Endpoint { retry: RetryPolicy { cooldown, ..endpoint.retry }, ..endpoint })
        .with_clock(Arc::new(clock.clone()));
    let error = message(embed_one(&model));
    let slept = clock.slept().len();
    clock.advance(cooldown - milliseconds(1));
    assert!(!model.is_ready());
    assert_eq!(message(embed_one(&model)), error);
    assert_eq!((service.requests().len(), clock.slept().len()), (3, slept));
    clock.advance(milliseconds(1));
    assert!(model.is_ready());
    embed_one(&model).unwrap();
}

#[test]
fn readiness_is_probed_once_and_without_retries() {
    let service = Service::start();
    let model = model(&service);
    assert!(model.is_ready() && model.is_ready());
    assert_eq!(service.requests().len(), 1, "the second answer is cached");
    let address = service.address();
    drop(service);
    let gone = Service::start();
    let (absent, clock) = clocked(&gone);
    drop(gone);
    assert!(!absent.is_ready());
    assert_eq!(clock.slept(), Vec::<Duration>::new());
    let back = Service::start_at(address);
    embed_one(&model).unwrap();
    assert_eq!(back.requests().len(), 1);
}

#[test]
fn a_slow_query_does_not_start_the_cooldown() {
    let service = Service::start();
    let model = model(&service);
    embed_one(&model).unwrap();
    service.misbehave(vec![Misbehaviour::Late(milliseconds(700)); 2]);
    let error = message(model.embed(TextRole::Query, &["a question"]));
    assert!(error.contains("did not answer within"), "{error}");
    assert!(model.is_ready());
    model.embed(TextRole::Passage, &["another"]).unwrap();
}

#[test]
fn a_query_is_retried_once() {
    let service = Service::start();
    service.misbehave(vec![Misbehaviour::Status(500, "", "oops"); 9]);
    let error = message(model(&service).embed(TextRole::Query, &["a pool"]));
    assert!(error.contains("answered 500"), "{error}");
    assert_eq!(service.requests().len(), 2);
}

#[test]
fn a_rejection_is_attributed_to_the_request_or_to_a_text() {
    // A service that rejects everything was asked in the wrong way.
    let service = Service::start();
    service.misbehave(vec![Misbehaviour::Status(400, "", "unknown model"); 9]);
    let rejected = model(&service).embed(TextRole::Passage, &["one", "two", "three", "four"]);
    assert!(matches!(rejected, Err(EmbedError::Unavailable(_))), "{rejected:?}");
    assert!(message(rejected).contains("answered 400 (unknown model)"));
    assert_eq!(service.requests().len(), 2, "itself and a harmless one");

    // A service that accepts other texts rejects this one.
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
fn an_invalid_endpoint_is_an_error() {
    let wrong = Endpoint { base_url: "localhost".into(), ..Endpoint::of(Provider::Ollama) };
    let opened = groma_embed::HttpEmbedder::open(wrong, std::sync::Arc::new(()));
    assert!(message(opened).contains("not a valid service URL"));
    let keyless =
        groma_embed::HttpEmbedder::open(Endpoint::of(Provider::OpenAi), std::sync::Arc::new(()));
    assert!(message(keyless).contains("set OPENAI_API_KEY"));
}
