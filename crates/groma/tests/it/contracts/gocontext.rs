//! GoContext through the program: locks of other processes, damaged files, settings, and the command line.

use crate::client::Client;
use crate::sample::Sample;
use expect_test::expect;
use serde_json::{Value, json};
use std::fs;
use std::path::PathBuf;
use tempfile::TempDir;

const SHOP: &[(&str, &str)] = &[
    ("go.mod", "module example.com/shop\n\ngo 1.21\n"),
    (
        "internal/auth/service.go",
        "package auth\n\n// AuthenticateUser verifies the credentials of a user.\n\
         func AuthenticateUser(name string) bool {\n\treturn name != \"\"\n}\n",
    ),
    (
        "internal/order/order.go",
        "package order\n\n// Place places an order.\nfunc Place(order int) int {\n\treturn order + 1\n}\n",
    ),
    (
        "internal/order/service_test.go",
        "package order\n\nimport \"testing\"\n\nfunc TestPlaceRefusesTooManyItems(t *testing.T) {\n\
         \tt.Fatal(\"order\")\n}\n",
    ),
    ("README.md", "# Shop\n\nAuthentication of users and their orders.\n"),
    ("web/order.ts", "export function placeOrder() {}\n"),
];

/// A Go project and a data directory of its own.
struct Shop {
    sample: Sample,
    folder: TempDir,
}

impl Shop {
    fn new() -> Self {
        let shop = Self { sample: Sample::new(), folder: TempDir::new().unwrap() };
        SHOP.iter().for_each(|(path, text)| shop.write(path, text));
        shop
    }

    fn indexed() -> (Self, Client) {
        let shop = Self::new();
        let mut client = shop.client();
        client.json("index_codebase", json!({ "path": shop.path() }));
        (shop, client)
    }

    fn client(&self) -> Client {
        Client::start(&self.sample, &["--contract", "gocontext"])
    }

