//! Which types extend or implement a name.
//!
//! Most languages state it in the definition of the type. Rust and Swift state it in a block of its own, whose type the
//! query captures. Go does not state it at all: see [`super::go`].

use super::go::has_structural_interfaces;
use super::usages::{Candidate, Subject};
use crate::error::SearchError;
use groma_core::{ReferenceKind, SymbolKind};
use rustc_hash::FxHashSet;

impl Subject<'_> {
    /// The references by which types extend or implement the names, and the structural implementors. Adds a note for
    /// each embedded interface that could not be resolved.
    pub fn implementors(&self, notes: &mut Vec<String>) -> Result<Vec<Candidate>, SearchError> {
        let bases = |kind| kind == Some(ReferenceKind::Base);
        let mut found = self.uses(&self.names, &self.wanted(), bases)?;
        found.extend(self.structural_implementors(notes)?);
        self.sort(&mut found);
        // A Go type may both declare the methods and embed another type that has them.
        let mut seen = FxHashSet::default();
        found.retain(|one| {
            let structural = one.enclosing.is_some() && has_structural_interfaces(&one.facts);
            !structural || seen.insert((one.path.clone(), one.enclosing))
        });
        Ok(found)
    }
}

/// A type that extends or implements something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Implementor {
    /// A symbol of the same file, by its index.
    Local(u32),
    /// A type with this name.
    Named(String),
}

impl Implementor {
    /// The type that implements by a reference: the one its `impl` block or extension names, or the enclosing
    /// definition.
    pub fn of(candidate: &Candidate) -> Option<Self> {
        let symbols = &candidate.facts.symbols;
        let Some(name) = &candidate.implementor else {
            let may_implement = |index: &u32| {
                let kind = symbols[*index as usize].kind;
                kind.is_type() || matches!(kind, SymbolKind::Module | SymbolKind::Variant)
            };
            return candidate.enclosing.filter(may_implement).map(Self::Local);
        };
        let local = symbols.iter().position(|symbol| symbol.kind.is_type() && symbol.name == *name);
        Some(local.map_or_else(|| Self::Named(name.clone()), |index| Self::Local(index as u32)))
    }
}
