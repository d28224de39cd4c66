//! Every parameter has an effect.

use super::super::{Shown, every_parameter_is_shown};
use super::{Shop, names, paths};
use crate::client::Client;
use serde_json::{Value, json};
use std::fs;
use tempfile::TempDir;

#[test]
fn every_parameter_has_an_effect() {
    every_parameter_is_shown(
        "gocontext",
        &[
            Shown { tool: "index_codebase", parameter: "path", test: index_path },
            Shown { tool: "index_codebase", parameter: "force_reindex", test: force_reindex },
            Shown { tool: "index_codebase", parameter: "include_tests", test: include_tests },
            Shown { tool: "index_codebase", parameter: "include_vendor", test: include_vendor },
            Shown { tool: "search_code", parameter: "path", test: search_path },
            Shown { tool: "search_code", parameter: "query", test: query },
            Shown { tool: "search_code", parameter: "limit", test: limit },
            Shown { tool: "search_code", parameter: "filters", test: filters_together },
            Shown { tool: "search_code", parameter: "filters.symbol_types", test: symbol_types },
            Shown { tool: "search_code", parameter: "filters.file_pattern", test: file_pattern },
            Shown { tool: "search_code", parameter: "filters.ddd_patterns", test: ddd_patterns },
            Shown { tool: "search_code", parameter: "filters.packages", test: packages },
            Shown { tool: "search_code", parameter: "filters.min_relevance", test: min_relevance },
            Shown { tool: "search_code", parameter: "search_mode", test: search_mode },
            Shown { tool: "get_status", parameter: "path", test: status_path },
        ],
    );
}

/// Another Go project, of one file.
fn other() -> (TempDir, String) {
    let other = TempDir::new().unwrap();
    fs::write(other.path().join("a.go"), "package a\n\n// Lonely is alone.\nfunc Lonely() {\n}\n")
        .unwrap();
    let path = other.path().to_string_lossy().into_owned();
    (other, path)
}

fn index_path() {
    let (shop, mut client) = Shop::indexed();
    let (_other, path) = other();
    let is_indexed = |client: &mut Client, path: &str| {
        client.json("get_status", json!({ "path": path }))["indexed"].clone()
    };
    assert_eq!(is_indexed(&mut client, &path), false);
    client.json("index_codebase", json!({ "path": format!("{path}/./") }));
    assert_eq!(is_indexed(&mut client, &path), true);
    assert_eq!(is_indexed(&mut client, &shop.path()), true);
}

fn search_path() {
    let (shop, mut client) = Shop::indexed();
    let (_other, path) = other();
    client.json("index_codebase", json!({ "path": path }));
    let answer = client.json("search_code", json!({ "path": path, "query": "alone" }));
    assert_eq!(names(&answer), ["Lonely"]);
    let answer = client.json("search_code", shop.ask(json!({ "query": "alone" })));
    assert!(!names(&answer).contains(&"Lonely"));
}

fn status_path() {
    let (shop, mut client) = Shop::indexed();
    let (_other, path) = other();
    client.json("index_codebase", json!({ "path": path }));
    let mut total = |path: &str| {
        client.json("get_status", json!({ "path": path }))["statistics"]["total_files"].clone()
    };
    assert_eq!((total(&path), total(&shop.path())), (json!(1), json!(5)));
}

fn force_reindex() {
    let (shop, mut client) = Shop::indexed();
    for (force, indexed, skipped) in [(false, 0, 5), (true, 5, 0)] {
        let answer =
            client.json("index_codebase", json!({ "path": shop.path(), "force_reindex": force }));
        assert_eq!(answer["statistics"]["files_indexed"], indexed);
        assert_eq!(answer["statistics"]["files_skipped"], skipped);
    }
}

/// Indexes with an argument; whether a search then finds a name, in a server that was started afterwards.
fn finds_after(shop: &Shop, argument: &str, value: bool, name: &str) -> bool {
    shop.client().json("index_codebase", json!({ "path": shop.path(), argument: value }));
    let answer =
        shop.client().json("search_code", shop.ask(json!({ "query": name, "limit": 100 })));
    names(&answer).contains(&name)
}

