//! Finds references to a name and calls made by a definition, from the reference tables of the files.
//!
//! Where the language links references, those that mean something else are dropped and those that may mean something else
//! come last. Otherwise a reference is a name without type information, so it may mean any definition of that name: none is
//! dropped, and those in files that import the definition come first.

use super::import_scope::{
    ImportScope, belongs_to, has_qualifier, last_segment, qualifier, same_family,
};
use super::matcher::{Matcher, Verdict};
use super::request::{Location, UsageKind};
use super::resolution::{DefinitionMatch, LocatedSymbol, QueryName, symbols};
use crate::error::SearchError;
use crate::graph::{Linker, Value};
use crate::path_kind::{PathKind, kind as path_kind};
use crate::reader::Reader;
use groma_core::Cancel;
use groma_core::trigrams;
use groma_core::{
    ChunkFilter, ExpressionId, FileFacts, FilterSubject, Reference, ReferenceKind, RelPath,
    Snapshot, Symbol, SymbolKind, folded,
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// Number of files whose facts are read with one call.
const FACTS_BATCH: usize = 64;

/// Maximum number of possible definitions of a callee.
const MAX_CALLEE_DEFINITIONS: usize = 5;

/// Maximum number of files read to find the qualifiers of usages; more would take longer than the better order is
/// worth.
const MAX_FILES_READ: usize = 300;

/// A usage that may be part of the answer.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    pub path: RelPath,
    pub facts: Arc<FileFacts>,
    pub kind: UsageKind,
    pub name: String,
    pub line: u32,
    /// Unknown for an import.
    pub column: Option<u32>,
    /// The enclosing symbol, by its index in the file.
    pub enclosing: Option<u32>,
    /// The type that extends or implements the name, if it is not the enclosing symbol.
    pub implementor: Option<String>,
    pub definitions: Vec<Location>,
    /// What it means, if its language links references.
    target: Option<ExpressionId>,
    /// Which of the definitions asked for it means, by index.
    pub of: usize,
    order: Order,
}

/// Sort key of a usage; smaller comes first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Order {
    /// Whether it may mean something else.
    pub possible: bool,
    /// Whether it is in a test.
    pub test: bool,
    /// Whether the line lacks the qualifier of the query.
    pub unqualified: bool,
    /// Distance of its file from the definitions.
    pub distance: u8,
}

impl Candidate {
    pub fn new(
        (path, facts): (&RelPath, &Arc<FileFacts>),
        kind: UsageKind,
        name: &str,
        (line, column): (u32, Option<u32>),
        enclosing: Option<u32>,
    ) -> Self {
        let order = Order { test: path_kind(path) == PathKind::Test, ..Order::default() };
        Self {
            path: path.clone(),
            facts: facts.clone(),
            kind,
            name: name.to_string(),
            line,
            column,
            enclosing,
            implementor: None,
            definitions: Vec::new(),
            target: None,
            of: 0,
            order,
        }
    }

    /// Whether it may mean something else.
    pub fn is_possible(&self) -> bool {
        self.order.possible
    }

    fn of(file: (&RelPath, &Arc<FileFacts>), reference: &Reference) -> Self {
        let kind = match reference.kind {
            ReferenceKind::Call => UsageKind::Call,
            ReferenceKind::Type | ReferenceKind::Base => UsageKind::Type,
            ReferenceKind::Import => UsageKind::Import,
            ReferenceKind::Value => UsageKind::Value,
        };
        let position = (reference.line, Some(reference.column));
        let candidate = Self::new(file, kind, &reference.name, position, reference.enclosing);
        Self { implementor: reference.implementor.clone(), target: reference.target, ..candidate }
    }
}

/// The definitions of a query, and where to look for usages.
pub(super) struct Subject<'a> {
    pub reader: &'a Reader,
    pub snapshot: &'a dyn Snapshot,
    pub name: &'a QueryName,
    /// The definitions whose usages are wanted.
    pub definitions: &'a [DefinitionMatch],
    /// Their names; that of the query if there are no definitions.
    pub names: Vec<String>,
    /// The filter on files.
    pub files: &'a ChunkFilter,
    pub cancel: &'a Cancel,
}

