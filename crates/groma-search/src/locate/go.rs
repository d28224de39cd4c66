//! Implementors of Go's structural interfaces: types that have all methods of the interface.
//!
//! Methods are compared by name and by the number of parameters and results, not by types, because a type can be
//! written in more than one way.

use super::request::UsageKind;
use super::resolution::{DefinitionMatch, LocatedSymbol, symbols};
use super::usages::{Candidate, Subject, admits};
use crate::error::SearchError;
use groma_core::{FileFacts, Reference, ReferenceKind, RelPath, Symbol, SymbolKind};
use groma_syntax::Language;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Maximum depth to which embedded interfaces are followed.
const MAX_DEPTH: usize = 4;

/// Maximum number of implementors for which embedding structs are looked up.
const MAX_EMBEDDED: usize = 50;

/// Methods with their arity: the numbers of parameters and results.
type Methods = BTreeMap<String, (usize, usize)>;

/// A type, by its folder (which is its package) and its name.
type Key = (String, String);

/// A definition in a file.
#[derive(Clone)]
struct DefinedSymbol {
    path: RelPath,
    facts: Arc<FileFacts>,
    index: u32,
}

impl DefinedSymbol {
    fn symbol(&self) -> &Symbol {
        &self.facts.symbols[self.index as usize]
    }

    /// The names of the types it embeds.
    fn embedded(&self) -> impl Iterator<Item = &str> {
        let inside = |reference: &&Reference| {
            reference.kind == ReferenceKind::Base && reference.enclosing == Some(self.index)
        };
        self.facts.references.iter().filter(inside).map(|reference| &*reference.name)
    }

    fn candidate(&self) -> Candidate {
        let symbol = self.symbol();
        let position = (symbol.name_line, Some(symbol.name_column));
        let file = (&self.path, &self.facts);
        Candidate::new(file, UsageKind::Type, &symbol.name, position, Some(self.index))
    }
}

impl Subject<'_> {
    /// The types that have all methods of an interface of the query.
    pub fn structural_implementors(
        &self,
        notes: &mut Vec<String>,
    ) -> Result<Vec<Candidate>, SearchError> {
        let mut found = Vec::new();
        for DefinitionMatch { path, facts, index, .. } in self.definitions {
            let interface =
                DefinedSymbol { path: path.clone(), facts: facts.clone(), index: *index };
            if !has_structural_interfaces(facts) || interface.symbol().kind != SymbolKind::Interface
            {
                continue;
            }
            let mut methods = Methods::new();
            self.collect_methods(&interface, MAX_DEPTH, &mut methods, notes)?;
            if !methods.is_empty() {
                found.extend(self.types_with(&methods)?);
            }
        }
        Ok(found)
    }

    /// The methods of an interface and of those it embeds.
    fn collect_methods(
        &self,
        interface: &DefinedSymbol,
        depth: usize,
        methods: &mut Methods,
        notes: &mut Vec<String>,
    ) -> Result<(), SearchError> {
        let own = interface.facts.symbols.iter();
        let own = own.filter(|symbol| symbol.parent == Some(interface.index));
        methods.extend(own.map(|symbol| (symbol.name.clone(), arity(&symbol.signature))));
        for name in interface.embedded() {
            let mut found = self.go_symbols(&[name.to_string()], SymbolKind::is_type)?;
            found.retain(|one| one.symbol().kind == SymbolKind::Interface);
            // An interface of the same package takes precedence.
            let folder = interface.path.folder();
            found.sort_by_key(|one| (one.path.folder() != folder, one.path.clone()));
            match found.first() {
                Some(inner) if depth > 0 => {
                    self.collect_methods(inner, depth - 1, methods, notes)?;
                }
                _ => notes.push(format!(
                    "{name} is not an interface of this project: its methods were not checked"
                )),
            }
        }
        Ok(())
    }

    /// The types that have all of the methods: declared on them, promoted from embedded types, or by embedding a type
    /// that has them all.
    fn types_with(&self, wanted: &Methods) -> Result<Vec<Candidate>, SearchError> {
        let owned = self.owners(wanted)?;
        let mut names: Vec<String> = owned.keys().map(|(_, name)| name.clone()).collect();
        names.sort_unstable();
        names.dedup();
        let types: BTreeMap<Key, DefinedSymbol> = self
            .go_symbols(&names, SymbolKind::is_type)?
            .into_iter()
            .map(|one| ((one.path.folder().to_string(), one.symbol().name.clone()), one))
            .filter(|(key, _)| owned.contains_key(key))
            .collect();
        let has_all = |(key, one): &(&Key, &DefinedSymbol)| {
            let mut methods = owned[*key].clone();
            for name in one.embedded() {
                methods.extend(methods_of(&owned, &key.0, name));
            }
            methods.len() == wanted.len()
        };
        let implementors: Vec<&DefinedSymbol> =
            types.iter().filter(has_all).map(|(_, one)| one).collect();
        let mut found: Vec<Candidate> = implementors
            .iter()
            .filter(|one| admits(self.files, &one.path, &one.facts))
            .map(|one| one.candidate())
            .collect();
        found.extend(self.embedding(&implementors)?);
        Ok(found)
    }

    /// The methods, of those wanted, that each type of the project declares.
    fn owners(&self, wanted: &Methods) -> Result<BTreeMap<Key, BTreeSet<String>>, SearchError> {
        let names: Vec<String> = wanted.keys().cloned().collect();
        let mut owned: BTreeMap<Key, BTreeSet<String>> = BTreeMap::new();
        for one in self.go_symbols(&names, |kind| kind == SymbolKind::Method)? {
            let symbol = one.symbol();
            let Some(receiver) = &symbol.receiver else { continue };
            if wanted.get(&symbol.name) == Some(&arity(&symbol.signature)) {
                let key = (one.path.folder().to_string(), receiver.clone());
                owned.entry(key).or_default().insert(symbol.name.clone());
            }
        }
        Ok(owned)
    }

    /// The structs that embed one of the types.
    fn embedding(&self, types: &[&DefinedSymbol]) -> Result<Vec<Candidate>, SearchError> {
        let types = &types[..types.len().min(MAX_EMBEDDED)];
        let names: Vec<String> = types.iter().map(|one| one.symbol().name.clone()).collect();
        let located: Vec<LocatedSymbol> =
            types.iter().map(|one| (one.path.clone(), one.facts.clone(), one.index)).collect();
        let mut found = self.uses(&names, &located, |kind| kind == Some(ReferenceKind::Base))?;
        found.retain(|one| !one.is_possible() && has_structural_interfaces(&one.facts));
        Ok(found)
    }

    /// The Go symbols with one of the names, compared exactly.
    fn go_symbols(
        &self,
        names: &[String],
        fits: impl Fn(SymbolKind) -> bool,
    ) -> Result<Vec<DefinedSymbol>, SearchError> {
        let admits = |_: &RelPath, facts: &FileFacts, symbol: &Symbol| {
            has_structural_interfaces(facts) && fits(symbol.kind) && names.contains(&symbol.name)
        };
        let found = symbols(self.snapshot, names, &admits)?.into_iter();
        Ok(found.map(|(path, facts, index)| DefinedSymbol { path, facts, index }).collect())
    }
}

