//! Every parameter has an effect.

use super::super::{Shown, every_parameter_is_shown};
use super::{ask, client, client_with, data, failure, paths};
use crate::client::Client;
use crate::sample::Sample;
use groma_testkit::{git, git_commit, git_init};
use serde_json::{Value, json};
use std::collections::BTreeSet;

#[test]
fn every_parameter_has_an_effect() {
    every_parameter_is_shown("native", SHOWN);
}

macro_rules! shown {
    ($($tool:literal . $parameter:literal => $test:expr,)+) => {
        &[$(Shown { tool: $tool, parameter: $parameter, test: || $test },)+]
    };
}

const SHOWN: &[Shown] = shown! {
    "search"."query" => {
        let text = ask("search", json!({ "query": "verify a token" }));
        assert!(text.lines().nth(1) == Some("auth/token.py"), "{text}");
    },
    "search"."path" => {
        let text = ask("search", json!({ "query": "orders and tokens and requests", "path": ["src/**"] }));
        assert!(text.contains("src/limit.rs") && !text.contains("auth/") && !text.contains("store/"), "{text}");
    },
    "search"."tests" => {
        let (_sample, mut client) = client_with(&[TEST]);
        let mut ask = |tests: &str| client.text("search", json!({ "query": "verify a token", "tests": tests }));
        let left_out = ask("auto");
        assert!(left_out.contains("(tests left out)") && !left_out.contains("tests/"), "{left_out}");
        let included = ask("include");
        assert!(included.contains("auth/token.py") && included.contains("tests/test_token.py"), "{included}");
        let only = ask("only");
        assert!(only.contains("tests/test_token.py") && !only.contains("auth/token.py"), "{only}");
    },
    "search"."max_tokens" => longer_with_more("search", json!({ "query": "step of an order" })),
    "search"."format" => is_json("search", json!({ "query": "token" }), "confidence"),
    "search"."ref" => on_a_branch("search", json!({ "query": "zebra" })),
    "search"."project" => in_another_project("search", json!({ "query": "zebra" }), "zebra.py"),
    "read"."places" => {
        let text = ask("read", json!({ "places": ["auth/token.py:6", "src/limit.rs:1"] }));
        let expected = "auth/token.py 6 of 6 lines\n6:    return token.startswith(\"ok\")\n\
                        src/limit.rs 1 of 17 lines\n1://! Rate limiting.\n";
        assert_eq!(text, expected);
    },
    "read"."imports" => {
        let (_sample, mut client) = client_with(&[CALLER]);
        let text = client.text("read", json!({ "places": "auth/use.py", "imports": true }));
        assert!(text.ends_with("note: auth/use.py imports auth/token.py\n"), "{text}");
        let text = client.text("read", json!({ "places": "auth/use.py" }));
        assert!(!text.contains("imports auth/token.py"), "{text}");
        let found = client.json("read", json!({ "places": "auth/use.py", "imports": true, "format": "json" }));
        assert_eq!(found["imports"][0]["files"], json!(["auth/token.py"]), "{found}");
    },
    "read"."max_tokens" => longer_with_more("read", json!({ "places": "steps.py:1-" })),
    "read"."format" => is_json("read", json!({ "places": "auth/token.py" }), "places"),
    "read"."ref" => on_a_branch("read", json!({ "places": "zebra.py" })),
    "read"."project" => in_another_project("read", json!({ "places": "zebra.py" }), "1:def zebra"),
    "grep"."pattern" => {
        let text = ask("grep", json!({ "pattern": "fn allow.*bool" }));
        assert_eq!(text, "src/limit.rs\nmethod RateLimiter::allow 9-16\n10:    pub fn allow(&mut self) -> bool {\n");
    },
    "grep"."literal" => {
        let text = ask("grep", json!({ "pattern": "(&mut", "literal": true }));
        assert!(text.contains("\n10:    pub fn allow"), "{text}");
    },
    "grep"."case_sensitive" => {
        let count = |arguments: Value| data("grep", arguments)["total"].as_u64().unwrap();
        assert_eq!(count(json!({ "pattern": "ratelimiter" })), 2);
        assert_eq!(count(json!({ "pattern": "ratelimiter", "case_sensitive": true })), 0);
        assert_eq!(count(json!({ "pattern": "RATELIMITER", "case_sensitive": false })), 2);
        assert_eq!(count(json!({ "pattern": "RATELIMITER" })), 0, "capitals mean capitals");
    },
    "grep"."path" => {
        let text = ask("grep", json!({ "pattern": "order", "path": "store/**" }));
        assert!(text.starts_with("store/order.go\n") && !text.contains("README"), "{text}");
    },
    "grep"."context" => {
        let text = ask("grep", json!({ "pattern": "pub struct", "context": 1 }));
        let expected = "src/limit.rs\nstruct RateLimiter 3-6\n3-/// Limits how many requests a client may send.\n\
                        4:pub struct RateLimiter {\n5-    allowed: u32,\n";
        assert_eq!(text, expected);
    },
    "grep"."limit" => {
        let text = ask("grep", json!({ "pattern": "e", "limit": 2 }));
        let code = text.lines().filter(|line| line.starts_with(|c: char| c.is_ascii_digit()) && line.contains(':'));
        assert_eq!(code.count(), 2, "{text}");
        assert!(text.starts_with("2 of "), "the count goes past the limit: {text}");
    },
    "grep"."max_tokens" => longer_with_more("grep", json!({ "pattern": "order", "limit": 1000 })),
    "grep"."format" => {
        let found = data("grep", json!({ "pattern": "def verify_token" }));
        let first = &found["files"][0]["matches"][0];
        assert_eq!((&first["line"], &first["column"]), (&json!(4), &json!(1)), "{found}");
        assert_eq!(first["in"]["name"], "verify_token", "{found}");
    },
    "grep"."ref" => on_a_branch("grep", json!({ "pattern": "zebra" })),
    "grep"."project" => in_another_project("grep", json!({ "pattern": "zebra" }), "zebra.py"),
    "symbol"."name" => {
        let text = ask("symbol", json!({ "name": "verify_token" }));
        let expected = "auth/token.py function verify_token 4-6 of 6 lines\n4:def verify_token(token):\n\
                        5:    \"\"\"Verify the signature of a token.\"\"\"\n6:    return token.startswith(\"ok\")\n";
        assert_eq!(text, expected);
    },
    "symbol"."relation" => {
        let (_sample, mut client) = client_with(&[CALLER, TEST]);
        let mut ask = |relation: &str| client.text("symbol", json!({ "name": "verify_token", "relation": relation }));
        let callers = ask("callers");
        assert!(callers.contains("auth/use.py:5 in auth.use.login 4-5: return verify_token(t)"), "{callers}");
        let references = ask("references");
        assert!(references.contains("auth/use.py:1 "), "an import is a reference: {references}");
        let tests = ask("tests");
        assert!(tests.contains("tests/test_token.py:5 in tests.test_token.test_verify_token"), "{tests}");
        assert!(!tests.contains("auth/use.py"), "{tests}");
        assert!(ask("definition").contains("\n4:def verify_token"));
    },
    "symbol"."depth" => {
        let outer = ("auth/outer.py", "from auth.use import login\n\n\ndef session(t):\n    return login(t)\n");
        let (_sample, mut client) = client_with(&[CALLER, outer]);
        let mut ask = |depth: u32| {
            client.text("symbol", json!({ "name": "verify_token", "relation": "callers", "depth": depth }))
        };
        assert!(!ask(1).contains("auth/outer.py"));
        let text = ask(2);
        assert!(text.contains("auth/use.py:5 in auth.use.login") && text.contains("\n  auth/outer.py:5 in auth.outer.session"), "{text}");
    },
    "symbol"."path" => {
        let (_sample, mut client) = client_with(&[("a.py", "def twin(): pass\n"), ("b/c.py", "def twin(): pass\n")]);
        let text = client.text("symbol", json!({ "name": "twin", "path": "b/**" }));
        assert!(text.contains("b/c.py") && !text.contains("a.py"), "{text}");
    },
    "symbol"."max_tokens" => longer_with_more("symbol", json!({ "name": "step_two" })),
    "symbol"."format" => is_json("symbol", json!({ "name": "RateLimiter" }), "definitions"),
    "symbol"."ref" => on_a_branch("symbol", json!({ "name": "zebra" })),
    "symbol"."project" => in_another_project("symbol", json!({ "name": "zebra" }), "zebra.py"),
    "outline"."path" => {
        let text = ask("outline", json!({ "path": "src/limit.rs" }));
        assert!(text.starts_with("src/limit.rs 17 lines\n3-6 pub struct RateLimiter"), "{text}");
    },
    "outline"."max_tokens" => longer_with_more("outline", json!({ "path": "steps.py" })),
    "outline"."format" => is_json("outline", json!({ "path": "src/limit.rs" }), "members"),
    "outline"."ref" => on_a_branch("outline", json!({ "path": "zebra.py" })),
    "outline"."project" => in_another_project("outline", json!({ "path": "zebra.py" }), "def zebra"),
    "notes"."query" => {
        let text = known(json!({ "query": "why do orders keep their number" }));
        assert!(text.starts_with("decision") && text.contains("customers quote it"), "{text}");
    },
    "notes"."remember" => {
        let text = ask("notes", json!({ "remember": "We decided to retry twice, since the network is flaky." }));
        assert!(text.starts_with("Remembered as decision"), "{text}");
    },
    "notes"."type" => {
        let text = known(json!({ "query": "orders", "type": "issue" }));
        assert!(!text.contains("customers quote it"), "{text}");
        let text = known(json!({ "query": "orders", "type": "decision" }));
        assert!(text.contains("customers quote it"), "{text}");
        let text = ask("notes", json!({ "remember": "Tokens are checked at the edge.", "type": "rule" }));
        assert!(text.starts_with("Remembered as rule"), "{text}");
    },
    "notes"."module" => {
        let text = known(json!({ "query": "orders", "type": "decision", "module": "nowhere" }));
        assert!(!text.contains("customers quote it"), "{text}");
        let (_sample, mut client) = client();
        client.text("notes", json!({ "remember": "Tokens are checked at the edge.", "module": "auth" }));
        let asked = json!({ "query": "tokens at the edge", "module": "auth", "format": "json" });
        let found = client.json("notes", asked);
        assert_eq!(found["results"][0]["discovery"]["module"], "auth", "{found}");
    },
    "notes"."max_tokens" => longer_with_more("notes", json!({ "query": "orders" })),
    "notes"."format" => {
        let found = data("notes", json!({ "remember": "We decided to retry twice." }));
        assert_eq!((&found["type"], &found["was_known"]), (&json!("decision"), &json!(false)));
        is_json("notes", json!({ "query": "orders" }), "results");
    },
    "notes"."project" => in_another_project("notes", json!({ "query": "zebra" }), "zebra.py"),
    "analyze_query"."query" => {
        let text = ask("analyze_query", json!({ "query": "RateLimiter" }));
        assert!(text.starts_with("intent: name"), "{text}");
        let text = ask("analyze_query", json!({ "query": "how are requests limited" }));
        assert!(text.starts_with("intent: prose"), "{text}");
    },
    "analyze_query"."limit" => {
        let found = data("analyze_query", json!({ "query": "order", "limit": 1 }));
        assert_eq!(found["results"].as_array().unwrap().len(), 1);
    },
    "analyze_query"."mode" => {
        let stages = |mode: &str| data("analyze_query", json!({ "query": "order", "mode": mode }))["stages"].clone();
        assert!(stages("keyword").to_string().contains("\"keyword\""));
        assert!(!stages("vector").to_string().contains("\"keyword\""));
    },
    "analyze_query"."language" => {
        let found = data("analyze_query", json!({ "query": "order", "language": "go" }));
        assert_eq!(paths(&found), set(&["store/order.go"]));
    },
    "analyze_query"."kind" => {
        let found = data("analyze_query", json!({ "query": "token", "kind": "function" }));
        assert_eq!(paths(&found), set(&["auth/token.py"]));
    },
    "analyze_query"."symbol_name" => {
        let found = data("analyze_query", json!({ "query": "order", "symbol_name": "Find*" }));
        assert_eq!(paths(&found), set(&["store/order.go"]));
    },
    "analyze_query"."format" => {
        let found = data("analyze_query", json!({ "query": "order" }));
        assert!(found["results"][0]["signals"].as_object().is_some_and(|signals| !signals.is_empty()));
    },
    "analyze_query"."project" => in_another_project("analyze_query", json!({ "query": "zebra" }), "zebra.py"),
    "index_codebase"."force" => {
        let (_sample, mut client) = client();
        client.text("index_codebase", json!({}));
        let again = client.json("index_codebase", json!({ "format": "json" }));
        assert_eq!((&again["added"], &again["unchanged"]), (&json!(0), &json!(4)));
        let forced = client.json("index_codebase", json!({ "force": true, "format": "json" }));
        assert_eq!(forced["added"], 4);
    },
    "index_codebase"."format" => {
        assert_eq!(data("index_codebase", json!({}))["files"], 4);
    },
    "index_codebase"."project" => in_another_project("index_codebase", json!({}), "1 files indexed"),
    "index_status"."all" => {
        let (sample, mut client) = client();
        client.text("index_codebase", json!({}));
        let text = client.text("index_status", json!({ "all": true }));
        assert_eq!(text.trim_end(), sample.root().to_string_lossy());
    },
    "index_status"."skipped" => {
        let text = ask("index_status", json!({ "skipped": true }));
        assert!(text.contains("left out: .env (secret)"), "{text}");
    },
    "index_status"."format" => {
        assert_eq!(data("index_status", json!({}))["indexed"], false);
    },
    "index_status"."project" => in_another_project("index_status", json!({}), "not indexed"),
    "clear_index"."project" => {
        let (sample, mut client) = client();
        client.text("index_codebase", json!({}));
        let text = client.text("clear_index", json!({ "project": sample.root() }));
        assert!(text.starts_with("Cleared the index"), "{text}");
        assert_eq!(client.json("index_status", json!({ "format": "json" }))["indexed"], false);
        failure(&mut client, "clear_index", json!({ "project": "/nowhere" }));
    },
};

