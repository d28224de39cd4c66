//! The four symbol types of this contract, and the engine's kinds they stand for.

use groma_core::SymbolKind;

/// Each type with the kinds that count as it.
pub const TYPES: [(&str, &[SymbolKind]); 4] = {
    use SymbolKind::*;
    [
        ("function", &[Function, Macro, Test]),
        ("class", &[Class, Struct, Enum]),
        ("method", &[Method, Constructor]),
        ("interface", &[Interface, Trait, Type]),
    ]
};

/// The type of a kind; a constant or a module has none.
pub fn type_of(kind: SymbolKind) -> Option<&'static str> {
    TYPES.iter().find(|(_, kinds)| kinds.contains(&kind)).map(|(name, _)| *name)
}

/// The kinds of a type.
pub fn kinds_of(name: &str) -> Result<&'static [SymbolKind], String> {
    let found = TYPES.iter().find(|(known, _)| *known == name).map(|(_, kinds)| *kinds);
    found.ok_or_else(|| {
        let known: Vec<&str> = TYPES.iter().map(|(name, _)| *name).collect();
        format!("Invalid symbol_type '{name}'. Allowed: {}", known.join(", "))
    })
}