/// Whether interfaces are structural in the language of a file.
pub(super) fn has_structural_interfaces(facts: &FileFacts) -> bool {
    Language::named(&facts.language).is_some_and(|language| language.structural_interfaces)
}

/// The methods of an embedded type: of the same package, or else any with that name.
fn methods_of(owned: &BTreeMap<Key, BTreeSet<String>>, folder: &str, name: &str) -> Vec<String> {
    let same_package = owned.get(&(folder.to_string(), name.to_string()));
    let any = || owned.iter().find(|((_, other), _)| other == name).map(|(_, methods)| methods);
    same_package.or_else(any).into_iter().flatten().cloned().collect()
}

/// The numbers of parameters and results of a Go signature.
fn arity(signature: &str) -> (usize, usize) {
    let head = signature.trim_start();
    // A method's receiver precedes its name; an interface method has none.
    let head = match head.strip_prefix("func").map(str::trim_start) {
        Some(rest) if rest.starts_with('(') => &rest[group(rest).len()..],
        Some(rest) => rest,
        None => head,
    };
    let Some(open) = head.find('(') else { return (0, 0) };
    let parameters = group(&head[open..]);
    let results = head[open + parameters.len()..].trim();
    let count = |list: &str| {
        let list = list.strip_prefix('(').unwrap_or(list);
        items(list.strip_suffix(')').unwrap_or(list))
    };
    let results = match results {
        "" => 0,
        list if list.starts_with('(') => count(group(list)),
        _ => 1,
    };
    (count(parameters), results)
}

/// The parenthesised group at the start of a text.
fn group(text: &str) -> &str {
    let mut depth = 0usize;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'(' => depth += 1,
            b')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return &text[..=at];
        }
    }
    text
}

/// The number of items in a list; commas in brackets do not separate items.
fn items(list: &str) -> usize {
    let mut depth = 0i32;
    let mut count = 0;
    let mut filled = false;
    for byte in list.bytes() {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth -= 1,
            b',' if depth == 0 => {
                count += usize::from(filled);
                filled = false;
                continue;
            }
            _ => {}
        }
        filled |= !byte.is_ascii_whitespace();
    }
    count + usize::from(filled)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arities_of_go() {
        for (signature, expected) in [
            ("func (r *Repo) Find(name string) (*User, error)", (1, 2)),
            ("Find(string) (*User, error)", (1, 2)),
            ("func (Repo) Close()", (0, 0)),
            ("Close() error", (0, 1)),
            ("func (r *Repo) Each(a, b int, f func(x, y int) (bool, error)) error", (3, 1)),
            ("Get(m map[string]func(int, int), rest ...int)", (2, 0)),
            ("func (c *Cache[K, V]) Load(key K) (value V, ok bool)", (1, 2)),
            ("func broken(", (0, 0)),
        ] {
            assert_eq!(arity(signature), expected, "{signature}");
        }
    }
}
