//! Parsing of filters that clients give as text.

use groma_core::SymbolKind;
use groma_engine::find_language;

/// Canonical names of languages; each text may name several, with commas between them.
pub fn languages(names: &[String]) -> Result<Vec<String>, String> {
    let parts = names.iter().flat_map(|name| name.split(',')).map(str::trim);
    parts
        .filter(|name| !name.is_empty())
        .map(|name| match find_language(name) {
            Some(language) => Ok(language.name.to_string()),
            None => Err(format!("`{name}` is no language this server knows")),
        })
        .collect()
}

/// Symbol kinds; each text may name several, with commas between them.
pub fn symbol_kinds(names: &[String]) -> Result<Vec<SymbolKind>, String> {
    let parts = names.iter().flat_map(|name| name.split(',')).map(str::trim);
    parts
        .filter(|name| !name.is_empty())
        .map(|name| {
            SymbolKind::parse_alias(name).ok_or_else(|| {
                let known: Vec<_> = SymbolKind::ALL.iter().map(|kind| kind.as_str()).collect();
                format!("`{name}` is none of {}", known.join(", "))
            })
        })
        .collect()
}
