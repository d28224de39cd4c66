//! The protocol itself: greetings, wrong messages, hanging up.

use crate::client::Client;
use crate::sample::Sample;
use serde_json::{Value, json};

#[test]
fn every_revision_with_a_handshake_is_spoken() {
    let sample = Sample::new();
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        let mut client = Client::spawn(&sample, &[]);
        let answer = client.greet(version, json!({}));
        assert_eq!(answer["result"]["protocolVersion"], version);
        assert_eq!(answer["result"]["serverInfo"]["name"], "groma");
        assert!(client.request("tools/list", json!({}))["result"]["tools"].is_array());
        assert_eq!(client.hang_up(), Some(0));
    }
}

#[test]
fn a_question_is_answered_without_indexing_first() {
    let sample = Sample::new();
    let mut client = Client::start(&sample, &[]);
    let text = client.text("search_code", json!({ "query": "where are requests rate limited" }));
    assert!(text.starts_with("src/limit.rs:"), "{text}");
    assert!(text.contains("pub fn allow"), "{text}");
}

#[test]
fn wrong_messages_get_the_errors_of_the_protocol() {
    let sample = Sample::new();
    let mut client = Client::start(&sample, &[]);
    client.send("{ this is no JSON");
    assert_eq!(client.next().unwrap()["error"]["code"], -32700);
    client.send("[1, 2]");
    assert_eq!(client.next().unwrap()["error"]["code"], -32600);
    client.send(r#"{"jsonrpc":"2.0","id":77,"method":5}"#);
    let answer = client.next().unwrap();
    assert_eq!((&answer["error"]["code"], &answer["id"]), (&json!(-32600), &json!(77)));
    let answer = client.request("tools/call", json!({ "name": 5 }));
    assert_eq!(answer["error"]["code"], -32602);
    let answer = client.request("no/such/method", json!({}));
    assert_eq!(answer["error"]["code"], -32601);
    let error = client.error("no_such_tool", json!({}));
    assert_eq!(error["code"], -32602);
    assert!(error["message"].as_str().unwrap().contains("search_code"), "{error}");
    let error = client.error("search_code", json!({ "query": "x", "limit": 1000 }));
    assert_eq!(error["message"], "Invalid params: `limit` must be 1 to 100");
    let error = client.error("search_code", json!({ "query": "x", "colour": "red" }));
    assert!(error["message"].as_str().unwrap().contains("`colour`"), "{error}");
    // After all of that it still answers.
    assert!(client.request("ping", json!({}))["result"].is_object());
}

#[test]
fn ten_megabytes_of_garbage_are_survived() {
    let sample = Sample::new();
    let mut client = Client::start(&sample, &[]);
    client.send(&"x".repeat(10 << 20));
    assert_eq!(client.next().unwrap()["error"]["code"], -32700);
    client.send(&"y".repeat(20 << 20));
    assert_eq!(client.next().unwrap()["error"]["code"], -32600);
    let error = client.error("search_code", json!({ "query": "z".repeat(5 << 20) }));
    assert_eq!(error["code"], -32602);
    assert!(client.request("ping", json!({}))["result"].is_object());
}

#[test]
fn the_client_s_roots_name_the_project() {
    let sample = Sample::new();
    let elsewhere = tempfile::tempdir().unwrap();
    let mut client = Client::of(sample.command_in(elsewhere.path(), &["serve-mcp"]));
    client.greet("2025-06-18", json!({ "roots": { "listChanged": true } }));
    let id = client.post(
        "tools/call",
        json!({ "name": "search_code", "arguments": { "query": "rate limit", "format": "json" } }),
    );
    let asked = client.next().unwrap();
    assert_eq!(asked["method"], "roots/list");
    let root = format!("file://{}", sample.root().display());
    let answer =
        json!({ "jsonrpc": "2.0", "id": asked["id"], "result": { "roots": [{ "uri": root }] } });
    client.send(&answer.to_string());
    let answer = client.answer(id);
    let text = answer["result"]["content"][0]["text"].as_str().unwrap();
    let found: Value = serde_json::from_str(text).unwrap();
    assert_eq!(found["results"][0]["path"], "src/limit.rs");
}
