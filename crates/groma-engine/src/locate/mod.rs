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

use crate::engine::{Effort, Engine};
use crate::error::EngineError;
use crate::index::progress::{Cancel, Observer};
use groma_core::{ChunkFilter, FileFacts, RelPath, Snapshot, Symbol, SymbolKind};
use names::{AskedName, Found};
use show::Show;
use usages::{Candidate, Subject, admits};

/// Longest name, in characters.
const LONGEST_NAME: usize = 500;

/// Most definitions and usages one answer gives.
const MOST_ANSWERS: usize = 1000;

impl LocateRequest {
    /// Whether it can be answered at all; what is wrong where it cannot. Costs nothing.
    pub fn check(&self) -> Result<(), EngineError> {
        if self.name.trim().is_empty() {
            return Err(EngineError::invalid("name", "is empty; give the name of a definition"));
        }
        if self.name.chars().count() > LONGEST_NAME {
            let reason = format!("is longer than {LONGEST_NAME} characters");
            return Err(EngineError::invalid("name", reason));
        }
        if self.limit == 0 || self.limit > MOST_ANSWERS {
            return Err(EngineError::invalid("limit", format!("must be 1 to {MOST_ANSWERS}")));
        }
        self.files().map(drop)
    }

    /// Which files may answer.
    fn files(&self) -> Result<ChunkFilter, EngineError> {
        let mut filter = ChunkFilter::default();
        filter.languages.clone_from(&self.languages);
        filter.set_paths(&self.paths).map_err(|reason| EngineError::invalid("paths", reason))?;
        Ok(filter)
    }
}

impl Engine {
    /// Answers a question about a name, on the tree as it is now.
    pub fn locate(
        &self,
        request: &LocateRequest,
        observer: &dyn Observer,
        cancel: &Cancel,
    ) -> Result<LocateAnswer, EngineError> {
        request.check()?;
        let (mut answer, freshness) = self
            .fresh(Effort::Words, observer, cancel, |engine| engine.locate_now(request, cancel))?;
        answer.notes.splice(0..0, freshness.notes);
        answer.is_behind = freshness.is_behind;
        Ok(answer)
    }

    /// Answers a question about a name from the newest generation, without looking for changes first. Files
    /// that have changed since are left out.
    pub fn locate_indexed(&self, request: &LocateRequest) -> Result<LocateAnswer, EngineError> {
        request.check()?;
        Ok(self.locate_now(request, &Cancel::default())?.0)
    }

    fn locate_now(
        &self,
        request: &LocateRequest,
        cancel: &Cancel,
    ) -> Result<(LocateAnswer, usize), EngineError> {
        let Some(snapshot) = self.readable()? else {
            return Err(EngineError::invalid("project", "is not indexed; run `groma index` first"));
        };
        let asked = AskedName::new(&request.name);
        let files = request.files()?;
        let mut found = self.definitions_of(&*snapshot, &asked, request, &files)?;
        let mut show = Show::new(self, &*snapshot, request.limit);
        let mut usages = Vec::new();
        if request.relation != Relation::Definitions {
            keep_meant(&mut found, request.relation);
            let subject = Subject {
                engine: self,
                snapshot: &*snapshot,
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
        &self,
        snapshot: &dyn Snapshot,
        asked: &AskedName,
        request: &LocateRequest,
        files: &ChunkFilter,
    ) -> Result<Vec<Found>, EngineError> {
        // Where the places that use it are asked for, the filter is theirs.
        let own = matches!(request.relation, Relation::Definitions | Relation::Callees);
        let fits = |path: &RelPath, facts: &FileFacts, symbol: &Symbol| {
            (request.kinds.is_empty() || request.kinds.contains(&symbol.kind))
                && (!own || admits(files, path, facts))
        };
        Ok(names::find(snapshot, asked, &fits)?)
    }
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
    ) -> Result<(Vec<Candidate>, usize), EngineError> {
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
    ) -> Result<Vec<Candidate>, EngineError> {
        match relation {
            Relation::Definitions => Ok(Vec::new()),
            Relation::References => self.references(),
            Relation::Callers => self.callers(),
            Relation::Callees => self.callees(),
            Relation::Implementors => self.implementors(notes),
        }
    }
}
