//! Jobs: started at once, counted, and listed while they run and afterwards.

use super::{
    code, fresh, indexed, masked, names, project, project_on_disk, ready, start, start_another,
    until,
};
use expect_test::expect;
use serde_json::{Value, json};

fn states(status: &Value) -> Vec<String> {
    let jobs = status["recent_jobs"].as_array().unwrap();
    jobs.iter()
        .map(|job| format!("{} {}", job["mode"].as_str().unwrap(), job["status"].as_str().unwrap()))
        .collect()
}

#[test]
fn a_sync_reports_the_changed_files() {
    let sample = project();
    let mut client = indexed(&sample);
    sample.write("src/new.rs", "fn brand_new() {}\n");
    std::fs::remove_file(sample.root().join("docs/guide.md")).unwrap();
    let job = client.json("sync_repo", json!({}));
    assert_eq!((&job["mode"], &job["changed_files"]), (&json!("incremental"), &Value::Null));
    let status = ready(&mut client);
    assert_eq!(status["recent_jobs"][0]["changed_files"], 2);
    assert_eq!(states(&status), ["incremental published", "full published"]);
}

#[test]
fn the_last_five_jobs_are_listed_newest_first() {
    let sample = project();
    let mut client = indexed(&sample);
    let mut ids = Vec::new();
    for _ in 0..6 {
        ids.insert(0, client.json("sync_repo", json!({}))["job_id"].take());
        ready(&mut client);
    }
    drop(client);
    let status = start(&sample).json("index_status", json!({}));
    let recent: Vec<&Value> =
        status["recent_jobs"].as_array().unwrap().iter().map(|job| &job["job_id"]).collect();
    assert_eq!(recent, ids[..5].iter().collect::<Vec<_>>());
}

#[test]
fn a_job_is_listed_while_it_runs_and_afterwards() {
    let sample = project_on_disk();
    let mut client = start(&sample);
    ready(&mut client);
    let lock = sample.hold();
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
    let sample = project_on_disk();
    let mut client = indexed(&sample);
    let lock = sample.hold();
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
    assert_eq!(names(&fresh(&mut client, "another")).len(), 1);
}

#[test]
fn a_failed_job_has_a_message() {
    let sample = project_on_disk();
    let mut client = start(&sample);
    ready(&mut client);
    let segments = sample.data().join("segments");
    std::fs::remove_dir(&segments).unwrap();
    std::fs::write(&segments, "in the way").unwrap();
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
    std::fs::remove_file(&segments).unwrap();
    std::fs::create_dir(&segments).unwrap();
    client.json("index_repo", json!({}));
    assert_eq!(ready(&mut client)["index_status"], "ready");
}

#[test]
fn two_servers_see_one_job() {
    let sample = project_on_disk();
    let (mut one, mut other) = (start(&sample), start_another(&sample));
    ready(&mut one);
    let lock = sample.hold();
    let job = one.json("index_repo", json!({}))["job_id"].take();
    let status = other.json("index_status", json!({}));
    assert_eq!(status["active_job"]["job_id"], job);
    assert_eq!(status["metadata"]["freshness_status"], "syncing");
    assert_eq!(code(&mut other, "index_repo", json!({})), "index_in_progress");
    drop(lock);
    ready(&mut other);
    assert_eq!(names(&other.json("locate_symbol", json!({ "name": "check_rate_limit" }))).len(), 1);
}
