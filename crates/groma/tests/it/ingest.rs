//! `groma ingest` and `groma hook`: discoveries from transcripts, whatever the transcripts contain.

use crate::sample::{Ran, Sample};
use serde_json::{Value, json};
use std::io::Write;
use std::process::{Command, Stdio};

/// A line of Claude Code.
fn claude(kind: &str, content: Value) -> String {
    let line = json!({
        "parentUuid": null, "isSidechain": false, "type": kind, "sessionId": "5e551011",
        "version": "2.1.0", "uuid": "u", "timestamp": "2026-03-01T10:00:00.250Z",
        "message": { "role": kind, "content": content },
    });
    format!("{line}\n")
}

/// A line of Codex.
fn codex(kind: &str, payload: Value) -> String {
    format!(
        "{}\n",
        json!({ "timestamp": "2026-03-02T10:00:00Z", "type": kind, "payload": payload })
    )
}

fn said(role: &str, text: &str) -> Value {
    let kind = if role == "user" { "input_text" } else { "output_text" };
    json!({ "type": "message", "role": role, "content": [{ "type": kind, "text": text }] })
}

/// Type and content of the recorded discoveries, in order.
fn recorded(sample: &Sample) -> Vec<String> {
    let listed = sample.json(&["notebook", "list"]);
    let mut told: Vec<String> = listed["discoveries"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| {
            let content = one["content"].as_str().unwrap();
            format!(
                "{}: {content} ({})",
                one["type"].as_str().unwrap(),
                one["places"][0].as_str().unwrap()
            )
        })
        .collect();
    told.sort();
    told
}

fn ingest(sample: &Sample, file: &str) -> Value {
    sample.json(&["ingest", file])["files"][0].take()
}

/// Runs a command with something on its standard input.
fn fed(sample: &Sample, command: &mut Command, input: &str) -> Ran {
    let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // The program may end before it has read everything.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    sample.ran(child.wait_with_output().unwrap())
}

#[test]
fn transcripts_of_claude_code_are_ingested() {
    let sample = Sample::new();
    let file = sample.root().join("src/limit.rs");
    let lines = [
        "{\"type\":\"file-history-snapshot\",\"snapshot\":{}}\n".to_string(),
        claude("user", json!("Never retry a payment twice.\n<system-reminder>Never tell them of this reminder.</system-reminder>")),
        "{\"type\":\"assistant\",\"message\":{\"content\":[{\"type\":\"te\n".to_string(),
        "not json at all\n".to_string(),
        "[1, 2]\n".to_string(),
        "\n".to_string(),
        claude("assistant", json!([
            { "type": "thinking", "thinking": "We decided to think about it in silence." },
            { "type": "text", "text": "The root cause was a limiter that is shared by all clients.\n\n```rust\n// DECISION: code that is shown is not said\n```" },
            { "type": "tool_use", "name": "Read", "input": { "file_path": file } },
        ])),
        claude("user", json!([{ "type": "tool_result", "content": "DECISION: what tools give back is not said" }])),
        claude("user", json!("Should we always use tabs?")),
        claude("user", json!("<command-name>/clear</command-name>")),
        json!({ "type": "user", "isMeta": true, "message": { "content": "RULE: caveats of programs are not said" } }).to_string(),
    ];
    sample.write("5e551011.jsonl", &lines.concat());
    assert_eq!(
        ingest(&sample, "5e551011.jsonl"),
        json!({
            "file": "5e551011.jsonl", "lines": 11, "malformed": 3, "added": 2, "merged": 0,
            "unchanged": 0, "session": "5e551011", "elsewhere": false,
        })
    );
    assert_eq!(
        recorded(&sample),
        [
            "issue: The root cause was a limiter that is shared by all clients. (transcript 5e551011.jsonl:7)",
            "rule: Never retry a payment twice. (transcript 5e551011.jsonl:2)",
        ]
    );
    let listed = sample.json(&["notebook", "list", "--type", "rule"]);
    assert_eq!(listed["discoveries"][0]["session"], "5e551011");
    assert_eq!(listed["discoveries"][0]["date"], "2026-03-01T10:00:00Z");
    let session = sample.json(&["context", "retry a payment", "--type", "session"]);
    let content = session["results"][0]["content"].as_str().unwrap();
    assert!(
        content.contains("Asked: Never retry a payment twice.; Should we always use tabs?"),
        "{content}"
    );
    assert!(content.contains("Read: src/limit.rs"), "{content}");
}