impl Subject<'_> {
    /// All usages of the names, in order.
    pub fn references(&self) -> Result<Vec<Candidate>, SearchError> {
        let mut found = self.uses(&self.names, &self.wanted(), |_| true)?;
        self.sort(&mut found);
        Ok(found)
    }

    /// Calls of the names, one for each calling definition, in order.
    pub fn callers(&self) -> Result<Vec<Candidate>, SearchError> {
        let calls = |kind| kind == Some(ReferenceKind::Call);
        let mut found = self.uses(&self.names, &self.wanted(), calls)?;
        self.sort(&mut found);
        let mut seen = FxHashSet::default();
        found.retain(|one| seen.insert((one.path.clone(), one.enclosing)));
        Ok(found)
    }

    /// The definitions whose usages are wanted.
    pub fn wanted(&self) -> Vec<LocatedSymbol> {
        let located = |one: &DefinitionMatch| (one.path.clone(), one.facts.clone(), one.index);
        self.definitions.iter().map(located).collect()
    }

    /// The callees of the definitions, each once; those defined in the project first.
    pub fn callees(&self) -> Result<Vec<Candidate>, SearchError> {
        let mut found = Vec::new();
        for definition in self.definitions {
            let calls = definition.facts.references.iter().filter(|reference| {
                reference.kind == ReferenceKind::Call
                    && is_inside(&definition.facts, reference.enclosing, definition.index)
            });
            let file = (&definition.path, &definition.facts);
            found.extend(calls.map(|reference| Candidate::of(file, reference)));
        }
        self.resolve_callees(&mut found)?;
        // The same name may have two qualifiers.
        let mut seen = FxHashSet::default();
        found.retain(|one| {
            seen.insert((one.path.clone(), one.name.clone(), one.definitions.first().cloned()))
        });
        found.sort_by_key(|one| (one.definitions.is_empty(), one.order.possible));
        Ok(found)
    }

    /// Sets the possible definitions of callees.
    fn resolve_callees(&self, calls: &mut [Candidate]) -> Result<(), SearchError> {
        let mut names: Vec<String> = calls.iter().map(|call| call.name.clone()).collect();
        names.sort_unstable();
        names.dedup();
        let callable = |_: &RelPath, _: &FileFacts, symbol: &Symbol| {
            symbol.kind.is_callable() || symbol.kind.is_type() || symbol.kind == SymbolKind::Variant
        };
        let defined = symbols(self.snapshot, &names, &callable)?;
        let mut callers: FxHashMap<RelPath, (ImportScope, Vec<String>)> = FxHashMap::default();
        let mut linker = Linker::new(self.reader);
        for call in calls {
            if let Some(target) = call.target {
                match linked(&mut linker, call, target)? {
                    Some(locations) => {
                        call.definitions = locations;
                        continue;
                    }
                    None => call.order.possible = true,
                }
            }
            let (scope, lines) = callers.entry(call.path.clone()).or_insert_with(|| {
                let text = self.text(&call.path).unwrap_or_default();
                let lines = text.lines().map(str::to_string).collect();
                (self.import_scope(&call.path, &call.facts), lines)
            });
            let line = lines.get(call.line.saturating_sub(1) as usize).map_or("", String::as_str);
            let qualifier = qualifier(line, call.column.unwrap_or(0) as usize);
            // A name from a library is not defined in the project, whatever else has its name.
            if qualifier.is_some_and(|qualifier| scope.external.contains(qualifier)) {
                continue;
            }
            let mut locations: Vec<(bool, u8, bool, Location)> = defined
                .iter()
                .map(|(path, facts, index)| (path, facts, &facts.symbols[*index as usize]))
                .filter(|(_, facts, symbol)| {
                    symbol.name == call.name && same_family(&facts.language, &call.facts.language)
                })
                .map(|(path, facts, symbol)| {
                    let qualified =
                        qualifier.is_some_and(|owner| belongs_to(path, facts, symbol, owner));
                    let test = path_kind(path) == PathKind::Test;
                    let location = Location { path: path.clone(), line: symbol.name_line };
                    (!qualified, scope.distance(path, facts), test, location)
                })
                .collect();
            locations.sort_unstable();
            locations.truncate(MAX_CALLEE_DEFINITIONS);
            call.definitions = locations.into_iter().map(|(.., location)| location).collect();
        }
        Ok(())
    }

    /// Every usage of one of the names that may mean one of the definitions, or nothing of the project if there are
    /// none. `wanted` takes the kind of reference, or `None` for an import that is matched by name.
    pub fn uses(
        &self,
        names: &[String],
        definitions: &[LocatedSymbol],
        wanted: impl Fn(Option<ReferenceKind>) -> bool,
    ) -> Result<Vec<Candidate>, SearchError> {
        let mut found = Vec::new();
        let imports = wanted(None);
        let mut matcher = Matcher::new(self.reader, names, definitions)?;
        for (path, facts) in self.files_with(matcher.searched())? {
            let file = (&path, &facts);
            let mut matching = matcher.file(&path, &facts)?;
            for reference in facts.references.iter().filter(|one| wanted(Some(one.kind))) {
                let verdict = matching.verdict(reference)?;
                let mut candidate = match verdict {
                    Verdict::Excluded => continue,
                    Verdict::Certain(of) => Candidate { of, ..Candidate::of(file, reference) },
                    Verdict::Possible => Candidate::of(file, reference),
                };
                candidate.order.possible = verdict == Verdict::Possible;
                found.push(candidate);
            }
            // A language that links references has one for each import.
            let imports = imports && !matching.is_linked();
            let named = facts.imports.iter().filter_map(|import| {
                let last = last_segment(&import.path)?;
                let position = (import.line, None);
                (imports && names.iter().any(|name| name == last))
                    .then(|| Candidate::new(file, UsageKind::Import, last, position, None))
            });
            found.extend(named);
        }
        Ok(found)
    }

    /// The files whose text may contain one of the names, with their facts.
    fn files_with(&self, names: &[String]) -> Result<Vec<(RelPath, Arc<FileFacts>)>, SearchError> {
        if names.is_empty() {
            return Ok(Vec::new());
        }
        let alternatives: Vec<Vec<u32>> = names.iter().map(|name| trigrams(name)).collect();
        let mut files = Vec::new();
        for batch in self.snapshot.candidates(&alternatives)?.chunks(FACTS_BATCH) {
            if self.cancel.is_cancelled() {
                return Err(SearchError::Cancelled);
            }
            for (path, facts) in batch.iter().zip(self.snapshot.facts(batch)?) {
                if let Some(facts) = facts
                    && admits(self.files, path, &facts)
                {
                    files.push((path.clone(), facts));
                }
            }
        }
        Ok(files)
    }

    /// Sorts usages: tests last, then those with the qualifier of the query first, then by distance from the
    /// definitions.
    pub fn sort(&self, found: &mut [Candidate]) {
        self.set_distances(found);
        self.set_qualified(found);
        found.sort_by(|a, b| {
            let position = |one: &Candidate| (one.line, one.column);
            (a.order, &a.path, position(a)).cmp(&(b.order, &b.path, position(b)))
        });
    }

    /// Sets the distance of each file from the nearest definition.
    fn set_distances(&self, found: &mut [Candidate]) {
        let mut known: FxHashMap<RelPath, u8> = FxHashMap::default();
        for one in found {
            let distance = *known.entry(one.path.clone()).or_insert_with(|| {
                let scope = self.import_scope(&one.path, &one.facts);
                let distance = |found: &DefinitionMatch| scope.distance(&found.path, &found.facts);
                self.definitions.iter().map(distance).min().unwrap_or(0)
            });
            one.order.distance = distance;
        }
    }

    /// Marks the usages whose qualifier is that of the query: `pool.open()` for `Pool::open`.
    fn set_qualified(&self, found: &mut [Candidate]) {
        let Some(owner) = self.name.owner().map(folded) else { return };
        let mut texts: FxHashMap<RelPath, Vec<String>> = FxHashMap::default();
        for one in found.iter_mut() {
            one.order.unqualified = true;
            if one.target.is_some() {
                one.order.unqualified = false;
                continue;
            }
            let Some(column) = one.column else { continue };
            if texts.len() >= MAX_FILES_READ && !texts.contains_key(&one.path) {
                continue;
            }
            let lines = texts.entry(one.path.clone()).or_insert_with(|| {
                let text = self.text(&one.path).unwrap_or_default();
                text.lines().map(str::to_string).collect()
            });
            let line = lines.get(one.line as usize - 1).map_or("", String::as_str);
            one.order.unqualified = !has_qualifier(line, column as usize, &owner);
        }
    }

    /// The text of a file, if it is still the version that was indexed.
    pub fn text(&self, path: &RelPath) -> Option<String> {
        self.reader.text(path)
    }

    fn import_scope(&self, path: &RelPath, facts: &Arc<FileFacts>) -> ImportScope {
        ImportScope::new(path, facts, &self.reader.import_map())
    }
}

