//! The protocol around the tools: cursors, resources, roots.

use crate::client::Client;
use crate::sample::Sample;
use groma_testkit::SAMPLE_FILES;
use serde_json::{Value, json};

/// "Invalid cursors SHOULD result in an error with code -32602 (Invalid params)."
#[test]
fn a_cursor_that_was_never_given_out_is_invalid() {
    let sample = Sample::on_disk(SAMPLE_FILES);
    let mut client = Client::start(&sample, &[]);
    for method in ["tools/list", "resources/list", "resources/templates/list"] {
        for cursor in [json!("page-2"), json!("")] {
            let answer = client.request(method, json!({ "cursor": cursor }));
            assert_eq!(answer["error"]["code"], -32602, "{method}: {answer}");
        }
        let answer = client.request(method, json!({}));
        assert!(answer["result"].is_object(), "{method}: {answer}");
    }
    let answer = client.request("tools/list", json!({ "cursor": 5 }));
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
}

/// "Resource not found: -32002", up to revision 2025-11-25; the Context Tool contract has codes of its own.
#[test]
fn an_unknown_resource_has_its_code() {
    for (contract, unknown, module) in [("native", -32002, -32002), ("context", -32600, -32602)] {
        let sample = Sample::on_disk(SAMPLE_FILES);
        let mut client = Client::start(&sample, &["--contract", contract]);
        let mut code = |uri: &str| {
            let answer = client.request("resources/read", json!({ "uri": uri }));
            assert!(!answer.to_string().contains("-32603"), "{answer}");
            answer["error"]["code"].as_i64().unwrap_or_else(|| panic!("{answer}"))
        };
        assert_eq!(code("context://nothing"), unknown, "{contract}");
        assert_eq!(code("file:///etc/passwd"), unknown, "{contract}");
        assert_eq!(code("context://module/none"), module, "{contract}");
    }
}

/// Calls a tool of a server that asks for the roots, and answers with these.
fn call_with_roots(client: &mut Client, tool: &str, arguments: Value, uris: &[String]) -> Value {
    let id = client.post("tools/call", json!({ "name": tool, "arguments": arguments }));
    let question = client.next_message().unwrap();
    assert_eq!(question["method"], "roots/list", "{question}");
    let roots: Vec<Value> = uris.iter().map(|uri| json!({ "uri": uri })).collect();
    let reply = json!({ "jsonrpc": "2.0", "id": question["id"], "result": { "roots": roots } });
    client.send(&reply.to_string());
    client.answer(id)
}

#[test]
fn roots_that_are_not_used_are_said_once() {
    let sample = Sample::new();
    let other = tempfile::tempdir().unwrap();
    let uri = |path: &std::path::Path| format!("file://{}", path.display());
    let uris = ["file:///no/such/folder".to_string(), uri(&sample.root()), uri(other.path())];
    let mut client = Client::spawn(&sample, &[]);
    client.greet("2025-06-18", json!({ "roots": {} }));
    let answer = call_with_roots(&mut client, "grep", json!({ "pattern": "RateLimiter" }), &uris);
    let text = answer["result"]["content"][0]["text"].as_str().unwrap();
    assert!(text.contains("src/limit.rs"), "{text}");
    assert!(text.contains("no folder here: file:///no/such/folder"), "{text}");
    assert!(text.contains(&format!("not searched: {}", other.path().display())), "{text}");
    let again = client.text("grep", json!({ "pattern": "RateLimiter" }));
    assert!(!again.contains("not searched"), "{again}");
    // A single root that does not exist is said, too, and the server's own folder answers.
    let mut client = Client::spawn(&sample, &[]);
    client.greet("2025-06-18", json!({ "roots": {} }));
    let answer = call_with_roots(&mut client, "grep", json!({ "pattern": "token" }), &uris[..1]);
    let text = answer["result"]["content"][0]["text"].as_str().unwrap();
    assert!(text.contains("none of the client's roots counts"), "{text}");
}
