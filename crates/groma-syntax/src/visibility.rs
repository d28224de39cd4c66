//! Which code may use a definition, by the rules of its language.

use crate::language::{Language, VisibilityRule};
use groma_core::{Symbol, SymbolKind, Visibility};

/// The visibility of a definition.
pub(crate) fn visibility(
    language: &Language,
    kind: SymbolKind,
    name: &str,
    signature: &str,
    parent: Option<&Symbol>,
) -> Visibility {
    // Definitions in a function are local to it.
    if parent.is_some_and(|parent| parent.kind.is_callable()) {
        return Visibility::Private;
    }
    match language.naming.visibility {
        VisibilityRule::Capital => {
            let exported = name.chars().next().is_some_and(char::is_uppercase);
            return if exported { Visibility::Public } else { Visibility::Internal };
        }
        VisibilityRule::Underscore => {
            let hidden = name.starts_with('_') && !(name.starts_with("__") && name.ends_with("__"));
            return if hidden { Visibility::Private } else { Visibility::Public };
        }
        _ if name.starts_with('#') => return Visibility::Private,
        _ => {}
    }
    let keyword = access_keyword(language, signature, name);
    keyword.unwrap_or_else(|| default_visibility(language, kind, signature, parent))
}

/// Whether a signature states its visibility with a keyword.
pub(crate) fn has_access_keyword(language: &Language, signature: &str, name: &str) -> bool {
    access_keyword(language, signature, name).is_some()
}

/// The visibility that the keywords in front of a name state.
fn access_keyword(language: &Language, signature: &str, name: &str) -> Option<Visibility> {
    // `private(set)` restricts only the setter.
    let signature = ["private(set) ", "fileprivate(set) ", "internal(set) "]
        .iter()
        .find_map(|setter| signature.strip_prefix(setter))
        .unwrap_or(signature);
    let head = signature.split(['(', '=', '{']).next().unwrap_or(signature);
    // `pub(crate)` is cut off at its parenthesis.
    if head.trim_end() == "pub" && signature[head.len()..].starts_with('(') {
        return Some(Visibility::Internal);
    }
    for word in head.split_whitespace().take(6).take_while(|word| *word != name) {
        match word {
            "pub" | "public" | "export" | "open" => return Some(Visibility::Public),
            "private" | "fileprivate" | "local" => return Some(Visibility::Private),
            "protected" => return Some(Visibility::Protected),
            "internal" => return Some(Visibility::Internal),
            _ if language.naming.private_keywords.contains(&word) => {
                return Some(Visibility::Private);
            }
            _ if word.starts_with("private[") || word.starts_with("protected[") => {
                return Some(Visibility::Internal);
            }
            _ => {}
        }
    }
    None
}

/// The visibility of a definition without a keyword for it.
fn default_visibility(
    language: &Language,
    kind: SymbolKind,
    signature: &str,
    parent: Option<&Symbol>,
) -> Visibility {
    let outer = parent.map(|parent| parent.kind);
    let member = outer.is_some_and(SymbolKind::is_type);
    // Members of an interface and variants of an enum are as visible as the whole.
    if let Some(parent) = parent
        && (kind == SymbolKind::Variant
            || matches!(
                parent.kind,
                SymbolKind::Trait | SymbolKind::Interface | SymbolKind::Variant
            ))
    {
        return parent.visibility;
    }
    match language.naming.visibility {
        VisibilityRule::KeywordElseInternal => Visibility::Internal,
        VisibilityRule::KeywordElsePrivate => Visibility::Private,
        VisibilityRule::KeywordElseNarrow if member => Visibility::Private,
        VisibilityRule::KeywordElseNarrow => Visibility::Internal,
        // `exports.x = ...` exports as well.
        VisibilityRule::Export
            if !member
                && !["exports.", "module."].iter().any(|start| signature.starts_with(start)) =>
        {
            // `app.use = function () {}` is as visible as the object.
            let alone =
                if kind == SymbolKind::Method { Visibility::Public } else { Visibility::Internal };
            parent.map_or(alone, |parent| parent.visibility)
        }
        VisibilityRule::Linkage
            if outer == Some(SymbolKind::Class) || !member && signature.starts_with("static ") =>
        {
            Visibility::Private
        }
        _ => Visibility::Public,
    }
}
