//! The state of an index as the surfaces report it, for every possible state.

use crate::client::Client;
use crate::sample::Sample;
use serde_json::{Value, json};
use std::fs::{self, File};

/// A server that does not update the index before a query.
fn start(sample: &Sample, contract: &str) -> Client {
    let mut options = vec!["--contract", contract, "--no-watch"];
    if contract == "native" {
        options.push("--all-tools");
    }
    Client::start(sample, &options)
}

fn native_state(sample: &Sample) -> String {
    let status = start(sample, "native").json("index_status", json!({ "format": "json" }));
    status["state"].as_str().unwrap_or_else(|| panic!("{status:#}")).to_string()
}

fn stats(sample: &Sample) -> Value {
    start(sample, "cocosearch").json("index_stats", json!({ "index_name": "sample" }))
}

fn repo_status(sample: &Sample) -> Value {
    start(sample, "codecompass").json("index_status", json!({}))
}

/// A project whose index has a name.
fn named(sample: &Sample) {
    let path = sample.root().to_string_lossy().into_owned();
    let made = start(sample, "cocosearch").json("index_codebase", json!({ "path": path }));
    assert_eq!(made["success"], true, "{made:#}");
}

#[test]
fn an_index_of_another_version() {
    let sample = Sample::new();
    sample.write(".groma.toml", "[embeddings]\nenabled = false\n");
    named(&sample);
    fs::remove_file(sample.root().join(".groma.toml")).unwrap();
    assert!(native_state(&sample).starts_with("made by another version of the program"));
    let told = stats(&sample);
    assert_eq!((&told["is_stale"], &told["updated_at"]), (&true.into(), &Value::Null), "{told:#}");
    assert!(told["warnings"][0].as_str().unwrap().contains("must be rebuilt"), "{told:#}");
    assert_eq!(repo_status(&sample)["schema_status"], "reindex_required");

    let found = start(&sample, "native").text("search", json!({ "query": "verify_token" }));
    assert!(found.contains("def verify_token"), "{found}");
    assert_eq!(native_state(&sample), "up to date");
    assert_eq!(stats(&sample)["is_stale"], false);
    let told = repo_status(&sample);
    let fields = ["schema_status", "index_status"].map(|field| told[field].clone());
    assert_eq!(fields, ["compatible", "ready"], "{told:#}");
    assert_eq!(told["metadata"]["freshness_status"], "fresh", "{told:#}");
}

#[test]
fn an_index_that_is_outdated_and_being_written() {
    let sample = Sample::new();
    assert_eq!(native_state(&sample), "not indexed; the first query indexes it");
    let hold = || {
        let path = sample.data().join("writer.lock");
        let lock = File::options().create(true).truncate(false).write(true).open(path).unwrap();
        lock.lock().unwrap();
        lock
    };
    let lock = hold();
    assert_eq!(native_state(&sample), "being indexed for the first time");
    let told = repo_status(&sample);
    assert_eq!(told["metadata"]["indexing_status"], "indexing", "{told:#}");
    assert_eq!(told["metadata"]["freshness_status"], "syncing", "{told:#}");
    drop(lock);
    assert_eq!(repo_status(&sample)["metadata"]["indexing_status"], "not_indexed");
    named(&sample);
    assert_eq!(native_state(&sample), "up to date");
    sample.write("src/more.rs", "pub fn more() {}\n");
    assert_eq!(native_state(&sample), "behind; the next query brings it up to date");
    assert_eq!(repo_status(&sample)["metadata"]["freshness_status"], "stale");
    let _lock = hold();
    assert_eq!(native_state(&sample), "behind; being brought up to date");
    let told = repo_status(&sample);
    assert_eq!(told["metadata"]["indexing_status"], "ready", "{told:#}");
    assert_eq!(told["metadata"]["freshness_status"], "syncing", "{told:#}");
}

#[test]
fn an_index_that_cannot_be_read() {
    let sample = Sample::new();
    named(&sample);
    for part in fs::read_dir(sample.data().join("segments")).unwrap() {
        fs::write(part.unwrap().path(), "this was a part").unwrap();
    }
    let answer = start(&sample, "native").call("index_status", json!({}))["result"].take();
    assert_eq!(answer["isError"], true, "{answer:#}");
    assert!(answer["content"][0]["text"].as_str().unwrap().contains("damaged"), "{answer:#}");
    let told = stats(&sample);
    assert_eq!(told["success"], false, "{told:#}");
    assert!(told["error"].as_str().unwrap().contains("damaged"), "{told:#}");
    assert_eq!(repo_status(&sample)["schema_status"], "corrupt_manifest");
    // A query rebuilds it, and says so.
    let found = start(&sample, "native").text("search", json!({ "query": "verify_token" }));
    assert!(found.contains("def verify_token") && found.contains("rebuilt"), "{found}");
    assert_eq!(native_state(&sample), "up to date");
    assert_eq!(repo_status(&sample)["index_status"], "ready");
}
