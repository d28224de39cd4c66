//! Jobs: counted, and listed afterwards.

use super::{indexed, project, ready, start};
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
