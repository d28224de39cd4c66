//! Every error of the document.

use super::{sample, search, start};
use serde_json::json;
use std::fs;

#[test]
fn a_search_that_fails_is_an_internal_error() {
    let sample = sample();
    search(&mut start(&sample), json!({ "query": "x" }));
    fs::remove_dir_all(sample.data().join("segments")).unwrap();
    fs::write(sample.data().join("segments"), "in the way").unwrap();
    let mut client = start(&sample);
    let error = client.error("cortex_search", json!({ "query": "x" }));
    assert_eq!(error["code"], -32603, "{error}");
    assert!(error["message"].as_str().unwrap().starts_with("search failed: "), "{error}");
    assert!(client.request("ping", json!({}))["result"].is_object());
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
