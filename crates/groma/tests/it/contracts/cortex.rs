//! Cortex through the program: chunk files that are served, and where they are looked for.

use crate::client::Client;
use crate::sample::Sample;
use groma_testkit::{CORTEX_FILES as FILES, Service};
use serde_json::{Value, json};
use std::fs;
use std::time::{Duration, Instant};

/// Reached only by a test that fails.
const TIMEOUT: Duration = Duration::from_secs(60);

/// A project with code, documents and configuration.
fn sample() -> Sample {
    let sample = Sample::new();
    FILES.iter().for_each(|(path, text)| sample.write(path, text));
    sample
}

/// What a search answers.
fn search(client: &mut Client, arguments: Value) -> Value {
    client.json("cortex_search", arguments)
}

fn chunks(answer: &Value) -> Vec<&Value> {
    answer["results"].as_array().unwrap().iter().map(|one| &one["chunk"]).collect()
}

fn ids(answer: &Value) -> Vec<&str> {
    chunks(answer).iter().map(|chunk| chunk["id"].as_str().unwrap()).collect()
}

#[test]
fn exported_chunks_are_served_and_followed() {
    let sample = sample();
    let ask = json!({ "query": "how does authentication work", "limit": 100 });
    let mut client = Client::start(&sample, &["--contract", "cortex"]);
    let from_index = search(&mut client, ask.clone());
    sample.run(&["index", "--chunks-dir", ".cortex/chunks"]);
    // The project changes, the files do not: they are what is served.
    fs::remove_dir_all(sample.root().join("internal")).unwrap();
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
    // The next index run is picked up.
    let ask = json!({ "query": "zebra", "chunk_types": ["definitions"], "limit": 1 });
    sample.write("zoo/zebra.go", "package zoo\n\n// Zebra has stripes.\nfunc Zebra() {\n}\n");
    sample.run(&["index", "--chunks-dir", ".cortex/chunks"]);
    let started = Instant::now();
    while ids(&search(&mut client, ask.clone())) != ["code-definitions-zoo-zebra-go"] {
        assert!(started.elapsed() < TIMEOUT);
        std::thread::sleep(Duration::from_millis(50));
    }
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
fn an_explicit_chunks_folder_must_exist() {
    let sample = sample();
    let serve = |arguments: &[&str]| {
        sample.run(&[&["serve-mcp", "--contract", "cortex"], arguments].concat())
    };
    let ran = serve(&["--chunks-dir", "nowhere"]);
    assert_eq!(ran.code, Some(3), "{ran:?}");
    assert!(ran.stderr.contains("there is no folder of chunk files at"), "{ran:?}");
    assert!(ran.stderr.contains("groma index --chunks-dir"), "{ran:?}");
    sample.write(".cortex/config.yml", "server:\n  chunks_dir: \"built/chunks\"\n");
    let ran = serve(&[]);
    assert_eq!(ran.code, Some(3), "{ran:?}");
    assert!(ran.stderr.contains("built/chunks"), "{ran:?}");
    let mut command = sample.command(&["serve-mcp", "--contract", "cortex"]);
    let ran = sample.ran(command.env("CORTEX_CHUNKS_DIR", "from/env").output().unwrap());
    assert!(ran.stderr.contains("from/env"), "{ran:?}");
    let ran = sample.run(&["serve-mcp", "--chunks-dir", "nowhere"]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(ran.stderr.contains("--contract cortex"), "{ran:?}");
}

/// Cortex's settings of a project.
fn settings(service: &str, dimensions: usize) -> String {
    format!("embedding:\n  endpoint: \"{service}/embed\"\n  dimensions: {dimensions}\n")
}

/// "Load configuration from `.cortex/config.yml`": `embedding.endpoint` and `embedding.dimensions`.
#[test]
fn the_configured_service_embeds_queries_and_chunks_without_a_vector() {
    let (sample, service) = (sample(), Service::start());
    sample.write(".cortex/config.yml", &settings(&service.url(), 16));
    let mut vector = vec![0.0; 16];
    vector[0] = 1.0;
    let file = json!({
        "_metadata": { "model": "house-made", "dimensions": 16, "chunk_type": "data" },
        "chunks": [
            { "id": "with", "text": "lantern", "embedding": vector },
            { "id": "without", "text": "zebra crossing" },
        ],
    });
    sample.write(".cortex/chunks/code-data.json", &file.to_string());
    let mut client = Client::start(&sample, &["--contract", "cortex"]);
    // "Add all chunks to collection"
    let answer = search(&mut client, json!({ "query": "zebra crossing" }));
    assert_eq!(ids(&answer), ["without", "with"], "{answer}");
    assert_eq!(answer["results"][0]["combined_score"], 1.0, "the same text: {answer}");
    let modes: Vec<Value> =
        service.requests().iter().map(|request| request.body["mode"].clone()).collect();
    assert!(modes.contains(&json!("passage")) && modes.contains(&json!("query")), "{modes:?}");
}

/// "Embedding service unreachable: Fail fast with clear error" and "wrong dimensions".
#[test]
fn a_configured_service_that_cannot_be_used_fails_the_start() {
    let sample = sample();
    let serve = || sample.run(&["serve-mcp", "--contract", "cortex"]);
    let service = Service::start();
    let url = service.url();
    sample.write(".cortex/config.yml", &settings(&url, 384));
    let ran = serve();
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(ran.stderr.contains("makes vectors of 16 dimensions, not 384"), "{ran:?}");
    // Chunk files of another model.
    sample.write(".cortex/config.yml", &settings(&url, 16));
    let chunk = json!({ "id": "a", "text": "x", "embedding": vec![1.0; 8] });
    let file = json!({ "_metadata": { "model": "m", "dimensions": 8 }, "chunks": [chunk] });
    sample.write(".cortex/chunks/code-data.json", &file.to_string());
    let ran = serve();
    assert_ne!(ran.code, Some(0), "{ran:?}");
    assert!(ran.stderr.contains("vectors of m with 8 dimensions"), "{ran:?}");
    drop(service);
    let ran = serve();
    assert_eq!(ran.code, Some(3), "{ran:?}");
    assert!(
        ran.stderr.contains("the embedding service at") && ran.stderr.contains("fails"),
        "{ran:?}"
    );
    // Another machine needs the user's consent.
    sample.write(".cortex/config.yml", "embedding:\n  endpoint: \"http://embed.example:8121\"\n");
    let ran = serve();
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(ran.stderr.contains("GROMA_EMBEDDING_HOSTS=embed.example"), "{ran:?}");
}
