//! Every example of the document, and what it says of all answers.

use super::{fresh, indexed, masked, names, project, project_on_disk, ready, start};
use crate::client::Client;
use expect_test::{expect, expect_file};
use serde_json::{Value, json};
use std::fmt::Write;

#[test]
fn the_tools_are_those_of_the_document() {
    let sample = project();
    let mut client = Client::spawn(&sample, &["--contract", "codecompass"]);
    let greeting = client.greet("2025-06-18", json!({}));
    let server = &greeting["result"]["serverInfo"];
    assert_eq!((&server["name"], &server["version"]), (&json!("codecompass"), &json!("1.0.0")));
    let tools = client.request("tools/list", json!({}))["result"]["tools"].take();
    expect_file!["tools.json"].assert_eq(&serde_json::to_string_pretty(&tools).unwrap());
}

#[test]
fn the_examples_of_the_document_are_answered() {
    let sample = project();
    let mut client = start(&sample);
    let mut transcript = String::new();
    let mut ask = |client: &mut Client, tool: &str, arguments: Value| {
        let answer = masked(&sample, client.json(tool, arguments.clone()));
        writeln!(transcript, "--> {tool} {arguments}\n{answer}\n").unwrap();
    };
    ask(&mut client, "index_status", json!({}));
    ask(&mut client, "index_repo", json!({ "force": false, "ref": "main" }));
    ready(&mut client);
    ask(&mut client, "sync_repo", json!({ "force": false, "ref": "main" }));
    ready(&mut client);
    let example = json!({ "name": "validate_token", "kind": "fn", "language": "rust", "ref": "main", "limit": 10 });
    ask(&mut client, "locate_symbol", example);
    let example = json!({
        "query": "where is rate limiting implemented", "ref": "main", "language": "rust", "limit": 10
    });
    ask(&mut client, "search_code", example);
    ask(&mut client, "index_status", json!({ "ref": "main" }));
    expect_file!["transcript.txt"].assert_eq(&transcript);
}

#[test]
fn an_answer_is_the_same_as_text_and_as_data() {
    let sample = project();
    let mut client = indexed(&sample);
    let calls = [
        ("index_status", json!({})),
        ("locate_symbol", json!({ "name": "validate_token" })),
        ("search_code", json!({ "query": "rate limit" })),
        ("search_code", json!({})),
        ("sync_repo", json!({ "ref": "nowhere" })),
    ];
    for (tool, arguments) in calls {
        let result = client.call(tool, arguments)["result"].take();
        let blocks = result["content"].as_array().unwrap();
        assert_eq!(blocks.len(), 1);
        let text = blocks[0]["text"].as_str().unwrap();
        assert_eq!(text, result["structuredContent"].to_string(), "compact, and the same");
        assert_ne!(result["isError"], true, "errors are answers");
        assert_eq!(result["structuredContent"]["metadata"]["codecompass_protocol_version"], "1.0");
    }
}

#[test]
fn the_intent_is_part_of_the_answer() {
    let sample = project();
    let mut client = indexed(&sample);
    let mut intent = |query: &str| {
        let answer = client.json("search_code", json!({ "query": query }));
        assert!(!answer["suggested_next_actions"].as_array().unwrap().is_empty(), "{answer:#}");
        let kind = answer["results"][0]["result_type"].as_str().unwrap();
        format!("{} {kind}", answer["query_intent"].as_str().unwrap())
    };
    assert_eq!(intent("check_rate_limit"), "symbol symbol");
    assert_eq!(intent("src/auth/jwt.rs"), "path file");
    assert_eq!(intent("error: TooManyRequests"), "error snippet");
    assert_eq!(intent("who signs the tokens of a user"), "natural_language snippet");
}

