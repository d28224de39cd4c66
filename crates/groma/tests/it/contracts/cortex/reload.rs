//! Chunk files that change while they are served.

use super::{ids, sample, search};
use crate::client::Client;
use crate::sample::Sample;
use serde_json::json;
use std::fs::{self, File};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// How long a reload waits after the last change.
const DEBOUNCE: Duration = Duration::from_millis(500);

/// Reached only by a test that fails.
const TIMEOUT: Duration = Duration::from_secs(60);

fn put(sample: &Sample, id: &str) {
    let chunk = json!({ "id": id, "text": "token" });
    let text = json!({ "chunks": [chunk] }).to_string();
    sample.write("served/code-data.json.tmp", &text);
    let folder = sample.root().join("served");
    fs::rename(folder.join("code-data.json.tmp"), folder.join("code-data.json")).unwrap();
}

fn served(client: &mut Client) -> String {
    ids(&search(client, json!({ "query": "token" })))[0].to_string()
}

/// Waits until a condition holds.
fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    let started = Instant::now();
    while !holds() {
        assert!(started.elapsed() < TIMEOUT, "{what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn wait_for(client: &mut Client, id: &str) {
    wait_until(id, || served(client) == id);
}

fn start(sample: &Sample) -> Client {
    put(sample, "first");
    Client::start(sample, &["--contract", "cortex", "--chunks-dir", "served"])
}

/// The standard error of a server, which gets a line with every reload.
struct Log(PathBuf);

impl Log {
    fn len(&self) -> u64 {
        fs::metadata(&self.0).unwrap().len()
    }

    /// Waits until there is more than that.
    fn wait_beyond(&self, len: u64) {
        wait_until("a reload", || self.len() > len);
    }
}

/// The same, with its log.
fn start_logged(sample: &Sample) -> (Client, Log) {
    put(sample, "first");
    let arguments = ["serve-mcp", "--contract", "cortex", "--chunks-dir", "served"];
    let log = Log(sample.home().join("stderr"));
    let mut client = Client::with_stderr(sample.command(&arguments), File::create(&log.0).unwrap());
    client.greet("2025-06-18", json!({}));
    assert_eq!(served(&mut client), "first");
    (client, log)
}

#[test]
fn changes_are_served_after_the_debounce() {
    let sample = sample();
    let mut client = start(&sample);
    assert_eq!(served(&mut client), "first");
    // While writes are less than the debounce apart, nothing is reloaded. On a slow machine they may be further apart.
    let mut longest_gap = Duration::ZERO;
    let mut last_write = Instant::now();
    put(&sample, "second");
    for number in 0..6 {
        std::thread::sleep(DEBOUNCE / 2);
        let write = Instant::now();
        put(&sample, &format!("{number} of many"));
        longest_gap = longest_gap.max(last_write.elapsed());
        last_write = write;
        let served = served(&mut client);
        longest_gap = longest_gap.max(last_write.elapsed());
        assert!(served == "first" || longest_gap >= DEBOUNCE, "{served} after {longest_gap:?}");
    }
    let written = Instant::now();
    put(&sample, "last");
    wait_for(&mut client, "last");
    assert!(written.elapsed() >= DEBOUNCE, "{:?}", written.elapsed());
    // Later changes are seen, too.
    put(&sample, "again");
    wait_for(&mut client, "again");
}

#[test]
fn a_broken_file_leaves_what_was_served() {
    let sample = sample();
    let (mut client, log) = start_logged(&sample);
    let before = log.len();
    sample.write("served/code-data.json", "{ \"chunks\": [ { \"id\": ");
    log.wait_beyond(before);
    assert_eq!(served(&mut client), "first");
    let before = log.len();
    put(&sample, "mended");
    wait_for(&mut client, "mended");
    log.wait_beyond(before);
    // A removed folder takes nothing away either; one that is created again is served.
    let before = log.len();
    fs::remove_dir_all(sample.root().join("served")).unwrap();
    log.wait_beyond(before);
    assert_eq!(served(&mut client), "mended");
    put(&sample, "back");
    wait_for(&mut client, "back");
    put(&sample, "and on");
    wait_for(&mut client, "and on");
}

#[test]
fn an_index_run_is_picked_up() {
    let sample = sample();
    let mut client = Client::start(&sample, &["--contract", "cortex"]);
    let ask = json!({ "query": "zebra", "chunk_types": ["definitions"], "limit": 1 });
    // Nothing is served from files before there are any.
    search(&mut client, ask.clone());
    sample.run(&["index", "--chunks-dir", ".cortex/chunks"]);
    search(&mut client, ask.clone());
    sample.write("zoo/zebra.go", "package zoo\n\n// Zebra has stripes.\nfunc Zebra() {\n}\n");
    sample.run(&["index", "--chunks-dir", ".cortex/chunks"]);
    let started = Instant::now();
    while ids(&search(&mut client, ask.clone())) != ["code-definitions-zoo-zebra-go"] {
        assert!(started.elapsed() < TIMEOUT);
        std::thread::sleep(Duration::from_millis(50));
    }
}
