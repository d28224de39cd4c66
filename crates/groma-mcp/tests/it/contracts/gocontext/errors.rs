//! Every error of the document's tables, and what it says.

use super::Shop;
use expect_test::expect;
use serde_json::json;
use std::fs;
use tempfile::TempDir;

#[test]
fn wrong_arguments_are_named_with_what_is_allowed() {
    let (shop, mut client) = Shop::indexed();
    let path = shop.path();
    let file = shop.root().join("go.mod");
    let cases = [
        ("index_codebase", json!({}), "path", "required"),
        ("index_codebase", json!({ "path": null }), "path", "required"),
        ("index_codebase", json!({ "path": 5 }), "path", "a string, not a number"),
        ("index_codebase", json!({ "path": "shop" }), "path", "absolute"),
        ("index_codebase", json!({ "path": "" }), "path", "absolute"),
        ("index_codebase", json!({ "path": "/no\u{0}thing" }), "path", "does not exist"),
        ("index_codebase", json!({ "path": file }), "path", "not accessible"),
        (
            "index_codebase",
            json!({ "path": path, "force_reindex": "yes" }),
            "force_reindex",
            "true or false",
        ),
        (
            "index_codebase",
            json!({ "path": path, "include_tests": 1 }),
            "include_tests",
            "true or false",
        ),
        (
            "index_codebase",
            json!({ "path": path, "include_vendor": [] }),
            "include_vendor",
            "true or false",
        ),
        ("search_code", json!({ "query": "x" }), "path", "required"),
        ("search_code", json!({ "path": path }), "query", "required"),
        ("search_code", json!({ "path": path, "query": ["x"] }), "query", "a string, not an array"),
        (
            "search_code",
            json!({ "path": path, "query": "x".repeat(1001) }),
            "query",
            "at most 1000 characters",
        ),
        ("search_code", json!({ "path": "shop", "query": "x" }), "path", "absolute"),
        ("search_code", json!({ "path": "/no/such", "query": "x" }), "path", "does not exist"),
        ("search_code", json!({ "path": path, "query": "x", "limit": 0 }), "limit", "1 to 100"),
        ("search_code", json!({ "path": path, "query": "x", "limit": 101 }), "limit", "1 to 100"),
        (
            "search_code",
            json!({ "path": path, "query": "x", "limit": "ten" }),
            "limit",
            "a whole number",
        ),
        (
            "search_code",
            json!({ "path": path, "query": "x", "limit": 1.5 }),
            "limit",
            "a whole number",
        ),
        (
            "search_code",
            json!({ "path": path, "query": "x", "search_mode": "fuzzy" }),
            "search_mode",
            "hybrid, vector, keyword",
        ),
        (
            "search_code",
            json!({ "path": path, "query": "x", "filters": [] }),
            "filters",
            "an object",
        ),
        (
            "search_code",
            json!({ "path": path, "query": "x", "filters": { "kind": "x" } }),
            "filters.kind",
            "there are symbol_types",
        ),
        (
            "search_code",
            json!({ "path": path, "query": "x", "filters": { "symbol_types": ["class"] } }),
            "filters.symbol_types",
            "function, method, struct",
        ),
        (
            "search_code",
            json!({ "path": path, "query": "x", "filters": { "symbol_types": "function" } }),
            "filters.symbol_types",
            "an array",
        ),
        (
            "search_code",
            json!({ "path": path, "query": "x", "filters": { "ddd_patterns": ["saga"] } }),
            "filters.ddd_patterns",
            "aggregate, entity",
        ),
        (
            "search_code",
            json!({ "path": path, "query": "x", "filters": { "file_pattern": "a[" } }),
            "filters.file_pattern",
            "a[",
        ),
        (
            "search_code",
            json!({ "path": path, "query": "x", "filters": { "packages": [5] } }),
            "filters.packages",
            "an array of strings",
        ),
        (
            "search_code",
            json!({ "path": path, "query": "x", "filters": { "min_relevance": 1.1 } }),
            "filters.min_relevance",
            "0 to 1",
        ),
        ("get_status", json!({}), "path", "required"),
        ("get_status", json!({ "path": {} }), "path", "a string"),
        ("get_status", json!({ "path": "./shop" }), "path", "absolute"),
        ("get_status", json!({ "path": "/no/such/folder" }), "path", "does not exist"),
    ];
    for (tool, arguments, parameter, reason) in cases {
        let error = client.error(tool, arguments.clone());
        assert_eq!(error["code"], -32602, "{tool} {arguments}: {error}");
        assert_eq!(error["message"], "Invalid params", "{tool} {arguments}: {error}");
        assert_eq!(error["data"]["param"], parameter, "{tool} {arguments}: {error}");
        let said = error["data"]["reason"].as_str().unwrap();
        assert!(said.contains(reason), "{tool} {arguments}: {error}");
    }
    let error =
        client.error("search_code", shop.ask(json!({ "query": "x", "search_mode": "fuzzy" })));
    assert_eq!(error["data"]["allowed"], json!(["hybrid", "vector", "keyword"]));
}

#[test]
fn every_error_of_the_tables() {
    let shop = Shop::new();
    let mut client = shop.client();
    // -32001: a folder without Go.
    let other = TempDir::new().unwrap();
    fs::write(other.path().join("a.py"), "x = 1\n").unwrap();
    let arguments = json!({ "path": other.path() });
    let error = client.error("index_codebase", arguments.clone());
    shop.check(
        &error,
        &expect![[r#"
        {
          "code": -32001,
          "message": "Project not found",
          "data": {
            "param": "path",
            "reason": "Path contains neither a go.mod nor any .go file"
          }
        }"#]],
    );
    assert_eq!(client.json("get_status", arguments)["indexed"], false);
    // -32003: never indexed.
    let error = client.error("search_code", shop.ask(json!({ "query": "x", "limit": 1000 })));
    shop.check(
        &error,
        &expect![[r#"
        {
          "code": -32003,
          "message": "Project not indexed",
          "data": {
            "param": "path",
            "reason": "Project not indexed. Run index_codebase first."
          }
        }"#]],
    );
    // -32004: no question, whatever the path.
    let empty = client.error("search_code", json!({ "path": "/no/such", "query": "" }));
    shop.check(
        &empty,
        &expect![[r#"
        {
          "code": -32004,
          "message": "Empty query",
          "data": {
            "param": "query",
            "reason": "Query is empty or whitespace-only"
          }
        }"#]],
    );
    let blank = client.error("search_code", json!({ "path": "/no/such", "query": " \t\n" }));
    assert_eq!(blank, empty);
}