fn include_tests() {
    let shop = Shop::new();
    shop.write(
        "tests/helper.go",
        "package tests\n\n// HelpTests is no test.\nfunc HelpTests() {\n}\n",
    );
    let found = |value| finds_after(&shop, "include_tests", value, "TestPlaceRefusesTooManyItems");
    assert!(found(true) && !found(false) && found(true));
    assert!(finds_after(&shop, "include_tests", false, "HelpTests"));
}

fn include_vendor() {
    let shop = Shop::new();
    let found = |value| finds_after(&shop, "include_vendor", value, "PayOrder");
    assert!(found(true) && !found(false) && found(true));
}

fn query() {
    let (shop, mut client) = Shop::indexed();
    for (query, first) in [
        ("verify user credentials", "AuthenticateUser"),
        ("ValidateToken", "ValidateToken"),
        ("tell the customer", "OrderPlacedHandler"),
    ] {
        let answer = client.json("search_code", shop.ask(json!({ "query": query })));
        assert_eq!(names(&answer)[0], first, "{query}");
        assert_eq!(answer["query"], query);
    }
}

fn limit() {
    let (shop, mut client) = Shop::indexed();
    for limit in [1, 3, 100] {
        let answer =
            client.json("search_code", shop.ask(json!({ "query": "order", "limit": limit })));
        let statistics = &answer["statistics"];
        let (total, returned) = (
            statistics["total_results"].as_u64().unwrap(),
            statistics["returned_results"].as_u64().unwrap(),
        );
        assert_eq!(returned, limit.min(total));
        assert_eq!(names(&answer).len() as u64, returned);
        let ranks: Vec<u64> = answer["results"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| one["rank"].as_u64().unwrap())
            .collect();
        assert_eq!(ranks, (1..=returned).collect::<Vec<_>>());
    }
    for number in 0..12 {
        shop.write(
            &format!("more/m{number}.go"),
            &format!("package more\n\n// Order{number} orders.\nfunc Order{number}() {{\n}}\n"),
        );
    }
    let answer = client.json("search_code", shop.ask(json!({ "query": "order" })));
    assert_eq!(names(&answer).len(), 10, "the default");
}

/// What a search for orders finds under some filters, by name, in order of name.
fn filtered(shop: &Shop, client: &mut Client, filters: Value) -> Vec<String> {
    let ask = shop.ask(json!({ "query": "order", "limit": 100, "filters": filters }));
    let answer = client.json("search_code", ask);
    let mut found: Vec<String> = names(&answer).iter().map(|name| name.to_string()).collect();
    found.sort();
    found
}

fn filters_together() {
    let (shop, mut client) = Shop::indexed();
    let all = filtered(&shop, &mut client, json!({}));
    let both = json!({ "symbol_types": ["struct"], "ddd_patterns": ["service", "handler"] });
    assert_eq!(filtered(&shop, &mut client, both), ["OrderPlacedHandler", "OrderService"]);
    assert!(all.len() > 10, "{all:?}");
}

fn symbol_types() {
    let (shop, mut client) = Shop::indexed();
    for (kind, expected) in [
        ("method", vec!["Place", "Save"]),
        ("interface", vec!["OrderRepository"]),
        ("type", vec!["Money"]),
        ("const", vec!["MaxItems"]),
        ("var", vec!["defaultCurrency"]),
        (
            "struct",
            vec![
                "OrderAggregate",
                "OrderItemVO",
                "OrderPlacedHandler",
                "OrderService",
                "PlaceOrderCommand",
                "ProcessOrderQuery",
                "User",
            ],
        ),
        (
            "function",
            vec![
                "AuthenticateUser",
                "NewOrderService",
                "TestPlaceRefusesTooManyItems",
                "ValidateToken",
            ],
        ),
    ] {
        let filters = json!({ "symbol_types": [kind] });
        assert_eq!(filtered(&shop, &mut client, filters.clone()), expected, "{kind}");
        let ask = shop.ask(json!({ "query": "order", "limit": 100, "filters": filters }));
        for one in client.json("search_code", ask)["results"].as_array().unwrap() {
            assert_eq!(one["symbol"]["kind"], kind, "{one}");
        }
    }
    let two = json!({ "symbol_types": ["type", "interface"] });
    assert_eq!(filtered(&shop, &mut client, two), ["Money", "OrderRepository"]);
}

