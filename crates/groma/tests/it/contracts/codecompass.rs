//! CodeCompass through the program: its workspace, and jobs whose process ends.

use crate::client::Client;
use crate::sample::Sample;
use groma_testkit::git_init;
use serde_json::{Value, json};
use std::fs::File;
use std::process::Command;
use std::time::{Duration, Instant};

/// Longer than any of these jobs takes; reached only by a test that fails.
const TIMEOUT: Duration = Duration::from_secs(60);

/// A project in a repository on `main`.
fn project() -> Sample {
    let sample = Sample::new();
    // Registered, as `groma init` does, and not yet indexed.
    sample.write(".groma.toml", "");
    git_init(&sample.root());
    sample
}

/// A client of a server that leaves all changes to the jobs, which are counted here.
fn start(sample: &Sample) -> Client {
    Client::start(sample, &["--contract", "codecompass", "--no-watch"])
}

/// Waits until no job runs; what `index_status` says then.
fn ready(client: &mut Client) -> Value {
    let started = Instant::now();
    loop {
        let status = client.json("index_status", json!({}));
        if status["active_job"].is_null() {
            return status;
        }
        assert!(started.elapsed() < TIMEOUT, "{status:#}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Holds the writer lock of a project, as another process would, until it is dropped.
fn hold(sample: &Sample) -> File {
    let lock = File::options()
        .create(true)
        .truncate(false)
        .write(true)
        .open(sample.data().join("writer.lock"))
        .unwrap();
    lock.lock().unwrap();
    lock
}

fn states(status: &Value) -> Vec<String> {
    let jobs = status["recent_jobs"].as_array().unwrap();
    jobs.iter()
        .map(|job| format!("{} {}", job["mode"].as_str().unwrap(), job["status"].as_str().unwrap()))
        .collect()
}

/// The status that a client in another folder, whose MCP root is the project, is given.
fn status_elsewhere(sample: &Sample, arguments: &[&str]) -> Value {
    let elsewhere = tempfile::tempdir().unwrap();
    let arguments = [&["serve-mcp", "--contract", "codecompass"], arguments].concat();
    let mut client = Client::of(sample.command_in(elsewhere.path(), &arguments));
    client.greet("2025-06-18", json!({ "roots": {} }));
    let root = sample.root().display().to_string();
    let answer = client.call_with_root("index_status", json!({}), &root);
    serde_json::from_str(answer["result"]["content"][0]["text"].as_str().unwrap()).unwrap()
}

#[test]
fn the_workspace_is_the_one_the_server_was_started_for() {
    let (sample, another) = (project(), project());
    let other = another.root().display().to_string();
    assert_eq!(status_elsewhere(&sample, &["--workspace", &other])["repo_root"], other);
    let status = status_elsewhere(&sample, &["--workspace", "no/such/folder"]);
    assert_eq!(
        (&status["error"]["code"], &status["repo_root"]),
        (&json!("project_not_found"), &Value::Null)
    );
    let root = sample.root().display().to_string();
    assert_eq!(status_elsewhere(&sample, &[])["repo_root"], root);
}

/// "Workspace not initialized. Run `codecompass init`." and "`codecompass init`: Register project, create indices, detect
/// VCS mode".
#[test]
fn a_workspace_is_registered_by_init() {
    let sample = Sample::new();
    git_init(&sample.root());
    let mut client = start(&sample);
    for tool in ["index_repo", "index_status"] {
        let answer = client.json(tool, json!({}));
        assert_eq!(answer["error"]["code"], "project_not_found", "{answer:#}");
    }
    let ran = sample.run(&["init"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.stdout.contains("version control  git"), "{ran:?}");
    assert!(ran.stdout.contains("indexed          4 files"), "{ran:?}");
    let found = client.json("locate_symbol", json!({ "name": "RateLimiter" }));
    assert_eq!(found["results"][0]["path"], "src/limit.rs", "{found:#}");
    // Clearing the index does not undo it.
    assert_eq!(sample.run(&["clear", "--yes"]).code, Some(0));
    let answer = client.json("search_code", json!({ "query": "x" }));
    assert_eq!(answer["error"]["code"], "index_not_ready", "{answer:#}");
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
    assert_eq!(
        status["interrupted_recovery_report"],
        json!({
            "detected": true,
            "interrupted_jobs": 1,
            "last_interrupted_job": killed,
            "recommended_action": "none: the index is being made again; poll index_status",
        })
    );
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
