//! Every error of the document: in the result, never by the protocol.

use super::{Web, failure};
use crate::client::Client;
use crate::sample::Sample;
use groma_core::{EmbedError, Embedder, EmbedderIdentity, TextRole, Vector};
use serde_json::{Value, json};

fn wrong(tool: &str, arguments: Value, expected: Value) {
    let web = Web::new();
    assert_eq!(failure(&mut web.client(), tool, arguments), expected);
}

#[test]
fn query_too_short() {
    let error = json!({ "error": "Query must be at least 3 characters" });
    wrong("context_search", json!({ "query": "ab" }), error.clone());
    wrong("context_search", json!({ "query": "" }), error);
}

#[test]
fn an_empty_notebook_is_an_error() {
    let sample = Sample::bare();
    let mut client = Client::start(&sample, &["--contract", "context"]);
    let error = json!({
        "error": "No embeddings found. Run initial session to generate context.",
        "fallback": "Use grep_codebase for text search",
    });
    assert_eq!(failure(&mut client, "context_search", json!({ "query": "anything" })), error);
    sample.write("a.ts", "export const anything = 1;\n");
    let answer = client.json("context_search", json!({ "query": "anything" }));
    assert_eq!(answer["results"][0]["file"], "a.ts", "one file is enough");
}

#[test]
fn without_embeddings_keywords_answer_or_the_error_says_why() {
    let web = Web::new_without_embeddings();
    let mut client = web.client();
    let answer = client.json("context_search", json!({ "query": "token refresh mutex" }));
    assert!(!answer["results"].as_array().unwrap().is_empty(), "{answer}");
    let error = failure(&mut client, "context_search", json!({ "query": "zebra crossing" }));
    assert_eq!(error["error"], "Failed to generate query embedding");
    assert!(error["details"].as_str().unwrap().contains("embeddings are off"), "{error}");
}

#[test]
fn a_project_that_is_gone_is_an_error_of_the_tool() {
    let web = Web::new();
    let mut client = web.client();
    client.json("context_search", json!({ "query": "users" }));
    std::fs::remove_dir_all(web.sample.root()).unwrap();
    let error = failure(&mut client, "context_search", json!({ "query": "users" }));
    assert_eq!(error["tool"], "context_search");
    assert!(error["error"].as_str().unwrap().starts_with("cannot open "), "{error}");
}

#[cfg(unix)]
#[test]
fn a_search_that_fails_names_the_cause_and_a_fallback() {
    let web = Web::new();
    // A project whose ignore file cannot be read cannot be indexed.
    let path = web.sample.root().join(".gitignore");
    assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
    let error = failure(&mut web.client(), "context_search", json!({ "query": "users" }));
    assert_eq!(error["error"], "Search failed");
    assert!(error["message"].as_str().unwrap().contains(".gitignore"), "{error}");
    assert_eq!(error["fallback"], "Try using grep_codebase for text search");
}

#[test]
fn file_not_found() {
    let error = json!({ "error": "File not found", "path": "invalid/path.ts" });
    wrong("read_file", json!({ "path": "invalid/path.ts" }), error);
}

#[test]
fn imports_that_cannot_be_parsed() {
    let web = Web::new();
    let mut text = "// A comment.\n".repeat(14);
    text.push_str("import { a from './a';\n");
    web.write("file.ts", &text);
    let mut client = web.client();
    let error =
        failure(&mut client, "read_file", json!({ "path": "file.ts", "includeDeps": true }));
    let expected = json!({
        "error": "Failed to parse imports", "path": "file.ts", "details": "Syntax error at line 15",
    });
    assert_eq!(error, expected);
    let answer = client.json("read_file", json!({ "path": "file.ts" }));
    assert_eq!(answer["file"]["content"], text, "without its imports it can be read");
}

#[test]
fn invalid_regex() {
    let error = json!({ "error": "Invalid regex pattern", "pattern": "[invalid(" });
    wrong("grep_codebase", json!({ "pattern": "[invalid(" }), error);
}

#[test]
fn no_matches_is_no_error() {
    let web = Web::new();
    let mut client = web.client();
    let answer = client.call("grep_codebase", json!({ "pattern": "nonexistent" }));
    assert_ne!(answer["result"]["isError"], true);
    let text = answer["result"]["content"][0]["text"].as_str().unwrap();
    let expected = json!({
        "matches": [],
        "totalMatches": 0,
        "message": "No matches found for pattern 'nonexistent'",
    });
    assert_eq!(serde_json::from_str::<Value>(text).unwrap(), expected);
}

#[test]
fn unknown_tools_are_errors_in_the_result() {
    let error = json!({ "error": "Unknown tool: write_file", "tool": "write_file" });
    wrong("write_file", json!({ "path": "a" }), error);
}

#[test]
fn all_argument_errors_are_listed() {
    let arguments = json!({ "query": 5, "type": "rumour", "limit": 21, "colour": "red" });
    let issues = json!([
        {
            "code": "invalid_type", "expected": "string", "received": "number", "path": ["query"],
            "message": "Expected string, received number",
        },
        {
            "received": "rumour", "code": "invalid_enum_value", "path": ["type"],
            "options": ["all", "pattern", "rule", "decision", "issue"],
            "message": "Invalid enum value. Expected 'all' | 'pattern' | 'rule' | 'decision' | 'issue', \
                        received 'rumour'",
        },
        {
            "code": "too_big", "maximum": 20, "type": "number", "inclusive": true, "exact": false,
            "path": ["limit"], "message": "Number must be less than or equal to 20",
        },
    ]);
    wrong("context_search", arguments, json!({ "error": "Invalid parameters", "details": issues }));
}

