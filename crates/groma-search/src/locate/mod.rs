//! Symbol queries: where a name is defined, what uses it, what it uses.
//!
//! Answers come from the symbol and reference tables of the parser. Where the language links references, the code graph says
//! which definition each means; otherwise it may mean any definition with that name, and the likeliest come first.

mod go;
mod impact;
mod implementors;
mod import_scope;
mod matcher;
mod present;
mod request;
pub(crate) mod resolution;
mod usages;

pub use impact::{Dependent, ImpactAnswer, ImpactOf, ImpactRequest, MAX_STEPS, impact};
pub use request::{
    Definition, Enclosing, LocateAnswer, LocateRequest, Location, NameMatch, Relation, Usage,
    UsageKind,
};

use crate::error::SearchError;
use crate::reader::Reader;
use groma_core::{Cancel, ChunkFilter, FileFacts, RelPath, Snapshot, Symbol, SymbolKind};
use present::Presenter;
use resolution::{DefinitionMatch, QueryName};
use usages::{Candidate, Subject, admits};

/// Maximum length of a name, in characters.
const MAX_NAME_LENGTH: usize = 500;

/// Maximum number of definitions, and of usages, in an answer.
const MAX_ANSWERS: usize = 1000;

impl LocateRequest {
    /// Validates the request without reading the index.
    pub fn check(&self) -> Result<(), SearchError> {
        if self.name.trim().is_empty() {
            return Err(SearchError::invalid("name", "is empty; give the name of a definition"));
        }
        if self.name.chars().count() > MAX_NAME_LENGTH {
            let reason = format!("is longer than {MAX_NAME_LENGTH} characters");
            return Err(SearchError::invalid("name", reason));
        }
        if self.limit == 0 || self.limit > MAX_ANSWERS {
            return Err(SearchError::invalid("limit", format!("must be 1 to {MAX_ANSWERS}")));
        }
        self.files().map(drop)
    }

    /// The filter on files.
    fn files(&self) -> Result<ChunkFilter, SearchError> {
        let mut filter = ChunkFilter::default();
        filter.languages.clone_from(&self.languages);
        filter.set_paths(&self.paths).map_err(|reason| SearchError::invalid("paths", reason))?;
        Ok(filter)
    }
}

/// Answers a symbol query from one generation. Files that changed since they were indexed are left out; their number is
/// returned beside the answer.
pub fn locate(
    reader: &Reader,
    request: &LocateRequest,
    cancel: &Cancel,
) -> Result<(LocateAnswer, usize), SearchError> {
    request.check()?;
    let snapshot = &*reader.snapshot;
    let name = QueryName::new(&request.name);
    let files = request.files()?;
    let mut found = find_definitions(snapshot, &name, request, &files)?;
    let mut presenter = Presenter::new(reader, request.limit);
    let mut usages = Vec::new();
    if request.relation != Relation::Definitions {
        retain_subjects(&mut found, request.relation);
        let subject = Subject {
            reader,
            snapshot,
            name: &name,
            definitions: &found,
            names: Vec::new(),
            files: &files,
            cancel,
        };
        let subjects;
        (usages, subjects) = subject.related(request.relation, &mut presenter.notes)?;
        found.truncate(subjects);
    }
    let (total_definitions, total_usages) = (found.len(), usages.len());
    let possible_usages = usages.iter().filter(|one| one.is_possible()).count();
    let definitions = presenter.definitions(found);
    let usages = presenter.usages(usages, request.relation)?;
    let answer = LocateAnswer {
        definitions,
        usages,
        total_definitions,
        total_usages,
        possible_usages,
        generation: snapshot.info(),
        is_behind: false,
        notes: presenter.notes,
    };
    Ok((answer, presenter.outdated.len()))
}

/// The definitions that match a name, best first.
fn find_definitions(
    snapshot: &dyn Snapshot,
    name: &QueryName,
    request: &LocateRequest,
    files: &ChunkFilter,
) -> Result<Vec<DefinitionMatch>, SearchError> {
    // In a query for usages the file filter applies to the usages instead.
    let is_filtered = matches!(request.relation, Relation::Definitions | Relation::Callees);
    let fits = |path: &RelPath, facts: &FileFacts, symbol: &Symbol| {
        let is_there = |at: &Location| at.path == *path && at.line == symbol.name_line;
        (request.kinds.is_empty() || request.kinds.contains(&symbol.kind))
            && request.at.as_ref().is_none_or(is_there)
            && (!is_filtered || admits(files, path, facts))
    };
    Ok(resolution::resolve(snapshot, name, &fits)?)
}

/// Keeps the definitions whose relations are looked up: those with the best kind of match, and for implementors only
/// types and modules if there are any.
fn retain_subjects(found: &mut Vec<DefinitionMatch>, relation: Relation) {
    let is_extensible = |one: &DefinitionMatch| {
        let kind = one.symbol().kind;
        kind.is_type() || kind == SymbolKind::Module
    };
    if relation == Relation::Implementors && found.iter().any(is_extensible) {
        found.retain(is_extensible);
    }
    let best = found.first().map(|first| first.matched);
    found.retain(|one| Some(one.matched) == best);
}

impl Subject<'_> {
    /// The usages in a relation to the definitions, and the number of definitions they relate to. If there are only
    /// fuzzy matches, the name itself may still be used without being defined in the project; if it is not, the answer
    /// is about the best fuzzy match, and a note says so.
    fn related(
        mut self,
        relation: Relation,
        notes: &mut Vec<String>,
    ) -> Result<(Vec<Candidate>, usize), SearchError> {
        let matches = self.definitions;
        let fuzzy = matches.first().is_some_and(|first| first.matched == NameMatch::Fuzzy);
        if fuzzy || matches.is_empty() {
            self.definitions = &[];
            self.names = vec![self.name.short().to_string()];
            let found = self.collect(relation, notes)?;
            if !found.is_empty() || matches.is_empty() {
                return Ok((found, 0));
            }
            let name = &matches[0].symbol().name;
            let same = matches.iter().take_while(|one| one.symbol().name == *name).count();
            notes.push(format!(
                "no definition is named {}; results are for {name}",
                self.name.short()
            ));
            self.definitions = &matches[..same];
        }
        self.names = self.definitions.iter().map(|one| one.symbol().name.clone()).collect();
        self.names.sort_unstable();
        self.names.dedup();
        let subjects = self.definitions.len();
        Ok((self.collect(relation, notes)?, subjects))
    }

    fn collect(
        &self,
        relation: Relation,
        notes: &mut Vec<String>,
    ) -> Result<Vec<Candidate>, SearchError> {
        match relation {
            Relation::Definitions => Ok(Vec::new()),
            Relation::References => self.references(),
            Relation::Callers => self.callers(),
            Relation::Callees => self.callees(),
            Relation::Implementors => self.implementors(notes),
        }
    }
}