#[test]
fn there_is_always_a_suggested_action() {
    let sample = project();
    let mut client = indexed(&sample);
    let mut next = |query: &str| {
        let answer = client.json("search_code", json!({ "query": query, "language": "haskell" }));
        assert_eq!(names(&answer).len(), 0);
        answer["suggested_next_actions"].to_string()
    };
    expect![[r#"[{"tool":"locate_symbol","name":"verifyToken","ref":"main"},{"tool":"search_code","query":"calls verifyToken gateway","ref":"main","limit":20}]"#]].assert_eq(&next("who calls verifyToken in the gateway"));
    expect![[r#"[{"tool":"index_status","ref":"main"}]"#]].assert_eq(&next("???"));
}

#[test]
fn results_without_a_symbol_lack_its_fields() {
    let sample = project();
    let mut client = indexed(&sample);
    let answer =
        client.json("search_code", json!({ "query": "how many requests a client may send" }));
    let results = answer["results"].as_array().unwrap();
    let plain = results.iter().find(|one| one.get("symbol_id").is_none()).unwrap();
    assert!(plain["result_id"].as_str().unwrap().starts_with("snip_"));
    for name in ["symbol_stable_id", "kind", "name", "qualified_name"] {
        assert!(plain.get(name).is_none(), "{plain:#}");
    }
    assert!(plain["snippet"].as_str().unwrap().contains("requests a client may send"));
}

#[test]
fn verbose_servers_add_debug() {
    let sample = project();
    let query = json!({ "query": "rate limit" });
    let mut client = indexed(&sample);
    assert!(client.json("search_code", query.clone()).get("debug").is_none());
    drop(client);
    let mut client = Client::start(&sample, &["--contract", "codecompass", "--verbose"]);
    let answer = client.json("search_code", query);
    let joined = &answer["debug"]["join_status"];
    let shown = joined["hits"].as_u64().unwrap() + joined["misses"].as_u64().unwrap();
    assert_eq!(shown as usize, answer["results"].as_array().unwrap().len());
    assert!(joined["hits"].as_u64().unwrap() > 0, "{answer:#}");
}

#[test]
fn nothing_found_is_an_empty_list() {
    let sample = project();
    let mut client = indexed(&sample);
    let answer = client.json("locate_symbol", json!({ "name": "no_such_symbol_at_all" }));
    assert_eq!((names(&answer).len(), &answer["total_candidates"]), (0, &json!(0)));
    assert_eq!(answer["metadata"]["result_completeness"], "complete");
    let answer = client.json("locate_symbol", json!({ "name": "validate_tokn" }));
    assert_eq!(names(&answer).len(), 0);
    let warning = answer["metadata"]["warnings"][0].as_str().unwrap();
    assert!(warning.contains("validate_token"), "{warning}");
}

#[test]
fn an_answer_follows_the_files() {
    let sample = project();
    let mut client = indexed(&sample);
    let freshness =
        |answer: &Value| answer["metadata"]["freshness_status"].as_str().unwrap().to_string();
    assert_eq!(freshness(&client.json("index_status", json!({}))), "fresh");
    sample.write("src/new.rs", "pub fn brand_new() {}\n");
    assert_eq!(
        freshness(&client.json("index_status", json!({}))),
        "stale",
        "a dirty tree is dirty"
    );
    assert_eq!(freshness(&client.json("search_code", json!({}))), "stale", "errors tell it too");
    let answer = client.json("locate_symbol", json!({ "name": "brand_new" }));
    assert_eq!((names(&answer), &*freshness(&answer)), (vec!["brand_new"], "fresh"));
    assert_eq!(freshness(&client.json("index_status", json!({}))), "fresh");
    std::fs::remove_file(sample.root().join("src/new.rs")).unwrap();
    assert_eq!(freshness(&client.json("index_status", json!({}))), "stale");
    assert_eq!(names(&client.json("locate_symbol", json!({ "name": "brand_new" }))).len(), 0);
}

#[test]
fn a_large_answer_is_truncated_and_says_so() {
    let sample = project();
    let body = "    call_something(with_an_argument, and_another);\n".repeat(60);
    for number in 0..60 {
        sample.write(&format!("src/many/m{number}.rs"), &format!("fn crowded() {{\n{body}}}\n"));
    }
    let mut client = indexed(&sample);
    let answer = client.call("search_code", json!({ "query": "crowded", "limit": 60 }));
    let text = answer["result"]["content"][0]["text"].as_str().unwrap();
    assert!((50_000..=65_536).contains(&text.len()), "{}", text.len());
    let answer: Value = serde_json::from_str(text).unwrap();
    assert_eq!(answer["metadata"]["result_completeness"], "truncated");
    assert_eq!(answer["metadata"]["safety_limit_applied"], true);
    let answer = client.json("search_code", json!({ "query": "crowded", "limit": 2 }));
    assert_eq!(answer["metadata"]["result_completeness"], "complete");
}

#[test]
fn an_answer_that_is_behind_says_so() {
    let sample = project_on_disk();
    let mut client = indexed(&sample);
    let lock = sample.hold();
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
    assert_eq!(names(&fresh(&mut client, "another")).len(), 1);
}
