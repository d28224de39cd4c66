//! Files that crash a grammar: each costs itself, and no more than once.
//!
//! The three texts are reproducers of scanner bugs: see docs/scanner-bugs.md.

use crate::client::Client;
use crate::sample::Sample;
use serde_json::{Value, json};

/// Texts that abort a process in which their grammar reads them.
fn crashing_files() -> [(&'static str, String); 3] {
    [
        ("deep.yaml", format!("{}marker_in_yaml\n", "- ".repeat(256))),
        ("deep.pl", format!("# marker_in_perl\n{}", "\"@{[".repeat(90))),
        ("deep.kt", format!("// marker_in_kotlin\nval a = {}", "\"${".repeat(520))),
    ]
}

/// A project with files that crash and one that does not.
fn sample() -> Sample {
    let sample = Sample::with(&[("sound.py", "def sound_function():\n    return 1\n")]);
    for (path, text) in crashing_files() {
        sample.write(path, &text);
    }
    sample
}

/// The files that could not be parsed, with their status.
fn failures(sample: &Sample) -> Vec<(String, String)> {
    let ran = sample.run(&["stats", "--failures", "--json"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let stats: Value = serde_json::from_str(&ran.stdout).unwrap();
    let text = |value: &Value| value.as_str().unwrap().to_string();
    let failures = stats["failures"].as_array().unwrap();
    failures.iter().map(|one| (text(&one["path"]), text(&one["status"]))).collect()
}

#[test]
fn a_crash_costs_one_file_and_is_reported() {
    let sample = sample();
    let ran = sample.run(&["index", "--json"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let crashed = ["deep.kt", "deep.pl", "deep.yaml"]
        .map(|path| (path.to_string(), "crashed".to_string()))
        .to_vec();
    assert_eq!(failures(&sample), crashed);
    for (query, path) in [("sound_function", "sound.py"), ("marker_in_perl", "deep.pl")] {
        let found = sample.run(&["search", query]);
        assert!(found.code == Some(0) && found.stdout.contains(path), "{query}: {found:?}");
    }
    let outline = sample.run(&["outline", "deep.kt"]);
    assert!(outline.code.is_some_and(|code| code < 3), "{outline:?}");
    let again: Value = serde_json::from_str(&sample.run(&["index", "--json"]).stdout).unwrap();
    assert_eq!(again["parsed"], 0, "a crash is remembered: {again}");
    sample.write("deep.kt", "fun mended() {}\n");
    sample.run(&["index"]);
    assert_eq!(failures(&sample).len(), 2, "another content is another attempt");
}

#[test]
fn a_server_survives_files_that_crash() {
    let sample = sample();
    let mut client = Client::start(&sample, &[]);
    let process = client.process();
    for (query, path) in [("sound_function", "sound.py"), ("marker_in_yaml", "deep.yaml")] {
        let answer = client.text("search", json!({ "query": query }));
        assert!(answer.contains(path), "{answer}");
    }
    sample.write("later.yml", &crashing_files()[0].1);
    sample.write("later.py", "def written_later():\n    pass\n");
    let answer = client.text("search", json!({ "query": "written_later" }));
    assert!(answer.contains("later.py"), "{answer}");
    assert_eq!(client.process(), process);
    assert_eq!(client.hang_up(), Some(0));
}

#[cfg(target_os = "linux")]
#[test]
fn workers_are_confined_and_doctor_says_so() {
    let ran = sample().run(&["doctor"]);
    let line = ran.stdout.lines().find(|line| line.contains("parser workers")).unwrap();
    assert!(
        line.starts_with("ok") && line.contains("seccomp") && line.contains("memory"),
        "{line}"
    );
}
