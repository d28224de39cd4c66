//! Domain-driven-design patterns: methods and constructors have those of their type.

use super::{Shop, paths};
use crate::client::Client;
use serde_json::{Value, json};
use tempfile::TempDir;

const TYPES: &[&str] = &[
    "OrderAggregate",
    "OrderItemVO",
    "OrderRepository",
    "OrderService",
    "PlaceOrderCommand",
    "OrderPlacedHandler",
    "ProcessOrderQuery",
];

/// A type, one of its methods and its constructor, each in a file of its own; an interface with its methods.
fn indexed() -> (Shop, Client) {
    let shop = Shop { sample: crate::sample::Sample::new(), folder: TempDir::new().unwrap() };
    let file = |path: &str, text: String| {
        shop.write(&format!("{path}.go"), &format!("package order\n\n{text}\n"));
    };
    file("config", "type Config struct{ order string }".into());
    file("Warehouse", "type WarehouseRepo interface {\n\tKeep(order string) error\n}".into());
    for name in TYPES {
        let order = format!("// {name} is about an order.\ntype {name} struct{{ id string }}");
        file(&format!("{name}/type"), order);
        let method = format!("func (it *{name}) Order(id string) error {{ return nil }}");
        file(&format!("{name}/method"), method);
        let doc = format!("// New{name} makes one for an order.");
        let make = format!("{doc}\nfunc New{name}() *{name} {{ return nil }}");
        file(&format!("{name}/make"), make);
    }
    let mut client = shop.client();
    client.json("index_codebase", json!({ "path": shop.path() }));
    (shop, client)
}

fn check(
    (shop, client): &mut (Shop, Client),
    mode: &str,
    filters: Value,
    expected: (&[&str], &[&str]),
) {
    let (types, parts) = expected;
    let ask = json!({ "query": "order", "limit": 50, "search_mode": mode, "filters": filters });
    let answer = client.json("search_code", shop.ask(ask));
    let mut found = paths(&answer);
    found.retain(|path| *path != "Warehouse.go");
    found.sort_unstable();
    let files =
        types.iter().flat_map(|name| parts.iter().map(move |part| format!("{name}/{part}.go")));
    let mut expected: Vec<String> = files.collect();
    expected.sort_unstable();
    assert_eq!(found, expected, "{mode}: {filters}");
}

#[test]
fn a_pattern_finds_types_methods_and_constructors() {
    let mut project = indexed();
    let cases: &[(&str, &[&str])] = &[
        ("aggregate", &["OrderAggregate"]),
        ("entity", &["OrderAggregate", "OrderItemVO", "PlaceOrderCommand", "ProcessOrderQuery"]),
        ("value_object", &["OrderItemVO"]),
        ("repository", &["OrderRepository"]),
        ("service", &["OrderService"]),
        ("command", &["PlaceOrderCommand"]),
        ("query", &["ProcessOrderQuery"]),
        ("handler", &["OrderPlacedHandler"]),
    ];
    for (pattern, types) in cases {
        for mode in ["hybrid", "vector", "keyword"] {
            let filters = json!({ "ddd_patterns": [pattern] });
            check(&mut project, mode, filters, (types, &["make", "method", "type"]));
        }
    }
}

#[test]
fn a_pattern_and_a_symbol_type_find_functions_of_the_pattern() {
    let mut project = indexed();
    let mut filters = json!({
        "ddd_patterns": ["service", "handler"],
        "symbol_types": ["function", "method"],
    });
    let types = &["OrderPlacedHandler", "OrderService"];
    check(&mut project, "hybrid", filters.clone(), (types, &["make", "method"]));
    filters["symbol_types"] = json!(["struct"]);
    check(&mut project, "hybrid", filters, (types, &["type"]));
}

#[test]
fn the_method_of_an_interface_has_the_pattern_of_the_interface() {
    let (shop, mut client) = indexed();
    let filters = json!({ "ddd_patterns": ["repository"], "symbol_types": ["method"] });
    let ask = shop.ask(json!({ "query": "keep order", "limit": 50, "filters": filters }));
    let answer = client.json("search_code", ask);
    let results = answer["results"].as_array().unwrap();
    let kept: Vec<_> = results.iter().filter(|one| one["file"]["path"] == "Warehouse.go").collect();
    assert_eq!(kept.len(), 1, "{answer}");
    assert_eq!(kept[0]["symbol"]["name"], "Keep");
}

#[test]
fn the_same_patterns_are_answered_from_the_cache() {
    let (shop, mut client) = indexed();
    let mut is_cached = |patterns: Value| {
        let filters = json!({ "ddd_patterns": patterns });
        let answer =
            client.json("search_code", shop.ask(json!({ "query": "order", "filters": filters })));
        answer["statistics"]["cache_hit"].as_bool().unwrap()
    };
    assert!(!is_cached(json!(["service", "query"])));
    assert!(is_cached(json!(["query", "service"])));
    assert!(!is_cached(json!(["query"])));
    assert!(!is_cached(json!([])));
}