    fn path(&self) -> String {
        self.folder.path().canonicalize().unwrap().to_string_lossy().into_owned()
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// The folder of the sub-index.
    fn index(&self) -> PathBuf {
        self.sample.data().join("scopes/gocontext")
    }

    /// The arguments of a search with this project's path added.
    fn ask(&self, mut arguments: Value) -> Value {
        arguments["path"] = json!(self.path());
        arguments
    }
}

/// The names found, best first.
fn names(answer: &Value) -> Vec<&str> {
    let results = answer["results"].as_array().unwrap();
    results.iter().map(|one| one["symbol"]["name"].as_str().unwrap_or("-")).collect()
}

fn paths(answer: &Value) -> Vec<&str> {
    let results = answer["results"].as_array().unwrap();
    results.iter().map(|one| one["file"]["path"].as_str().unwrap()).collect()
}

#[test]
fn an_index_that_cannot_be_opened_is_an_internal_error() {
    let (shop, client) = Shop::indexed();
    drop(client);
    fs::remove_dir_all(shop.index().join("segments")).unwrap();
    fs::write(shop.index().join("segments"), "in the way").unwrap();
    let mut client = shop.client();
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
fn a_call_that_fails_leaves_nothing_behind() {
    let shop = Shop::new();
    let mut client = shop.client();
    let other = TempDir::new().unwrap();
    fs::write(other.path().join("a.py"), "x = 1\n").unwrap();
    assert_eq!(client.error("index_codebase", json!({ "path": other.path() }))["code"], -32001);
    assert_eq!(client.error("search_code", shop.ask(json!({ "query": "x" })))["code"], -32003);
    assert!(!shop.sample.home().join("projects").exists());
}

#[test]
fn health_reports_that_embeddings_are_off() {
    let shop = Shop::new();
    shop.write(".groma.toml", "[embeddings]\nenabled = false\n");
    let mut client = shop.client();
    let indexed = client.json("index_codebase", json!({ "path": shop.path() }));
    assert_eq!(indexed["statistics"]["embeddings_generated"], 0);
    let status = client.json("get_status", json!({ "path": shop.path() }));
    assert_eq!(
        status["health"],
        json!({ "database_accessible": true, "embeddings_available": false, "fts_indexes_built": true })
    );
    assert_eq!(status["statistics"]["total_embeddings"], 0);
    let answer =
        client.json("search_code", shop.ask(json!({ "query": "order", "search_mode": "vector" })));
    assert!(!names(&answer).is_empty());
    assert!(answer["message"].as_str().unwrap().contains("embeddings are off"), "{answer}");
}

#[test]
fn the_sub_index_is_separate_from_the_project_s_index() {
    let (shop, mut client) = Shop::indexed();
    let root = shop.path();
    // The project's own index is not created by this, and has its own files.
    let listed = shop.sample.run(&["list"]).stdout;
    assert!(listed.contains("indexed for gocontext only"), "{listed}");
    assert_eq!(listed.lines().count(), 1, "{listed}");
    assert_eq!(shop.sample.run(&["index", &root]).code, Some(0));
    let listed = shop.sample.run(&["list", "--json"]).stdout;
    let listed: Value = serde_json::from_str(&listed).unwrap();
    assert_eq!(listed["projects"].as_array().unwrap().len(), 1, "{listed}");
    let own = listed["projects"][0]["files"].as_u64().unwrap();
    assert!(own > 3, "{listed}");
    let status = client.json("get_status", json!({ "path": root }));
    assert_eq!(status["statistics"]["total_files"], 3);
    assert!(status["statistics"]["index_size_mb"].as_f64().unwrap() > 0.0, "{status}");
    let answer = client
        .json("search_code", shop.ask(json!({ "query": "authentication of users", "limit": 100 })));
    assert!(paths(&answer).iter().all(|path| path.ends_with(".go")), "{answer}");
    // Both go together.
    assert_eq!(shop.sample.run(&["clear", &root, "--yes"]).code, Some(0));
    assert!(!shop.index().join("index.db").exists());
    assert_eq!(client.json("get_status", json!({ "path": root }))["indexed"], false);
    assert_eq!(client.error("search_code", shop.ask(json!({ "query": "x" })))["code"], -32003);
    assert!(shop.sample.run(&["list"]).stdout.is_empty());
    // And so does this one alone.
    client.json("index_codebase", json!({ "path": root }));
    assert_eq!(shop.sample.run(&["clear", "--all", "--yes"]).code, Some(0));
    assert_eq!(client.json("get_status", json!({ "path": root }))["indexed"], false);
    assert_eq!(shop.sample.run(&["clear", &root, "--yes"]).code, Some(3));
}

#[test]
fn a_damaged_index_is_rebuilt() {
    let (shop, client) = Shop::indexed();
    drop(client);
    fs::write(shop.index().join("index.db"), "garbage".repeat(1000)).unwrap();
    let mut client = shop.client();
    let answer = client.json("search_code", shop.ask(json!({ "query": "AuthenticateUser" })));
    assert_eq!(names(&answer)[0], "AuthenticateUser");
}

#[test]
fn a_second_run_of_the_same_project_is_rejected_while_the_first_is_running() {
    let shop = Shop::new();
    let code: String = (0..120)
        .map(|n| format!("// Step{n} is a step.\nfunc Step{n}(x int) int {{\n\tif x > {n} {{\n\t\treturn x\n\t}}\n\treturn x + {n}\n}}\n\n"))
        .collect();
    for number in 0..400 {
        shop.write(&format!("pkg/p{number}/p.go"), &format!("package p{number}\n\n{code}"));
    }
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
    loop {
        let message = client.next().unwrap();
        assert!(message.get("id").is_none(), "answered before it told its progress: {message}");
        assert_eq!(message["params"]["progressToken"], "run");
        if message["params"]["message"].as_str().is_some_and(|text| text.starts_with("indexed ")) {
            break;
        }
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
    assert_eq!(answer["statistics"]["files_indexed"], 3);
    let answer = client.answer(first);
    let statistics = &answer["result"]["structuredContent"]["statistics"];
    assert_eq!(statistics["files_indexed"], 403, "{answer}");
}

#[test]
fn the_writer_lock_of_another_process_is_seen() {
    let (shop, mut client) = Shop::indexed();
    let lock = fs::File::options().write(true).open(shop.index().join("writer.lock")).unwrap();
    lock.lock().unwrap();
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
