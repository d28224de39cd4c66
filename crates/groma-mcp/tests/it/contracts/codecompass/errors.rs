//! Every error that can occur.

use super::{FILES, code, indexed, masked, project, project_on_disk, ready, start, start_another};
use crate::client::Client;
use crate::sample::Sample;
use expect_test::expect;
use groma_mcp::contracts::Contract;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

const ANY: [(&str, &str); 2] = [("locate_symbol", "name"), ("search_code", "query")];

#[test]
fn invalid_input_names_the_argument_and_what_is_allowed() {
    let sample = project();
    let mut client = indexed(&sample);
    let mut details = |tool: &str, arguments: Value| {
        assert_eq!(code(&mut client, tool, arguments.clone()), "invalid_input");
        let error = client.json(tool, arguments)["error"].take();
        let details = error["data"]["details"].as_str().unwrap().to_string();
        assert!(error["message"].as_str().unwrap().ends_with(&details), "{error}");
        details
    };
    assert_eq!(details("locate_symbol", json!({})), "`name` is required");
    assert_eq!(details("search_code", json!({ "limit": 5 })), "`query` is required");
    assert_eq!(
        details("search_code", json!({ "query": "" })),
        "`query` must be 1 to 10000 characters long"
    );
    assert_eq!(
        details("search_code", json!({ "query": "  " })),
        "`query` is empty; say what to look for"
    );
    assert_eq!(
        details("search_code", json!({ "query": 5 })),
        "`query` must be a string, not a number"
    );
    assert_eq!(
        details("search_code", json!({ "query": "x", "limit": "5" })),
        "`limit` must be a whole number, not a string"
    );
    assert_eq!(
        details("index_repo", json!({ "force": "yes" })),
        "`force` must be true or false, not a string"
    );
    assert_eq!(
        details("search_code", json!({ "query": "x", "language": "klingon" })),
        "`language`: `klingon` is no language this server knows"
    );
    let kinds = details("locate_symbol", json!({ "name": "x", "kind": "gizmo" }));
    assert!(kinds.starts_with("`kind` must be one of fn, method, "), "{kinds}");
    let long = details("locate_symbol", json!({ "name": "x".repeat(1000) }));
    assert_eq!(long, "`name` must be 1 to 500 characters long");
}

#[test]
fn an_unknown_tool_is_a_protocol_error() {
    let sample = project();
    let mut client = start(&sample);
    let error = client.error("clear_index", json!({}));
    assert_eq!(error["code"], -32602);
    assert!(error["message"].as_str().unwrap().contains("locate_symbol"), "{error}");
}

