//! Domain-driven-design patterns of Go types, read off their names.
//!
//! A sub-index of this contract holds only Go, so the language is not looked at.

use groma_core::{SymbolKind, SymbolOutline, SymbolPredicate};

/// The patterns, and the suffixes of the types that have them.
const SUFFIXES: &[(&str, &[&str])] = &[
    ("aggregate", AGGREGATE),
    ("entity", &["Entity"]),
    ("value_object", &["VO", "ValueObject"]),
    ("repository", &["Repository", "Repo"]),
    ("service", &["Service"]),
    ("command", &["Command", "Cmd"]),
    ("query", &["Query"]),
    ("handler", &["Handler"]),
];

const AGGREGATE: &[&str] = &["Aggregate", "AggregateRoot"];

/// Words that make a type an entity anywhere in its name, unless it ends in one of `NO_ENTITY`.
const ENTITY_WORDS: [&str; 6] = ["Order", "User", "Product", "Account", "Customer", "Item"];

const NO_ENTITY: &[&str] = &["Service", "Repository", "Handler"];

/// Admits the definitions that have one of the patterns; `None` if there is no pattern.
pub fn predicate(mut patterns: Vec<String>) -> Option<SymbolPredicate> {
    if patterns.is_empty() {
        return None;
    }
    patterns.sort();
    patterns.dedup();
    let id = format!("DDD patterns {}", patterns.join(" "));
    let has_one = move |symbol: &SymbolOutline<'_>| {
        type_name(symbol).is_some_and(|name| patterns.iter().any(|pattern| has(name, pattern)))
    };
    Some(SymbolPredicate::new(id, has_one))
}

/// The type whose patterns a definition has: itself, a method's receiver or interface, or what a constructor makes.
fn type_name<'a>(symbol: &SymbolOutline<'a>) -> Option<&'a str> {
    match symbol.kind {
        SymbolKind::Method => symbol.container,
        SymbolKind::Function => symbol.name.strip_prefix("New"),
        kind => kind.is_type().then_some(symbol.name),
    }
}

/// Whether a type of that name has the pattern.
fn has(name: &str, pattern: &str) -> bool {
    let ends = |suffixes: &[&str]| suffixes.iter().any(|suffix| name.ends_with(suffix));
    let by_suffix = SUFFIXES.iter().any(|(known, suffixes)| *known == pattern && ends(suffixes));
    let is_entity = || {
        ends(AGGREGATE) || ENTITY_WORDS.iter().any(|word| name.contains(word)) && !ends(NO_ENTITY)
    };
    by_suffix || pattern == "entity" && is_entity()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn patterns(symbol: SymbolOutline<'_>) -> String {
        let has = |pattern: &&str| predicate(vec![pattern.to_string()]).unwrap().matches(&symbol);
        SUFFIXES.iter().map(|(name, _)| *name).filter(has).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn types_have_the_patterns_of_their_names() {
        let of = |name| patterns(SymbolOutline { name, kind: SymbolKind::Struct, container: None });
        assert_eq!(of("OrderAggregate"), "aggregate entity");
        assert_eq!(of("CartAggregateRoot"), "aggregate entity");
        assert_eq!(of("OrderItemVO"), "entity value_object");
        assert_eq!(of("OrderRepository"), "repository");
        assert_eq!(of("OrderRepo"), "entity repository");
        assert_eq!(of("OrderService"), "service");
        assert_eq!(of("PlaceOrderCommand"), "entity command");
        assert_eq!(of("OrderPlacedHandler"), "handler");
        assert_eq!(of("ProcessOrderQuery"), "entity query");
        assert_eq!(of("Config"), "");
    }

    #[test]
    fn methods_and_constructors_have_those_of_their_type() {
        use SymbolKind::{Constant, Function, Interface, Method};
        let of = |name, kind, container| patterns(SymbolOutline { name, kind, container });
        assert_eq!(of("Place", Method, Some("CartService")), "service");
        assert_eq!(of("CartService", Method, None), "", "a method of an unknown type");
        assert_eq!(of("NewCartService", Function, None), "service");
        assert_eq!(of("CartService", Function, None), "");
        assert_eq!(of("CartService", Interface, Some("NewCartQuery")), "service");
        assert_eq!(of("CartService", Constant, None), "");
    }

    #[test]
    fn the_order_of_patterns_does_not_matter() {
        let id = |names: &[&str]| {
            let names = names.iter().map(|name| name.to_string()).collect();
            predicate(names).map(|test| test.id().to_string())
        };
        assert_eq!(id(&["service", "query", "query"]), id(&["query", "service"]));
        assert_ne!(id(&["service"]), id(&["query"]));
        assert_eq!(id(&[]), None);
    }
}
