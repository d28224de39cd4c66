//! The wire protocols of embedding services.

use crate::asked::{DIMENSIONS, endpoint, message, model, opened};
use groma_core::{Embedder, Remote, TextRole};
use groma_embed::{Endpoint, Provider, Secret};
use groma_testkit::{Misbehaviour, Service, embed};
use serde_json::json;

#[test]
fn openai_requests_have_its_format() {
    let service = Service::start();
    let model = opened(Endpoint {
        provider: Provider::OpenAi,
        model: "text-embedding-3-small".into(),
        key: Some(Secret::new("sk-test")),
        ..endpoint(&service)
    });
    let vectors = model.embed(TextRole::Query, &["open a pool"]).unwrap();
    assert!(vectors[0].similarity(&embed("open a pool")) > 0.99);
    let request = &service.requests()[0];
    assert_eq!(request.path, "/v1/embeddings");
    assert_eq!(request.authorization.as_deref(), Some("Bearer sk-test"));
    let expected = json!({
        "input": ["open a pool"], "model": "text-embedding-3-small",
        "encoding_format": "float", "dimensions": DIMENSIONS,
    });
    assert_eq!(request.body, expected);
    assert_eq!(model.identity().to_string(), "openai/text-embedding-3-small@1/16");
    assert_eq!(model.remote(), Some(Remote { batch: 32, concurrency: 4 }));
}

#[test]
fn cortex_requests_follow_its_contract() {
    let service = Service::start();
    let base = endpoint(&service);
    let model = opened(Endpoint { provider: Provider::Cortex, ..base });
    for (role, mode) in [(TextRole::Query, "query"), (TextRole::Passage, "passage")] {
        let vectors = model.embed(role, &["a pool", "a user"]).unwrap();
        assert!(vectors[1].similarity(&embed("a user")) > 0.99);
        let request = service.requests().pop().unwrap();
        assert_eq!(request.path, "/embed");
        assert_eq!(request.authorization, None);
        assert_eq!(request.body, json!({ "texts": ["a pool", "a user"], "mode": mode }));
    }
}

#[test]
fn texts_have_the_prefix_of_their_role() {
    let service = Service::start();
    let prefixed = Endpoint {
        query_prefix: "query: ".into(),
        passage_prefix: "passage: ".into(),
        ..endpoint(&service)
    };
    let model = opened(prefixed);
    model.embed(TextRole::Query, &["one"]).unwrap();
    model.embed(TextRole::Passage, &["two"]).unwrap();
    let sent: Vec<_> = service.requests().iter().flat_map(|request| request.texts()).collect();
    assert_eq!(sent, ["query: one", "passage: two"]);
}

#[test]
fn vectors_may_come_in_any_order() {
    let service = Service::start();
    service.misbehave([Misbehaviour::Shuffled]);
    let texts = ["a pool", "the config", "no user"];
    let vectors = model(&service).embed(TextRole::Passage, &texts).unwrap();
    for (text, vector) in texts.iter().zip(&vectors) {
        assert!(vector.similarity(&embed(text)) > 0.99, "{text}");
    }
}

#[test]
fn a_blank_text_has_a_zero_vector_and_no_request() {
    let service = Service::start();
    let vectors = model(&service).embed(TextRole::Passage, &["", " \n"]).unwrap();
    assert!(vectors.iter().all(|vector| vector.scale == 0.0 && vector.values.len() == DIMENSIONS));
    assert!(service.requests().is_empty());
    assert!(model(&service).embed(TextRole::Passage, &[]).unwrap().is_empty());
}

#[test]
fn malformed_answers_are_errors() {
    let cases = [
        (Misbehaviour::Body("<html>welcome to the hotel</html>"), "not JSON"),
        (Misbehaviour::Body(""), "is empty"),
        (Misbehaviour::Body("{\"data\": [{\"embedding\": [NaN]}]}"), "not JSON"),
        (Misbehaviour::Body("{\"data\": [{\"embedding\": [null]}]}"), "not a number"),
        (Misbehaviour::Body("{\"data\": [{\"embedding\": [1e300]}]}"), "not a number"),
        (Misbehaviour::Body("{\"data\": [{\"embedding\": []}]}"), "not a vector"),
        (Misbehaviour::Body("{\"data\": [{\"embedding\": \"AAAA\"}]}"), "not a vector"),
        (Misbehaviour::Body("{\"data\": {}}"), "no `data`"),
        (Misbehaviour::Body("{\"data\": [{\"index\": 7, \"embedding\": [1]}]}"), "vectors for"),
        (Misbehaviour::Body("[]"), "no `data`"),
        (Misbehaviour::OneTooFew, "has 0 vectors for 1 texts"),
        (Misbehaviour::Dimensions(5), "gives 5 dimensions, and 16 were expected"),
    ];
    for (misbehaviour, expected) in cases {
        let service = Service::start();
        service.misbehave([misbehaviour.clone()]);
        let error = message(model(&service).embed(TextRole::Passage, &["a pool"]));
        assert!(error.contains(expected), "{misbehaviour:?}: {error}");
        assert!(error.starts_with("the embedder is unavailable: ollama at http://127"), "{error}");
        assert_eq!(service.requests().len(), 1, "not worth another attempt");
    }
}
