//! Brings the index up to date before answering.

use crate::engine::{Engine, Origin, Resolved};
use crate::error::EngineError;
use crate::runs::Freshness;
use groma_core::{Cancel, Observer, StoreErrorKind, with_causes};
use groma_index::{Active, Goal, IndexReport, Run};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// How often a request is retried because files changed meanwhile.
const RETRIES: usize = 2;

impl Engine {
    /// Brings the index up to date with the tree and makes all missing vectors, including those of a new embedder,
    /// however long that takes. Costs one stat per file if nothing has changed. If the embedder is unavailable, the
    /// fallback remains in use.
    pub fn index(
        &self,
        observer: &dyn Observer,
        cancel: &Cancel,
    ) -> Result<IndexReport, EngineError> {
        self.run(&Run::new(Goal::Complete, observer, cancel))
    }

    /// Rebuilds the index from scratch. Queries use the current one until that is done; a fallback is kept.
    pub fn rebuild(
        &self,
        observer: &dyn Observer,
        cancel: &Cancel,
    ) -> Result<IndexReport, EngineError> {
        self.run(&Run::new(Goal::Rebuild, observer, cancel))
    }

    /// Runs the indexer in the foreground. Embedding in the background yields to it.
    pub fn run(&self, run: &Run<'_>) -> Result<IndexReport, EngineError> {
        self.embedding().stop();
        let mut report = self.indexer().run(run)?;
        let error = report.embedder_error.clone();
        report.notes.extend(self.vector_notes(report.without_vectors, error.as_deref()));
        Ok(report)
    }

    /// Deletes the index and its fallback: everything for the working tree, otherwise only this ref. Recorded
    /// discoveries are kept.
    pub fn clear(&self) -> Result<(), EngineError> {
        self.embedding().stop();
        if self.source().commit().is_none() {
            self.notebook().forget_history();
        }
        Ok(self.indexer().clear()?)
    }

    /// Brings the active index up to date and answers from it. `answer` also returns how many files have changed since
    /// they were indexed; then the request is retried, and finally they are omitted.
    pub(crate) fn fresh<T>(
        &self,
        run: &Run<'_>,
        answer: impl Fn(&Resolved) -> Result<(T, usize), EngineError>,
    ) -> Result<(T, Freshness), EngineError> {
        let mut notes = Vec::new();
        let mut error = None;
        for _ in 0..RETRIES {
            let active = self.indexer().active();
            let run = &run.on(active);
            let (resolved, freshness) = match self.resolve_unchanged(run) {
                Some(resolved) => (Some(resolved), Freshness::default()),
                None => {
                    let freshness = self.freshen_if_possible(run)?;
                    (self.resolve()?, freshness)
                }
            };
            let is_behind = freshness.is_behind;
            notes.extend(freshness.notes);
            error = freshness.embedder_error;
            // The primary index was built, damaged or cleared meanwhile.
            let Some(resolved) = resolved.filter(|resolved| resolved.active == active) else {
                continue;
            };
            match answer_from(&resolved, &answer) {
                Ok((answer, outdated)) if outdated == 0 || is_behind => {
                    let notes = self.all_notes(run.goal, notes, error.as_deref());
                    return Ok((answer, Freshness { notes, embedder_error: error, is_behind }));
                }
                // Some corruption is found only when a query reads the block.
                Err(EngineError::Store(error)) if error.is(StoreErrorKind::Damaged) => {
                    notes.extend(self.indexer().repair(error.detail(), run)?.notes);
                }
                other => drop(other?),
            }
            // The watcher missed a change: scan the tree.
            self.indexer().force_scan(active);
        }
        let resolved = self.resolve()?.ok_or_else(not_indexed)?;
        let (answer, outdated) = answer_from(&resolved, &answer)?;
        if outdated > 0 {
            notes.push(format!("{outdated} files keep changing and are left out"));
        }
        let notes = self.all_notes(run.goal, notes, error.as_deref());
        Ok((answer, Freshness { notes, embedder_error: error, is_behind: outdated > 0 }))
    }

    /// The generation for a request, if nothing has to be indexed for it.
    fn resolve_unchanged(&self, run: &Run<'_>) -> Option<Resolved> {
        let snapshot = self.indexer().current(run.index, run.goal)?;
        Some(self.resolved(run.index, snapshot, Origin::Newest))
    }

    /// Brings an index up to date before a query, unless it can be read and not written.
    pub(crate) fn freshen_if_possible(&self, run: &Run<'_>) -> Result<Freshness, EngineError> {
        match self.freshen(run) {
            Err(error) if self.can_answer_without(run.index, &error) => Ok(unwritten(&error)),
            freshness => freshness,
        }
    }

