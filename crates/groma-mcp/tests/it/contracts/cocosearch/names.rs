//! Names of indexes, and how the index of a call is found.

use super::{Shop, entries, object, texts, write};
use crate::client::Client;
use expect_test::expect;
use groma_engine::Cancel;
use groma_mcp::Host;
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
fn a_name_is_derived_from_the_folder() {
    let shop = Shop::new();
    let mut client = shop.client();
    assert_eq!(index(&mut client, &shop.root(), None)["index_name"], "my-api");
    assert_eq!(index(&mut client, &shop.root(), Some("  "))["index_name"], "my-api");
    for name in ["my-api", "my_api", "My-API"] {
        assert_eq!(search(&mut client, name)[0]["symbol_name"], "getUserById", "{name}");
    }
    assert_eq!(names(&mut client), ["my-api"]);
}

#[test]
fn clearing_one_of_two_names_deletes_the_data() {
    // "Permanently deletes all indexed data", by whichever name.
    let (shop, mut client) = Shop::indexed();
    index(&mut client, &shop.root(), Some("second"));
    assert_eq!(names(&mut client), ["my-api-server", "second"]);
    let cleared = object(&mut client, "clear_index", json!({ "index_name": "My_API_server" }));
    let message = "Index 'My_API_server' cleared successfully, also known as 'second'";
    assert_eq!(cleared["message"], message);
    assert!(names(&mut client).is_empty());
    for name in ["my-api-server", "second"] {
        assert_eq!(search(&mut client, name)[0]["error"], "Index not found");
    }
    let answer = index(&mut client, &shop.root(), Some("second"));
    assert_eq!(answer["stats"]["files_added"], 5, "everything had to");
}

#[test]
fn two_projects_that_derive_one_name_collide() {
    let shop = Shop::new();
    let (one, two) = (shop.beside("one/app"), shop.beside("two/app"));
    write(&one.join("a.py"), "def first_thing():\n    pass\n");
    write(&two.join("b.py"), "def second_thing():\n    pass\n");
    let mut client = shop.client_in(&two);
    index(&mut client, &one, None);
    let found = entries(&mut client, "search_code", json!({ "query": "second_thing" }));
    expect![[r#"
        [
          {
            "error": "Index name collision",
            "message": "The project at [BASE]/two/app is not indexed, and the name it would get, 'app', is that of [BASE]/one/app. Index it under another: index_codebase(path='[BASE]/two/app', index_name='...'), or with an indexName in its cocosearch.yaml",
            "results": []
          }
        ]"#]].assert_eq(&shop.shown(&json!(found)));
    let answer = index(&mut client, &two, None);
    expect![[r#"
        {
          "success": false,
          "error": "Failed to index codebase: Index name collision: 'app' is already the index of [BASE]/one/app. Choose another index_name, or clear_index that one first"
        }"#]].assert_eq(&shop.shown(&answer));
    assert_eq!(index(&mut client, &two, Some("App"))["success"], false, "as good as the same name");
    assert_eq!(index(&mut client, &two, Some("app-two"))["success"], true);
    assert_eq!(names(&mut client), ["app", "app-two"]);
    let found = entries(&mut client, "search_code", json!({ "query": "second_thing" }));
    assert_eq!(found[1]["symbol_name"], "second_thing");
}

#[test]
fn a_named_index_needs_no_header() {
    let (_shop, mut client) = Shop::indexed();
    let found = search(&mut client, "my-api-server");
    assert!(found.iter().all(|one| one.get("type").is_none()), "{found:?}");
}

#[test]
fn projects_that_others_indexed_collide_until_one_is_named() {
    let shop = Shop::new();
    let (one, two) = (shop.beside("one/app"), shop.beside("two/app"));
    for (root, text) in
        [(&one, "def first_thing():\n    pass\n"), (&two, "def second_thing():\n    pass\n")]
    {
        write(&root.join("a.py"), text);
        let project = shop.sample.host.open(root).unwrap();
        project.engine.index(&(), &Cancel::default()).unwrap();
    }
    let mut client = shop.client_in(&two);
    assert_eq!(names(&mut client), ["app", "app"]);
    let found = search(&mut client, "app");
    expect![[r#"
        [
          {
            "error": "Index name collision",
            "message": "'app' could be the index of [BASE]/one/app or [BASE]/two/app. Give one of them another name: index_codebase(path='[BASE]/two/app', index_name='...'), or an indexName in its cocosearch.yaml",
            "results": []
          }
        ]"#]].assert_eq(&shop.shown(&json!(found)));
    for tool in ["index_stats", "clear_index"] {
        let answer = object(&mut client, tool, json!({ "index_name": "app" }));
        assert!(
            answer["error"].as_str().unwrap().starts_with("Index name collision: 'app'"),
            "{answer}"
        );
    }
    // Where the client works is not in doubt.
    let found = entries(&mut client, "search_code", json!({ "query": "second_thing" }));
    assert_eq!(found[1]["symbol_name"], "second_thing");
    index(&mut client, &two, Some("app-two"));
    assert_eq!(names(&mut client), ["app", "app-two"]);
    let arguments = json!({ "query": "first_thing", "index_name": "app" });
    assert_eq!(entries(&mut client, "search_code", arguments)[0]["symbol_name"], "first_thing");
}
