//! Domain-driven-design roles of Go types, read off their names.

use crate::language::Language;
use groma_core::{DddPattern, DddPatterns, Symbol, SymbolKind};
use rustc_hash::FxHashMap;

/// Words that make a type an entity wherever they stand in its name.
const ENTITY_WORDS: [&str; 6] = ["Order", "User", "Product", "Account", "Customer", "Item"];

/// Marks the types of a Go file; methods have their receiver's roles, constructors those of what they make.
pub(crate) fn mark(language: &Language, symbols: &mut [Symbol]) {
    if language.name != "go" {
        return;
    }
    let mut types: FxHashMap<String, DddPatterns> = FxHashMap::default();
    for symbol in symbols.iter_mut().filter(|symbol| symbol.kind.is_type()) {
        symbol.patterns = patterns(&symbol.name);
        types.insert(symbol.name.clone(), symbol.patterns);
    }
    // The type may stand in another file of the package; its name says the same there.
    let named = |name: &str| types.get(name).copied().unwrap_or_else(|| patterns(name));
    for place in 0..symbols.len() {
        let symbol = &symbols[place];
        // A method that an interface lists has no receiver, but a parent.
        let parent = symbol.parent.map(|parent| symbols[parent as usize].patterns);
        let inherited = match symbol.kind {
            SymbolKind::Method => symbol.receiver.as_deref().map(named).or(parent),
            SymbolKind::Function => symbol.name.strip_prefix("New").map(named),
            _ => None,
        };
        if let Some(inherited) = inherited {
            symbols[place].patterns = inherited;
        }
    }
}

fn patterns(name: &str) -> DddPatterns {
    let ends = |suffixes: &[&str]| suffixes.iter().any(|suffix| name.ends_with(suffix));
    let mut set = DddPatterns::default();
    if ends(&["Aggregate", "AggregateRoot"]) {
        set.insert(DddPattern::Aggregate);
        set.insert(DddPattern::Entity);
    }
    if ends(&["Entity"])
        || ENTITY_WORDS.iter().any(|word| name.contains(word))
            && !ends(&["Service", "Repository", "Handler"])
    {
        set.insert(DddPattern::Entity);
    }
    let rules: [(&[&str], DddPattern); 6] = [
        (&["VO", "ValueObject"], DddPattern::ValueObject),
        (&["Repository", "Repo"], DddPattern::Repository),
        (&["Service"], DddPattern::Service),
        (&["Command", "Cmd"], DddPattern::Command),
        (&["Query"], DddPattern::Query),
        (&["Handler"], DddPattern::Handler),
    ];
    for (suffixes, pattern) in rules {
        if ends(suffixes) {
            set.insert(pattern);
        }
    }
    set
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_roles() {
        let roles =
            |name: &str| patterns(name).iter().map(|p| p.as_str()).collect::<Vec<_>>().join(" ");
        assert_eq!(roles("OrderAggregate"), "aggregate entity");
        assert_eq!(roles("OrderItemVO"), "entity value_object");
        assert_eq!(roles("OrderRepository"), "repository");
        assert_eq!(roles("OrderService"), "service");
        assert_eq!(roles("PlaceOrderCommand"), "entity command");
        assert_eq!(roles("OrderPlacedHandler"), "handler");
        assert_eq!(roles("ProcessOrderQuery"), "entity query");
        assert_eq!(roles("Config"), "");
    }
}
