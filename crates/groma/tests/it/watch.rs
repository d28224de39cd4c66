//! `groma index --watch`: changes are indexed as they happen, until it is interrupted.

use crate::sample::Sample;
use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// Long enough for a loaded machine; reached only by a test that fails.
const TIMEOUT: Duration = Duration::from_secs(60);

/// A running `groma index --watch`.
struct Watching {
    child: Child,
    data: Receiver<String>,
    words: Receiver<String>,
}

fn lines(stream: impl std::io::Read + Send + 'static) -> Receiver<String> {
    let (sender, lines) = channel();
    std::thread::spawn(move || {
        for line in BufReader::new(stream).lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                return;
            }
        }
    });
    lines
}

impl Watching {
    /// Starts it and waits until it watches.
    fn start(sample: &Sample, arguments: &[&str]) -> Self {
        let watching = Self::spawn(sample, arguments);
        watching.says("watching; Ctrl-C stops");
        watching
    }

    fn spawn(sample: &Sample, arguments: &[&str]) -> Self {
        let mut child = sample
            .command(&[&["index", "--watch"], arguments].concat())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let data = lines(child.stdout.take().unwrap());
        let words = lines(child.stderr.take().unwrap());
        Self { child, data, words }
    }

    /// Waits for a message on standard error.
    fn says(&self, expected: &str) {
        while self.words.recv_timeout(TIMEOUT).expect(expected) != expected {}
    }

    /// The next value it prints.
    fn next(&self) -> Value {
        let line = self.data.recv_timeout(TIMEOUT).expect("a run");
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"))
    }

    /// Sends a signal; the exit code.
    fn end(&mut self, signal: &str) -> Option<i32> {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args([signal, &id]).status().unwrap().success());
        self.child.wait().unwrap().code()
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn runs_are_reported_as_they_happen() {
    let sample = Sample::new();
    let mut watching = Watching::start(&sample, &["--json"]);
    assert_eq!(watching.next()["added"], 4);
    sample.write("src/more.rs", "pub fn more() {}\n");
    let run = watching.next();
    assert_eq!((&run["added"], &run["updated"], &run["files"]), (&1.into(), &0.into(), &5.into()));
    std::fs::remove_file(sample.root().join("src/more.rs")).unwrap();
    assert_eq!(watching.next()["removed"], 1);
    assert_eq!(sample.json(&["status"])["pending"], 0);
    assert_eq!(watching.end("-TERM"), Some(0));
    assert_eq!(sample.json(&["doctor"])["holders"], serde_json::json!([]), "no lock is left");
}

#[test]
fn messages_are_few_and_every_signal_ends_it() {
    for signal in ["-INT", "-TERM", "-HUP"] {
        let sample = Sample::indexed();
        let mut watching = Watching::start(&sample, &[]);
        sample.write("auth/token.py", "def verify_token(token):\n    return True\n");
        let is_run = |line: &String| line.starts_with("0 added, 1 updated, 0 removed in ");
        while !is_run(&watching.data.recv_timeout(TIMEOUT).expect("a run")) {}
        assert_eq!(watching.end(signal), Some(0), "{signal}");
    }
}

#[test]
fn a_second_one_waits_for_the_first_and_takes_over() {
    let sample = Sample::indexed();
    let mut first = Watching::start(&sample, &["--json"]);
    let id = u64::from(first.child.id());
    let holders = sample.json(&["doctor"])["holders"].take();
    assert_eq!(
        (&holders[0]["role"], &holders[0]["process"]),
        (&"background_indexer".into(), &id.into())
    );
    assert!(holders[0]["since"].as_u64().unwrap() > 1_600_000_000, "{holders}");
    let words = sample.run(&["doctor"]).stdout;
    assert!(words.contains(&format!("process {id} watches this project for changes")), "{words}");
    let mut second = Watching::spawn(&sample, &["--json"]);
    second.says("another process watches this project; waiting for it to end");
    // Even if it is killed.
    assert_eq!(first.end("-KILL"), None);
    second.says("watching; Ctrl-C stops");
    second.next();
    sample.write("src/more.rs", "pub fn more() {}\n");
    assert_eq!(second.next()["added"], 1);
    assert_eq!(second.end("-INT"), Some(0));
}

#[test]
fn chunk_files_follow() {
    let sample = Sample::new();
    let watching = Watching::start(&sample, &["--json", "--chunks-dir", ".cortex/chunks"]);
    let chunks = |run: Value| run["chunk_files"]["documentation"].as_u64().unwrap();
    assert_eq!(chunks(watching.next()), 1);
    sample.write("docs/guide.md", "# Guide\n\nHow it is done.\n");
    assert_eq!(chunks(watching.next()), 2);
}

#[test]
fn it_ends_with_the_project() {
    let sample = Sample::indexed();
    let mut watching = Watching::start(&sample, &[]);
    std::fs::remove_dir_all(sample.root()).unwrap();
    watching.says(&format!(
        "error: {} does not exist; give the path of the project's folder",
        sample.root().display()
    ));
    assert_eq!(watching.child.wait().unwrap().code(), Some(3));
}
