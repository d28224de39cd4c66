//! A hit is named after what matched: small neighbours share a chunk, and a short class is one with its methods.

use crate::client::Client;
use crate::sample::Sample;
use groma_testkit::git_init;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

const FILES: &[(&str, &str)] = &[
    ("go.mod", "module example.com/shop\n\ngo 1.21\n"),
    (
        "order/order.go",
        "package order\n\nimport \"fmt\"\n\ntype MoneyVO struct{ Cents int }\n\ntype OrderService struct{ limit int }\n\n\
         func ValidateToken(token string) bool { return token != \"\" }\n\n\
         // Logout ends the session of a user.\nfunc Logout(user string) { fmt.Println(user) }\n",
    ),
    (
        "web/users.ts",
        "export class UserService {\n  getUserById(id: string) {\n    return this.users.get(id);\n  }\n\n\
         \x20 saveUser(user: User) {\n    this.users.set(user.id, user);\n  }\n}\n",
    ),
    (
        "web/limits.ts",
        "export const MOST = 10;\nexport const LEAST = 1;\n\nexport function clamp(n: number) {\n  return Math.min(MOST, Math.max(LEAST, n));\n}\n",
    ),
];

fn sample() -> Sample {
    let sample = Sample::with(FILES);
    git_init(&sample.root());
    sample
}

/// "result.symbol": "AuthenticateUser" for its own lines.
#[test]
fn gocontext_names_the_neighbour_that_matched() {
    let sample = sample();
    let path = sample.root();
    let mut client = Client::start(&sample, &["--contract", "gocontext"]);
    client.json("index_codebase", json!({ "path": path }));
    let mut best = |query: &str| -> Value {
        let answer = client.json("search_code", json!({ "path": path, "query": query }));
        answer["results"][0].clone()
    };
    for (query, name, kind, lines) in [
        ("OrderService", "OrderService", "struct", (7, 7)),
        // What is above the only definition of a chunk belongs to it.
        ("MoneyVO", "MoneyVO", "struct", (1, 5)),
        ("ValidateToken", "ValidateToken", "function", (9, 9)),
        ("Logout", "Logout", "function", (11, 12)),
        ("how does the session of a user end", "Logout", "function", (11, 12)),
    ] {
        let found = best(query);
        assert_eq!(found["symbol"]["name"], name, "{query}: {found:#}");
        assert_eq!(found["symbol"]["kind"], kind, "{query}: {found:#}");
        assert!(found["symbol"]["signature"].as_str().unwrap().contains(name), "{found:#}");
        let shown = (&found["file"]["start_line"], &found["file"]["end_line"]);
        assert_eq!(shown, (&json!(lines.0), &json!(lines.1)), "{query}: {found:#}");
        assert!(found["content"].as_str().unwrap().contains(name), "{query}: {found:#}");
    }
}

/// "symbol" is an object in every result of the document.
#[test]
fn gocontext_has_a_symbol_in_every_result() {
    let sample = Sample::with(&[
        ("go.mod", "module example.com/x\n\ngo 1.21\n"),
        (
            "a.go",
            "// Package widget has imports.\npackage widget\n\nimport (\n\t\"errors\"\n\t\"fmt\"\n)\n",
        ),
        ("broken.go", "package widget\n\nfunc (((\n\n}} widget imports\n"),
        (
            "c.go",
            "package widget\n\n// Make makes a widget.\nfunc Make() error {\n\treturn nil\n}\n",
        ),
    ]);
    let path = sample.root();
    let mut client = Client::start(&sample, &["--contract", "gocontext"]);
    client.json("index_codebase", json!({ "path": path }));
    let answer = client.json("search_code", json!({ "path": path, "query": "widget imports" }));
    let results = answer["results"].as_array().unwrap();
    assert!(results.len() >= 3, "{answer:#}");
    for result in results {
        for field in ["name", "kind", "package", "signature", "doc_comment"] {
            assert!(result["symbol"][field].is_string(), "{field}: {result:#}");
        }
    }
    let package = results.iter().find(|one| one["symbol"]["kind"] == "package").unwrap();
    assert_eq!(package["symbol"]["name"], "widget");
    assert_eq!(package["symbol"]["signature"], "package widget");
}

/// "symbol_name": "getUserById", "symbol_type": "method"
#[test]
fn cocosearch_names_the_method_that_matched() {
    let sample = sample();
    let mut client = Client::start(&sample, &["--contract", "cocosearch"]);
    client.json("index_codebase", json!({ "path": sample.root() }));
    let arguments = json!({ "query": "getUserById", "index_name": null });
    let answer = client.call("search_code", arguments);
    let found = answer["result"]["structuredContent"]["result"].as_array().unwrap();
    let found = found.iter().find(|one| one.get("symbol_name").is_some()).unwrap();
    assert_eq!(found["symbol_name"], "getUserById", "{found:#}");
    assert_eq!(found["symbol_type"], "method", "{found:#}");
    assert_eq!((&found["start_line"], &found["end_line"]), (&json!(2), &json!(4)), "{found:#}");
    assert!(found["hierarchy"].as_str().unwrap().contains("UserService"), "{found:#}");
    // The class around it is the context of the result.
    assert!(found["context_before"].as_str().unwrap().contains("class UserService"), "{found:#}");
}

/// "non-symbol result: `result_id`" and "path: files first".
#[test]
fn codecompass_puts_files_first_and_gives_them_no_symbol() {
    let sample = sample();
    let mut client = Client::start(&sample, &["--contract", "codecompass"]);
    client.json("index_repo", json!({}));
    let started = Instant::now();
    while !client.json("index_status", json!({}))["active_job"].is_null() {
        assert!(started.elapsed() < Duration::from_secs(60));
        std::thread::sleep(Duration::from_millis(10));
    }
    for query in ["web/limits.ts", "where is web/limits.ts used?", "limits.ts"] {
        let answer = client.json("search_code", json!({ "query": query }));
        assert_eq!(answer["query_intent"], "path", "{answer:#}");
        let first = &answer["results"][0];
        assert_eq!(first["path"], "web/limits.ts", "{answer:#}");
        assert_eq!(first["result_type"], "file", "{answer:#}");
        assert!(first["result_id"].as_str().unwrap().starts_with("file_"), "{first:#}");
        for field in ["symbol_id", "symbol_stable_id", "kind", "name", "qualified_name"] {
            assert_eq!(first.get(field), None, "{first:#}");
        }
    }
    let answer = client.json("search_code", json!({ "query": "OrderService" }));
    let first = &answer["results"][0];
    assert_eq!((&first["name"], &first["line_start"]), (&json!("OrderService"), &json!(7)));
    let error = client.json("search_code", json!({ "query": "who says \"no such user\"" }));
    assert_eq!(error["query_intent"], "error", "{error:#}");
}