fn file_pattern() {
    let (shop, mut client) = Shop::indexed();
    for (pattern, prefix) in [
        ("internal/auth/**", "internal/auth/"),
        ("internal/order/*_test.go", "internal/order/service_test.go"),
        ("handlers.go", "internal/order/handlers.go"),
    ] {
        let ask = shop.ask(json!({ "query": "order", "filters": { "file_pattern": pattern } }));
        let answer = client.json("search_code", ask);
        assert!(!paths(&answer).is_empty(), "{pattern}");
        assert!(paths(&answer).iter().all(|path| path.starts_with(prefix)), "{pattern}: {answer}");
    }
}

fn ddd_patterns() {
    let (shop, mut client) = Shop::indexed();
    for (pattern, expected) in [
        ("aggregate", vec!["OrderAggregate"]),
        (
            "entity",
            vec!["OrderAggregate", "OrderItemVO", "PlaceOrderCommand", "ProcessOrderQuery", "User"],
        ),
        ("value_object", vec!["OrderItemVO"]),
        ("repository", vec!["OrderRepository"]),
        ("service", vec!["NewOrderService", "OrderService", "Place"]),
        ("command", vec!["PlaceOrderCommand"]),
        ("query", vec!["ProcessOrderQuery"]),
        ("handler", vec!["OrderPlacedHandler"]),
    ] {
        let filters = json!({ "ddd_patterns": [pattern] });
        assert_eq!(filtered(&shop, &mut client, filters), expected, "{pattern}");
    }
    let two = json!({ "ddd_patterns": ["aggregate", "handler"] });
    assert_eq!(filtered(&shop, &mut client, two), ["OrderAggregate", "OrderPlacedHandler"]);
}

fn packages() {
    let (shop, mut client) = Shop::indexed();
    for package in ["auth", "internal/auth"] {
        let ask = shop.ask(json!({ "query": "order", "filters": { "packages": [package] } }));
        let answer = client.json("search_code", ask);
        assert!(!paths(&answer).is_empty(), "{package}");
        assert!(
            answer["results"]
                .as_array()
                .unwrap()
                .iter()
                .all(|one| one["file"]["package"] == "auth"),
            "{answer}"
        );
    }
    assert!(filtered(&shop, &mut client, json!({ "packages": ["billing"] })).is_empty());
}

fn min_relevance() {
    let (shop, mut client) = Shop::indexed();
    let ask = |least: f64| {
        shop.ask(json!({ "query": "order", "limit": 100, "filters": { "min_relevance": least } }))
    };
    let all = client.json("search_code", ask(0.0));
    let best = client.json("search_code", ask(0.6));
    assert!(!names(&best).is_empty() && names(&best).len() < names(&all).len());
    let results = best["results"].as_array().unwrap();
    assert!(results.iter().all(|one| one["relevance_score"].as_f64().unwrap() >= 0.6));
    assert_eq!(best["statistics"]["total_results"], results.len());
}

fn search_mode() {
    let (shop, mut client) = Shop::indexed();
    let ask = |client: &mut Client, mode: &str| {
        let ask = shop.ask(json!({ "query": "login password", "limit": 100, "search_mode": mode }));
        names(&client.json("search_code", ask)).len()
    };
    let (keyword, vector, hybrid) =
        (ask(&mut client, "keyword"), ask(&mut client, "vector"), ask(&mut client, "hybrid"));
    // Keywords find what holds a word; vectors compare everything.
    assert!(keyword > 0 && keyword < vector, "{keyword} {vector}");
    assert_eq!(vector, hybrid);
}