/// Arguments, and what is said about the first that is wrong.
const BOUNDS: &[(&str, &str, &str)] = &[
    ("context_search", r#"{}"#, "Required"),
    (
        "context_search",
        r#"{"query": "abc", "limit": 0}"#,
        "Number must be greater than or equal to 1",
    ),
    ("context_search", r#"{"query": "abc", "limit": 2.5}"#, "Expected integer, received float"),
    ("context_search", r#"{"query": "abc", "limit": "5"}"#, "Expected number, received string"),
    ("context_search", r#"{"query": "abc", "module": 5}"#, "Expected string, received number"),
    ("read_file", r#"{}"#, "Required"),
    ("read_file", r#"{"path": ""}"#, "String must contain at least 1 character(s)"),
    ("read_file", r#"{"path": "a", "includeDeps": "yes"}"#, "Expected boolean, received string"),
    ("read_file", r#"{"path": "a", "maxDepth": 2}"#, "Number must be less than or equal to 1"),
    ("read_file", r#"{"path": "a", "maxDepth": -1}"#, "Number must be greater than or equal to 0"),
    ("grep_codebase", r#"{}"#, "Required"),
    ("grep_codebase", r#"{"pattern": ""}"#, "String must contain at least 1 character(s)"),
    (
        "grep_codebase",
        r#"{"pattern": "a", "limit": 101}"#,
        "Number must be less than or equal to 100",
    ),
    (
        "grep_codebase",
        r#"{"pattern": "a", "caseSensitive": 1}"#,
        "Expected boolean, received number",
    ),
    ("grep_codebase", r#"{"pattern": ["a"]}"#, "Expected string, received array"),
];

#[test]
fn bounds_are_those_of_the_document() {
    let web = Web::new();
    let mut client = web.client();
    let mut message = |tool: &str, arguments: Value| {
        let error = failure(&mut client, tool, arguments);
        assert_eq!(error["error"], "Invalid parameters", "{error}");
        error["details"][0]["message"].as_str().unwrap().to_string()
    };
    for (tool, arguments, expected) in BOUNDS {
        assert_eq!(
            message(tool, serde_json::from_str(arguments).unwrap()),
            *expected,
            "{arguments}"
        );
    }
    let long = message("context_search", json!({ "query": "q".repeat(501) }));
    assert_eq!(long, "String must contain at most 500 character(s)");
    let long = message("grep_codebase", json!({ "pattern": "p".repeat(201) }));
    assert_eq!(long, "String must contain at most 200 character(s)");
    let glob = message("grep_codebase", json!({ "pattern": "a", "filePattern": "src/[" }));
    assert!(glob.contains("src/["), "{glob}");
    assert!(
        client.json("context_search", json!({ "query": "q".repeat(500) }))["results"].is_array()
    );
    client.json("grep_codebase", json!({ "pattern": "p".repeat(200) }));
}

#[test]
fn each_tool_has_its_limit() {
    let web = Web::new();
    let mut client = web.client();
    // A minute may end in between; then the second round runs into the limit.
    let mut refused = |tool: &str, arguments: Value, most: usize| {
        (0..2 * most + 1).find_map(|_| {
            let answer = client.call(tool, arguments.clone());
            let text = answer["result"]["content"][0]["text"].as_str().unwrap().to_string();
            text.contains("Rate limit").then_some((text, answer["result"]["isError"].clone()))
        })
    };
    let told = |tool: &str| {
        (
            json!({ "error": format!("Rate limit exceeded for {tool}"), "tool": tool }).to_string(),
            json!(true),
        )
    };
    let search = refused("context_search", json!({ "query": "ab" }), 30);
    assert_eq!(search, Some(told("context_search")), "wrong calls count, too");
    let read = refused("read_file", json!({ "path": "src/index.ts" }), 100);
    assert_eq!(read, Some(told("read_file")));
    let grep = refused("grep_codebase", json!({ "pattern": "page" }), 60);
    assert_eq!(grep, Some(told("grep_codebase")));
}

/// Panics on every query.
struct Panics;

impl Embedder for Panics {
    fn identity(&self) -> EmbedderIdentity {
        EmbedderIdentity { name: "panics".into(), version: "1".into(), dimensions: 2 }
    }

    fn embed(&self, role: TextRole, texts: &[&str]) -> Result<Vec<Vector>, EmbedError> {
        assert!(role == TextRole::Passage, "a defect");
        Ok(vec![Vector::quantise(&[1.0, 0.0]); texts.len()])
    }
}

/// "Errors are returned in the result (not protocol error)"
#[test]
fn a_defect_is_an_error_in_the_result() {
    let sample = Sample::new();
    sample.host.set_embedder(std::sync::Arc::new(Panics));
    let mut client = Client::start(&sample, &["--contract", "context"]);
    let error = failure(&mut client, "context_search", json!({ "query": "tokens" }));
    assert_eq!(error["tool"], "context_search");
    assert!(error["error"].as_str().unwrap().contains("failed inside the server"), "{error}");
    assert_eq!(client.call("grep_codebase", json!({ "pattern": "x" })).get("error"), None);
    // On the native surface a model reads it, too.
    let mut client = Client::start(&sample, &[]);
    let answer = client.call("search", json!({ "query": "how are tokens made" }));
    assert_eq!(answer["result"]["isError"], true, "{answer}");
}

/// "Returns relevant discoveries, patterns, rules, and past decisions."
#[test]
fn questions_asked_before_are_no_answers() {
    let web = Web::new();
    let question = json!({ "query": "where do zebras cross the checkout page", "limit": 20 });
    for _ in 0..3 {
        web.client().json("context_search", question.clone());
    }
    let answer = web.client().json("context_search", question);
    assert!(!answer["results"].to_string().contains("zebras"), "{answer:#}");
}