#[test]
fn transcripts_of_all_versions_of_codex_are_ingested() {
    let sample = Sample::new();
    let lines = [
        codex(
            "session_meta",
            json!({ "id": "0199", "cwd": sample.root(), "cli_version": "0.65.0" }),
        ),
        codex("response_item", said("developer", "RULE: instructions are not said")),
        codex(
            "response_item",
            said("user", "<environment_context>We decided to set this.</environment_context>"),
        ),
        codex("response_item", said("user", "We decided to keep orders in PostgreSQL.")),
        codex(
            "event_msg",
            json!({ "type": "user_message", "message": "We decided to keep orders in PostgreSQL." }),
        ),
        codex(
            "response_item",
            json!({ "type": "function_call", "name": "shell", "arguments": "{}" }),
        ),
        codex(
            "response_item",
            said("assistant", "The bug was a missing index on the order number."),
        ),
        codex("compacted", json!({ "message": "RULE: summaries are not said again" })),
    ];
    sample.write("rollout-new.jsonl", &lines.concat());
    let done = ingest(&sample, "rollout-new.jsonl");
    assert_eq!(
        (&done["added"], &done["malformed"], &done["session"]),
        (&json!(2), &json!(0), &json!("0199"))
    );
    let old = format!(
        "{}\n{}\n{}\n",
        json!({ "id": "0042", "timestamp": "2025-07-01T10:00:00Z", "instructions": null }),
        json!({ "record_type": "state" }),
        said("assistant", "We chose a mutex, the queue is short."),
    );
    sample.write("rollout-old.jsonl", &old);
    assert_eq!(ingest(&sample, "rollout-old.jsonl")["added"], 1);
    assert_eq!(
        recorded(&sample),
        [
            "decision: We chose a mutex, the queue is short. (transcript rollout-old.jsonl:3)",
            "decision: We decided to keep orders in PostgreSQL. (transcript rollout-new.jsonl:4)",
            "issue: The bug was a missing index on the order number. (transcript rollout-new.jsonl:7)",
        ]
    );
}

#[test]
fn notes_are_ingested_from_files_and_standard_input() {
    let sample = Sample::new();
    sample.write("meeting.md", "# Meeting\n\nDate: 2026-02-03\n\n## Decisions\n\n- Orders are kept for a year\n\n## Lunch\n\nWas good.\n");
    assert_eq!(ingest(&sample, "meeting.md")["added"], 1);
    let ran = fed(
        &sample,
        &mut sample.command(&["ingest", "-"]),
        "Ann: hello.\nWe decided to drop the old API in May.\n",
    );
    assert_eq!(
        (ran.code, &*ran.stdout),
        (Some(0), "standard input: 1 added, 0 merged, 0 unchanged\n"),
        "{ran:?}"
    );
    assert_eq!(
        recorded(&sample),
        [
            "decision: Orders are kept for a year (transcript meeting.md:7)",
            "decision: We decided to drop the old API in May. (transcript standard input:1)",
        ]
    );
}

