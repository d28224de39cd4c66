//! Questions about a name: where it is defined, what uses it, what it uses.
//!
//! Everything is answered from the symbol and reference tables that a parse gives, without a compiler: a use is
//! a use of every definition with that name, and those that are likely meant come first.

mod go;
mod implementors;
pub(crate) mod names;
mod request;
mod show;
mod usages;
mod view;

pub use request::{
    Definition, Enclosing, LocateAnswer, LocateRequest, NameMatch, Place, Relation, Usage,
    UsageKind,
};

use crate::error::SearchError;
use crate::reader::Reader;
use groma_core::{Cancel, ChunkFilter, FileFacts, RelPath, Snapshot, Symbol, SymbolKind};
use names::{AskedName, Found};
use show::Show;
use usages::{Candidate, Subject, admits};

/// Longest name, in characters.
const MAX_NAME_LENGTH: usize = 500;

/// Most definitions and usages one answer gives.
const MAX_ANSWERS: usize = 1000;

impl LocateRequest {
    /// Whether it can be answered at all; what is wrong where it cannot. Costs nothing.
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

    /// Which files may answer.
    fn files(&self) -> Result<ChunkFilter, SearchError> {
        let mut filter = ChunkFilter::default();
        filter.languages.clone_from(&self.languages);
        filter.set_paths(&self.paths).map_err(|reason| SearchError::invalid("paths", reason))?;
        Ok(filter)
    }
}

/// Answers a question about a name from one generation. The count is that of files that have changed since they were
/// indexed, which are left out.
pub fn locate(
    reader: &Reader,
    request: &LocateRequest,
    cancel: &Cancel,
) -> Result<(LocateAnswer, usize), SearchError> {
    request.check()?;
    let snapshot = &*reader.snapshot;
    let asked = AskedName::new(&request.name);
    let files = request.files()?;
    let mut found = definitions_of(snapshot, &asked, request, &files)?;
    let mut show = Show::new(reader, request.limit);
    let mut usages = Vec::new();
    if request.relation != Relation::Definitions {
        keep_meant(&mut found, request.relation);
        let subject = Subject {
            reader,
            snapshot,
            asked: &asked,
            definitions: &found,
            names: Vec::new(),
            files: &files,
            cancel,
        };
        let about;
        (usages, about) = subject.related(request.relation, &mut show.notes)?;
        found.truncate(about);
    }
    let (total_definitions, total_usages) = (found.len(), usages.len());
    let definitions = show.definitions(found);
    let usages = show.usages(usages, request.relation)?;
    let answer = LocateAnswer {
        definitions,
        usages,
        total_definitions,
        total_usages,
        generation: snapshot.info(),
        is_behind: false,
        notes: show.notes,
    };
    Ok((answer, show.outdated.len()))
}

/// The definitions that a name means, best first.
fn definitions_of(
    snapshot: &dyn Snapshot,
    asked: &AskedName,
    request: &LocateRequest,
    files: &ChunkFilter,
) -> Result<Vec<Found>, SearchError> {
    // For a question about usages the filter applies to these.
    let own = matches!(request.relation, Relation::Definitions | Relation::Callees);
    let fits = |path: &RelPath, facts: &FileFacts, symbol: &Symbol| {
        (request.kinds.is_empty() || request.kinds.contains(&symbol.kind))
            && (!own || admits(files, path, facts))
    };
    Ok(names::find(snapshot, asked, &fits)?)
}

/// Keeps the definitions that a question about others is about: those that fit best, and only types where types
/// are asked for.
fn keep_meant(found: &mut Vec<Found>, relation: Relation) {
    let heritable = |one: &Found| {
        let kind = one.symbol().kind;
        kind.is_type() || kind == SymbolKind::Module
    };
    if relation == Relation::Implementors && found.iter().any(heritable) {
        found.retain(heritable);
    }
    let best = found.first().map(|first| first.matched);
    found.retain(|one| Some(one.matched) == best);
}

impl Subject<'_> {
    /// What stands in a relation to the definitions, and how many of them that is about. Where there are only
    /// names like the one asked for, that name itself may still be used without being defined here; if it is
    /// not, the answer is about the likeliest of the others, and a note says so.
    fn related(
        mut self,
        relation: Relation,
        notes: &mut Vec<String>,
    ) -> Result<(Vec<Candidate>, usize), SearchError> {
        let alike = self.definitions;
        let fuzzy = alike.first().is_some_and(|first| first.matched == NameMatch::Fuzzy);
        if fuzzy || alike.is_empty() {
            self.definitions = &[];
            self.names = vec![self.asked.short().to_string()];
            let found = self.collect(relation, notes)?;
            if !found.is_empty() || alike.is_empty() {
                return Ok((found, 0));
            }
            let name = &alike[0].symbol().name;
            let same = alike.iter().take_while(|one| one.symbol().name == *name).count();
            notes.push(format!("nothing is called {}; this is about {name}", self.asked.short()));
            self.definitions = &alike[..same];
        }
        self.names = self.definitions.iter().map(|one| one.symbol().name.clone()).collect();
        self.names.sort_unstable();
        self.names.dedup();
        let about = self.definitions.len();
        Ok((self.collect(relation, notes)?, about))
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
