//! The CodeCompass contract.

mod errors;
mod examples;
mod handles;
mod jobs;
mod parameters;
mod refs;

use crate::client::Client;
use crate::sample::Sample;
use groma_mcp::contracts::Contract;
use groma_testkit::{git, git_commit, git_init};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// Longer than any of these jobs takes; reached only by a test that fails.
const TIMEOUT: Duration = Duration::from_secs(60);

/// The project of the document's examples.
const FILES: &[(&str, &str)] = &[
    (
        "src/auth/jwt.rs",
        "//! Tokens of users.\n\npub struct Claims {\n    pub user: String,\n}\n\n\
         /// Whether a token was signed with a key.\n\
         pub fn validate_token(token: &str, key: &[u8]) -> Result<Claims> {\n    \
         let (user, signature) = split(token)?;\n    check_signature(user, signature, key)?;\n    \
         Ok(Claims { user: user.to_string() })\n}\n",
    ),
    (
        "src/middleware/rate_limit.rs",
        "//! Limits how many requests a client may send.\n\n\
         pub fn check_rate_limit(req: &Request) -> Result<()> {\n    \
         if req.client.sent > MOST {\n        return Err(Error::TooManyRequests);\n    }\n    Ok(())\n}\n",
    ),
    (
        "tools/report.py",
        "\"\"\"Reports.\"\"\"\n\n\ndef validate_token(token):\n    return token != \"\"\n\n\n\
         class Report:\n    def total(self):\n        return 0\n",
    ),
    ("docs/guide.md", "# Guide\n\n## Limits\n\nHow rate limiting works for clients.\n"),
];

/// The project in a repository on `main`, with a branch that has another file, and a tag of `main`.
fn project() -> Sample {
    committed(Sample::with(FILES))
}

/// The same with its index on disk, whose queries answer at once.
fn project_on_disk() -> Sample {
    let mut sample = committed(Sample::on_disk(FILES));
    sample.host.answers_at_once = true;
    sample
}

fn committed(sample: Sample) -> Sample {
    git_init(&sample.root());
    git(&sample.root(), &["tag", "v1"]);
    git(&sample.root(), &["checkout", "-q", "-b", "feature"]);
    sample.write("src/auth/session.rs", "/// Begins a session.\npub fn open_session() {}\n");
    git_commit(&sample.root());
    git(&sample.root(), &["checkout", "-q", "main"]);
    sample
}

/// A client of a server that leaves all changes to the jobs, which are counted here.
fn start(sample: &Sample) -> Client {
    Client::start(sample, &["--contract", "codecompass", "--no-watch"])
}

/// A client of another server of the same project.
fn start_another(sample: &Sample) -> Client {
    Client::connected(sample.host.another_process(), Contract::CodeCompass)
}

/// A client of the project, indexed.
fn indexed(sample: &Sample) -> Client {
    let mut client = start(sample);
    client.json("index_repo", json!({}));
    ready(&mut client);
    client
}

/// Waits until no job runs; what `index_status` says then.
fn ready(client: &mut Client) -> Value {
    until(client, |status| status["active_job"].is_null())
}

/// Waits for something that `index_status` says.
fn until(client: &mut Client, holds: impl Fn(&Value) -> bool) -> Value {
    until_of(client, json!({}), holds)
}

/// The same of a ref.
fn until_of(client: &mut Client, arguments: Value, holds: impl Fn(&Value) -> bool) -> Value {
    let started = Instant::now();
    loop {
        let status = client.json("index_status", arguments.clone());
        if holds(&status) {
            return status;
        }
        assert!(started.elapsed() < TIMEOUT, "{status:#}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Locates a symbol once the index is up to date.
fn fresh(client: &mut Client, name: &str) -> Value {
    let started = Instant::now();
    loop {
        let answer = client.json("locate_symbol", json!({ "name": name }));
        if answer["metadata"]["freshness_status"] == "fresh" {
            return answer;
        }
        assert!(started.elapsed() < TIMEOUT, "{answer:#}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Calls a tool that must answer with an error of the contract; its code.
fn code(client: &mut Client, tool: &str, arguments: Value) -> String {
    let answer = client.json(tool, arguments);
    let error = &answer["error"];
    assert!(error["message"].is_string(), "{answer:#}");
    assert!(error["data"]["details"].is_string(), "{answer:#}");
    assert!(error["data"]["remediation"].is_string(), "{answer:#}");
    assert_eq!(answer["metadata"]["codecompass_protocol_version"], "1.0", "{answer:#}");
    error["code"].as_str().unwrap().to_string()
}

/// The names of the results, in order.
fn names(answer: &Value) -> Vec<&str> {
    let results = answer["results"].as_array().unwrap_or_else(|| panic!("{answer:#}"));
    results.iter().map(|result| result["name"].as_str().unwrap_or("")).collect()
}

/// The value as text, without what changes from run to run.
fn masked(sample: &Sample, mut value: Value) -> String {
    mask(&mut value);
    let text = serde_json::to_string_pretty(&value).unwrap();
    text.replace(&*sample.root().to_string_lossy(), "[ROOT]")
}

fn mask(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            for (name, field) in fields {
                let hidden = match (name.as_str(), &*field) {
                    ("job_id" | "project_id" | "last_interrupted_job", Value::String(_)) => "[ID]",
                    ("created_at" | "last_indexed_at", Value::String(_)) => "[TIME]",
                    ("duration_ms" | "score", Value::Number(_)) => "[NUMBER]",
                    ("symbol_id", Value::String(_)) => "sym_[HASH]",
                    ("symbol_stable_id", Value::String(_)) => "b3:[HASH]",
                    ("result_id", Value::String(id)) if id.starts_with("file_") => "file_[HASH]",
                    ("result_id", Value::String(_)) => "snip_[HASH]",
                    _ => "",
                };
                match hidden {
                    "" => mask(field),
                    _ => *field = hidden.into(),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(mask),
        _ => {}
    }
}
