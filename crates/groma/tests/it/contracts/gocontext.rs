//! GoContext through the program: its sub-index beside the index of the command line, and settings.

use crate::client::Client;
use crate::sample::Sample;
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
fn the_sub_index_is_separate_from_the_project_s_index() {
    let shop = Shop::new();
    let mut client = shop.client();
    let root = shop.path();
    // A call that fails leaves nothing behind.
    let other = TempDir::new().unwrap();
    fs::write(other.path().join("a.py"), "x = 1\n").unwrap();
    assert_eq!(client.error("index_codebase", json!({ "path": other.path() }))["code"], -32001);
    assert_eq!(client.error("search_code", shop.ask(json!({ "query": "x" })))["code"], -32003);
    assert!(!shop.sample.home().join("projects").exists());
    client.json("index_codebase", json!({ "path": root }));
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
fn a_damaged_sub_index_is_rebuilt_and_settings_apply_to_it() {
    let (shop, client) = Shop::indexed();
    drop(client);
    fs::write(shop.index().join("index.db"), "garbage".repeat(1000)).unwrap();
    let mut client = shop.client();
    let answer = client.json("search_code", shop.ask(json!({ "query": "AuthenticateUser" })));
    assert_eq!(names(&answer)[0], "AuthenticateUser");
    // Settings of the project are those of its sub-index.
    drop(client);
    shop.write(".groma.toml", "[embeddings]\nenabled = false\n");
    let mut client = shop.client();
    let indexed = client.json("index_codebase", json!({ "path": shop.path() }));
    assert_eq!(indexed["statistics"]["embeddings_generated"], 0);
    let status = client.json("get_status", json!({ "path": shop.path() }));
    assert_eq!(status["health"]["embeddings_available"], false);
}
