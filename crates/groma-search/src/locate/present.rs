//! Turns matches into the answer, with lines read from the current tree.

use super::implementors::Implementor;
use super::request::{Definition, Enclosing, Location, Relation, Usage};
use super::resolution::{DefinitionMatch, symbols};
use super::usages::Candidate;
use crate::error::SearchError;
use crate::reader::Reader;
use crate::text::Text;
use groma_core::{FileFacts, Lines, RelPath, Symbol, SymbolKind};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// Builds the answer.
pub(super) struct Presenter<'a> {
    reader: &'a Reader,
    limit: usize,
    texts: FxHashMap<RelPath, Option<Text>>,
    /// Files that changed since they were indexed.
    pub outdated: BTreeSet<RelPath>,
    pub notes: Vec<String>,
}

impl<'a> Presenter<'a> {
    pub fn new(reader: &'a Reader, limit: usize) -> Self {
        Self {
            reader,
            limit,
            texts: FxHashMap::default(),
            outdated: BTreeSet::new(),
            notes: Vec::new(),
        }
    }

    /// The best definitions whose files are unchanged since they were indexed.
    pub fn definitions(&mut self, found: Vec<DefinitionMatch>) -> Vec<Definition> {
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

    /// The best usages whose files are unchanged since they were indexed.
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
                is_possible: one.is_possible(),
                enclosing: one.enclosing.map(|index| enclosing(&one.facts, index)),
                name: one.name,
                definitions: one.definitions,
                path: one.path,
            });
        }
        self.add_implementors(&mut shown, implementors)?;
        Ok(shown)
    }

    /// Sets the implementing type and its definition.
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
                        usage.definitions = vec![Location { path: usage.path.clone(), line }];
                    }
                }
                Some(Implementor::Named(name)) => {
                    let types: Vec<(&RelPath, &Symbol)> = elsewhere
                        .iter()
                        .filter(|(_, facts, _)| facts.language == usage.language)
                        .map(|(path, facts, index)| (path, &facts.symbols[*index as usize]))
                        .filter(|(_, symbol)| symbol.name == name)
                        .collect();
                    let location = |(path, symbol): &(&RelPath, &Symbol)| Location {
                        path: (*path).clone(),
                        line: symbol.name_line,
                    };
                    usage.definitions = types.iter().map(location).collect();
                    let known = types.first().map(|(_, symbol)| describe(symbol));
                    usage.enclosing = known.or_else(|| Some(external_type(name, usage.line)));
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

fn definition(found: DefinitionMatch) -> Definition {
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
        name_line: symbol.name_line,
    }
}

/// A type that is not defined in the project.
fn external_type(name: String, line: u32) -> Enclosing {
    let lines = Lines { start: line, end: line };
    Enclosing { qualified: name.clone(), name, kind: SymbolKind::Type, lines, name_line: line }
}
