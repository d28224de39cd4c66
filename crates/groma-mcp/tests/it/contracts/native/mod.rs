//! The native surface.

mod answers;
mod budget;
mod parameters;

use crate::client::Client;
use crate::sample::Sample;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// A client of a server with every tool.
fn client() -> (Sample, Client) {
    let sample = Sample::new();
    let client = Client::start(&sample, &["--all-tools"]);
    (sample, client)
}

/// A client of the sample with these files beside it.
fn client_with(files: &[(&str, &str)]) -> (Sample, Client) {
    let (sample, client) = client();
    files.iter().for_each(|(path, text)| sample.write(path, text));
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

/// The text of an answer that says that the call failed.
fn failure(client: &mut Client, tool: &str, arguments: Value) -> String {
    let answer = client.call(tool, arguments);
    assert_eq!(answer["result"]["isError"], true, "{answer}");
    answer["result"]["content"][0]["text"].as_str().unwrap().to_string()
}

fn tool_names(options: &[&str]) -> Vec<String> {
    let mut client = Client::start(&Sample::new(), options);
    let listed = client.request("tools/list", json!({}));
    let tools = listed["result"]["tools"].as_array().unwrap();
    tools.iter().map(|tool| tool["name"].as_str().unwrap().to_string()).collect()
}

#[test]
fn six_tools_are_offered_and_the_others_on_request() {
    let work = ["search", "read", "grep", "symbol", "outline", "notes"];
    assert_eq!(tool_names(&[]), work);
    let maintenance = ["analyze_query", "index_codebase", "index_status", "clear_index"];
    assert_eq!(tool_names(&["--all-tools"]), [&work[..], &maintenance].concat());
}

#[test]
fn former_names_say_the_present_one() {
    let mut client = Client::start(&Sample::new(), &[]);
    for (former, present) in [
        ("search_code", "`search_code` is now `search`, which takes query, path,"),
        ("locate_symbol", "`locate_symbol` is now `symbol`, which takes name,"),
        ("grep_codebase", "`grep_codebase` is now `grep`, which takes pattern,"),
        ("read_file", "`read_file` is now `read`, which takes places,"),
        ("context_search", "`context_search` is now `notes`, which takes query, remember,"),
        ("remember", "`remember` is now `notes`, which takes query, remember,"),
        ("index_status", "`index_status` is offered if the server is started with --all-tools"),
    ] {
        let text = failure(&mut client, former, json!({ "query": "x" }));
        assert!(text.starts_with(present), "{text}");
    }
    let error = client.error("sing", json!({}));
    assert_eq!(error["data"]["tools"].as_array().unwrap().len(), 6, "{error}");
}

#[test]
fn an_unknown_argument_is_ignored_and_named() {
    let (_sample, mut client) = client();
    let text = client.text("read", json!({ "places": "auth/token.py", "colour": "red" }));
    assert!(text.starts_with("auth/token.py 1-6 of 6 lines\n1:\"\"\"Tokens.\"\"\"\n"), "{text}");
    let note = "there is no parameter `colour`; there are places, imports, max_tokens, format, ref, project";
    assert!(text.ends_with(&format!("note: {note}\n")), "{text}");
    let asked = json!({ "query": "token", "b": 1, "a": 2, "format": "json" });
    let found = client.json("search", asked);
    let note = found["notes"][0].as_str().unwrap();
    assert!(note.starts_with("there is no parameter `b` and 1 more; there are query,"), "{note}");
    let answer = client.call("index_status", json!({ "verbose": true }));
    assert!(answer.to_string().contains("there is no parameter `verbose`"), "{answer}");
    // What is missing may have been given by another name.
    let message = failure(&mut client, "read", json!({ "path": "auth/token.py" }));
    assert!(message.contains("`places` is required; there is no parameter `path`"), "{message}");
    let message = failure(&mut client, "search", json!({ "query": 7, "colour": "red" }));
    assert!(message.contains("`query` must be a string"), "{message}");
}

/// Characters of a token of JSON: common tokenizers average 3.4 and more.
const CHARS_PER_TOKEN: f64 = 3.4;

#[test]
fn the_definitions_fit_their_budget() {
    let mut client = Client::spawn(&Sample::new(), &[]);
    let greeting = client.greet("2025-06-18", json!({}));
    let instructions = greeting["result"]["instructions"].as_str().unwrap().to_string();
    let listed = client.request("tools/list", json!({}));
    let definitions = listed["result"]["tools"].to_string();
    let tokens = |length: usize| length as f64 / CHARS_PER_TOKEN;
    let told = tokens(instructions.len());
    assert!(told <= 120.0, "{told:.0} tokens of instructions");
    let sent = tokens(definitions.len() + instructions.len());
    assert!(sent <= 1300.0, "{sent:.0} tokens: {definitions}");
}

#[test]
fn a_call_resolves_its_workspace_and_its_project_once() {
    let (sample, mut client) = client();
    for (tool, arguments) in [
        ("search", json!({ "query": "token" })),
        ("symbol", json!({ "name": "RateLimiter" })),
        ("grep", json!({ "pattern": "token" })),
        ("read", json!({ "places": "src/limit.rs" })),
        ("outline", json!({ "path": "src" })),
        ("notes", json!({ "query": "orders" })),
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
    let text = failure(&mut client, "search", json!({ "query": "token" }));
    assert!(text.starts_with("cannot open ") && text.contains("sample"), "{text}");
    // What needs no project still works.
    assert!(client.text("index_status", json!({ "all": true })).starts_with("No project"));
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
fn secrets_are_not_remembered() {
    let secret =
        "The deploy key is api_key = 'sk-abcdefghijklmnopqrstuvwxyz123456', kept in the vault.";
    let text = ask("notes", json!({ "remember": secret }));
    assert!(text.ends_with("Secrets were taken out."), "{text}");
}

#[test]
fn refused_files_have_a_reason() {
    let (_sample, mut client) = client();
    for path in [".env", "../secret", "/etc/passwd", "src", "none.rs"] {
        let text = failure(&mut client, "read", json!({ "places": path }));
        assert!(text.len() > path.len() + 5, "{path}: {text}");
    }
}

fn document(client: &mut Client, uri: &str) -> String {
    let answer = client.request("resources/read", json!({ "uri": uri }));
    answer["result"]["contents"][0]["text"].as_str().unwrap_or_else(|| panic!("{answer}")).into()
}

#[test]
fn queries_and_reads_become_the_session() {
    let sample = Sample::new();
    let mut client = Client::start(&sample, &["--all-tools"]);
    client.text("search", json!({ "query": "where are requests limited" }));
    client.text("symbol", json!({ "name": "RateLimiter" }));
    client.text("read", json!({ "places": "src/limit.rs" }));
    client.text("index_status", json!({}));
    let current = document(&mut client, "context://session/current");
    assert!(current.contains("Tool calls: read 1, search 1, symbol 1"), "{current}");
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

/// The paths of the results of a tool that ranks.
fn paths(found: &Value) -> BTreeSet<String> {
    let results = found["results"].as_array().unwrap();
    results.iter().map(|one| one["path"].as_str().unwrap().to_string()).collect()
}