/// A caller of `verify_token`.
const CALLER: (&str, &str) = (
    "auth/use.py",
    "from auth.token import verify_token\n\n\ndef login(t):\n    return verify_token(t)\n",
);

/// A test of `verify_token`.
const TEST: (&str, &str) = (
    "tests/test_token.py",
    "from auth.token import verify_token\n\n\ndef test_verify_token():\n    assert verify_token(\"ok token\")\n",
);

fn set(paths: &[&str]) -> BTreeSet<String> {
    paths.iter().map(|path| path.to_string()).collect()
}

/// More tokens show more, and fewer tokens less.
fn longer_with_more(tool: &str, mut arguments: Value) {
    let body: String = (0..150).map(|n| format!("    order{n} = order + {n}\n")).collect();
    let more: String =
        (0..60).map(|n| format!("def next_order_{n}(order):\n    return order\n")).collect();
    let steps = format!("def step_two(order):\n{body}    return order\n\n{more}");
    let (_sample, mut client) = client_with(&[("steps.py", &steps)]);
    let mut ask = |tokens: u32| {
        arguments["max_tokens"] = tokens.into();
        client.text(tool, arguments.clone())
    };
    let (little, much) = (ask(200), ask(1500));
    assert!(little.len() <= 600, "{little}");
    assert!(much.len() > little.len() + 200, "{little}\n\n{much}");
}