#[test]
fn the_same_file_twice_adds_nothing_and_what_is_appended_is_read() {
    let sample = Sample::new();
    let first = claude("user", json!("Never retry a payment twice."));
    sample.write("s.jsonl", &first);
    assert_eq!(ingest(&sample, "s.jsonl")["added"], 1);
    let again = ingest(&sample, "s.jsonl");
    assert_eq!(
        (&again["lines"], &again["added"], &again["merged"]),
        (&json!(0), &json!(0), &json!(0))
    );
    let id =
        sample.json(&["notebook", "list"])["discoveries"][0]["id"].as_str().unwrap().to_string();
    assert_eq!(sample.run(&["notebook", "forget", &id]).code, Some(0));
    let second = claude("user", json!("Always close the connection."));
    sample.write("s.jsonl", &format!("{first}{second}"));
    assert_eq!(ingest(&sample, "s.jsonl")["lines"], 1);
    assert_eq!(
        recorded(&sample),
        ["rule: Always close the connection. (transcript s.jsonl:2)"],
        "what was forgotten stays forgotten"
    );
    let session = sample.json(&["context", "retry a payment", "--type", "session"]);
    assert!(
        session["results"][0]["content"].as_str().unwrap().contains("payment twice.; Always close")
    );
    sample.write("s.jsonl", &claude("user", json!("Never log a card number.")));
    assert_eq!(ingest(&sample, "s.jsonl")["added"], 1, "a file that was written anew is read anew");
}

#[test]
fn no_secret_reaches_the_disk() {
    let sample = Sample::new();
    let key = ["AKIA", "IOSFODNN7EXAMPLE"].concat();
    let text = format!("From now on we sign with {key}. DB_PASSWORD=hunter2!x is the login.");
    sample.write("s.jsonl", &claude("user", json!(text)));
    assert_eq!(ingest(&sample, "s.jsonl")["added"], 1);
    for entry in std::fs::read_dir(sample.data()).unwrap().flatten() {
        let Ok(bytes) = std::fs::read(entry.path()) else { continue };
        for secret in [&*key, "hunter2!x"] {
            let is_there = bytes.windows(secret.len()).any(|window| window == secret.as_bytes());
            assert!(!is_there, "{secret} in {:?}", entry.path());
        }
    }
    assert!(recorded(&sample)[0].contains("sign with [REDACTED]"));
}

#[test]
fn lines_and_files_may_be_of_any_size() {
    let sample = Sample::new();
    let picture = format!("{{\"type\":\"user\",\"x\":\"{}\"}}\n", "A".repeat(17 << 20));
    let rule = claude("user", json!("Never retry a payment twice."));
    sample.write("s.jsonl", &format!("{rule}{picture}"));
    let done = ingest(&sample, "s.jsonl");
    assert_eq!(
        (&done["lines"], &done["malformed"], &done["added"]),
        (&json!(2), &json!(1), &json!(1))
    );
    let notes = format!(
        "{}\nDECISION: the last line counts, too\n",
        "Nothing is said here.\n\n".repeat(60_000)
    );
    sample.write("long.txt", &notes);
    ingest(&sample, "long.txt");
    assert!(
        recorded(&sample).contains(
            &"decision: the last line counts, too (transcript long.txt:120002)".to_string()
        )
    );
    sample.write("empty.jsonl", "");
    assert_eq!(ingest(&sample, "empty.jsonl")["added"], 0);
}

#[test]
fn a_session_of_another_project_is_skipped() {
    let sample = Sample::new();
    let mut line: Value =
        serde_json::from_str(&claude("user", json!("Never retry a payment twice."))).unwrap();
    line["cwd"] = json!("/somewhere/else");
    sample.write("s.jsonl", &format!("{line}\n"));
    let ran = sample.run(&["ingest", "s.jsonl"]);
    assert_eq!(ran.code, Some(0));
    assert_eq!(
        ran.stdout,
        "s.jsonl: skipped, the session took place in /somewhere/else; --anywhere ingests it\n"
    );
    assert!(recorded(&sample).is_empty());
    let taken = sample.json(&["ingest", "s.jsonl", "--anywhere"]);
    assert_eq!(taken["files"][0]["added"], 1);
}

#[test]
fn a_file_that_cannot_be_read_does_not_stop_the_others() {
    let sample = Sample::new();
    sample.write("s.jsonl", &claude("user", json!("Never retry a payment twice.")));
    let ran = sample.run(&["ingest", "missing.jsonl", "s.jsonl"]);
    assert_eq!(
        (ran.code, &*ran.stdout),
        (Some(3), "s.jsonl: 1 added, 0 merged, 0 unchanged\n"),
        "{ran:?}"
    );
    assert!(ran.stderr.contains("cannot read missing.jsonl"), "{ran:?}");
    assert_eq!(sample.run(&["ingest", "src"]).code, Some(2));
    assert_eq!(sample.run(&["ingest"]).code, Some(2));
}

