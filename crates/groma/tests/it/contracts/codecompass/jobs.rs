//! Jobs: started at once, listed while they run and afterwards, and never running for ever.

use super::{hold, indexed, masked, names, project, ready, start, until};
use expect_test::expect;
use serde_json::{Value, json};
use std::process::Command;

fn states(status: &Value) -> Vec<String> {
    let jobs = status["recent_jobs"].as_array().unwrap();
    jobs.iter()
        .map(|job| format!("{} {}", job["mode"].as_str().unwrap(), job["status"].as_str().unwrap()))
        .collect()
}

#[test]
fn a_job_is_listed_while_it_runs_and_afterwards() {
    let sample = project();
    let mut client = start(&sample);
    ready(&mut client);
    let lock = hold(&sample);
    let job = client.json("index_repo", json!({}));
    assert_eq!(
        (&job["status"], &job["mode"], &job["file_count"]),
        (&json!("running"), &json!("full"), &Value::Null)
    );
    let status = until(&mut client, |status| status["active_job"]["status"] == "queued");
    expect![[r#"
        {
          "project_id": "[ID]",
          "repo_root": "[ROOT]",
          "index_status": "indexing",
          "schema_status": "not_indexed",
          "current_schema_version": 0,
          "required_schema_version": 1,
          "last_indexed_at": null,
          "ref": "main",
          "file_count": 0,
          "symbol_count": 0,
          "active_job": {
            "job_id": "[ID]",
            "ref": "main",
            "mode": "full",
            "status": "queued",
            "changed_files": null,
            "duration_ms": null,
            "created_at": "[TIME]"
          },
          "recent_jobs": [
            {
              "job_id": "[ID]",
              "ref": "main",
              "mode": "full",
              "status": "queued",
              "changed_files": null,
              "duration_ms": null,
              "created_at": "[TIME]"
            }
          ],
          "metadata": {
            "codecompass_protocol_version": "1.0",
            "freshness_status": "syncing",
            "indexing_status": "indexing",
            "result_completeness": "partial",
            "ref": "main",
            "schema_status": "not_indexed"
          }
        }"#]]
    .assert_eq(&masked(&sample, status));
    drop(lock);
    let status = ready(&mut client);
    let done = &status["recent_jobs"][0];
    assert_eq!((&done["job_id"], &done["status"]), (&job["job_id"], &json!("published")));
    assert_eq!((&done["changed_files"], &status["file_count"]), (&json!(4), &json!(4)));
    assert!(done["duration_ms"].is_u64() && status["last_indexed_at"].is_string(), "{status:#}");
}

#[test]
fn queries_are_answered_while_a_sync_runs() {
    let sample = project();
    let mut client = indexed(&sample);
    let lock = hold(&sample);
    sample.write("tools/report.py", "def another():\n    return 1\n");
    client.json("sync_repo", json!({}));
    let answer = client.json("locate_symbol", json!({ "name": "validate_token" }));
    assert_eq!(names(&answer).len(), 1, "what changed is left out: {answer:#}");
    let metadata = &answer["metadata"];
    assert_eq!(
        (&metadata["freshness_status"], &metadata["result_completeness"]),
        (&json!("syncing"), &json!("partial"))
    );
    let answer = client.json("search_code", json!({ "query": "rate limit" }));
    assert_eq!(answer["results"][0]["name"], "check_rate_limit");
    assert_eq!(answer["metadata"]["freshness_status"], "syncing");
    drop(lock);
    ready(&mut client);
    let answer = client.json("locate_symbol", json!({ "name": "another" }));
    assert_eq!(
        (names(&answer).len(), &answer["metadata"]["freshness_status"]),
        (1, &json!("fresh"))
    );
}

#[test]
fn a_failed_job_has_a_message() {
    let sample = project();
    let mut client = start(&sample);
    ready(&mut client);
    let parts = sample.data().join("segments");
    std::fs::remove_dir(&parts).unwrap();
    std::fs::write(&parts, "in the way").unwrap();
    client.json("index_repo", json!({}));
    let status = ready(&mut client);
    assert_eq!(
        (states(&status), &status["index_status"]),
        (vec!["full failed".into()], &json!("failed"))
    );
    let message = status["recent_jobs"][0]["message"].as_str().unwrap();
    assert!(message.contains("segments"), "{message}");
    let answer = client.json("search_code", json!({ "query": "x" }));
    assert_eq!(
        (&answer["error"]["code"], &answer["metadata"]["indexing_status"]),
        (&json!("index_not_ready"), &json!("failed"))
    );
    assert!(answer["error"]["data"]["details"].as_str().unwrap().contains(message), "{answer:#}");
    std::fs::remove_file(&parts).unwrap();
    std::fs::create_dir(&parts).unwrap();
    client.json("index_repo", json!({}));
    assert_eq!(ready(&mut client)["index_status"], "ready");
}

#[test]
fn two_servers_see_one_job() {
    let sample = project();
    let (mut one, mut other) = (start(&sample), start(&sample));
    ready(&mut one);
    let lock = hold(&sample);
    let job = one.json("index_repo", json!({}))["job_id"].take();
    let status = other.json("index_status", json!({}));
    assert_eq!(status["active_job"]["job_id"], job);
    assert_eq!(status["metadata"]["freshness_status"], "syncing");
    assert_eq!(super::code(&mut other, "index_repo", json!({})), "index_in_progress");
    drop(lock);
    ready(&mut other);
    assert_eq!(names(&other.json("locate_symbol", json!({ "name": "check_rate_limit" }))).len(), 1);
}

#[test]
fn a_job_whose_process_is_killed_is_interrupted_and_restarted() {
    let sample = project();
    let mut client = start(&sample);
    ready(&mut client);
    let lock = hold(&sample);
    let killed = client.json("index_repo", json!({}))["job_id"].take();
    let mut witness = start(&sample);
    assert_eq!(witness.json("index_status", json!({}))["active_job"]["job_id"], killed);
    let process = client.process().to_string();
    assert!(Command::new("kill").args(["-9", &process]).status().unwrap().success());
    assert_eq!(client.hang_up(), None, "it did not end by itself");

    // The job's process is dead, while another process writes the index.
    let status = ready(&mut witness);
    assert_eq!(
        (states(&status), &status["index_status"]),
        (vec!["full interrupted".into()], &json!("indexing"))
    );
    let recommended = "none: the index is being made again; poll index_status";
    assert_eq!(status["interrupted_recovery_report"]["recommended_action"], recommended);
    let answer = witness.json("search_code", json!({ "query": "x" }));
    assert_eq!(
        (&answer["error"]["code"], &answer["error"]["data"]["details"]),
        (&json!("index_not_ready"), &json!("another process is making the index"))
    );
    drop(lock);

    // Then no process does.
    let status = witness.json("index_status", json!({}));
    assert_eq!(status["index_status"], "failed");
    assert_eq!(status["interrupted_recovery_report"]["recommended_action"], "call index_repo");
    let answer = witness.json("search_code", json!({ "query": "x" }));
    assert_eq!(answer["error"]["code"], "index_not_ready");
    let details = answer["error"]["data"]["details"].as_str().unwrap();
    assert!(details.contains("interrupted: its process ended"), "{details}");
    drop(witness);

    // The next server restarts the job.
    let lock = hold(&sample);
    let mut client = start(&sample);
    let status = client.json("index_status", json!({}));
    assert_eq!(states(&status)[1..], ["full interrupted"]);
    assert_eq!(status["active_job"]["job_id"], status["recent_jobs"][0]["job_id"]);
    assert_ne!(status["active_job"]["job_id"], killed);
    expect![[r#"
        {
          "detected": true,
          "interrupted_jobs": 1,
          "last_interrupted_job": "[ID]",
          "recommended_action": "none: the index is being made again; poll index_status"
        }"#]]
    .assert_eq(&masked(&sample, status["interrupted_recovery_report"].clone()));
    drop(lock);
    let status = ready(&mut client);
    assert_eq!(
        (states(&status), &status["index_status"]),
        (vec!["full published".into(), "full interrupted".into()], &json!("ready"))
    );
    assert_eq!(
        status["interrupted_recovery_report"]["recommended_action"],
        "none: a later job was published"
    );
}

#[test]
fn a_job_is_rolled_back_when_its_server_ends() {
    let sample = project();
    let mut client = start(&sample);
    ready(&mut client);
    let lock = hold(&sample);
    client.json("index_repo", json!({}));
    assert_eq!(client.hang_up(), Some(0));
    drop(lock);
    let status = start(&sample).json("index_status", json!({}));
    assert_eq!(states(&status), ["full rolled_back"]);
    assert_eq!(
        (&status["active_job"], &status["index_status"]),
        (&Value::Null, &json!("not_indexed"))
    );
}
