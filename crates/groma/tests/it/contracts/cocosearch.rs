//! CocoSearch through the program: names of indexes among processes, settings, variables and folders.

use crate::client::Client;
use crate::sample::Sample;
use serde_json::{Value, json};
use std::path::Path;

/// A client of a server that was started in a folder, with these variables.
fn client_in(sample: &Sample, folder: &Path, variables: &[(&str, &Path)]) -> Client {
    let mut client = spawn_in(sample, folder, variables);
    let response = client.greet("2025-06-18", json!({}));
    assert_eq!(response["result"]["serverInfo"]["name"], "cocosearch");
    client
}

fn spawn_in(sample: &Sample, folder: &Path, variables: &[(&str, &Path)]) -> Client {
    let mut command = sample.command_in(folder, &["serve-mcp", "--contract", "cocosearch"]);
    command.env_remove("COCOSEARCH_PROJECT_PATH").envs(variables.iter().copied());
    Client::of(command)
}

/// Calls a tool that answers with a list.
fn entries(client: &mut Client, tool: &str, arguments: Value) -> Vec<Value> {
    let response = client.call(tool, arguments);
    let entries = response["result"]["structuredContent"]["result"].as_array();
    entries.unwrap_or_else(|| panic!("{response:#}")).clone()
}

/// Calls a tool that answers with an object.
fn object(client: &mut Client, tool: &str, arguments: Value) -> Value {
    client.call(tool, arguments)["result"]["structuredContent"].take()
}

fn index(client: &mut Client, path: &Path, name: Option<&str>) -> Value {
    object(client, "index_codebase", json!({ "path": path, "index_name": name }))
}

/// The first entry of a search in an index.
fn search(client: &mut Client, index: &str) -> Value {
    let arguments = json!({ "query": "RateLimiter", "limit": 1, "index_name": index });
    entries(client, "search_code", arguments)[0].clone()
}

fn names(client: &mut Client) -> Vec<String> {
    let listed = entries(client, "list_indexes", json!({}));
    listed.iter().map(|one| one["name"].as_str().unwrap().to_string()).collect()
}

#[test]
fn names_of_indexes_are_known_to_every_process() {
    let sample = Sample::indexed();
    let (mut one, mut two) =
        (client_in(&sample, &sample.root(), &[]), client_in(&sample, &sample.root(), &[]));
    // The command line has named it after its folder.
    assert_eq!(names(&mut one), ["sample"]);
    assert_eq!(search(&mut one, "sample")["symbol_name"], "RateLimiter");
    // A name besides it: both work, in both servers.
    index(&mut two, &sample.root(), Some("second"));
    assert_eq!(names(&mut one), ["sample", "second"]);
    assert_eq!(search(&mut one, "sample")["symbol_name"], "RateLimiter");
    assert_eq!(search(&mut one, "second")["symbol_name"], "RateLimiter");
    object(&mut one, "clear_index", json!({ "index_name": "second" }));
    object(&mut one, "clear_index", json!({ "index_name": "sample" }));
    assert_eq!(search(&mut two, "sample")["error"], "Index not found");
    index(&mut two, &sample.root(), Some("third"));
    assert_eq!(search(&mut one, "third")["symbol_name"], "RateLimiter");
    // The index of a folder that is gone can be cleared by a server that never had it open.
    drop((one, two));
    let moved = sample.root().with_file_name("moved");
    std::fs::rename(sample.root(), &moved).unwrap();
    let mut client = client_in(&sample, &moved, &[]);
    assert_eq!(search(&mut client, "third")["error"], "Project folder not found");
    let answer = object(&mut client, "clear_index", json!({ "index_name": "third" }));
    assert_eq!(answer["success"], true, "{answer}");
    assert!(names(&mut client).is_empty());
}

#[test]
fn the_settings_of_cocosearch_name_the_index() {
    let sample = Sample::new();
    let settings = "# ours\nindexName: shop-server\nindexing:\n  chunkSize: 1000\n";
    sample.write("cocosearch.yaml", settings);
    // In a subfolder, the settings file marks the root.
    let mut client = client_in(&sample, &sample.root().join("src"), &[]);
    let missing = entries(&mut client, "search_code", json!({ "query": "JWT" }));
    assert_eq!(missing[0]["suggested_index_name"], "shop-server");
    assert_eq!(missing[0]["detected_path"], json!(sample.root()));
    let answer = index(&mut client, Path::new("."), None);
    assert_eq!(
        (&answer["index_name"], &answer["path"]),
        (&json!("shop-server"), &json!(sample.root()))
    );
    let found = entries(&mut client, "search_code", json!({ "query": "JWT" }));
    assert_eq!(found[0]["index_name"], "shop-server");
}

