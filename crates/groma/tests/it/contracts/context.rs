//! The Context Tool contract through the program: a notebook that outlives indexes and processes, and settings.

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
fn a_notebook_outlives_the_index_and_the_process() {
    let sample = sample();
    assert_eq!(sample.run(&["index"]).code, Some(0));
    assert_eq!(sample.run(&["clear", "--yes"]).code, Some(0));
    let mut first = client(&sample);
    let answer = first.json("context_search", json!({ "query": "httpOnly cookies" }));
    assert_eq!(answer["results"][0]["content"], DISCOVERY);
    first.json("grep_codebase", json!({ "pattern": "verify_token" }));
    assert_eq!(first.hang_up(), Some(0));
    // The session ended with its process. The settings turn embeddings off.
    sample.write(".groma.toml", "[embeddings]\nenabled = false\n");
    let mut second = client(&sample);
    let recent = second.request("resources/read", json!({ "uri": "context://sessions/recent" }));
    let text = recent["result"]["contents"][0]["text"].as_str().unwrap();
    assert!(text.contains("Status: completed") && text.contains("- verify_token"), "{text}");
    let answer = second.call("context_search", json!({ "query": "zebra crossing" }));
    let text = answer["result"]["content"][0]["text"].as_str().unwrap();
    assert!(text.contains("embeddings are off"), "{answer}");
}
