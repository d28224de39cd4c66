//! Chunk files: written, read, and those of others.

use super::{FILES, chunks, ids, sample, search};
use crate::client::Client;
use crate::sample::Sample;
use expect_test::expect;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::time::{Duration, UNIX_EPOCH};

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
fn exported_chunks_are_served() {
    let sample = sample();
    let ask = json!({ "query": "how does authentication work", "limit": 100 });
    let from_index = search(&mut Client::start(&sample, &["--contract", "cortex"]), ask.clone());
    sample.run(&["index", "--chunks-dir", ".cortex/chunks"]);
    // The project changes, the files do not: they are what is served.
    fs::remove_dir_all(sample.root().join("internal")).unwrap();
    let mut client = Client::start(&sample, &["--contract", "cortex"]);
    let from_files = search(&mut client, ask);
    let sorted = |answer: &Value| {
        let mut chunks: Vec<String> =
            chunks(answer).iter().map(|chunk| chunk.to_string()).collect();
        chunks.sort();
        chunks
    };
    let served = sorted(&from_files);
    assert!(sorted(&from_index).iter().all(|chunk| served.contains(chunk)), "the same objects");
    assert!(!from_files.to_string().contains("\"embedding\""));
    let best = &from_files["results"][0];
    assert_eq!(best["chunk"]["metadata"]["file_path"], "internal/auth/handler.go");
    let score = best["combined_score"].as_f64().unwrap();
    assert!((0.2..=1.0).contains(&score), "a cosine: {score}");
    // Filters work on them alike.
    let answer = search(
        &mut client,
        json!({ "query": "authentication", "chunk_types": ["documentation"], "tags": ["architecture", "users"], "limit": 1 }),
    );
    assert_eq!(ids(&answer), ["doc-docs-adr-auth-md-s0"]);
}

#[test]
fn the_folder_is_found_in_the_documented_order() {
    let sample = sample();
    let place = |folder: &str, id: &str| {
        let chunk = json!({ "id": id, "text": "token" });
        sample
            .write(&format!("{folder}/code-data.json"), &json!({ "chunks": [chunk] }).to_string());
    };
    let asked = |client: &mut Client| {
        let answer = search(client, json!({ "query": "token", "limit": 1 }));
        ids(&answer)[0].to_string()
    };
    let plain = || Client::start(&sample, &["--contract", "cortex"]);
    assert!(asked(&mut plain()).starts_with("code-"), "from the index");
    place(".cortex/chunks", "default");
    assert_eq!(asked(&mut plain()), "default");
    place("configured", "configured");
    sample.write(".cortex/config.yml", "server:\n  chunks_dir: configured\n");
    assert_eq!(asked(&mut plain()), "configured");
    place("variable", "variable");
    let with_variable = |arguments: &[&str]| {
        let arguments = [&["serve-mcp", "--contract", "cortex"], arguments].concat();
        let mut command = sample.command(&arguments);
        command.env("CORTEX_CHUNKS_DIR", "variable");
        let mut client = Client::of(command);
        client.greet("2025-06-18", json!({}));
        client
    };
    assert_eq!(asked(&mut with_variable(&[])), "variable");
    place("option", "option");
    assert_eq!(asked(&mut with_variable(&["--chunks-dir", "option"])), "option");
}

#[test]
fn chunk_files_of_others_are_served() {
    let sample = sample();
    let vector: Vec<f32> = (0..384).map(|n| (n as f32).sin()).collect();
    let file = json!({
        "_metadata": {
            "model": "BAAI/bge-small-en-v1.5",
            "dimensions": 384,
            "chunk_type": "symbols",
            "generated": "2025-10-16T12:35:00Z",
            "version": "2.0.0",
        },
        "chunks": [
            {
                "id": "code-symbols-internal/auth/handler.go",
                "title": "Symbols: internal/auth/handler.go",
                "text": "Package: auth\n\nFunctions:\n  - RefreshToken() (lines 3-9)",
                "chunk_type": "symbols",
                "embedding": vector,
                "tags": ["code", "go", "symbols"],
                "metadata": { "source": "code", "file_path": "internal/auth/handler.go", "odd": [1, { "x": null }] },
                "created_at": "2025-10-16T12:35:00Z",
                "updated_at": "2025-10-17T12:35:00.123456789+02:00",
            },
            { "id": "other", "title": "", "text": "Package: billing", "chunk_type": "symbols", "tags": ["code"] },
            { "id": "broken", "text": 7 },
        ],
    });
    sample.write("given/code-symbols.json", &file.to_string());
    sample.write("given/generator-output.json", "{ \"file_checksums\": {} }");
    sample.write("given/code-data.json", "{ \"chunks\": null }");
    sample.write("given/doc-chunks.json", "{ half a fi");
    sample.write("given/notes.txt", "no chunks");
    let mut client = Client::start(&sample, &["--contract", "cortex", "--chunks-dir", "given"]);
    let answer = search(&mut client, json!({ "query": "refresh token", "tags": ["go", "code"] }));
    let mut expected = file["chunks"][0].clone();
    expected.as_object_mut().unwrap().remove("embedding");
    assert_eq!(chunks(&answer), [&expected], "as it was written, but for the vector");
    assert_eq!(answer["results"][0]["combined_score"], 1.0, "the best of those found by words");
    assert_eq!(ids(&search(&mut client, json!({ "query": "billing" }))), ["other"]);
    // Errors go to standard error.
    let arguments = ["serve-mcp", "--contract", "cortex", "--chunks-dir", "given"];
    let ran = sample.run(&arguments);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    for told in ["doc-chunks.json", "chunk 2 is left out", "bge-small", "2 chunks loaded from"] {
        assert!(ran.stderr.contains(told), "{told}: {ran:?}");
    }
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
