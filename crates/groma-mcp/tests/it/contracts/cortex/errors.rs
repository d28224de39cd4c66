//! Every error of the document.

use super::{FILES, sample, search, start};
use crate::client::Client;
use crate::sample::Sample;
use groma_mcp::contracts::Contract;
use serde_json::json;
use std::fs;

#[test]
fn wrong_arguments_are_named_with_what_is_allowed() {
    let sample = sample();
    let mut client = start(&sample);
    let cases = [
        (json!({}), "query", "required"),
        (json!({ "query": null }), "query", "required"),
        (json!({ "query": "" }), "query", "empty"),
        (json!({ "query": " \n\t" }), "query", "empty"),
        (json!({ "query": 5 }), "query", "a string, not a number"),
        (json!({ "query": "x".repeat(20_000) }), "query", "at most 10000 characters"),
        (json!({ "query": "x", "limit": "ten" }), "limit", "a whole number, not a string"),
        (json!({ "query": "x", "limit": 1.5 }), "limit", "a whole number"),
        (json!({ "query": "x", "tags": "go" }), "tags", "an array of strings"),
        (json!({ "query": "x", "tags": [1] }), "tags", "an array of strings"),
        (
            json!({ "query": "x", "chunk_types": ["code"] }),
            "chunk_types",
            "documentation, symbols, definitions, data",
        ),
        (json!({ "query": "x", "chunk_types": "data" }), "chunk_types", "an array of"),
    ];
    for (arguments, parameter, reason) in cases {
        let error = client.error("cortex_search", arguments.clone());
        assert_eq!(error["code"], -32602, "{arguments}: {error}");
        assert_eq!(error["data"]["param"], parameter, "{arguments}: {error}");
        assert!(error["data"]["reason"].as_str().unwrap().contains(reason), "{arguments}: {error}");
        assert!(error["message"].as_str().unwrap().contains(reason), "{arguments}: {error}");
    }
}

#[test]
fn without_embeddings_keywords_answer() {
    let sample = sample();
    sample.host.disable_embeddings();
    let mut client = start(&sample);
    let answer = search(&mut client, json!({ "query": "NewAuthHandler" }));
    assert!(answer["total"].as_u64().unwrap() > 0, "{answer}");
}

#[test]
fn a_search_that_fails_is_an_internal_error() {
    let sample = Sample::on_disk(FILES);
    search(&mut start(&sample), json!({ "query": "x" }));
    fs::remove_dir_all(sample.data().join("segments")).unwrap();
    fs::write(sample.data().join("segments"), "in the way").unwrap();
    let mut client = Client::connected(sample.host.another_process(), Contract::Cortex);
    let error = client.error("cortex_search", json!({ "query": "x" }));
    assert_eq!(error["code"], -32603, "{error}");
    assert!(error["message"].as_str().unwrap().starts_with("search failed: "), "{error}");
    assert!(client.request("ping", json!({}))["result"].is_object());
}
