//! Domain-driven-design roles: methods and constructors have those of their type.

use crate::show::paths;
use groma_core::{DddPattern, SymbolKind};
use groma_engine::{SearchMode, SearchRequest};
use groma_testkit::Sandbox;

const TYPES: &[&str] = &[
    "OrderAggregate",
    "OrderItemVO",
    "OrderRepository",
    "OrderService",
    "PlaceOrderCommand",
    "OrderPlacedHandler",
    "ProcessOrderQuery",
];

/// A type, one of its methods and its constructor, each in a file of its own.
fn project() -> Sandbox {
    let sandbox =
        Sandbox::new("//- go/config.go\npackage order\n\ntype Config struct{ order string }\n");
    for name in TYPES {
        let file = |part: &str, text: String| {
            sandbox.write(&format!("go/{name}/{part}.go"), format!("package order\n\n{text}\n"));
        };
        file("type", format!("// {name} is about an order.\ntype {name} struct{{ id string }}"));
        file("method", format!("func (it *{name}) Order(id string) error {{ return nil }}"));
        file(
            "make",
            format!(
                "// New{name} makes one for an order.\nfunc New{name}() *{name} {{ return nil }}"
            ),
        );
    }
    sandbox
}

#[test]
fn a_role_finds_types_methods_and_constructors() {
    let sandbox = project();
    let cases: &[(DddPattern, &[&str])] = &[
        (DddPattern::Aggregate, &["OrderAggregate"]),
        (
            DddPattern::Entity,
            &["OrderAggregate", "OrderItemVO", "PlaceOrderCommand", "ProcessOrderQuery"],
        ),
        (DddPattern::ValueObject, &["OrderItemVO"]),
        (DddPattern::Repository, &["OrderRepository"]),
        (DddPattern::Service, &["OrderService"]),
        (DddPattern::Command, &["PlaceOrderCommand"]),
        (DddPattern::Query, &["ProcessOrderQuery"]),
        (DddPattern::Handler, &["OrderPlacedHandler"]),
    ];
    for (pattern, types) in cases {
        for mode in SearchMode::ALL {
            let mut request = SearchRequest { mode, limit: 50, ..SearchRequest::new("order") };
            request.filter.patterns.insert(*pattern);
            check(&sandbox, &request, types, &["make", "method", "type"]);
        }
    }
}

#[test]
fn a_role_and_a_kind_find_functions_of_the_role() {
    let sandbox = project();
    let mut request = SearchRequest { limit: 50, ..SearchRequest::new("order") };
    request.filter.patterns.insert(DddPattern::Service);
    request.filter.patterns.insert(DddPattern::Handler);
    request.filter.symbol_kinds = vec![SymbolKind::Function, SymbolKind::Method];
    check(&sandbox, &request, &["OrderPlacedHandler", "OrderService"], &["make", "method"]);
    request.filter.symbol_kinds = vec![SymbolKind::Struct];
    check(&sandbox, &request, &["OrderPlacedHandler", "OrderService"], &["type"]);
}

fn check(sandbox: &Sandbox, request: &SearchRequest, types: &[&str], parts: &[&str]) {
    let file = |name: &&str| {
        parts.iter().map(move |part| format!("go/{name}/{part}.go")).collect::<Vec<_>>()
    };
    let expected: Vec<String> = types.iter().flat_map(file).collect();
    assert_eq!(paths(&sandbox.ask(request)), expected, "{:?}", request.filter.patterns);
}
