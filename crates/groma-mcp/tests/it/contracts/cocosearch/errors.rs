//! Errors, and where they are reported.

use super::{Shop, entries, object, with_index, write};
use expect_test::expect;
use serde_json::{Value, json};

#[test]
fn a_missing_index_is_an_entry_of_the_list() {
    let shop = Shop::new();
    let mut client = shop.client();
    let found = entries(&mut client, "search_code", json!({ "query": "JWT" }));
    expect![[r#"
        [
          {
            "error": "Index not found",
            "message": "The project at [BASE]/my-api is not indexed. Index it first: index_codebase(path='[BASE]/my-api'), or `groma index` there in a terminal",
            "detected_path": "[BASE]/my-api",
            "suggested_index_name": "my-api",
            "results": []
          }
        ]"#]].assert_eq(&shop.shown(&json!(found)));
    object(&mut client, "index_codebase", json!({ "path": shop.root() }));
    let found =
        entries(&mut client, "search_code", json!({ "query": "JWT", "index_name": "other" }));
    expect![[r#"
        [
          {
            "error": "Index not found",
            "message": "Index 'other' not found. The indexes are my-api. index_codebase(path='...') makes one",
            "detected_path": "[BASE]/my-api",
            "suggested_index_name": "my-api",
            "results": []
          }
        ]"#]].assert_eq(&shop.shown(&json!(found)));
}

#[test]
fn a_missing_index_is_an_object_of_the_analysis() {
    let shop = Shop::new();
    let mut client = shop.client();
    let answer = object(&mut client, "analyze_query", json!({ "query": "JWT" }));
    expect![[r#"
        {
          "error": "Index not found",
          "message": "The project at [BASE]/my-api is not indexed. Index it first: index_codebase(path='[BASE]/my-api'), or `groma index` there in a terminal",
          "detected_path": "[BASE]/my-api",
          "suggested_index_name": "my-api"
        }"#]].assert_eq(&shop.shown(&answer));
}

#[test]
fn statistics_and_clearing_of_a_missing_index_fail() {
    let shop = Shop::new();
    let mut client = shop.client();
    let expected = json!({ "success": false, "error": "Index 'nonexistent' not found" });
    for tool in ["index_stats", "clear_index"] {
        assert_eq!(object(&mut client, tool, json!({ "index_name": "nonexistent" })), expected);
    }
    assert!(entries(&mut client, "index_stats", json!({})).is_empty());
    assert!(entries(&mut client, "list_indexes", json!({})).is_empty());
}

#[test]
fn a_path_that_cannot_be_indexed() {
    let shop = Shop::new();
    let mut client = shop.client();
    let mut error = |path: &str| {
        let answer = object(&mut client, "index_codebase", json!({ "path": path }));
        assert_eq!(answer["success"], false);
        shop.shown(&answer["error"])
    };
    assert_eq!(
        error("/invalid/path"),
        "\"Failed to index codebase: Path does not exist: /invalid/path\""
    );
    assert_eq!(
        error("missing"),
        "\"Failed to index codebase: Path does not exist: [BASE]/my-api/missing\""
    );
    assert_eq!(
        error("README.md"),
        "\"Failed to index codebase: Path is not a directory: [BASE]/my-api/README.md\""
    );
}

#[test]
fn filters_that_mean_nothing() {
    let (_shop, mut client) = Shop::indexed();
    let mut told = |arguments: Value| {
        let found = entries(&mut client, "search_code", with_index(arguments));
        assert_eq!((found.len(), &found[0]["results"]), (1, &json!([])), "{found:?}");
        assert_eq!(found[0]["error"], "Symbol filter error");
        found[0]["message"].as_str().unwrap().to_string()
    };
    let allowed = "Allowed: function, class, method, interface";
    assert_eq!(
        told(json!({ "query": "x", "symbol_type": "struct" })),
        format!("Invalid symbol_type 'struct'. {allowed}")
    );
    assert_eq!(
        told(json!({ "query": "x", "symbol_type": ["class", ""] })),
        format!("Invalid symbol_type ''. {allowed}")
    );
    let language = told(json!({ "query": "x", "language": "python,klingon" }));
    assert!(language.starts_with("Invalid language: `klingon`"), "{language}");
    assert!(language.contains("typescript"), "{language}");
    let name = told(json!({ "query": "x", "symbol_name": "get[" }));
    assert!(name.starts_with("Invalid symbol_name 'get['"), "{name}");
    let answer = object(
        &mut client,
        "analyze_query",
        with_index(json!({ "query": "x", "symbol_type": "struct" })),
    );
    assert_eq!(answer["error"], "Symbol filter error");
}

#[test]
fn values_out_of_bounds_are_errors_in_the_answer() {
    let (_shop, mut client) = Shop::indexed();
    let cases = [
        (json!({ "query": "x", "limit": 0 }), "Invalid limit", "limit must be 1 or more, not 0"),
        (json!({ "query": "x", "limit": -5 }), "Invalid limit", "limit must be 1 or more, not -5"),
        (json!({ "query": " " }), "Invalid query", "query is empty; say what to look for"),
        (
            json!({ "query": "x", "context_before": -1 }),
            "Invalid context_before",
            "context_before must be 0 or more, not -1",
        ),
        (
            json!({ "query": "x", "context_after": -1 }),
            "Invalid context_after",
            "context_after must be 0 or more, not -1",
        ),
    ];
    for (arguments, error, message) in cases {
        let found = entries(&mut client, "search_code", with_index(arguments));
        assert_eq!(found, [json!({ "error": error, "message": message, "results": [] })]);
    }
    let answer =
        object(&mut client, "analyze_query", with_index(json!({ "query": "x", "limit": 0 })));
    assert_eq!(
        answer,
        json!({ "error": "Invalid limit", "message": "limit must be 1 or more, not 0" })
    );
}

#[test]
fn arguments_that_violate_the_schema_are_failed_results() {
    let (_shop, mut client) = Shop::indexed();
    let cases = [
        ("search_code", json!({}), "query", "`query` is required"),
        ("search_code", json!({ "query": null }), "query", "`query` is required"),
        ("search_code", json!({ "query": 5 }), "query", "`query` must be a string, not a number"),
        (
            "search_code",
            json!({ "query": "x", "limit": "5" }),
            "limit",
            "`limit` must be a whole number, not a string",
        ),
        (
            "search_code",
            json!({ "query": "x", "limit": 1e300 }),
            "limit",
            "`limit` must be a whole number of 64 bits",
        ),
        (
            "search_code",
            json!({ "query": "x", "use_hybrid_search": "yes" }),
            "use_hybrid_search",
            "`use_hybrid_search` must be true or false, not a string",
        ),
        (
            "search_code",
            json!({ "query": "x", "symbol_type": [1] }),
            "symbol_type",
            "`symbol_type` must be a string or an array of strings, not an array",
        ),
        (
            "index_stats",
            json!({ "include_failures": 1 }),
            "include_failures",
            "`include_failures` must be true or false, not a number",
        ),
        ("clear_index", json!({}), "index_name", "`index_name` is required"),
        ("index_codebase", json!({}), "path", "`path` is required"),
    ];
    for (tool, arguments, parameter, reason) in cases {
        let result = client.call(tool, arguments)["result"].clone();
        assert_eq!(result["isError"], true, "{result}");
        let text = result["content"][0]["text"].as_str().unwrap();
        assert_eq!(text, format!("Error executing tool {tool}: {reason}"));
        assert!(text.contains(parameter), "{text}");
    }
}

#[test]
fn a_huge_limit_and_huge_contexts_are_accepted() {
    let (_shop, mut client) = Shop::indexed();
    let arguments = json!({
        "query": "token",
        "limit": 1_000_000_000_000u64,
        "context_before": i64::MAX,
        "context_after": i64::MAX,
    });
    let found = entries(&mut client, "search_code", with_index(arguments));
    assert!(found.len() > 5 && found.iter().all(|one| one["file_path"].is_string()), "{found:?}");
}

#[test]
fn without_vectors_an_answer_comes_from_keywords_and_says_so() {
    let shop = Shop::new();
    shop.sample.host.disable_embeddings();
    let mut client = shop.client();
    object(&mut client, "index_codebase", json!({ "path": ".", "index_name": "my-api-server" }));
    let arguments = with_index(json!({ "query": "validate token", "limit": 1 }));
    let found = entries(&mut client, "search_code", arguments.clone());
    assert_eq!(found[0]["symbol_name"], "validate_jwt_token");
    let note = "embeddings are off: answered by keywords and symbols";
    assert_eq!(found[1], json!({ "type": "hint", "message": note }));
    let analysis = object(&mut client, "analyze_query", arguments);
    assert_eq!(analysis["search_mode"]["mode"], "keyword-only");
    assert_eq!(analysis["search_mode"]["reason"], note);
    assert_eq!(
        analysis["vector_search"],
        json!({ "result_count": 0, "top_score": null, "bottom_score": null })
    );
}

#[test]
fn a_missing_folder_is_reported_and_its_index_can_be_cleared() {
    let (shop, mut client) = Shop::indexed();
    drop(client);
    std::fs::rename(shop.root(), shop.beside("moved")).unwrap();
    client = shop.client_in(&shop.beside("moved"));
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
    write(&shop.beside("other").join("main.py"), "def main():\n    pass\n");
    object(&mut client, "index_codebase", json!({ "path": shop.beside("other") }));
    shop.sample.host.break_project(&shop.beside("other"), "unknown key `hiden`");
    let all = entries(&mut client, "index_stats", json!({}));
    assert_eq!((&all[0]["name"], &all[0]["file_count"]), (&json!("my-api-server"), &json!(5)));
    assert_eq!((&all[1]["name"], &all[1]["success"]), (&json!("other"), &json!(false)));
    assert!(all[1]["error"].as_str().unwrap().contains("hiden"), "{}", all[1]);
}

#[test]
fn a_project_with_wrong_settings_is_not_indexed() {
    let shop = Shop::new();
    write(&shop.beside("wrong").join("main.py"), "def main():\n    pass\n");
    shop.sample.host.break_project(&shop.beside("wrong"), "unknown key `hiden`");
    let answer = object(&mut shop.client(), "index_codebase", json!({ "path": "../wrong" }));
    assert_eq!(answer["success"], false);
    let error = answer["error"].as_str().unwrap();
    assert!(error.contains("unknown key `hiden`"), "{error}");
}
