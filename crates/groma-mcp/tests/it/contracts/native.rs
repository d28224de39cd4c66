//! The native surface.

use super::{Shown, every_parameter_is_shown};
use crate::client::Client;
use crate::sample::Sample;
use groma_testkit::{git, git_commit, git_init};
use serde_json::{Value, json};
use std::collections::BTreeSet;

fn client() -> (Sample, Client) {
    let sample = Sample::new();
    let client = Client::start(&sample, &[]);
    (sample, client)
}

fn ask(tool: &str, arguments: Value) -> String {
    let (_sample, mut client) = client();
    client.text(tool, arguments)
}

fn data(tool: &str, mut arguments: Value) -> Value {
    let (_sample, mut client) = client();
    arguments["format"] = "json".into();
    client.json(tool, arguments)
}

fn paths(found: &Value) -> BTreeSet<String> {
    let results = found["results"].as_array().unwrap();
    results.iter().map(|one| one["path"].as_str().unwrap().to_string()).collect()
}

/// The files a search finds with one more argument than the question.
fn found_with(name: &str, value: Value) -> BTreeSet<String> {
    let mut arguments = json!({ "query": "orders and tokens and requests" });
    arguments[name] = value;
    paths(&data("search_code", arguments))
}

fn set(paths: &[&str]) -> BTreeSet<String> {
    paths.iter().map(|path| path.to_string()).collect()
}

#[test]
fn the_parts_shown_by_analyze_query_multiply_up_to_the_score() {
    let found = data("analyze_query", json!({ "query": "where are orders placed" }));
    let results = found["results"].as_array().unwrap();
    assert!(results.len() > 3, "{found}");
    for result in results {
        let parts = result["signals"].as_object().unwrap();
        let product: f64 = parts.values().map(|part| part.as_f64().unwrap()).product();
        assert!((product - result["score"].as_f64().unwrap()).abs() < 1e-5, "{result}");
        for signal in ["relevance", "coverage", "place", "saturation", "scale"] {
            assert!(parts.contains_key(signal), "{signal}: {result}");
        }
    }
}

#[test]
fn a_search_without_a_limit_names_further_results() {
    let sample = Sample::new();
    for number in 0..12 {
        let text = format!("def token_{number}(orders):\n    return orders[{number}]\n");
        sample.write(&format!("more/requests_{number}.py"), &text);
    }
    let mut client = Client::start(&sample, &[]);
    let mut ask = |limit: Value| {
        client.text(
            "search_code",
            json!({ "query": "orders and tokens and requests", "limit": limit }),
        )
    };
    let (open, limited) = (ask(Value::Null), ask(3.into()));
    let (hits, further) = open.split_once("Further places:\n").expect("places by name");
    assert!(further.lines().all(|line| line.contains(": ")), "{further}");
    assert!(!hits.is_empty() && !limited.contains("Further places:"), "{limited}");
}

#[test]
fn a_call_resolves_its_workspace_and_its_project_once() {
    let (sample, mut client) = client();
    for (tool, arguments) in [
        ("search_code", json!({ "query": "token" })),
        ("locate_symbol", json!({ "name": "RateLimiter" })),
        ("grep_codebase", json!({ "pattern": "token" })),
        ("read_file", json!({ "path": "src/limit.rs" })),
        ("context_search", json!({ "query": "orders" })),
        ("index_status", json!({})),
    ] {
        let before = sample.host.calls();
        client.text(tool, arguments);
        assert_eq!(sample.host.calls(), (before.0 + 1, before.1 + 1), "{tool}");
    }
}

