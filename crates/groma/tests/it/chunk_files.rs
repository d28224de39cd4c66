//! Chunk files that the command line writes.

use crate::sample::Sample;
use expect_test::expect;
use groma_testkit::CORTEX_FILES as FILES;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::time::{Duration, UNIX_EPOCH};

/// A project with code, documents and configuration.
fn sample() -> Sample {
    let sample = Sample::new();
    FILES.iter().for_each(|(path, text)| sample.write(path, text));
    sample
}

const NAMES: [&str; 5] = [
    "code-data.json",
    "code-definitions.json",
    "code-symbols.json",
    "doc-chunks.json",
    "generator-output.json",
];

fn written(sample: &Sample, name: &str) -> Value {
    let text = fs::read_to_string(sample.root().join(".cortex/chunks").join(name)).unwrap();
    serde_json::from_str(&text).unwrap()
}

fn listed(sample: &Sample) -> Vec<String> {
    let entries = fs::read_dir(sample.root().join(".cortex/chunks")).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn an_index_is_written_as_chunk_files() {
    let sample = sample();
    // Files that were just written are checked twice, which creates another generation.
    let long_ago = UNIX_EPOCH + Duration::from_secs(1_500_000_000);
    for (path, _) in FILES.iter().chain(crate::sample::FILES) {
        let file = fs::File::options().write(true).open(sample.root().join(path)).unwrap();
        file.set_modified(long_ago).unwrap();
    }
    let ran = sample.run(&["index", "--chunks-dir", ".cortex/chunks"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.stdout.contains("chunks written to .cortex/chunks"), "{ran:?}");
    assert_eq!(listed(&sample), NAMES, "nothing half-written is left");
    let mut all = BTreeSet::new();
    let mut count = 0;
    for (name, kind) in [
        ("code-data.json", "data"),
        ("code-definitions.json", "definitions"),
        ("code-symbols.json", "symbols"),
        ("doc-chunks.json", "documentation"),
    ] {
        let file = written(&sample, name);
        assert_eq!(file["_metadata"]["chunk_type"], kind);
        assert_eq!(file["_metadata"]["version"], "2.0.0");
        let dimensions = file["_metadata"]["dimensions"].as_u64().unwrap() as usize;
        assert!(file["_metadata"]["model"].as_str().unwrap().starts_with("groma-static@"));
        for chunk in file["chunks"].as_array().unwrap() {
            assert_eq!(chunk["chunk_type"], kind, "{name}");
            assert_eq!(chunk["embedding"].as_array().unwrap().len(), dimensions, "{name}");
            all.insert(chunk["id"].as_str().unwrap().to_string());
            count += 1;
        }
    }
    assert_eq!(all.len(), count, "no id twice");
    assert!(all.contains("doc-docs-adr-auth-md-s0"), "{all:?}");
    let output = written(&sample, "generator-output.json");
    assert_eq!(output["version"], "2.0.0");
    // What `sha256sum web/errors.ts` prints.
    let checksum = output["file_checksums"]["web/errors.ts"].as_str().unwrap();
    expect!["69fce2d7bb7ebe600d541ef1bf5de13050d5cad0e2145c5cafc08cc93cf3a91e"].assert_eq(checksum);
    assert_eq!(output["stats"]["files"], output["file_checksums"].as_object().unwrap().len());
    // The same index gives the same bytes; a change gives others.
    let bytes =
        || NAMES.map(|name| fs::read(sample.root().join(".cortex/chunks").join(name)).unwrap());
    let before = bytes();
    let ran = sample.run(&["index", "--chunks-dir", ".cortex/chunks", "--json"]);
    assert!(bytes() == before, "the same index");
    let report: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(report["chunk_files"]["outdated"], 0);
    assert_eq!(
        report["chunk_files"]["data"],
        written(&sample, "code-data.json")["chunks"].as_array().unwrap().len()
    );
    sample.write("web/more.ts", "export const more = 1;\n");
    sample.run(&["index", "--chunks-dir", ".cortex/chunks"]);
    assert!(bytes() != before, "another index");
}

#[test]
fn a_folder_that_cannot_be_written_is_an_error() {
    let sample = sample();
    let ran = sample.run(&["index", "--chunks-dir", "README.md"]);
    assert_eq!(ran.code, Some(5), "{ran:?}");
    assert!(ran.stderr.contains("cannot create README.md"), "{ran:?}");
    // One file cannot be written; no temporary file is left.
    sample.write(".cortex/chunks/code-symbols.json/x", "");
    let ran = sample.run(&["index", "--chunks-dir", ".cortex/chunks"]);
    assert_eq!(ran.code, Some(5), "{ran:?}");
    assert!(ran.stderr.contains("code-symbols.json"), "{ran:?}");
    assert!(listed(&sample).iter().all(|name| !name.ends_with(".tmp")), "{:?}", listed(&sample));
    let ran = sample.run(&["index", "--dry-run", "--chunks-dir", "x"]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
}
