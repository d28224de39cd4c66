//! Names of indexes, and how the index of a call is found.

use super::{Shop, entries, object, texts};
use crate::client::Client;
use serde_json::{Value, json};
use std::path::Path;

fn names(client: &mut Client) -> Vec<String> {
    let listed = entries(client, "list_indexes", json!({}));
    texts(&listed, "name").into_iter().map(str::to_string).collect()
}

fn search(client: &mut Client, index: &str) -> Vec<Value> {
    let arguments = json!({ "query": "getUserById", "limit": 1, "index_name": index });
    entries(client, "search_code", arguments)
}

fn index(client: &mut Client, path: &Path, name: Option<&str>) -> Value {
    object(client, "index_codebase", json!({ "path": path, "index_name": name }))
}

#[test]
fn the_settings_of_cocosearch_name_the_index() {
    let shop = Shop::new();
    shop.write("cocosearch.yaml", "# ours\nindexName: shop-server\nindexing:\n  chunkSize: 1000\n");
    // In a subfolder, the settings file marks the root.
    let mut client = shop.client_in(&shop.root().join("web"), &[]);
    let missing = entries(&mut client, "search_code", json!({ "query": "JWT" }));
    assert_eq!(missing[0]["suggested_index_name"], "shop-server");
    assert_eq!(missing[0]["detected_path"], json!(shop.root()));
    let answer = index(&mut client, Path::new("."), None);
    assert_eq!(
        (&answer["index_name"], &answer["path"]),
        (&json!("shop-server"), &json!(shop.root()))
    );
    let found = entries(&mut client, "search_code", json!({ "query": "JWT" }));
    assert_eq!(found[0]["index_name"], "shop-server");
}

#[test]
fn projects_indexed_by_the_command_line_are_listed() {
    let shop = Shop::new();
    shop.run(&shop.root(), &["index"]);
    let mut client = shop.client();
    assert_eq!(names(&mut client), ["my-api"]);
    assert_eq!(search(&mut client, "my-api")[0]["symbol_name"], "getUserById");
    // A name besides it: both work.
    index(&mut client, &shop.root(), Some("my-api-server"));
    assert_eq!(names(&mut client), ["my-api", "my-api-server"]);
    assert_eq!(search(&mut client, "my-api")[0]["symbol_name"], "getUserById");
}

#[test]
fn two_servers_see_one_another_s_names() {
    let (shop, mut one) = Shop::indexed();
    let mut two = shop.client();
    assert_eq!(names(&mut two), ["my-api-server"]);
    index(&mut two, &shop.root(), Some("second"));
    assert_eq!(search(&mut one, "second")[0]["symbol_name"], "getUserById");
    object(&mut one, "clear_index", json!({ "index_name": "second" }));
    object(&mut one, "clear_index", json!({ "index_name": "my-api-server" }));
    assert_eq!(search(&mut two, "my-api-server")[0]["error"], "Index not found");
    index(&mut two, &shop.root(), Some("third"));
    assert_eq!(search(&mut one, "third")[0]["symbol_name"], "getUserById");
}

#[test]
fn the_project_is_found_by_variable_before_folder() {
    let (shop, client) = Shop::indexed();
    drop(client);
    let elsewhere = shop.beside("elsewhere");
    std::fs::create_dir(&elsewhere).unwrap();
    let mut client = shop.client_in(&elsewhere, &[("COCOSEARCH_PROJECT_PATH", &shop.root())]);
    let found = entries(&mut client, "search_code", json!({ "query": "getUserById", "limit": 1 }));
    assert_eq!(found[0]["searching"], json!(shop.root()));
    assert_eq!(found.last().unwrap()["type"], "hint");
    let mut client = shop.client_in(&elsewhere, &[]);
    let found = entries(&mut client, "search_code", json!({ "query": "getUserById" }));
    assert_eq!(found[0]["detected_path"], json!(elsewhere));
}

#[test]
fn the_roots_of_the_client_come_before_variable_and_folder() {
    let (shop, client) = Shop::indexed();
    drop(client);
    let elsewhere = shop.beside("elsewhere");
    std::fs::create_dir(&elsewhere).unwrap();
    let mut command =
        shop.sample.command_in(&elsewhere, &["serve-mcp", "--contract", "cocosearch"]);
    command.env("COCOSEARCH_PROJECT_PATH", &elsewhere);
    let mut client = Client::of(command);
    client.greet("2025-06-18", json!({ "roots": {} }));
    let arguments = json!({ "query": "getUserById", "limit": 1 });
    let id = client.post("tools/call", json!({ "name": "search_code", "arguments": arguments }));
    let asked = client.next().unwrap();
    assert_eq!(asked["method"], "roots/list");
    let roots = json!({ "roots": [{ "uri": format!("file://{}", shop.root().display()) }] });
    client.send(&json!({ "jsonrpc": "2.0", "id": asked["id"], "result": roots }).to_string());
    let found = client.answer(id)["result"]["structuredContent"]["result"].clone();
    assert_eq!(found[0]["type"], "search_context");
    assert_eq!(found[0]["searching"], json!(shop.root()));
    let types = texts(found.as_array().unwrap(), "type").join(" ");
    assert_eq!(types, "search_context", "who tells roots needs no hint");
}