/// The definition that a call means; none if it is not of the project, and `None` if nothing is known about it.
fn linked(
    linker: &mut Linker<'_>,
    call: &Candidate,
    target: ExpressionId,
) -> Result<Option<Vec<Location>>, SearchError> {
    let file = linker.files.known(&call.path, &call.facts);
    Ok(match linker.evaluate(file, target)? {
        Value::Unknown => None,
        Value::Definition(meant) => {
            let path = linker.files.path(meant.file).clone();
            let line = linker.files.symbol(meant).map_or(1, |symbol| symbol.name_line);
            Some(vec![Location { path, line }])
        }
        _ => Some(Vec::new()),
    })
}

/// Whether the filter admits a file.
pub(super) fn admits(files: &ChunkFilter, path: &RelPath, facts: &FileFacts) -> bool {
    files.admits_file(&FilterSubject {
        path: path.as_str(),
        language: &facts.language,
        package: facts.package.as_deref(),
        tags: &facts.tags,
    })
}

/// Whether a symbol is `outer` or nested in it.
fn is_inside(facts: &FileFacts, symbol: Option<u32>, outer: u32) -> bool {
    let mut at = symbol;
    // Bounded by the number of symbols, in case parents form a cycle.
    for _ in 0..=facts.symbols.len() {
        match at {
            Some(index) if index == outer => return true,
            Some(index) => at = facts.symbols[index as usize].parent,
            None => return false,
        }
    }
    false
}
