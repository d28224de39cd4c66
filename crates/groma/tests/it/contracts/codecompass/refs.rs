//! Branches, tags and commits.

use super::{code, indexed, project, ready, until, until_of};
use crate::client::Client;
use serde_json::{Value, json};

/// Indexes a ref and waits until it is.
fn index(client: &mut Client, reference: &str) -> Value {
    let job = client.json("index_repo", json!({ "ref": reference }));
    assert_eq!(job["status"], "running", "{job:#}");
    let of = json!({ "ref": reference });
    until_of(client, of, |status| status["active_job"].is_null())
}

#[test]
fn a_job_belongs_to_one_ref() {
    let sample = project();
    let mut client = indexed(&sample);
    index(&mut client, "feature");
    sample.write("src/new.rs", "fn new() {}\n");
    let held = super::hold(&sample);
    client.json("sync_repo", json!({}));
    let status = until(&mut client, |status| status["active_job"]["status"] == "queued");
    assert_eq!(status["index_status"], "indexing");
    let other = client.json("index_status", json!({ "ref": "feature" }));
    assert_eq!(
        (&other["index_status"], &other["metadata"]["freshness_status"]),
        (&json!("ready"), &json!("fresh"))
    );
    assert_eq!(other["active_job"]["ref"], "main", "one job at a time, whichever ref");
    assert_eq!(code(&mut client, "index_repo", json!({ "ref": "feature" })), "index_in_progress");
    drop(held);
    ready(&mut client);
}
