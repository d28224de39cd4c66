//! What uses a name, and what a definition uses, from the reference tables of the files.
//!
//! A reference is a name without its type, so it may mean any definition of that name. None is dropped; those in
//! files that see the definition asked about come first.

use super::names::{AskedName, Found, symbols};
use super::request::{Place, UsageKind};
use super::view::{View, is_part_of, last_part, names_owner, same_family, word_in_front};
use crate::error::SearchError;
use crate::query::path_kind::{PathKind, kind as path_kind};
use crate::reader::Reader;
use groma_core::Cancel;
use groma_core::trigrams;
use groma_core::{
    ChunkFilter, FileFacts, FilterSubject, Reference, ReferenceKind, RelPath, Snapshot, Symbol,
    SymbolKind, folded,
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// How many files are asked for with one call.
const FACTS_BATCH: usize = 64;

/// Most places given for one called name.
const MOST_PLACES: usize = 5;

/// Files whose text is looked at for what stands in front of a name. More would take longer than the order is
/// worth.
const MOST_TEXTS: usize = 300;

/// A place that may be shown.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    pub path: RelPath,
    pub facts: Arc<FileFacts>,
    pub kind: UsageKind,
    pub name: String,
    pub line: u32,
    /// Unknown for an import.
    pub column: Option<u32>,
    /// The symbol around, by its place in the file.
    pub enclosing: Option<u32>,
    /// The type that extends or implements the name, where it is not the symbol around.
    pub implementor: Option<String>,
    pub definitions: Vec<Place>,
    order: Order,
}

/// What decides which place comes first; less is better.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Order {
    /// It is in a test.
    pub test: bool,
    /// Nothing on the line says that another definition is meant.
    pub unsaid: bool,
    /// How far its file is from the definitions.
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
            order,
        }
    }

    fn of(file: (&RelPath, &Arc<FileFacts>), reference: &Reference) -> Self {
        let kind = match reference.kind {
            ReferenceKind::Call => UsageKind::Call,
            ReferenceKind::Type | ReferenceKind::Base => UsageKind::Type,
        };
        let place = (reference.line, Some(reference.column));
        let candidate = Self::new(file, kind, &reference.name, place, reference.enclosing);
        Self { implementor: reference.implementor.clone(), ..candidate }
    }
}

/// What is asked about, and where to look.
pub(super) struct Subject<'a> {
    pub reader: &'a Reader,
    pub snapshot: &'a dyn Snapshot,
    pub asked: &'a AskedName,
    /// The definitions it is about.
    pub definitions: &'a [Found],
    /// The names they have; the one asked for where there are none.
    pub names: Vec<String>,
    /// Which files may be found.
    pub files: &'a ChunkFilter,
    pub cancel: &'a Cancel,
}

