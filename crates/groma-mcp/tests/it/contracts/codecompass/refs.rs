//! Branches, tags and commits.

use super::{
    code, indexed, masked, names, project, project_on_disk, ready, start, until, until_of,
};
use crate::client::Client;
use crate::sample::Sample;
use expect_test::expect;
use groma_testkit::{git, git_commit};
use serde_json::{Value, json};

const ANY: [(&str, &str); 2] = [("search_code", "query"), ("locate_symbol", "name")];

/// Indexes a ref and waits until it is.
fn index(client: &mut Client, reference: &str) -> Value {
    let job = client.json("index_repo", json!({ "ref": reference }));
    assert_eq!(job["status"], "running", "{job:#}");
    let of = json!({ "ref": reference });
    until_of(client, of, |status| status["active_job"].is_null())
}

#[test]
fn a_ref_is_not_indexed_until_its_job_ends() {
    let sample = project();
    let mut client = indexed(&sample);
    let commit = git(&sample.root(), &["rev-parse", "feature"]);
    for (tool, parameter) in ANY {
        for reference in ["feature", "v1", "nowhere", &*commit, "../main", "refs/heads/none"] {
            let arguments = json!({ parameter: "validate_token", "ref": reference });
            assert_eq!(
                code(&mut client, tool, arguments.clone()),
                "ref_not_indexed",
                "{reference}"
            );
            let metadata = client.json(tool, arguments)["metadata"].take();
            assert_eq!(
                (&metadata["ref"], &metadata["indexing_status"], &metadata["freshness_status"]),
                (&json!(reference), &json!("not_indexed"), &json!("stale"))
            );
        }
    }
    let arguments = json!({ "query": "validate_token", "ref": "feature" });
    expect![[r#"
        {
          "code": "ref_not_indexed",
          "message": "The ref is not indexed: feature was never indexed",
          "data": {
            "details": "feature was never indexed",
            "remediation": "Call index_repo with ref=feature, then poll index_status with ref=feature until it says ready."
          }
        }"#]]
        .assert_eq(&masked(&sample, client.json("search_code", arguments)["error"].take()));
    let arguments = json!({ "query": "validate_token", "ref": "nowhere" });
    expect![[r#"
        {
          "code": "ref_not_indexed",
          "message": "The ref is not indexed: nowhere: no branch, tag or commit of this repository; `git branch -a` and `git tag` list them",
          "data": {
            "details": "nowhere: no branch, tag or commit of this repository; `git branch -a` and `git tag` list them",
            "remediation": "Leave `ref` out to search what is checked out."
          }
        }"#]]
        .assert_eq(&masked(&sample, client.json("search_code", arguments)["error"].take()));
    for tool in ["index_repo", "sync_repo"] {
        assert_eq!(code(&mut client, tool, json!({ "ref": "nowhere" })), "invalid_input");
    }
    expect![[r#"
        {
          "code": "invalid_input",
          "message": "An argument is missing or wrong: `ref` nowhere: no branch, tag or commit of this repository; `git branch -a` and `git tag` list them",
          "data": {
            "details": "`ref` nowhere: no branch, tag or commit of this repository; `git branch -a` and `git tag` list them",
            "remediation": "Name a branch, tag or commit, or leave `ref` out."
          }
        }"#]].assert_eq(&masked(
        &sample,
        client.json("index_repo", json!({ "ref": "nowhere" }))["error"].take(),
    ));
    let status = client.json("index_status", json!({ "ref": "feature" }));
    assert_eq!(
        (&status["index_status"], &status["file_count"]),
        (&json!("not_indexed"), &json!(0))
    );
    assert_eq!(code(&mut client, "index_status", json!({ "ref": "nowhere" })), "ref_not_indexed");
}

#[test]
fn each_ref_has_its_own_answers_and_state() {
    let sample = project();
    let mut client = indexed(&sample);
    let status = index(&mut client, "feature");
    expect![[r#"
        {
          "project_id": "[ID]",
          "repo_root": "[ROOT]",
          "index_status": "ready",
          "schema_status": "compatible",
          "current_schema_version": 1,
          "required_schema_version": 1,
          "last_indexed_at": "[TIME]",
          "ref": "feature",
          "file_count": 5,
          "symbol_count": 10,
          "active_job": null,
          "recent_jobs": [
            {
              "job_id": "[ID]",
              "ref": "feature",
              "mode": "full",
              "status": "published",
              "changed_files": 5,
              "duration_ms": "[NUMBER]",
              "created_at": "[TIME]"
            },
            {
              "job_id": "[ID]",
              "ref": "main",
              "mode": "full",
              "status": "published",
              "changed_files": 4,
              "duration_ms": "[NUMBER]",
              "created_at": "[TIME]"
            }
          ],
          "metadata": {
            "codecompass_protocol_version": "1.0",
            "freshness_status": "fresh",
            "indexing_status": "ready",
            "result_completeness": "complete",
            "ref": "feature",
            "schema_status": "compatible"
          }
        }"#]]
    .assert_eq(&masked(&sample, status));
    let mut found = |tool: &str, parameter: &str, reference: Option<&str>| {
        let answer = client.json(tool, json!({ parameter: "open_session", "ref": reference }));
        assert_eq!(answer["metadata"]["ref"], reference.unwrap_or("main"));
        assert_eq!(answer["metadata"]["freshness_status"], "fresh");
        names(&answer).contains(&"open_session")
    };
    for (tool, parameter) in ANY {
        assert!(found(tool, parameter, Some("feature")));
        assert!(!found(tool, parameter, None) && !found(tool, parameter, Some("live")));
    }
    let arguments = json!({ "name": "open_session", "ref": "feature" });
    expect![[r#"
        {
          "results": [
            {
              "symbol_id": "sym_[HASH]",
              "symbol_stable_id": "b3:[HASH]",
              "path": "src/auth/session.rs",
              "line_start": 2,
              "line_end": 2,
              "kind": "fn",
              "name": "open_session",
              "qualified_name": "auth::session::open_session",
              "signature": "pub fn open_session()",
              "language": "rust",
              "score": "[NUMBER]"
            }
          ],
          "total_candidates": 1,
          "metadata": {
            "codecompass_protocol_version": "1.0",
            "freshness_status": "fresh",
            "indexing_status": "ready",
            "result_completeness": "complete",
            "ref": "feature",
            "schema_status": "compatible"
          }
        }"#]]
    .assert_eq(&masked(&sample, client.json("locate_symbol", arguments)));
    let next = client.json("search_code", json!({ "query": "open_session", "ref": "feature" }));
    assert_eq!(next["suggested_next_actions"][0]["ref"], "feature", "{next:#}");
    let of_main = client.json("index_status", json!({}));
    assert_eq!((&of_main["file_count"], &of_main["ref"]), (&json!(4), &json!("main")));
}

#[test]
fn a_ref_that_moved_is_stale_until_the_next_query() {
    let sample = project();
    let mut client = indexed(&sample);
    index(&mut client, "feature");
    let freshness = |client: &mut Client, reference: &str| {
        let status = client.json("index_status", json!({ "ref": reference }));
        status["metadata"]["freshness_status"].as_str().unwrap().to_string()
    };
    assert_eq!(freshness(&mut client, "feature"), "fresh");
    let root = sample.root();
    git(&root, &["checkout", "-q", "feature"]);
    sample.write("src/auth/session.rs", "pub fn close_session() {}\n");
    git_commit(&root);
    git(&root, &["checkout", "-q", "main"]);
    assert_eq!(freshness(&mut client, "feature"), "stale");
    let arguments = json!({ "name": "close_session", "ref": "feature" });
    assert_eq!(names(&client.json("locate_symbol", arguments)), ["close_session"]);
    assert_eq!(freshness(&mut client, "feature"), "fresh");
    let job = client.json("sync_repo", json!({ "ref": "feature" }));
    assert_eq!(job["mode"], "incremental");
    let status = ready(&mut client);
    assert_eq!(status["recent_jobs"][0]["changed_files"], 0, "{status:#}");
}

#[test]
fn a_commit_that_cannot_be_read_is_an_error_with_a_reason() {
    let sample = Sample::with(&[("a.rs", "fn a() {}\n")]);
    sample.write(".git/HEAD", "ref: refs/heads/main\n");
    sample.write(".git/refs/heads/main", "1111111111111111111111111111111111111111");
    sample.write(".git/refs/heads/other", "2222222222222222222222222222222222222222");
    let mut client = start(&sample);
    client.json("index_repo", json!({}));
    ready(&mut client);
    assert_eq!(names(&client.json("locate_symbol", json!({ "name": "a" }))), ["a"]);
    assert_eq!(code(&mut client, "index_repo", json!({ "ref": "other" })), "invalid_input");
    let arguments = json!({ "name": "a", "ref": "other" });
    assert_eq!(code(&mut client, "locate_symbol", arguments), "ref_not_indexed");
}

#[test]
fn a_job_belongs_to_one_ref() {
    let sample = project_on_disk();
    let mut client = indexed(&sample);
    index(&mut client, "feature");
    sample.write("src/new.rs", "fn new() {}\n");
    let held = sample.hold();
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
