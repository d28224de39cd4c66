//! Interfaces of Go, which types implement without saying so: by having their methods.
//!
//! Methods are compared by name and by how many parameters and results they have. Types are names, and a name
//! may be written in more than one way.

use super::names::{Found, symbols};
use super::request::UsageKind;
use super::usages::{Candidate, Subject, admits};
use crate::error::SearchError;
use groma_core::{FileFacts, Reference, ReferenceKind, RelPath, Symbol, SymbolKind};
use groma_syntax::Language;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// How deep interfaces that embed others are followed.
const DEEPEST: usize = 4;

/// Types that implement an interface and are looked for in others that embed them.
const MOST_EMBEDDED: usize = 50;

/// Methods, with the numbers of their parameters and results.
type Methods = BTreeMap<String, (usize, usize)>;

/// A type, by its folder (which is its package) and its name.
type Key = (String, String);

/// A definition in a file.
#[derive(Clone)]
struct Defined {
    path: RelPath,
    facts: Arc<FileFacts>,
    index: u32,
}

impl Defined {
    fn symbol(&self) -> &Symbol {
        &self.facts.symbols[self.index as usize]
    }

    /// The names of the types it embeds.
    fn embedded(&self) -> impl Iterator<Item = &str> {
        let inside = |reference: &&Reference| {
            reference.kind == ReferenceKind::Base && reference.enclosing == Some(self.index)
        };
        self.facts.references.iter().filter(inside).map(|reference| reference.name.as_str())
    }

    fn candidate(&self) -> Candidate {
        let symbol = self.symbol();
        let place = (symbol.name_line, Some(symbol.name_column));
        let file = (&self.path, &self.facts);
        Candidate::new(file, UsageKind::Type, &symbol.name, place, Some(self.index))
    }
}

impl Subject<'_> {
    /// The types that have all methods of an interface asked about.
    pub fn structural_implementors(
        &self,
        notes: &mut Vec<String>,
    ) -> Result<Vec<Candidate>, SearchError> {
        let mut found = Vec::new();
        for Found { path, facts, index, .. } in self.definitions {
            let interface = Defined { path: path.clone(), facts: facts.clone(), index: *index };
            if !has_structural_interfaces(facts) || interface.symbol().kind != SymbolKind::Interface
            {
                continue;
            }
            let mut methods = Methods::new();
            self.collect_methods(&interface, DEEPEST, &mut methods, notes)?;
            if !methods.is_empty() {
                found.extend(self.types_with(&methods)?);
            }
        }
        Ok(found)
    }

    /// The methods of an interface and of those it embeds.
    fn collect_methods(
        &self,
        interface: &Defined,
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
            // One of the same package is meant before any other.
            let folder = interface.path.folder();
            found.sort_by_key(|one| (one.path.folder() != folder, one.path.clone()));
            match found.first() {
                Some(inner) if depth > 0 => {
                    self.collect_methods(inner, depth - 1, methods, notes)?;
                }
                _ => notes.push(format!(
                    "{name} is not an interface of this project: its methods are not asked for"
                )),
            }
        }
        Ok(())
    }

    /// The types that have all of some methods: their own, those of what they embed, or all by embedding one
    /// that has them.
    fn types_with(&self, wanted: &Methods) -> Result<Vec<Candidate>, SearchError> {
        let owned = self.owners(wanted)?;
        let mut names: Vec<String> = owned.keys().map(|(_, name)| name.clone()).collect();
        names.sort_unstable();
        names.dedup();
        let types: BTreeMap<Key, Defined> = self
            .go_symbols(&names, SymbolKind::is_type)?
            .into_iter()
            .map(|one| ((one.path.folder().to_string(), one.symbol().name.clone()), one))
            .filter(|(key, _)| owned.contains_key(key))
            .collect();
        let has_all = |(key, one): &(&Key, &Defined)| {
            let mut methods = owned[*key].clone();
            for name in one.embedded() {
                methods.extend(methods_of(&owned, &key.0, name));
            }
            methods.len() == wanted.len()
        };
        let whole: Vec<&Defined> = types.iter().filter(has_all).map(|(_, one)| one).collect();
        let mut found: Vec<Candidate> = whole
            .iter()
            .filter(|one| admits(self.files, &one.path, &one.facts))
            .map(|one| one.candidate())
            .collect();
        found.extend(self.embedding(&whole)?);
        Ok(found)
    }

    /// Which of the methods the types of the project have.
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

    /// The structs that embed one of some types.
    fn embedding(&self, types: &[&Defined]) -> Result<Vec<Candidate>, SearchError> {
        let types = &types[..types.len().min(MOST_EMBEDDED)];
        let names: Vec<String> = types.iter().map(|one| one.symbol().name.clone()).collect();
        let mut found = self.uses(&names, |kind| kind == Some(ReferenceKind::Base))?;
        found.retain(|one| {
            let seen = |other: &&Defined| {
                other.symbol().name == one.name && self.sees(&one.path, &one.facts, &other.path)
            };
            has_structural_interfaces(&one.facts) && types.iter().any(seen)
        });
        Ok(found)
    }

    /// The symbols of Go with exactly one of the names.
    fn go_symbols(
        &self,
        names: &[String],
        fits: impl Fn(SymbolKind) -> bool,
    ) -> Result<Vec<Defined>, SearchError> {
        let admits = |_: &RelPath, facts: &FileFacts, symbol: &Symbol| {
            has_structural_interfaces(facts) && fits(symbol.kind) && names.contains(&symbol.name)
        };
        let found = symbols(self.snapshot, names, &admits)?.into_iter();
        Ok(found.map(|(path, facts, index)| Defined { path, facts, index }).collect())
    }
}

/// Whether types of a file implement interfaces by their methods alone.
pub(super) fn has_structural_interfaces(facts: &FileFacts) -> bool {
    Language::named(&facts.language).is_some_and(|language| language.structural_interfaces)
}

/// The methods of an embedded type: that of the same package, or else any of that name.
fn methods_of(owned: &BTreeMap<Key, BTreeSet<String>>, folder: &str, name: &str) -> Vec<String> {
    let beside = owned.get(&(folder.to_string(), name.to_string()));
    let any = || owned.iter().find(|((_, other), _)| other == name).map(|(_, methods)| methods);
    beside.or_else(any).into_iter().flatten().cloned().collect()
}

/// How many parameters and results a Go signature has.
fn arity(signature: &str) -> (usize, usize) {
    let head = signature.trim_start();
    // A method's receiver stands in front of its name; in an interface there is none.
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

/// The parenthesis that a text begins with, up to its end.
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

/// How many items a list has; commas in brackets do not part.
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