impl Subject<'_> {
    /// Everything that uses the names, in order.
    pub fn references(&self) -> Result<Vec<Candidate>, SearchError> {
        let mut found = self.uses(&self.names, |_| true)?;
        self.sort(&mut found);
        Ok(found)
    }

    /// The definitions that call the names, each once, in order.
    pub fn callers(&self) -> Result<Vec<Candidate>, SearchError> {
        let mut found = self.uses(&self.names, |kind| kind == Some(ReferenceKind::Call))?;
        self.sort(&mut found);
        let mut seen = FxHashSet::default();
        found.retain(|one| seen.insert((one.path.clone(), one.enclosing)));
        Ok(found)
    }

    /// What the definitions of a file call, each once: what is defined in the project first.
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
        self.find_called(&mut found)?;
        // The same name may be taken from two places.
        let mut seen = FxHashSet::default();
        found.retain(|one| {
            seen.insert((one.path.clone(), one.name.clone(), one.definitions.first().cloned()))
        });
        found.sort_by_key(|one| one.definitions.is_empty());
        Ok(found)
    }

    /// Says where called names are defined.
    fn find_called(&self, calls: &mut [Candidate]) -> Result<(), SearchError> {
        let mut names: Vec<String> = calls.iter().map(|call| call.name.clone()).collect();
        names.sort_unstable();
        names.dedup();
        let callable = |_: &RelPath, _: &FileFacts, symbol: &Symbol| {
            symbol.kind.is_callable() || symbol.kind.is_type() || symbol.kind == SymbolKind::Variant
        };
        let defined = symbols(self.snapshot, &names, &callable)?;
        let mut callers: FxHashMap<RelPath, (View, Vec<String>)> = FxHashMap::default();
        for call in calls {
            let (view, lines) = callers.entry(call.path.clone()).or_insert_with(|| {
                let text = self.text(&call.path).unwrap_or_default();
                let lines = text.lines().map(str::to_string).collect();
                (self.view(&call.path, &call.facts), lines)
            });
            let line = lines.get(call.line.saturating_sub(1) as usize).map_or("", String::as_str);
            let owner = word_in_front(line, call.column.unwrap_or(0) as usize);
            // What is taken from a library is not defined here, whatever else has its name.
            if owner.is_some_and(|owner| view.strangers.contains(owner)) {
                continue;
            }
            let mut places: Vec<(bool, u8, bool, Place)> = defined
                .iter()
                .map(|(path, facts, index)| (path, facts, &facts.symbols[*index as usize]))
                .filter(|(_, facts, symbol)| {
                    symbol.name == call.name && same_family(&facts.language, &call.facts.language)
                })
                .map(|(path, facts, symbol)| {
                    let unsaid = !owner.is_some_and(|owner| is_part_of(path, facts, symbol, owner));
                    let test = path_kind(path) == PathKind::Test;
                    let place = Place { path: path.clone(), line: symbol.name_line };
                    (unsaid, view.distance(path, facts), test, place)
                })
                .collect();
            places.sort_unstable();
            places.truncate(MOST_PLACES);
            call.definitions = places.into_iter().map(|(.., place)| place).collect();
        }
        Ok(())
    }

    /// Every use of one of the names: its kind, or `None` for an import.
    pub fn uses(
        &self,
        names: &[String],
        wanted: impl Fn(Option<ReferenceKind>) -> bool,
    ) -> Result<Vec<Candidate>, SearchError> {
        let mut found = Vec::new();
        let imports = wanted(None);
        for (path, facts) in self.files_with(names)? {
            let file = (&path, &facts);
            let fits = |reference: &&Reference| {
                wanted(Some(reference.kind)) && names.contains(&reference.name)
            };
            let references = facts.references.iter().filter(fits);
            found.extend(references.map(|reference| Candidate::of(file, reference)));
            let named = facts.imports.iter().filter_map(|import| {
                let last = last_part(&import.path)?;
                let place = (import.line, None);
                (imports && names.iter().any(|name| name == last))
                    .then(|| Candidate::new(file, UsageKind::Import, last, place, None))
            });
            found.extend(named);
        }
        Ok(found)
    }

    /// The files whose text may hold one of the names, with what is known of them.
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

    /// Puts places in order: tests last, places that name what the definition is part of first, then by how far
    /// their files are from it.
    pub fn sort(&self, found: &mut [Candidate]) {
        self.measure(found);
        self.look_at_owners(found);
        found.sort_by(|a, b| {
            let place = |one: &Candidate| (one.line, one.column);
            (a.order, &a.path, place(a)).cmp(&(b.order, &b.path, place(b)))
        });
    }

    /// Notes how far each file is from the nearest definition.
    fn measure(&self, found: &mut [Candidate]) {
        let mut known: FxHashMap<RelPath, u8> = FxHashMap::default();
        for one in found {
            let distance = *known.entry(one.path.clone()).or_insert_with(|| {
                let view = self.view(&one.path, &one.facts);
                let far = |found: &Found| view.distance(&found.path, &found.facts);
                self.definitions.iter().map(far).min().unwrap_or(0)
            });
            one.order.distance = distance;
        }
    }

    /// Notes where what stands in front of a name is what was asked for: `Pool::open` asked, `pool.open()` found.
    fn look_at_owners(&self, found: &mut [Candidate]) {
        let Some(owner) = self.asked.owner().map(folded) else { return };
        let mut texts: FxHashMap<RelPath, Vec<String>> = FxHashMap::default();
        for one in found.iter_mut() {
            one.order.unsaid = true;
            let Some(column) = one.column else { continue };
            if texts.len() >= MOST_TEXTS && !texts.contains_key(&one.path) {
                continue;
            }
            let lines = texts.entry(one.path.clone()).or_insert_with(|| {
                let text = self.text(&one.path).unwrap_or_default();
                text.lines().map(str::to_string).collect()
            });
            let line = lines.get(one.line as usize - 1).map_or("", String::as_str);
            one.order.unsaid = !names_owner(line, column as usize, &owner);
        }
    }

    /// The text of a file, if it is still the version that was indexed.
    pub fn text(&self, path: &RelPath) -> Option<String> {
        self.reader.text(path)
    }

    /// Whether a file imports another or stands beside it.
    pub fn sees(&self, path: &RelPath, facts: &Arc<FileFacts>, other: &RelPath) -> bool {
        path.folder() == other.folder() || self.view(path, facts).imported.contains(other)
    }

    fn view(&self, path: &RelPath, facts: &Arc<FileFacts>) -> View {
        View::new(path, facts, &self.reader.import_map())
    }
}

/// Whether a file may be found.
pub(super) fn admits(files: &ChunkFilter, path: &RelPath, facts: &FileFacts) -> bool {
    files.admits_file(&FilterSubject {
        path: path.as_str(),
        language: &facts.language,
        package: facts.package.as_deref(),
        tags: &facts.tags,
    })
}

/// Whether a symbol is `outer` or part of it.
fn is_inside(facts: &FileFacts, symbol: Option<u32>, outer: u32) -> bool {
    let mut at = symbol;
    // A parent may be any other symbol, so the way up is as long as there are symbols at most.
    for _ in 0..=facts.symbols.len() {
        match at {
            Some(index) if index == outer => return true,
            Some(index) => at = facts.symbols[index as usize].parent,
            None => return false,
        }
    }
    false
}