#[test]
fn a_workspace_that_cannot_be_resolved_is_an_error_of_the_call() {
    let (sample, mut client) = client();
    std::fs::remove_dir_all(sample.root()).unwrap();
    let answer = client.call("search_code", json!({ "query": "token" }));
    assert_eq!(answer["result"]["isError"], true, "{answer}");
    let text = answer["result"]["content"][0]["text"].as_str().unwrap();
    assert!(text.starts_with("cannot open ") && text.contains("sample"), "{text}");
    // What needs no project still works.
    assert!(client.text("index_status", json!({ "all": true })).starts_with("No project"));
}

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
    "search_code"."query" => {
        assert!(ask("search_code", json!({ "query": "verify a token" })).starts_with("auth/token.py"));
    },
    "search_code"."limit" => {
        let found = data("search_code", json!({ "query": "order", "limit": 1 }));
        assert_eq!(found["results"].as_array().unwrap().len(), 1);
    },
    "search_code"."mode" => {
        let found = data("search_code", json!({ "query": "verify a token", "mode": "keyword" }));
        assert!(found["results"][0]["vector_score"].is_null());
        let found = data("search_code", json!({ "query": "verify a token", "mode": "vector" }));
        assert!(found["results"][0]["keyword_score"].is_null());
    },
    "search_code"."language" => {
        assert_eq!(found_with("language", json!("py,go")), set(&["auth/token.py", "store/order.go"]));
    },
    "search_code"."path" => {
        assert_eq!(found_with("path", json!(["src/**"])), set(&["src/limit.rs"]));
    },
    "search_code"."kind" => {
        assert_eq!(found_with("kind", json!("function")), set(&["auth/token.py"]));
    },
    "search_code"."symbol_name" => {
        assert_eq!(found_with("symbol_name", json!("*Repository")), set(&["store/order.go"]));
    },
    "search_code"."package" => {
        assert_eq!(found_with("package", json!("store")), set(&["store/order.go"]));
    },
    "search_code"."chunk_type" => {
        assert_eq!(found_with("chunk_type", json!(["prose"])), set(&["README.md"]));
    },
    "search_code"."tags" => {
        assert_eq!(found_with("tags", json!(["guide"])), set(&["README.md"]));
    },
    "search_code"."min_score" => {
        let all = found_with("min_score", json!(0.0)).len();
        assert!(found_with("min_score", json!(0.9)).len() < all);
    },
    "search_code"."context_before" => {
        let (bare, with) = context_of("context_before", 2);
        assert_eq!((&bare["context_before"], &bare["context_after"]), (&json!(""), &json!("")));
        let start = with["start_line"].as_u64().unwrap() as usize;
        assert!(start > 2, "{with}");
        assert_eq!(with["context_before"], step_lines(start - 2, start - 1), "{with}");
        assert_eq!(with["context_after"], "");
    },
    "search_code"."context_after" => {
        let (bare, with) = context_of("context_after", 1);
        assert_eq!((&bare["context_before"], &bare["context_after"]), (&json!(""), &json!("")));
        let end = with["end_line"].as_u64().unwrap() as usize;
        assert_eq!(with["context_after"], step_lines(end + 1, end + 1), "{with}");
        assert_eq!(with["context_before"], "");
    },
    "search_code"."max_tokens" => {
        let text = ask("search_code", json!({ "query": "order token request", "max_tokens": 200 }));
        assert!(text.len() <= 600 && text.contains("max_tokens"), "{text}");
    },
    "search_code"."format" => {
        let (_sample, mut client) = client();
        let answer = client.call("search_code", json!({ "query": "token", "format": "json" }));
        let text = answer["result"]["content"][0]["text"].as_str().unwrap();
        assert_eq!(serde_json::from_str::<Value>(text).unwrap(), answer["result"]["structuredContent"]);
    },
    "search_code"."ref" => on_a_branch("search_code", json!({ "query": "zebra" })),
    "search_code"."project" => in_another_project("search_code", json!({ "query": "zebra" }), "zebra.py"),
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
    "locate_symbol"."name" => {
        let text = ask("locate_symbol", json!({ "name": "RateLimiter" }));
        assert!(text.starts_with("src/limit.rs:4-"), "{text}");
    },
    "locate_symbol"."relation" => {
        let (sample, mut client) = client();
        sample.write("auth/use.py", "from auth.token import verify_token\n\n\ndef login(t):\n    return verify_token(t)\n");
        let text = client.text("locate_symbol", json!({ "name": "verify_token", "relation": "callers" }));
        assert!(text.contains("auth/use.py:5") && text.contains("login"), "{text}");
    },
    "locate_symbol"."kind" => {
        let text = ask("locate_symbol", json!({ "name": "RateLimiter", "kind": "function" }));
        assert!(text.starts_with("No definitions"), "{text}");
    },
    "locate_symbol"."language" => {
        let text = ask("locate_symbol", json!({ "name": "RateLimiter", "language": "go" }));
        assert!(text.starts_with("No definitions"), "{text}");
    },
    "locate_symbol"."path" => {
        let text = ask("locate_symbol", json!({ "name": "RateLimiter", "path": "auth" }));
        assert!(text.starts_with("No definitions"), "{text}");
    },
    "locate_symbol"."limit" => {
        let (sample, mut client) = client();
        sample.write("a.py", "def twin(): pass\n");
        sample.write("b.py", "def twin(): pass\n");
        let text = client.text("locate_symbol", json!({ "name": "twin", "limit": 1 }));
        assert!(text.contains("1 more"), "{text}");
    },
    "locate_symbol"."max_tokens" => {
        let (sample, mut client) = client();
        let many: String = (0..60).map(|n| format!("class A{n}:\n    def twin(self, argument{n}):\n        pass\n")).collect();
        sample.write("many.py", &many);
        let text = client.text("locate_symbol", json!({ "name": "twin", "limit": 60, "max_tokens": 200 }));
        assert!(text.len() <= 700 && text.contains("max_tokens"), "{text}");
    },
    "locate_symbol"."format" => {
        let found = data("locate_symbol", json!({ "name": "RateLimiter" }));
        assert_eq!(found["definitions"][0]["path"], "src/limit.rs");
    },
    "locate_symbol"."ref" => on_a_branch("locate_symbol", json!({ "name": "zebra" })),
    "locate_symbol"."project" => in_another_project("locate_symbol", json!({ "name": "zebra" }), "zebra.py"),
    "grep_codebase"."pattern" => {
        let text = ask("grep_codebase", json!({ "pattern": "fn allow.*bool" }));
        assert_eq!(text, "src/limit.rs:10:    pub fn allow(&mut self) -> bool {\n");
    },
    "grep_codebase"."literal" => {
        let text = ask("grep_codebase", json!({ "pattern": "(&mut", "literal": true }));
        assert!(text.starts_with("src/limit.rs:10:"), "{text}");
    },
    "grep_codebase"."case_sensitive" => {
        let count = |arguments: Value| data("grep_codebase", arguments)["total"].as_u64().unwrap();
        assert_eq!(count(json!({ "pattern": "ratelimiter" })), 2);
        assert_eq!(count(json!({ "pattern": "ratelimiter", "case_sensitive": true })), 0);
        assert_eq!(count(json!({ "pattern": "RATELIMITER", "case_sensitive": false })), 2);
        assert_eq!(count(json!({ "pattern": "RATELIMITER" })), 0, "capitals mean capitals");
    },
    "grep_codebase"."language" => {
        let text = ask("grep_codebase", json!({ "pattern": "order", "language": "markdown" }));
        assert!(text.starts_with("README.md:") && !text.contains(".go"), "{text}");
    },
    "grep_codebase"."path" => {
        let text = ask("grep_codebase", json!({ "pattern": "order", "path": "store/**" }));
        assert!(text.starts_with("store/order.go:") && !text.contains("README"), "{text}");
    },
    "grep_codebase"."context" => {
        let text = ask("grep_codebase", json!({ "pattern": "pub struct", "context": 1 }));
        let expected = "src/limit.rs-3-/// Limits how many requests a client may send.\n\
                        src/limit.rs:4:pub struct RateLimiter {\nsrc/limit.rs-5-    allowed: u32,\n--\n";
        assert_eq!(text, expected);
    },
    "grep_codebase"."limit" => {
        let found = data("grep_codebase", json!({ "pattern": "e", "limit": 2 }));
        assert_eq!(found["matches"].as_array().unwrap().len(), 2);
        assert!(found["total"].as_u64().unwrap() > 2, "the count goes past the limit");
    },
    "grep_codebase"."max_tokens" => {
        let (sample, mut client) = client();
        sample.write("long.py", &"x = 1\n".repeat(500));
        let text = client.text("grep_codebase", json!({ "pattern": "x = 1", "limit": 500, "max_tokens": 200 }));
        assert!(text.len() < 700 && text.contains("of 500 matching lines"), "{text}");
    },
    "grep_codebase"."format" => {
        let found = data("grep_codebase", json!({ "pattern": "verify_token" }));
        assert_eq!((&found["matches"][0]["line"], &found["matches"][0]["column"]), (&json!(4), &json!(5)));
    },
    "grep_codebase"."ref" => on_a_branch("grep_codebase", json!({ "pattern": "zebra" })),
    "grep_codebase"."project" => in_another_project("grep_codebase", json!({ "pattern": "zebra" }), "zebra.py"),
    "read_file"."path" => {
        let text = ask("read_file", json!({ "path": "auth/token.py" }));
        assert!(text.starts_with("auth/token.py:1-6 of 6 lines  python\n\"\"\"Tokens.\"\"\""), "{text}");
    },
    "read_file"."start_line" => {
        let text = ask("read_file", json!({ "path": "auth/token.py", "start_line": 6 }));
        assert!(text.starts_with("auth/token.py:6-6 of 6"), "{text}");
    },
    "read_file"."end_line" => {
        let text = ask("read_file", json!({ "path": "auth/token.py", "end_line": 1 }));
        assert_eq!(text, "auth/token.py:1-1 of 6 lines  python\n\"\"\"Tokens.\"\"\"\n");
    },
    "read_file"."dependencies" => {
        let (sample, mut client) = client();
        sample.write("auth/use.py", "from auth.token import verify_token\n");
        let text = client.text("read_file", json!({ "path": "auth/use.py", "dependencies": true }));
        assert!(text.contains("auth/token.py (line 1)"), "{text}");
    },
    "read_file"."max_tokens" => {
        let (sample, mut client) = client();
        sample.write("long.py", &"x = 1\n".repeat(5000));
        let text = client.text("read_file", json!({ "path": "long.py", "max_tokens": 200 }));
        assert!(text.len() < 700 && text.contains("start_line="), "{text}");
    },
    "read_file"."format" => {
        assert_eq!(data("read_file", json!({ "path": "auth/token.py" }))["line_count"], 6);
    },
    "read_file"."ref" => on_a_branch("read_file", json!({ "path": "zebra.py" })),
    "read_file"."project" => in_another_project("read_file", json!({ "path": "zebra.py" }), "def zebra"),
    "context_search"."query" => {
        let text = known("context_search", json!({ "query": "why do orders keep their number" }));
        assert!(text.starts_with("decision") && text.contains("customers quote it"), "{text}");
    },
    "context_search"."type" => {
        let text = known("context_search", json!({ "query": "orders", "type": "issue" }));
        assert!(!text.contains("customers quote it"), "{text}");
        let text = known("context_search", json!({ "query": "orders", "type": "decision" }));
        assert!(text.contains("customers quote it"), "{text}");
    },
    "context_search"."module" => {
        let text = known("context_search", json!({ "query": "orders", "type": "decision", "module": "nowhere" }));
        assert!(!text.contains("customers quote it"), "{text}");
    },
    "context_search"."limit" => {
        let text = known("context_search", json!({ "query": "orders and tokens", "limit": 1 }));
        assert!(text.contains("more: raise limit"), "{text}");
    },
    "context_search"."max_tokens" => {
        let (sample, mut client) = client();
        let many: String = (0..40).map(|n| format!("def order_{n}(number):\n    return number + {n}\n\n\n")).collect();
        sample.write("orders.py", &many);
        let text = client.text("context_search", json!({ "query": "orders", "limit": 20, "max_tokens": 200 }));
        assert!(text.len() < 800 && text.contains("max_tokens"), "{text}");
    },
    "context_search"."format" => {
        let text = known("context_search", json!({ "query": "orders", "type": "decision", "format": "json" }));
        let found: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(found["results"][0]["discovery"]["type"], "decision");
    },
    "context_search"."project" => in_another_project("context_search", json!({ "query": "zebra" }), "zebra.py"),
    "remember"."content" => {
        let text = ask("remember", json!({ "content": "We decided to retry twice, since the network is flaky." }));
        assert!(text.starts_with("Remembered as decision"), "{text}");
    },
    "remember"."type" => {
        let text = ask("remember", json!({ "content": "Tokens are checked at the edge of the system.", "type": "rule" }));
        assert!(text.starts_with("Remembered as rule"), "{text}");
    },
    "remember"."module" => {
        let (_sample, mut client) = client();
        client.text("remember", json!({ "content": "Tokens are checked at the edge.", "module": "auth" }));
        let found = client.json("context_search", json!({ "query": "tokens at the edge", "module": "auth", "format": "json" }));
        assert_eq!(found["results"][0]["discovery"]["module"], "auth", "{found}");
    },
    "remember"."project" => in_another_project("remember", json!({ "content": "Zebras are striped, always." }), "Remembered"),
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
        let answer = client.call("clear_index", json!({ "project": "/nowhere" }));
        assert_eq!(answer["result"]["isError"], true);
    },
};

