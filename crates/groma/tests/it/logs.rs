//! Logs of the servers: on standard error, quiet unless asked for, without secrets and without whole queries.

use crate::client::Client;
use crate::sample::Sample;
use serde_json::{Value, json};
use std::fs::{self, File};

const QUESTION: &str = "where are requests rate limited and who decides that they are";

/// What a server logs that is asked one question and makes one mistake.
fn logged(sample: &Sample, arguments: &[&str]) -> String {
    let path = sample.home().join("stderr");
    let command = sample.command(&[&["serve-mcp"], arguments].concat());
    let mut client = Client::with_stderr(command, File::create(&path).unwrap());
    client.greet("2025-06-18", json!({}));
    client.call("search", json!({ "query": QUESTION }));
    client.call("read", json!({ "places": ["no/such/file.rs"] }));
    assert_eq!(client.hang_up(), Some(0));
    fs::read_to_string(path).unwrap()
}

#[test]
fn nothing_is_logged_of_calls_that_succeed() {
    let text = logged(&Sample::indexed(), &[]);
    assert!(!text.contains("tool called") && !text.contains("tool completed"), "{text}");
    assert!(!text.contains("rate limited"), "{text}");
}

#[test]
fn each_call_is_logged_if_asked_for() {
    let text = logged(&Sample::indexed(), &["--log", "info"]);
    let called = text.lines().find(|line| line.contains("tool called")).unwrap();
    for part in
        ["surface=\"native\"", "tool=\"search\"", "session=\"session-", "where are requests"]
    {
        assert!(called.contains(part), "{part} {called}");
    }
    assert!(!text.contains(QUESTION), "no whole query: {text}");
    let completed = text.lines().find(|line| line.contains("tool completed")).unwrap();
    for part in ["success=true", "milliseconds=", "size="] {
        assert!(completed.contains(part), "{part} {completed}");
    }
    let whole = logged(&Sample::indexed(), &["--log", "trace"]);
    assert!(whole.contains(QUESTION), "{whole}");
}

/// Not only calls: what is opened, indexed and run in the background, too.
#[test]
fn the_work_behind_calls_is_logged() {
    let sample = Sample::new();
    assert_eq!(sample.run(&["init"]).code, Some(0));
    let path = sample.home().join("stderr");
    let command = sample.command(&["serve-mcp", "--contract", "codecompass", "--log", "info"]);
    let mut client = Client::with_stderr(command, File::create(&path).unwrap());
    client.greet("2025-06-18", json!({}));
    let job = client.json("index_repo", json!({}))["job_id"].as_str().unwrap().to_string();
    while !client.json("index_status", json!({}))["active_job"].is_null() {
        std::thread::yield_now();
    }
    assert_eq!(client.hang_up(), Some(0));
    let text = fs::read_to_string(path).unwrap();
    for parts in [
        ["project opened", "root="],
        ["job started", &job],
        ["index run finished", "milliseconds="],
        ["job ended", &job],
    ] {
        let is_it = |line: &str| parts.iter().all(|part| line.contains(part));
        assert!(text.lines().any(is_it), "{parts:?}\n{text}");
    }
}

#[test]
fn lines_are_json_if_asked_for() {
    let text = logged(&Sample::indexed(), &["--log", "info", "--log-json"]);
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let called = lines.iter().find(|line| line["fields"]["message"] == "tool called").unwrap();
    assert_eq!(called["fields"]["tool"], "search");
    assert_eq!(called["level"], "INFO");
}

#[test]
fn a_file_is_written_too() {
    let sample = Sample::indexed();
    let path = sample.home().join("logs/groma.log");
    logged(&sample, &["--log", "info", "--log-file", path.to_str().unwrap()]);
    let files: Vec<_> = fs::read_dir(path.parent().unwrap()).unwrap().flatten().collect();
    assert_eq!(files.len(), 1);
    let text = fs::read_to_string(files[0].path()).unwrap();
    assert!(text.contains("tool called"), "{text}");
    let none = logged(&sample, &["--log-file", "/dev/null/x/groma.log"]);
    assert!(none.contains("the log file cannot be created"), "{none}");
}
