//! Questions about a name: where it is defined, what uses it, what it uses.
//!
//! Everything is answered from the symbol and reference tables that a parse gives, without a compiler: a use is
//! a use of every definition with that name, and those that are likely meant come first.

pub(crate) mod names;
mod request;

pub use request::{
    Definition, Enclosing, LocateAnswer, LocateRequest, NameMatch, Place, Relation, Usage,
    UsageKind,
};

use crate::engine::Engine;
use crate::error::EngineError;
use crate::index::progress::{Cancel, Observer};
use groma_core::{ChunkFilter, FileFacts, FilterSubject, RelPath, Snapshot, Symbol};
use names::{AskedName, Found};

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
        let (mut answer, notes) = self.fresh(observer, cancel, || self.locate_now(request))?;
        answer.notes.splice(0..0, notes);
        Ok(answer)
    }

    /// Answers a question about a name from the newest generation, without looking for changes first. Files
    /// that have changed since are left out.
    pub fn locate_indexed(&self, request: &LocateRequest) -> Result<LocateAnswer, EngineError> {
        request.check()?;
        Ok(self.locate_now(request)?.0)
    }

    fn locate_now(&self, request: &LocateRequest) -> Result<(LocateAnswer, usize), EngineError> {
        let Some(snapshot) = self.newest()? else {
            return Err(EngineError::invalid("project", "is not indexed; run `groma index` first"));
        };
        let files = request.files()?;
        let asked = AskedName::new(&request.name);
        let admits = |path: &RelPath, facts: &FileFacts, symbol: &Symbol| {
            (request.kinds.is_empty() || request.kinds.contains(&symbol.kind))
                && admits_file(&files, path, facts)
        };
        let found = names::find(&*snapshot, &asked, &admits)?;
        let mut answer = LocateAnswer {
            definitions: Vec::new(),
            usages: Vec::new(),
            total_definitions: found.len(),
            total_usages: 0,
            generation: snapshot.info(),
            notes: Vec::new(),
        };
        let outdated = self.show_definitions(&*snapshot, found, request.limit, &mut answer);
        Ok((answer, outdated))
    }

    /// Keeps the best definitions whose files are still what was indexed; says how many files are not.
    fn show_definitions(
        &self,
        snapshot: &dyn Snapshot,
        found: Vec<Found>,
        limit: usize,
        answer: &mut LocateAnswer,
    ) -> usize {
        let mut outdated: Vec<RelPath> = Vec::new();
        for one in found {
            if answer.definitions.len() == limit {
                break;
            }
            if self.is_current(snapshot.manifest(), &one.path) {
                answer.definitions.push(definition(one));
            } else if !outdated.contains(&one.path) {
                outdated.push(one.path);
            }
        }
        outdated.len()
    }
}

fn admits_file(files: &ChunkFilter, path: &RelPath, facts: &FileFacts) -> bool {
    files.admits_file(&FilterSubject {
        path: path.as_str(),
        language: &facts.language,
        package: facts.package.as_deref(),
        tags: &facts.tags,
    })
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
