//! Every example of the document, and what it says of all answers.

use super::{hold, indexed, names, project};
use crate::client::Client;
use crate::sample::Sample;
use serde_json::{Value, json};

/// The root in `index_status` for a client in another folder whose MCP root is the project.
fn reported_root(sample: &Sample, arguments: &[&str]) -> Value {
    let elsewhere = tempfile::tempdir().unwrap();
    let arguments = [&["serve-mcp", "--contract", "codecompass"], arguments].concat();
    let mut client = Client::of(sample.command_in(elsewhere.path(), &arguments));
    client.greet("2025-06-18", json!({ "roots": {} }));
    let id = client.post("tools/call", json!({ "name": "index_status", "arguments": {} }));
    let asked = client.next().unwrap();
    let roots = json!({ "roots": [{ "uri": format!("file://{}", sample.root().display()) }] });
    client.send(&json!({ "jsonrpc": "2.0", "id": asked["id"], "result": roots }).to_string());
    let answer = client.answer(id);
    let text = answer["result"]["content"][0]["text"].as_str().unwrap();
    let status: Value = serde_json::from_str(text).unwrap();
    status["repo_root"].clone()
}

#[test]
fn the_workspace_is_the_one_the_server_was_started_for() {
    let (sample, another) = (project(), project());
    let other = another.root().display().to_string();
    assert_eq!(reported_root(&sample, &["--workspace", &other]), other);
    assert_eq!(reported_root(&sample, &["--workspace", "no/such/folder"]), Value::Null);
    assert_eq!(reported_root(&sample, &[]), sample.root().display().to_string());
}

#[test]
fn an_answer_that_is_behind_says_so() {
    let sample = project();
    let mut client = indexed(&sample);
    let lock = hold(&sample);
    sample.write("tools/report.py", "def another():\n    return 1\n");
    for (tool, parameter) in [("locate_symbol", "name"), ("search_code", "query")] {
        let answer = client.json(tool, json!({ parameter: "validate_token" }));
        assert_eq!(answer["results"][0]["path"], "src/auth/jwt.rs");
        let metadata = &answer["metadata"];
        assert_eq!(metadata["freshness_status"], "syncing", "{tool}");
        assert_eq!(metadata["result_completeness"], "partial", "{tool}");
        assert_eq!(metadata["indexing_status"], "ready", "{tool}");
        let warning = metadata["warnings"][0].as_str().unwrap();
        assert!(warning.contains("still being indexed"), "{warning}");
    }
    drop(lock);
    let answer = client.json("locate_symbol", json!({ "name": "another" }));
    assert_eq!(
        (names(&answer).len(), &answer["metadata"]["freshness_status"]),
        (1, &json!("fresh"))
    );
}
