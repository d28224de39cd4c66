//! Which types extend or implement a name.
//!
//! Most languages say so where a type is defined. Rust and Swift say it in a block of its own, whose type is read
//! off the text. Go does not say it at all; that is a matter of its own.

use super::usages::{Candidate, Subject};
use crate::error::SearchError;
use groma_core::{FileFacts, ReferenceKind, SymbolKind};
use rustc_hash::FxHashSet;

/// Longest head of a block that is read.
const LONGEST_HEAD: usize = 400;

impl Subject<'_> {
    /// The places where types say that they extend or implement the names, and the types that do so without
    /// saying it. Notes what could not be looked at.
    pub fn implementors(&self, notes: &mut Vec<String>) -> Result<Vec<Candidate>, SearchError> {
        let mut found = self.uses(&self.names, |kind| kind == Some(ReferenceKind::Base))?;
        found.extend(self.structural_implementors(notes)?);
        self.sort(&mut found);
        // A type of Go may have the methods and embed another that has them.
        let mut seen = FxHashSet::default();
        found.retain(|one| {
            let structural = one.facts.language == "go" && one.enclosing.is_some();
            !structural || seen.insert((one.path.clone(), one.enclosing))
        });
        Ok(found)
    }
}

/// The type that extends or implements something: the symbol around the place, or the one that the block's head
/// in the text names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Heir {
    /// A symbol of the same file.
    Here(u32),
    /// A type of this name.
    Named(String),
}

/// Who inherits at a place.
pub(super) fn heir(
    facts: &FileFacts,
    enclosing: Option<u32>,
    text: &str,
    at: usize,
) -> Option<Heir> {
    let kind = enclosing.map(|index| facts.symbols[index as usize].kind);
    let own = |kind: SymbolKind| {
        kind.is_type() || matches!(kind, SymbolKind::Module | SymbolKind::Variant)
    };
    let name = match facts.language.as_str() {
        // Even inside of a function or a module, the head of the block says it.
        "rust" => after_for(text.get(at..)?),
        "swift" if !kind.is_some_and(own) => after_extension(text.get(..at)?),
        _ => None,
    };
    let Some(name) = name else {
        return enclosing.filter(|_| kind.is_some_and(own)).map(Heir::Here);
    };
    let here = (0..)
        .zip(&facts.symbols)
        .find(|(_, symbol)| symbol.kind.is_type() && symbol.name == name)
        .map(|(index, _)| Heir::Here(index));
    Some(here.unwrap_or_else(|| Heir::Named(name.to_string())))
}

/// The type in `Trait<X> for module::Type<T> {`, from the trait on.
fn after_for(text: &str) -> Option<&str> {
    let end = text.find(['{', ';']).unwrap_or(text.len()).min(LONGEST_HEAD);
    let head = text.get(..end)?;
    let mut depth = 0i32;
    let mut before = ' ';
    for (at, letter) in head.char_indices() {
        match letter {
            '<' | '(' | '[' => depth += 1,
            '>' if before == '-' => {}
            '>' | ')' | ']' => depth -= 1,
            'f' if depth == 0 && before.is_whitespace() => {
                if let Some(rest) = head[at..]
                    .strip_prefix("for")
                    .filter(|rest| rest.starts_with(char::is_whitespace))
                {
                    return type_name(rest);
                }
            }
            _ => {}
        }
        if depth < 0 {
            return None;
        }
        before = letter;
    }
    None
}

/// The name of a type without references, modules and parameters.
fn type_name(text: &str) -> Option<&str> {
    let text = text.split(" where ").next()?.split('<').next()?;
    let word = text
        .split(|c: char| !c.is_alphanumeric() && c != '_' && c != '\'')
        .filter(|word| !word.is_empty() && !word.starts_with('\''))
        .rfind(|word| !matches!(*word, "mut" | "dyn" | "const"));
    word.filter(|word| !word.is_empty())
}

/// The type in `extension Type: Protocol`, up to the protocol.
fn after_extension(text: &str) -> Option<&str> {
    let head = &text[text.rfind("extension ")?..];
    let head = head.strip_prefix("extension ")?;
    let name = head.split([':', '<', '{', ' ']).next()?;
    name.rsplit('.').next().filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_type_of_a_block_is_in_its_head() {
        for (head, expected) in [
            ("Display for Cart<'_, T> {", Some("Cart")),
            ("From<Box<dyn Fn(u8) -> u8>> for crate::shop::Cart where T: X {", Some("Cart")),
            ("Iterator for &'a mut Cart {", Some("Cart")),
            ("Service for Box<dyn Service> {", Some("Box")),
            ("Priced\n    for\n    Cart\n{", Some("Cart")),
            ("Display {", None),
            ("Fn() -> T>(x: T) {", None),
        ] {
            assert_eq!(after_for(head), expected, "{head}");
        }
        assert_eq!(after_extension("}\nextension Shop.Cart: "), Some("Cart"));
        assert_eq!(after_extension("class Cart: "), None);
    }
}
