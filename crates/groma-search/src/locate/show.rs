//! From what was found to what is answered, with lines that are in the tree now.

use super::implementors::Implementor;
use super::names::{Found, symbols};
use super::request::{Definition, Enclosing, Place, Relation, Usage};
use super::usages::Candidate;
use crate::error::SearchError;
use crate::reader::Reader;
use crate::text::Text;
use groma_core::{FileFacts, Lines, RelPath, Symbol, SymbolKind};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// Makes the answer.
pub(super) struct Show<'a> {
    reader: &'a Reader,
    limit: usize,
    texts: FxHashMap<RelPath, Option<Text>>,
    /// Files that are no longer what was indexed.
    pub outdated: BTreeSet<RelPath>,
    pub notes: Vec<String>,
}

impl<'a> Show<'a> {
    pub fn new(reader: &'a Reader, limit: usize) -> Self {
        Self {
            reader,
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
            if self.reader.is_current(&one.path) {
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
    ) -> Result<Vec<Usage>, SearchError> {
        let mut shown = Vec::new();
        let mut implementors = Vec::new();
        for one in found {
            if shown.len() == self.limit {
                break;
            }
            let Some(text) = self.text(&one.path) else { continue };
            let line = text.line(one.line);
            let column = one.column.unwrap_or_else(|| line.find(&one.name).unwrap_or(0) as u32);
            if relation == Relation::Implementors {
                implementors.push(Implementor::of(&one));
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
        self.add_implementors(&mut shown, implementors)?;
        Ok(shown)
    }

    /// Says which type implements, and where it is defined.
    fn add_implementors(
        &self,
        shown: &mut [Usage],
        implementors: Vec<Option<Implementor>>,
    ) -> Result<(), SearchError> {
        let named = |implementor: &Option<Implementor>| match implementor {
            Some(Implementor::Named(name)) => Some(name.clone()),
            _ => None,
        };
        let names: Vec<String> = implementors.iter().filter_map(named).collect();
        let is_type = |_: &RelPath, _: &FileFacts, symbol: &Symbol| {
            symbol.kind.is_type() && names.contains(&symbol.name)
        };
        let elsewhere = symbols(&*self.reader.snapshot, &names, &is_type)?;
        for (usage, implementor) in shown.iter_mut().zip(implementors) {
            match implementor {
                Some(Implementor::Local(index)) => {
                    if let Some(facts) = self.reader.snapshot.file_facts(&usage.path)? {
                        let line = facts.symbols[index as usize].name_line;
                        usage.enclosing = Some(enclosing(&facts, index));
                        usage.definitions = vec![Place { path: usage.path.clone(), line }];
                    }
                }
                Some(Implementor::Named(name)) => {
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
            let text = self.reader.text(path).map(Text::new);
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