#[test]
fn a_project_that_was_never_indexed_is_not_ready() {
    let sample = project();
    let mut client = start(&sample);
    for (tool, parameter) in ANY {
        assert_eq!(
            code(&mut client, tool, json!({ parameter: "validate_token" })),
            "index_not_ready"
        );
    }
    let answer = client.json("search_code", json!({ "query": "validate_token" }));
    expect![[r#"
        {
          "error": {
            "code": "index_not_ready",
            "message": "There is no index to answer from: nothing is indexed yet",
            "data": {
              "details": "nothing is indexed yet",
              "remediation": "Call index_repo, then poll index_status until it says ready."
            }
          },
          "metadata": {
            "codecompass_protocol_version": "1.0",
            "freshness_status": "stale",
            "indexing_status": "not_indexed",
            "result_completeness": "partial",
            "ref": "main",
            "schema_status": "not_indexed"
          }
        }"#]]
    .assert_eq(&masked(&sample, answer));
    assert_eq!(ready(&mut client)["index_status"], "not_indexed", "asking does not index it");
}

#[test]
fn without_git_there_is_one_ref() {
    let sample = Sample::with(FILES);
    let mut client = indexed(&sample);
    let answer = client.json("locate_symbol", json!({ "name": "validate_token" }));
    assert_eq!(answer["metadata"]["ref"], "live");
    assert_eq!(client.json("index_status", json!({ "ref": "live" }))["index_status"], "ready");
    for (tool, parameter) in ANY {
        assert_eq!(
            code(&mut client, tool, json!({ parameter: "x", "ref": "main" })),
            "ref_not_indexed"
        );
    }
}

#[test]
fn a_missing_workspace_is_not_a_project() {
    let sample = project();
    let host = sample.host.started_in(Path::new("no/such/folder"));
    let mut client = Client::connected(host, Contract::CodeCompass);
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
            "message": "No project is registered for the workspace path: cannot open no/such/folder: No such file or directory (os error 2)",
            "data": {
              "details": "cannot open no/such/folder: No such file or directory (os error 2)",
              "remediation": "Run `codecompass init` (or `groma init`) in the workspace, or start the server with --workspace DIR for one that was initialized."
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
    let sample = project_on_disk();
    let mut client = start(&sample);
    ready(&mut client);
    let lock = sample.hold();
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
    let sample = project_on_disk();
    let mut client = start(&sample);
    ready(&mut client);
    let lock = sample.hold();
    let job = client.json("index_repo", json!({}))["job_id"].take();
    for tool in ["index_repo", "sync_repo"] {
        assert_eq!(code(&mut client, tool, json!({})), "index_in_progress");
        let details = client.json(tool, json!({}))["error"]["data"]["details"].take();
        assert!(details.as_str().unwrap().contains(job.as_str().unwrap()), "{details}");
    }
    drop(lock);
    ready(&mut client);
    let lock = sample.hold();
    sample.write("src/new.rs", "fn brand_new() {}\n");
    client.json("sync_repo", json!({}));
    assert_eq!(code(&mut client, "sync_repo", json!({})), "sync_in_progress");
    assert_eq!(code(&mut client, "index_repo", json!({})), "index_in_progress");
    drop(lock);
    ready(&mut client);
}

#[test]
fn an_index_of_another_version_is_incompatible() {
    let sample = project_on_disk();
    indexed(&sample).hang_up();
    // Without vectors it would be another index.
    let host = sample.host.another_process();
    host.disable_embeddings();
    let mut client = Client::connected(host, Contract::CodeCompass);
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
    let positions: Vec<usize> =
        (0..bytes.len() - path.len()).filter(|at| bytes[*at..].starts_with(path)).collect();
    assert!(!positions.is_empty());
    positions.iter().for_each(|at| bytes[*at] = b'S');
    fs::write(&database, bytes).unwrap();
}

/// "| `project_not_found` | Workspace not initialized. Run `codecompass init`. |"
#[test]
fn a_workspace_that_was_never_initialised_is_not_a_project() {
    let sample = project();
    sample.host.set_unregistered();
    let mut client = start(&sample);
    for (tool, arguments) in [
        ("index_repo", json!({})),
        ("sync_repo", json!({})),
        ("locate_symbol", json!({ "name": "x" })),
        ("search_code", json!({ "query": "x" })),
        ("index_status", json!({})),
    ] {
        let answer = client.json(tool, arguments);
        assert_eq!(answer["error"]["code"], "project_not_found", "{answer:#}");
        let remediation = answer["error"]["data"]["remediation"].as_str().unwrap();
        assert!(remediation.starts_with("Run `codecompass init` (or `groma init`)"), "{answer:#}");
    }
    assert_eq!(sample.host.calls().1, 0, "nothing was opened, which would register it");
}

#[test]
fn an_index_that_cannot_be_read_is_incompatible() {
    let sample = project_on_disk();
    indexed(&sample).hang_up();
    sample.host.close();
    alter(&sample);
    let mut client = start_another(&sample);
    for (tool, parameter) in ANY {
        assert_eq!(code(&mut client, tool, json!({ parameter: "x" })), "index_incompatible");
    }
    let status = client.json("index_status", json!({}));
    assert_eq!(status["metadata"]["schema_status"], "corrupt_manifest");
    assert!(status["metadata"]["warnings"][0].as_str().unwrap().contains("manifest is altered"));
    client.json("index_repo", json!({ "force": true }));
    assert_eq!(ready(&mut client)["schema_status"], "compatible");
}

/// "| `index_incompatible` | Index schema is incompatible (`reindex_required` / `corrupt_manifest`). |"
#[test]
fn an_index_that_is_no_database_is_incompatible_and_keeps_its_jobs() {
    let sample = project_on_disk();
    let mut client = indexed(&sample);
    let jobs = client.json("index_status", json!({}))["recent_jobs"].clone();
    assert_eq!(jobs.as_array().map(Vec::len), Some(1), "{jobs}");
    client.hang_up();
    sample.host.close();
    for ending in ["-wal", "-shm"] {
        let _ = fs::remove_file(sample.data().join(format!("index.db{ending}")));
    }
    fs::write(sample.data().join("index.db"), "garbage".repeat(1000)).unwrap();
    let mut client = start_another(&sample);
    for (tool, parameter) in ANY {
        assert_eq!(code(&mut client, tool, json!({ parameter: "x" })), "index_incompatible");
    }
    let status = client.json("index_status", json!({}));
    assert_eq!(status["schema_status"], "corrupt_manifest", "{status:#}");
    assert_eq!(status["recent_jobs"], jobs, "{status:#}");
    client.json("index_repo", json!({ "force": true }));
    let status = ready(&mut client);
    assert_eq!(status["schema_status"], "compatible", "{status:#}");
    assert_eq!(status["recent_jobs"].as_array().map(Vec::len), Some(2), "{status:#}");
}

#[test]
fn invalid_settings_are_an_internal_error() {
    let sample = project();
    sample.host.break_project(&sample.root(), ".groma.toml, line 1: this is no setting");
    let mut client = start(&sample);
    assert_eq!(code(&mut client, "index_status", json!({})), "internal_error");
    assert_eq!(code(&mut client, "search_code", json!({ "query": "x" })), "internal_error");
    let answer = client.json("index_repo", json!({}));
    assert!(
        answer["error"]["data"]["details"].as_str().unwrap().contains(".groma.toml"),
        "{answer:#}"
    );
}
