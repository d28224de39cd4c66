//! Indexes that another run or another process writes, or that cannot be opened.

use super::{Shop, names};
use crate::sample::hold;
use expect_test::expect;
use groma_testkit::Gate;
use serde_json::{Value, json};
use std::fs;
use std::time::Duration;

#[test]
fn an_index_that_cannot_be_opened_is_an_internal_error() {
    let (shop, client) = Shop::on_disk().index();
    client.hang_up();
    fs::remove_dir_all(shop.sub_index().join("segments")).unwrap();
    fs::write(shop.sub_index().join("segments"), "in the way").unwrap();
    let mut client = shop.another_client();
    for (tool, arguments) in [
        ("search_code", shop.ask(json!({ "query": "x" }))),
        ("get_status", json!({ "path": shop.path() })),
        ("index_codebase", json!({ "path": shop.path() })),
    ] {
        let error = client.error(tool, arguments);
        assert_eq!(error["code"], -32603, "{tool}: {error}");
        assert_eq!(error["message"], "Internal error", "{tool}: {error}");
        assert!(error["data"]["reason"].as_str().is_some_and(|text| text.len() > 10), "{error}");
    }
    assert!(client.request("ping", json!({}))["result"].is_object());
}

#[test]
fn a_second_run_of_the_same_project_is_rejected_while_the_first_is_running() {
    let shop = Shop::on_disk();
    let gate = Gate::shut_for("zebra");
    shop.sample.host.set_embedder(gate.clone());
    shop.write("zoo/zebra.go", "package zoo\n\n// Zebra is a zebra.\nfunc Zebra() {\n}\n");
    let small = Shop::new();
    let mut client = shop.client();
    let first = client.post(
        "tools/call",
        json!({
            "name": "index_codebase",
            "arguments": { "path": shop.path() },
            "_meta": { "progressToken": "run" },
        }),
    );
    while gate.arrived() == 0 {
        std::thread::sleep(Duration::from_millis(1));
    }
    let refused = client.error("index_codebase", json!({ "path": shop.path() }));
    expect![[r#"
        {
          "code": -32002,
          "message": "Indexing in progress",
          "data": {
            "param": "path",
            "reason": "Another indexing operation is already running for this project. Call index_codebase again when it is done."
          }
        }"#]]
    .assert_eq(&serde_json::to_string_pretty(&refused).unwrap());
    // Another project is not held up.
    let answer = client.json("index_codebase", json!({ "path": small.path() }));
    assert!(answer["statistics"]["files_indexed"].as_u64().unwrap() > 0, "{answer}");
    gate.set_shut(false);
    let answer = client.answer(first);
    let statistics = &answer["result"]["structuredContent"]["statistics"];
    assert_eq!(statistics["files_indexed"], 6, "{answer}");
    let progress: Vec<&Value> =
        client.notifications.iter().map(|message| &message["params"]["progressToken"]).collect();
    assert!(!progress.is_empty() && progress.iter().all(|token| *token == "run"), "{progress:?}");
}

#[test]
fn the_writer_lock_of_another_process_is_seen() {
    let (shop, mut client) = Shop::on_disk().index();
    let lock = hold(&shop.sub_index());
    shop.write("late.go", "package late\n");
    for force in [false, true] {
        let ask = json!({ "path": shop.path(), "force_reindex": force, "include_tests": false });
        assert_eq!(client.error("index_codebase", ask)["code"], -32002);
    }
    // The options of a rejected run are not saved: tests are still searched.
    drop(lock);
    let ask = shop.ask(json!({ "query": "TestPlaceRefusesTooManyItems" }));
    assert_eq!(names(&client.json("search_code", ask))[0], "TestPlaceRefusesTooManyItems");
}
