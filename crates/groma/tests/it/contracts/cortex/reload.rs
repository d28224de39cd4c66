//! Chunk files that change while they are served.

use super::{ids, sample, search};
use crate::client::Client;
use crate::sample::Sample;
use serde_json::json;
use std::fs;
use std::time::{Duration, Instant};

/// What a reload waits for after the last change.
const QUIET: Duration = Duration::from_millis(500);

/// Long enough for a loaded machine; reached only by a test that fails.
const PATIENCE: Duration = Duration::from_secs(30);

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

/// Waits until another chunk is served; how long that took.
fn wait_for(client: &mut Client, id: &str) -> Duration {
    let started = Instant::now();
    while served(client) != id {
        assert!(started.elapsed() < PATIENCE, "{id} is never served");
        std::thread::sleep(Duration::from_millis(10));
    }
    started.elapsed()
}

fn start(sample: &Sample) -> Client {
    put(sample, "first");
    Client::start(sample, &["--contract", "cortex", "--chunks-dir", "served"])
}

#[test]
fn changes_are_served_once_they_are_quiet() {
    let sample = sample();
    let mut client = start(&sample);
    assert_eq!(served(&mut client), "first");
    // As long as somebody writes, what was loaded stays.
    let mut last = Instant::now();
    put(&sample, "second");
    for number in 0..6 {
        std::thread::sleep(QUIET / 2);
        let is_quiet = last.elapsed() >= QUIET;
        last = Instant::now();
        put(&sample, &format!("{number} of many"));
        if is_quiet {
            // The machine is too slow for this part; the rest holds all the same.
            break;
        }
        assert_eq!(served(&mut client), "first", "{number}");
    }
    put(&sample, "last");
    let took = wait_for(&mut client, "last");
    assert!(took >= QUIET - Duration::from_millis(50), "{took:?}");
    // Once is not enough.
    put(&sample, "again");
    wait_for(&mut client, "again");
}

#[test]
fn a_broken_file_leaves_what_was_served() {
    let sample = sample();
    let mut client = start(&sample);
    sample.write("served/code-data.json", "{ \"chunks\": [ { \"id\": ");
    std::thread::sleep(3 * QUIET);
    assert_eq!(served(&mut client), "first");
    put(&sample, "mended");
    wait_for(&mut client, "mended");
    // Nor does a folder that is gone take anything away; one that comes back is served.
    fs::remove_dir_all(sample.root().join("served")).unwrap();
    std::thread::sleep(3 * QUIET);
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
        assert!(started.elapsed() < PATIENCE);
        std::thread::sleep(Duration::from_millis(50));
    }
}