/// Three functions, so that the second has lines before and after it.
fn steps() -> String {
    let step = |name: &str| {
        format!(
            "# {name} adds up an order.\ndef step_{name}(order):\n    {name} = order.price\n    \
             {name} = {name} + order.tax\n    {name} = {name} - order.discount\n    return {name}\n"
        )
    };
    ["one", "two", "three"].map(step).concat()
}

/// Lines of that file, both ends included.
fn step_lines(first: usize, last: usize) -> String {
    steps().lines().skip(first - 1).take(last + 1 - first).collect::<Vec<_>>().join("\n")
}

/// The second function as a result without and with one more argument.
fn context_of(parameter: &str, lines: u32) -> (Value, Value) {
    let (sample, mut client) = client();
    sample.write("steps.py", &steps());
    let mut arguments = json!({ "query": "step_two", "limit": 1, "format": "json" });
    let bare = client.json("search_code", arguments.clone())["results"][0].clone();
    assert_eq!(bare["symbol"]["name"], "step_two", "{bare}");
    arguments[parameter] = lines.into();
    (bare, client.json("search_code", arguments)["results"][0].clone())
}

/// Asks after something was remembered.
fn known(tool: &str, arguments: Value) -> String {
    let (_sample, mut client) = client();
    let decision = "We decided that orders keep their number for ever, because customers quote it.";
    client.text("remember", json!({ "content": decision, "type": "decision", "module": "store" }));
    client.text(tool, arguments)
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
    let answer = client.call(tool, arguments);
    assert_eq!(answer["result"]["isError"], true, "{answer}");
}

