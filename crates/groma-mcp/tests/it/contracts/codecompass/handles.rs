//! Handles stay the same.

use super::{indexed, project, ready, start};
use crate::client::Client;
use crate::sample::Sample;
use serde_json::{Value, json};

/// The handles of `check_rate_limit`: by name, and by search.
fn handles(client: &mut Client) -> Vec<Value> {
    let located =
        client.json("locate_symbol", json!({ "name": "check_rate_limit" }))["results"][0].take();
    let found =
        client.json("search_code", json!({ "query": "check_rate_limit" }))["results"][0].take();
    assert_eq!(located["symbol_id"], found["symbol_id"], "one symbol, one handle");
    assert_eq!(located["symbol_stable_id"], found["symbol_stable_id"]);
    let handles = [&located["symbol_id"], &located["symbol_stable_id"], &found["result_id"]];
    for (handle, prefix) in handles.iter().zip(["sym_", "b3:", "snip_"]) {
        let handle = handle.as_str().unwrap();
        assert!(handle.starts_with(prefix) && handle.len() == prefix.len() + 32, "{handle}");
    }
    handles.map(Value::clone).to_vec()
}

#[test]
fn handles_outlive_restarts_and_indexing_again() {
    let sample = project();
    let mut client = indexed(&sample);
    let before = handles(&mut client);
    drop(client);
    let mut client = start(&sample);
    assert_eq!(handles(&mut client), before);
    client.json("index_repo", json!({ "force": true }));
    ready(&mut client);
    assert_eq!(handles(&mut client), before);
}

fn moved(sample: &Sample, from: &str, to: &str, above: &str) {
    let text = std::fs::read_to_string(sample.root().join(from)).unwrap();
    std::fs::remove_file(sample.root().join(from)).unwrap();
    sample.write(to, &format!("{above}{text}"));
}

#[test]
fn a_stable_id_survives_a_move() {
    let sample = project();
    let mut client = indexed(&sample);
    let before = handles(&mut client);
    let file = "src/middleware/rate_limit.rs";
    moved(&sample, file, file, "// A line more.\n");
    let lower = handles(&mut client);
    assert_eq!(lower[1], before[1]);
    assert_ne!(lower[0], before[0], "the row is another");
    moved(&sample, file, "src/net/limits.rs", "");
    let elsewhere = handles(&mut client);
    assert_eq!(elsewhere[1], before[1]);
    assert_ne!(elsewhere[0], lower[0]);
}

#[test]
fn symbols_of_the_same_name_are_all_there() {
    let sample = project();
    for number in 0..3 {
        sample.write(&format!("cmd/tool{number}/main.go"), "package main\n\nfunc main() {}\n");
    }
    let mut client = indexed(&sample);
    let answer = client.json("locate_symbol", json!({ "name": "main", "language": "go" }));
    let results = answer["results"].as_array().unwrap();
    assert_eq!((results.len(), &answer["total_candidates"]), (3, &json!(3)));
    assert!(results.iter().all(|one| one["symbol_stable_id"] == results[0]["symbol_stable_id"]));
    let mut ids: Vec<&str> = results.iter().map(|one| one["symbol_id"].as_str().unwrap()).collect();
    ids.dedup();
    assert_eq!(ids.len(), 3);
}
