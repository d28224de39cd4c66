//! The definitions that enclose lines, for many lines of few files.

use crate::engine::Engine;
use groma_core::{FileFacts, RelPath};
use groma_search::{Place, enclosing_place};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::sync::Arc;

/// Finds the definition that encloses a line; the facts of a file are looked up once.
pub struct EnclosingPlaces<'e> {
    engine: &'e Engine,
    known: RefCell<FxHashMap<RelPath, Option<Arc<FileFacts>>>>,
}

impl Engine {
    /// Finds the definitions that enclose lines of files as they are now. Nothing is indexed for it.
    pub fn enclosing_places(&self) -> EnclosingPlaces<'_> {
        EnclosingPlaces { engine: self, known: RefCell::default() }
    }
}

impl EnclosingPlaces<'_> {
    /// The definition that encloses a line.
    pub fn at(&self, path: &RelPath, line: u32) -> Option<Place> {
        let mut known = self.known.borrow_mut();
        let facts = known.entry(path.clone()).or_insert_with(|| self.engine.facts(path));
        facts.as_ref().and_then(|facts| enclosing_place(facts, line))
    }
}