#[test]
fn the_definitions_fit_their_budget() {
    let (_sample, mut client) = client();
    let listed = client.request("tools/list", json!({}));
    let tools = &listed["result"]["tools"];
    // o200k takes 4.24 bytes of this JSON in one token and cl100k 4.39; 4 is on the safe side.
    let tokens = tools.to_string().len() as f64 / 4.0;
    assert!(tokens < 2500.0, "about {tokens:.0} tokens");
}

#[test]
fn empty_answers_say_what_to_do_next() {
    let text =
        ask("search_code", json!({ "query": "zzzqqq", "mode": "keyword", "language": "go" }));
    assert!(text.contains("try without them") && text.contains("grep_codebase"), "{text}");
    let text = ask("locate_symbol", json!({ "name": "qqqzzzqqq" }));
    assert!(text.contains("search_code"), "{text}");
}

#[test]
fn secrets_are_not_remembered() {
    let text = ask(
        "remember",
        json!({
            "content": "The deploy key is api_key = 'sk-abcdefghijklmnopqrstuvwxyz123456', kept in the vault.",
        }),
    );
    assert!(text.ends_with("Secrets were taken out."), "{text}");
}

#[test]
fn refused_files_have_a_reason() {
    let (_sample, mut client) = client();
    for path in [".env", "../secret", "/etc/passwd", "src", "none.rs"] {
        let answer = client.call("read_file", json!({ "path": path }));
        assert_eq!(answer["result"]["isError"], true, "{path}: {answer}");
    }
}

