//! The Context Tool contract through the program: settings, and discoveries that outlive an index.

use crate::client::Client;
use crate::sample::Sample;
use serde_json::json;

const DISCOVERY: &str = "Use JWT tokens stored in httpOnly cookies for auth";

/// A project with a discovery.
fn sample() -> Sample {
    let sample = Sample::new();
    let ran = sample.run(&["remember", DISCOVERY, "--type", "pattern", "--module", "auth"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    sample
}

fn client(sample: &Sample) -> Client {
    Client::start(sample, &["--contract", "context"])
}

#[test]
fn discoveries_survive_clearing_the_index() {
    let sample = sample();
    assert_eq!(sample.run(&["index"]).code, Some(0));
    assert_eq!(sample.run(&["clear", "--yes"]).code, Some(0));
    let answer = client(&sample).json("context_search", json!({ "query": "httpOnly cookies" }));
    assert_eq!(answer["results"][0]["content"], DISCOVERY);
}

#[test]
fn settings_turn_embeddings_off() {
    let sample = sample();
    sample.write(".groma.toml", "[embeddings]\nenabled = false\n");
    let answer = client(&sample).call("context_search", json!({ "query": "zebra crossing" }));
    let text = answer["result"]["content"][0]["text"].as_str().unwrap();
    assert!(text.contains("embeddings are off"), "{answer}");
}

#[test]
fn sessions_end_with_their_process() {
    let sample = sample();
    let mut first = client(&sample);
    first.json("grep_codebase", json!({ "pattern": "verify_token" }));
    assert_eq!(first.hang_up(), Some(0));
    let recent =
        client(&sample).request("resources/read", json!({ "uri": "context://sessions/recent" }));
    let text = recent["result"]["contents"][0]["text"].as_str().unwrap();
    assert!(text.contains("Status: completed") && text.contains("- verify_token"), "{text}");
}
