//! Every error that can occur.

use super::{code, hold, indexed, masked, project, ready, start};
use crate::client::Client;
use crate::sample::Sample;
use expect_test::expect;
use serde_json::json;
use std::fs;

const ANY: [(&str, &str); 2] = [("locate_symbol", "name"), ("search_code", "query")];

#[test]
fn a_missing_workspace_is_not_a_project() {
    let sample = project();
    let mut client =
        Client::start(&sample, &["--contract", "codecompass", "--workspace", "no/such/folder"]);
    for tool in ["index_repo", "sync_repo", "index_status"] {
        assert_eq!(code(&mut client, tool, json!({})), "project_not_found");
    }
    for (tool, parameter) in ANY {
        assert_eq!(code(&mut client, tool, json!({ parameter: "x" })), "project_not_found");
        assert_eq!(code(&mut client, tool, json!({})), "invalid_input");
    }
    expect![[r#"
        {
          "error": {
            "code": "project_not_found",
            "message": "There is no project at the workspace path: cannot open no/such/folder: No such file or directory (os error 2)",
            "data": {
              "details": "cannot open no/such/folder: No such file or directory (os error 2)",
              "remediation": "Start the server with --workspace DIR, where DIR is an existing folder."
            }
          },
          "metadata": {
            "codecompass_protocol_version": "1.0",
            "freshness_status": "stale",
            "indexing_status": "not_indexed",
            "result_completeness": "partial",
            "ref": "live",
            "schema_status": "not_indexed"
          }
        }"#]].assert_eq(&masked(&sample, client.json("index_status", json!({}))));

    let mut client = indexed(&sample);
    fs::remove_dir_all(sample.root()).unwrap();
    assert_eq!(code(&mut client, "index_status", json!({})), "project_not_found");
    assert_eq!(code(&mut client, "search_code", json!({ "query": "x" })), "project_not_found");
}

#[test]
fn an_index_is_not_ready_during_its_first_job() {
    let sample = project();
    let mut client = start(&sample);
    ready(&mut client);
    let lock = hold(&sample);
    client.json("index_repo", json!({}));
    for (tool, parameter) in ANY {
        let arguments = json!({ parameter: "validate_token" });
        assert_eq!(code(&mut client, tool, arguments.clone()), "index_not_ready");
        let answer = client.json(tool, arguments);
        assert_eq!(answer["metadata"]["indexing_status"], "indexing");
        assert_eq!(answer["metadata"]["freshness_status"], "syncing");
        let remedy = answer["error"]["data"]["remediation"].as_str().unwrap();
        assert!(remedy.contains("Poll index_status"), "{remedy}");
    }
    drop(lock);
    assert_eq!(ready(&mut client)["index_status"], "ready");
    assert_eq!(
        client.json("locate_symbol", json!({ "name": "validate_token" }))["total_candidates"],
        2
    );
}

#[test]
fn a_second_job_is_rejected() {
    let sample = project();
    let mut client = start(&sample);
    ready(&mut client);
    let lock = hold(&sample);
    let job = client.json("index_repo", json!({}))["job_id"].take();
    for tool in ["index_repo", "sync_repo"] {
        assert_eq!(code(&mut client, tool, json!({})), "index_in_progress");
        let details = client.json(tool, json!({}))["error"]["data"]["details"].take();
        assert!(details.as_str().unwrap().contains(job.as_str().unwrap()), "{details}");
    }
    drop(lock);
    ready(&mut client);
    let lock = hold(&sample);
    sample.write("src/new.rs", "fn brand_new() {}\n");
    client.json("sync_repo", json!({}));
    assert_eq!(code(&mut client, "sync_repo", json!({})), "sync_in_progress");
    assert_eq!(code(&mut client, "index_repo", json!({})), "index_in_progress");
    drop(lock);
    ready(&mut client);
}

#[test]
fn an_index_of_another_version_is_incompatible() {
    let sample = project();
    drop(indexed(&sample));
    // Without vectors it would be another index.
    sample.write(".groma.toml", "[embeddings]\nenabled = false\n");
    let mut client = start(&sample);
    for (tool, parameter) in ANY {
        assert_eq!(code(&mut client, tool, json!({ parameter: "x" })), "index_incompatible");
    }
    let status = client.json("index_status", json!({}));
    assert_eq!(status["schema_status"], "reindex_required");
    assert_eq!(status["metadata"]["schema_status"], "reindex_required");
    assert_eq!(
        (&status["current_schema_version"], &status["required_schema_version"]),
        (&json!(0), &json!(1))
    );
    let job = client.json("index_repo", json!({ "force": true }));
    assert_eq!(job["mode"], "full");
    assert_eq!(ready(&mut client)["schema_status"], "compatible");
    assert_eq!(
        client.json("locate_symbol", json!({ "name": "validate_token" }))["total_candidates"],
        2
    );
}

/// Corrupts a path of the manifest.
fn alter(sample: &Sample) {
    let database = sample.data().join("index.db");
    let mut bytes = fs::read(&database).unwrap();
    let path = b"src/auth/jwt.rs";
    let places: Vec<usize> =
        (0..bytes.len() - path.len()).filter(|at| bytes[*at..].starts_with(path)).collect();
    assert!(!places.is_empty());
    places.iter().for_each(|at| bytes[*at] = b'S');
    fs::write(&database, bytes).unwrap();
}

#[test]
fn an_index_that_cannot_be_read_is_incompatible() {
    let sample = project();
    assert_eq!(indexed(&sample).hang_up(), Some(0));
    alter(&sample);
    let mut client = start(&sample);
    for (tool, parameter) in ANY {
        assert_eq!(code(&mut client, tool, json!({ parameter: "x" })), "index_incompatible");
    }
    let status = client.json("index_status", json!({}));
    assert_eq!(status["metadata"]["schema_status"], "corrupt_manifest");
    assert!(status["metadata"]["warnings"][0].as_str().unwrap().contains("manifest is altered"));
    client.json("index_repo", json!({ "force": true }));
    assert_eq!(ready(&mut client)["schema_status"], "compatible");
}

#[test]
fn invalid_settings_are_an_internal_error() {
    let sample = project();
    sample.write(".groma.toml", "this is no setting\n");
    let mut client = start(&sample);
    assert_eq!(code(&mut client, "index_status", json!({})), "internal_error");
    assert_eq!(code(&mut client, "search_code", json!({ "query": "x" })), "internal_error");
    let answer = client.json("index_repo", json!({}));
    assert!(
        answer["error"]["data"]["details"].as_str().unwrap().contains(".groma.toml"),
        "{answer:#}"
    );
}