/// The message of Claude Code at the end of a session.
fn ended(sample: &Sample, record: &str) -> String {
    json!({
        "session_id": "5e551011", "transcript_path": sample.root().join(record),
        "cwd": sample.root().join("src"), "hook_event_name": "SessionEnd", "reason": "exit",
    })
    .to_string()
}

#[test]
fn a_session_is_ingested_when_it_ends() {
    let sample = Sample::new();
    std::fs::create_dir(sample.root().join(".git")).unwrap();
    sample.write("s.jsonl", &claude("user", json!("Never retry a payment twice.")));
    // The working directory does not matter.
    let elsewhere = sample.home();
    let run = |input: &str| fed(&sample, &mut sample.command_in(&elsewhere, &["hook"]), input);
    let ran = run(&ended(&sample, "s.jsonl"));
    assert_eq!((ran.code, &*ran.stdout, &*ran.stderr), (Some(0), "", ""));
    assert_eq!(recorded(&sample), ["rule: Never retry a payment twice. (transcript s.jsonl:1)"]);
    for input in [
        "",
        "{",
        "[]",
        "{}",
        "{\"transcript_path\": 7}",
        &ended(&sample, "missing.jsonl"),
        &ended(&sample, "src"),
    ] {
        let ran = run(input);
        assert_eq!((ran.code, &*ran.stdout), (Some(0), ""), "{input}: {ran:?}");
    }
    assert!(
        run("{").stderr.starts_with("groma notes hook: standard input is not a message of a hook")
    );
    assert!(run(&ended(&sample, "src")).stderr.contains("is not a file"));
}

#[test]
fn the_hook_is_added_once_and_other_settings_are_kept() {
    let sample = Sample::new();
    let settings = sample.home().join("claude/settings.json");
    let install = || {
        let mut command = sample.command(&["hook", "--install"]);
        let output =
            command.env("CLAUDE_CONFIG_DIR", sample.home().join("claude")).output().unwrap();
        sample.ran(output)
    };
    assert_eq!(install().stdout, "the hook was added to [HOME]/claude/settings.json\n");
    let entry = json!({ "hooks": [{ "type": "command", "command": "groma notes hook" }] });
    let read =
        || serde_json::from_str::<Value>(&std::fs::read_to_string(&settings).unwrap()).unwrap();
    assert_eq!(read(), json!({ "hooks": { "SessionEnd": [entry] } }));
    assert_eq!(install().stdout, "the hook is already in [HOME]/claude/settings.json\n");
    let printed = sample.run(&["hook", "--print"]).stdout;
    assert_eq!(serde_json::from_str::<Value>(&printed).unwrap(), read());
    let other = json!({ "hooks": [{ "type": "command", "command": "say bye" }] });
    let own = json!({ "model": "x", "hooks": { "SessionEnd": [other], "Stop": [] }, "env": { "A": "1" } });
    std::fs::write(&settings, own.to_string()).unwrap();
    install();
    let both = json!({ "model": "x", "hooks": { "SessionEnd": [other, entry], "Stop": [] }, "env": { "A": "1" } });
    assert_eq!(read().to_string(), both.to_string(), "with the order of what was there");
    for odd in ["{ // mine\n}", "[]", "{\"hooks\": 7}", "{\"hooks\": {\"SessionEnd\": {}}}"] {
        std::fs::write(&settings, odd).unwrap();
        let ran = install();
        assert_eq!(ran.code, Some(2), "{ran:?}");
        assert!(ran.stderr.contains("is invalid"), "{ran:?}");
        assert_eq!(std::fs::read_to_string(&settings).unwrap(), odd, "it is left alone");
    }
    let here = sample.run(&["hook", "--install", "--here"]);
    assert_eq!(here.stdout, "the hook was added to [ROOT]/.claude/settings.local.json\n");
}
