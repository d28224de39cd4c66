//! Errors, and where they are reported.

use super::{Shop, entries, object, with_index, write};
use expect_test::expect;
use serde_json::json;

#[test]
fn a_missing_folder_is_reported_and_its_index_can_be_cleared() {
    let (shop, mut client) = Shop::indexed();
    drop(client);
    std::fs::rename(shop.root(), shop.beside("moved")).unwrap();
    client = shop.client_in(&shop.beside("moved"), &[]);
    let found = entries(&mut client, "search_code", with_index(json!({ "query": "JWT" })));
    expect![[r#"
        [
          {
            "error": "Project folder not found",
            "message": "The folder of index 'my-api-server', [BASE]/my-api, is gone, so nothing of it can be shown. clear_index(index_name='my-api-server') removes the index; index_codebase indexes the folder at its new place",
            "results": []
          }
        ]"#]].assert_eq(&shop.shown(&json!(found)));
    let stats = object(&mut client, "index_stats", json!({ "index_name": "my-api-server" }));
    assert_eq!(stats["file_count"], 5);
    expect![[r#"
        [
          "The folder [BASE]/my-api is gone; clear_index removes its index"
        ]"#]]
    .assert_eq(&shop.shown(&stats["warnings"]));
    let answer = object(&mut client, "clear_index", json!({ "index_name": "my-api-server" }));
    assert_eq!(answer["success"], true, "{answer}");
    assert!(entries(&mut client, "list_indexes", json!({})).is_empty());
}

#[test]
fn one_index_that_cannot_be_read_does_not_hide_the_others() {
    let (shop, mut client) = Shop::indexed();
    drop(client);
    write(&shop.beside("other").join("main.py"), "def main():\n    pass\n");
    shop.run(&shop.beside("other"), &["index"]);
    write(&shop.beside("other").join(".groma.toml"), "[index]\nhiden = true\n");
    client = shop.client();
    let all = entries(&mut client, "index_stats", json!({}));
    assert_eq!((&all[0]["name"], &all[0]["file_count"]), (&json!("my-api-server"), &json!(5)));
    assert_eq!((&all[1]["name"], &all[1]["success"]), (&json!("other"), &json!(false)));
    assert!(all[1]["error"].as_str().unwrap().contains("hiden"), "{}", all[1]);
}

#[test]
fn a_server_started_in_the_home_folder_refuses_to_index_it() {
    let shop = Shop::new();
    let home = shop.beside("somebody");
    std::fs::create_dir(&home).unwrap();
    let mut client = shop.client_in(&home, &[("HOME", &home)]);
    let found = entries(&mut client, "search_code", json!({ "query": "JWT" }));
    expect![[r#"
        [
          {
            "error": "Index not found",
            "message": "No project was found: [BASE]/somebody is no project: it would be indexed as a whole; start the server with --workspace DIR; name an index with index_name, or index a folder with index_codebase",
            "detected_path": null,
            "suggested_index_name": null,
            "results": []
          }
        ]"#]].assert_eq(&shop.shown(&json!(found)));
    let answer = object(&mut client, "index_codebase", json!({ "path": "." }));
    assert_eq!(answer["success"], false, "{answer}");
    object(&mut client, "index_codebase", json!({ "path": shop.root() }));
    let arguments = json!({ "query": "getUserById", "index_name": "my-api" });
    assert_eq!(entries(&mut client, "search_code", arguments)[0]["symbol_name"], "getUserById");
}

#[test]
fn a_project_with_wrong_settings_is_not_indexed() {
    let shop = Shop::new();
    write(&shop.beside("wrong").join(".groma.toml"), "[index]\nhiden = true\n");
    let answer = object(&mut shop.client(), "index_codebase", json!({ "path": "../wrong" }));
    assert_eq!(answer["success"], false);
    let error = answer["error"].as_str().unwrap();
    assert!(error.contains(".groma.toml, line 2: unknown key `hiden`"), "{error}");
}