fn document(client: &mut Client, uri: &str) -> String {
    let answer = client.request("resources/read", json!({ "uri": uri }));
    answer["result"]["contents"][0]["text"].as_str().unwrap_or_else(|| panic!("{answer}")).into()
}

#[test]
fn queries_and_reads_become_the_session() {
    let sample = Sample::new();
    let mut client = Client::start(&sample, &[]);
    client.text("search_code", json!({ "query": "where are requests limited" }));
    client.text("locate_symbol", json!({ "name": "RateLimiter" }));
    client.text("read_file", json!({ "path": "src/limit.rs" }));
    client.text("index_status", json!({}));
    let current = document(&mut client, "context://session/current");
    assert!(
        current.contains("Tool calls: locate_symbol 1, read_file 1, search_code 1"),
        "{current}"
    );
    assert!(
        current.contains("## Topics\n\n- where are requests limited\n- RateLimiter\n"),
        "{current}"
    );
    assert!(current.contains("## Files\n\n- src/limit.rs: 1 times\n"), "{current}");
    let overview = document(&mut client, "context://project/overview");
    assert!(overview.contains("## Read most\n\n- src/limit.rs: 1 times"), "{overview}");
    assert!(overview.contains(", score 0.60\n"), "{overview}");
    assert!(document(&mut client, "context://module/auth").contains("- auth/token.py"));
    let recent = |uri| document(&mut Client::start(&sample, &[]), uri);
    assert!(recent("context://sessions/recent").contains("Status: active"));
    client.hang_up();
    assert!(recent("context://sessions/recent").contains("Status: completed"), "it left");
}

#[test]
fn a_definition_keeps_its_handle_wherever_it_moves() {
    let sample = Sample::new();
    sample.write("src/lamp.rs", "pub fn light_lamp(hours: u32) {}\n");
    let mut client = Client::start(&sample, &[]);
    let mut handle = || {
        let asked = json!({ "name": "light_lamp", "format": "json" });
        client.json("locate_symbol", asked)["definitions"][0]["stable_id"].clone()
    };
    let first = handle();
    assert!(first.as_str().is_some_and(|id| id.starts_with("b3:")), "{first}");
    sample.write("src/lamp.rs", "//! Lamps.\n\npub fn light_lamp(hours: u32) {}\n");
    assert_eq!(handle(), first, "it moved down");
    sample.write("src/lamp.rs", "pub fn light_lamp(days: u64) {}\n");
    assert_ne!(handle(), first, "it is another one now");
}