    /// Brings an index up to date before a query.
    pub(crate) fn freshen(&self, run: &Run<'_>) -> Result<Freshness, EngineError> {
        let indexer = self.indexer();
        let goal = if indexer.get(run.index).is_remote() { run.goal } else { Goal::Keywords };
        let run = &Run { goal, ..*run };
        if self.resolve_unchanged(run).is_some() {
            return Ok(Freshness::default());
        }
        match self.runs() {
            Some(runs) => runs.wait_for(run),
            None => Ok(indexer.run(run)?.into()),
        }
    }

    /// Whether an index that could not be brought up to date can answer all the same: it exists, and what failed was
    /// the writing.
    fn can_answer_without(&self, index: Active, error: &EngineError) -> bool {
        use StoreErrorKind::{Damaged, Refused};
        match error {
            EngineError::Shared(error) => self.can_answer_without(index, error),
            EngineError::Store(error) if matches!(error.kind(), Damaged | Refused) => false,
            EngineError::Store(_) | EngineError::Crashed => {
                matches!(self.indexer().get(index).readable(), Ok(Some(_)))
            }
            _ => false,
        }
    }

    /// The notes, each once, after those on vectors where these took part.
    fn all_notes(&self, goal: Goal, notes: Vec<String>, error: Option<&str>) -> Vec<String> {
        let mut all = Vec::new();
        if goal > Goal::Keywords {
            all = self.vector_notes(self.active().unembedded_files(), error);
        }
        for note in notes {
            if !all.contains(&note) {
                all.push(note);
            }
        }
        all
    }

    /// Makes missing vectors in the background of a shared engine; queries do not wait for it.
    pub(crate) fn embed_in_background(&self) {
        let indexer = self.indexer().clone();
        let is_missing =
            indexer.active() == Active::Fallback || self.primary().unembedded_files() > 0;
        if self.runs().is_none() || !self.primary().is_remote() || !is_missing {
            return;
        }
        let Some(cancel) = self.embedding().begin() else { return };
        let embedding = self.embedding().clone();
        std::thread::spawn(move || {
            let run = Run::new(Goal::Complete, &(), &cancel);
            let report = catch_unwind(AssertUnwindSafe(|| indexer.run(&run)));
            let report = report.ok().and_then(Result::ok);
            let all = report.is_some_and(|report| report.without_vectors == 0)
                && indexer.active() == Active::Primary;
            embedding.end(all);
        });
    }

    /// The notes on the vectors behind an answer.
    fn vector_notes(&self, missing: usize, error: Option<&str>) -> Vec<String> {
        let mut notes: Vec<String> = self.note().map(str::to_string).into_iter().collect();
        let name = |active: Active| self.indexer().get(active).embedder_identity();
        if self.indexer().active() == Active::Fallback
            && let (Some(wanted), Some(used)) = (name(Active::Primary), name(Active::Fallback))
        {
            notes.push(format!(
                "the vectors of {wanted} have yet to be made by `groma index`; until then {used} answers"
            ));
        }
        if missing > 0 {
            let why = error.map(|error| format!("{error}: ")).unwrap_or_default();
            let files = if missing == 1 { "file is" } else { "files are" };
            notes.push(format!(
                "{why}{missing} {files} found by keywords only until `groma index` has made the vectors"
            ));
        }
        notes
    }
}

/// Answers. A segment that is overwritten while it is open can make the reader panic; that is damage like any other, and
/// any other panic continues.
fn answer_from<T>(
    resolved: &Resolved,
    answer: &impl Fn(&Resolved) -> Result<T, EngineError>,
) -> Result<T, EngineError> {
    catch_unwind(AssertUnwindSafe(|| answer(resolved))).unwrap_or_else(|panic| {
        match resolved.reader.snapshot.verify() {
            Err(error) => Err(error.into()),
            Ok(()) => resume_unwind(panic),
        }
    })
}

/// The freshness of an answer from an index that cannot be written.
fn unwritten(error: &EngineError) -> Freshness {
    let why = with_causes(error);
    let note =
        format!("{why}: files that changed are not indexed, and are left out of this answer");
    Freshness { notes: vec![note], is_behind: true, ..Freshness::default() }
}

/// The error of a request to a project without an index.
pub(crate) fn not_indexed() -> EngineError {
    EngineError::invalid("project", "is not indexed; run `groma index` first")
}
