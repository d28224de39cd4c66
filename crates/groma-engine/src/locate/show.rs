//! From what was found to what is answered, with lines that are in the tree now.

use super::heirs::{Heir, heir};
use super::names::{Found, symbols};
use super::request::{Definition, Enclosing, Place, Relation, Usage};
use super::usages::Candidate;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::text::Text;
use groma_core::{FileFacts, Lines, RelPath, Snapshot, Symbol, SymbolKind};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// Makes the answer.
pub(super) struct Show<'a> {
    engine: &'a Engine,
    snapshot: &'a dyn Snapshot,
    limit: usize,
    texts: FxHashMap<RelPath, Option<Text>>,
    /// Files that are no longer what was indexed.
    pub outdated: BTreeSet<RelPath>,
    pub notes: Vec<String>,
}

impl<'a> Show<'a> {
    pub fn new(engine: &'a Engine, snapshot: &'a dyn Snapshot, limit: usize) -> Self {
        Self {
            engine,
            snapshot,
            limit,
            texts: FxHashMap::default(),
            outdated: BTreeSet::new(),
            notes: Vec::new(),
        }
    }

    /// The best definitions whose files are still what was indexed.
    pub fn definitions(&mut self, found: Vec<Found>) -> Vec<Definition> {
        let mut shown = Vec::new();
        for one in found {
            if shown.len() == self.limit {
                break;
            }
            if self.engine.is_current(self.snapshot.manifest(), &one.path) {
                shown.push(definition(one));
            } else {
                self.outdated.insert(one.path);
            }
        }
        shown
    }

    /// The best usages whose files are still what was indexed.
    pub fn usages(
        &mut self,
        found: Vec<Candidate>,
        relation: Relation,
    ) -> Result<Vec<Usage>, EngineError> {
        let mut shown = Vec::new();
        let mut heirs = Vec::new();
        for one in found {
            if shown.len() == self.limit {
                break;
            }
            let Some(text) = self.text(&one.path) else { continue };
            let line = text.line(one.line);
            let column = one.column.unwrap_or_else(|| line.find(&one.name).unwrap_or(0) as u32);
            if relation == Relation::Implementors {
                let at = text.start(one.line) + column as usize;
                heirs.push(heir(&one.facts, one.enclosing, &text.text, at));
            }
            shown.push(Usage {
                language: one.facts.language.clone(),
                line: one.line,
                column,
                kind: one.kind,
                text: line.trim().to_string(),
                enclosing: one.enclosing.map(|index| enclosing(&one.facts, index)),
                name: one.name,
                definitions: one.definitions,
                path: one.path,
            });
        }
        self.add_heirs(&mut shown, heirs)?;
        Ok(shown)
    }

    /// Says which type implements, and where it is defined.
    fn add_heirs(&self, shown: &mut [Usage], heirs: Vec<Option<Heir>>) -> Result<(), EngineError> {
        let named = |heir: &Option<Heir>| match heir {
            Some(Heir::Named(name)) => Some(name.clone()),
            _ => None,
        };
        let names: Vec<String> = heirs.iter().filter_map(named).collect();
        let is_type = |_: &RelPath, _: &FileFacts, symbol: &Symbol| {
            symbol.kind.is_type() && names.contains(&symbol.name)
        };
        let elsewhere = symbols(self.snapshot, &names, &is_type)?;
        for (usage, heir) in shown.iter_mut().zip(heirs) {
            match heir {
                Some(Heir::Here(index)) => {
                    if let Some(facts) = self.snapshot.file_facts(&usage.path)? {
                        let line = facts.symbols[index as usize].name_line;
                        usage.enclosing = Some(enclosing(&facts, index));
                        usage.definitions = vec![Place { path: usage.path.clone(), line }];
                    }
                }
                Some(Heir::Named(name)) => {
                    let places: Vec<(&RelPath, &Symbol)> = elsewhere
                        .iter()
                        .filter(|(_, facts, _)| facts.language == usage.language)
                        .map(|(path, facts, index)| (path, &facts.symbols[*index as usize]))
                        .filter(|(_, symbol)| symbol.name == name)
                        .collect();
                    let place = |(path, symbol): &(&RelPath, &Symbol)| Place {
                        path: (*path).clone(),
                        line: symbol.name_line,
                    };
                    usage.definitions = places.iter().map(place).collect();
                    let known = places.first().map(|(_, symbol)| describe(symbol));
                    usage.enclosing = known.or_else(|| Some(stranger(name, usage.line)));
                }
                None => {}
            }
        }
        Ok(())
    }

    fn text(&mut self, path: &RelPath) -> Option<&Text> {
        if !self.texts.contains_key(path) {
            let manifest = self.snapshot.manifest();
            let text = manifest
                .files
                .get(path)
                .and_then(|entry| self.engine.current_text(manifest, path, &entry.key))
                .map(Text::new);
            if text.is_none() {
                self.outdated.insert(path.clone());
            }
            self.texts.insert(path.clone(), text);
        }
        self.texts[path].as_ref()
    }
}

fn definition(found: Found) -> Definition {
    let symbol = found.symbol().clone();
    let outer = symbol.parent.map(|parent| found.facts.symbols[parent as usize].name.clone());
    Definition {
        language: found.facts.language.clone(),
        package: found.facts.package.clone(),
        parent: outer.or_else(|| symbol.receiver.clone()),
        symbol,
        matched: found.matched,
        score: found.score,
        path: found.path,
    }
}

fn enclosing(facts: &FileFacts, index: u32) -> Enclosing {
    describe(&facts.symbols[index as usize])
}

fn describe(symbol: &Symbol) -> Enclosing {
    Enclosing {
        name: symbol.name.clone(),
        qualified: symbol.qualified.clone(),
        kind: symbol.kind,
        lines: symbol.lines,
    }
}

/// A type that is not defined in the project.
fn stranger(name: String, line: u32) -> Enclosing {
    let lines = Lines { start: line, end: line };
    Enclosing { qualified: name.clone(), name, kind: SymbolKind::Type, lines }
}