/// JSON is both the text and the structured content of an answer.
fn is_json(tool: &str, mut arguments: Value, field: &str) {
    let (_sample, mut client) = client();
    arguments["format"] = "json".into();
    let answer = client.call(tool, arguments);
    let text = answer["result"]["content"][0]["text"].as_str().unwrap();
    let found: Value = serde_json::from_str(text).unwrap();
    assert_eq!(found, answer["result"]["structuredContent"]);
    assert!(!found[field].is_null(), "{found}");
}

/// Asks after something was remembered.
fn known(arguments: Value) -> String {
    let (_sample, mut client) = client();
    let decision = "We decided that orders keep their number for ever, because customers quote it.";
    client.text("notes", json!({ "remember": decision, "type": "decision", "module": "store" }));
    client.text("notes", arguments)
}

/// A tool with `project` answers from that project.
fn in_another_project(tool: &str, mut arguments: Value, contains: &str) {
    let (_sample, mut client) = client();
    let other = tempfile::tempdir().unwrap();
    std::fs::write(other.path().join("zebra.py"), "def zebra():\n    return 1\n").unwrap();
    arguments["project"] = other.path().to_string_lossy().into();
    let text = client.text(tool, arguments);
    assert!(text.contains(contains), "{text}");
}

/// The sample as a repository, with a branch that has one more file.
fn with_branch() -> (Sample, Client) {
    let (sample, client) = client();
    let root = sample.root();
    git_init(&root);
    git(&root, &["checkout", "-q", "-b", "other"]);
    sample.write("zebra.py", "def zebra():\n    return 1\n");
    git_commit(&root);
    git(&root, &["checkout", "-q", "-"]);
    (sample, client)
}

/// A tool with `ref` answers from that ref.
fn on_a_branch(tool: &str, mut arguments: Value) {
    let (_sample, mut client) = with_branch();
    let text = client.call(tool, arguments.clone())["result"]["content"][0]["text"].to_string();
    assert!(!text.contains("def zebra"), "{text}");
    arguments["ref"] = "other".into();
    let text = client.text(tool, arguments.clone());
    assert!(text.contains("zebra.py") && text.contains("def zebra"), "{text}");
    arguments["ref"] = "nowhere".into();
    failure(&mut client, tool, arguments);
}
