//! Every error that can occur.

use super::{FILES, code, indexed, masked, project, ready, start};
use crate::sample::Sample;
use expect_test::expect;
use serde_json::{Value, json};

const ANY: [(&str, &str); 2] = [("locate_symbol", "name"), ("search_code", "query")];

#[test]
fn invalid_input_names_the_argument_and_what_is_allowed() {
    let sample = project();
    let mut client = indexed(&sample);
    let mut details = |tool: &str, arguments: Value| {
        assert_eq!(code(&mut client, tool, arguments.clone()), "invalid_input");
        let error = client.json(tool, arguments)["error"].take();
        let details = error["data"]["details"].as_str().unwrap().to_string();
        assert!(error["message"].as_str().unwrap().ends_with(&details), "{error}");
        details
    };
    assert_eq!(details("locate_symbol", json!({})), "`name` is required");
    assert_eq!(details("search_code", json!({ "limit": 5 })), "`query` is required");
    assert_eq!(
        details("search_code", json!({ "query": "" })),
        "`query` must be 1 to 10000 characters long"
    );
    assert_eq!(
        details("search_code", json!({ "query": "  " })),
        "`query` is empty; say what to look for"
    );
    assert_eq!(
        details("search_code", json!({ "query": 5 })),
        "`query` must be a string, not a number"
    );
    assert_eq!(
        details("search_code", json!({ "query": "x", "limit": "5" })),
        "`limit` must be a whole number, not a string"
    );
    assert_eq!(
        details("index_repo", json!({ "force": "yes" })),
        "`force` must be true or false, not a string"
    );
    assert_eq!(
        details("sync_repo", json!({ "workspace": "." })),
        "there is no parameter `workspace`; there are force, ref"
    );
    assert_eq!(
        details("search_code", json!({ "query": "x", "language": "klingon" })),
        "`language`: `klingon` is no language this server knows"
    );
    let kinds = details("locate_symbol", json!({ "name": "x", "kind": "gizmo" }));
    assert!(kinds.starts_with("`kind` must be one of fn, method, "), "{kinds}");
    let long = details("locate_symbol", json!({ "name": "x".repeat(1000) }));
    assert_eq!(long, "`name` must be 1 to 500 characters long");
}

#[test]
fn an_unknown_tool_is_a_protocol_error() {
    let sample = project();
    let mut client = start(&sample);
    let error = client.error("clear_index", json!({}));
    assert_eq!(error["code"], -32602);
    assert!(error["message"].as_str().unwrap().contains("locate_symbol"), "{error}");
}

#[test]
fn a_project_that_was_never_indexed_is_not_ready() {
    let sample = project();
    let mut client = start(&sample);
    for (tool, parameter) in ANY {
        assert_eq!(
            code(&mut client, tool, json!({ parameter: "validate_token" })),
            "index_not_ready"
        );
    }
    let answer = client.json("search_code", json!({ "query": "validate_token" }));
    expect![[r#"
        {
          "error": {
            "code": "index_not_ready",
            "message": "There is no index to answer from: nothing is indexed yet",
            "data": {
              "details": "nothing is indexed yet",
              "remediation": "Call index_repo, then poll index_status until it says ready."
            }
          },
          "metadata": {
            "codecompass_protocol_version": "1.0",
            "freshness_status": "stale",
            "indexing_status": "not_indexed",
            "result_completeness": "partial",
            "ref": "main",
            "schema_status": "not_indexed"
          }
        }"#]]
    .assert_eq(&masked(&sample, answer));
    assert_eq!(ready(&mut client)["index_status"], "not_indexed", "asking does not index it");
}

#[test]
fn without_git_there_is_one_ref() {
    let sample = Sample::with(FILES);
    let mut client = indexed(&sample);
    let answer = client.json("locate_symbol", json!({ "name": "validate_token" }));
    assert_eq!(answer["metadata"]["ref"], "live");
    assert_eq!(client.json("index_status", json!({ "ref": "live" }))["index_status"], "ready");
    for (tool, parameter) in ANY {
        assert_eq!(
            code(&mut client, tool, json!({ parameter: "x", "ref": "main" })),
            "ref_not_indexed"
        );
    }
}