#[test]
fn the_project_is_found_by_roots_then_variable_then_folder() {
    let sample = Sample::indexed();
    let elsewhere = sample.root().with_file_name("elsewhere");
    std::fs::create_dir(&elsewhere).unwrap();
    let ask = json!({ "query": "RateLimiter", "limit": 1 });
    let mut client = client_in(&sample, &elsewhere, &[]);
    let found = entries(&mut client, "search_code", ask.clone());
    assert_eq!(found[0]["detected_path"], json!(elsewhere));
    let variable = [("COCOSEARCH_PROJECT_PATH", &*sample.root())];
    let mut client = client_in(&sample, &elsewhere, &variable);
    let found = entries(&mut client, "search_code", ask.clone());
    assert_eq!(found[0]["searching"], json!(sample.root()));
    assert_eq!(found.last().unwrap()["type"], "hint");
    let variable = [("COCOSEARCH_PROJECT_PATH", &*elsewhere)];
    let mut client = spawn_in(&sample, &elsewhere, &variable);
    client.greet("2025-06-18", json!({ "roots": {} }));
    let answer = client.call_with_root("search_code", ask, &sample.root().to_string_lossy());
    let found = answer["result"]["structuredContent"]["result"].as_array().unwrap();
    assert_eq!(found[0]["type"], "search_context");
    assert_eq!(found[0]["searching"], json!(sample.root()));
    let types: Vec<&str> = found.iter().filter_map(|entry| entry["type"].as_str()).collect();
    assert_eq!(types, ["search_context"], "a client that names its roots needs no hint");
}

#[test]
fn a_server_started_in_the_home_folder_refuses_to_index_it() {
    let sample = Sample::new();
    let home = sample.root().with_file_name("user");
    std::fs::create_dir(&home).unwrap();
    let mut client = client_in(&sample, &home, &[("HOME", &home)]);
    let found = entries(&mut client, "search_code", json!({ "query": "JWT" }));
    assert_eq!(found[0]["error"], "Index not found");
    let message = format!(
        "No project was found: {} is no project: it would be indexed as a whole; name a project's folder, or start the server with --workspace \
         DIR; name an index with index_name, or index a folder with index_codebase",
        home.display()
    );
    assert_eq!(found[0]["message"], message);
    assert_eq!(
        (&found[0]["detected_path"], &found[0]["suggested_index_name"], &found[0]["results"]),
        (&Value::Null, &Value::Null, &json!([]))
    );
    let answer = index(&mut client, Path::new("."), None);
    assert_eq!(answer["success"], false, "{answer}");
    index(&mut client, &sample.root(), None);
    assert_eq!(search(&mut client, "sample")["symbol_name"], "RateLimiter");
}

#[test]
fn wrong_settings_of_a_project_affect_no_other() {
    let sample = Sample::indexed();
    let other = sample.root().with_file_name("other");
    groma_testkit::write_file(&other.join("main.py"), "def main():\n    pass\n");
    assert!(sample.command_in(&other, &["index"]).output().unwrap().status.success());
    groma_testkit::write_file(&other.join(".groma.toml"), "[index]\nhiden = true\n");
    let mut client = client_in(&sample, &sample.root(), &[]);
    let all = entries(&mut client, "index_stats", json!({}));
    assert_eq!((&all[1]["name"], &all[1]["file_count"]), (&json!("sample"), &json!(4)));
    assert_eq!((&all[0]["name"], &all[0]["success"]), (&json!("other"), &json!(false)));
    assert!(all[0]["error"].as_str().unwrap().contains("hiden"), "{}", all[0]);
    let answer = index(&mut client, Path::new("../other"), None);
    assert_eq!(answer["success"], false);
    let error = answer["error"].as_str().unwrap();
    assert!(error.contains(".groma.toml, line 2: unknown key `hiden`"), "{error}");
}
