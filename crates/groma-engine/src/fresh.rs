//! Answering on the tree as it is now.

use crate::engine::{Effort, Engine};
use crate::error::EngineError;
use crate::index::progress::{Cancel, Observer};
use crate::update::Freshness;
use groma_core::{StoreErrorKind, with_causes};

/// What is said with an answer from an index that cannot be written.
fn unwritten(error: &EngineError) -> Freshness {
    let why = with_causes(error);
    let note =
        format!("{why}: files that changed are not indexed, and are left out of this answer");
    Freshness { notes: vec![note], is_behind: true, ..Freshness::default() }
}

/// How often a request is tried again because files changed under it.
const RETRIES: usize = 2;

impl Engine {
    /// Brings the index that answers up to date and answers from it. `answer` is asked of the engine that answers,
    /// and also tells how many files were no longer what was indexed; then everything starts again, and in the
    /// end they are left out. Tells how up to date that is.
    pub(crate) fn fresh<T>(
        &self,
        effort: Effort,
        observer: &dyn Observer,
        cancel: &Cancel,
        answer: impl Fn(&Engine) -> Result<(T, usize), EngineError>,
    ) -> Result<(T, Freshness), EngineError> {
        let mut notes = Vec::new();
        let mut error = None;
        for _ in 0..RETRIES {
            let engine = self.answering();
            let freshness = engine.freshen_if_possible(effort, observer, cancel)?;
            let is_behind = freshness.is_behind;
            notes.extend(freshness.notes);
            error = freshness.embedder_error;
            // Its index was made meanwhile, was found to be damaged, or was cleared.
            if !std::ptr::eq(engine, self.answering()) || engine.readable()?.is_none() {
                continue;
            }
            match answer(engine) {
                Ok((answer, outdated)) if outdated == 0 || is_behind => {
                    let notes = self.all_notes(effort, notes, error.as_deref());
                    return Ok((answer, Freshness { notes, embedder_error: error, is_behind }));
                }
                // Some damage shows only where a request looks.
                Err(EngineError::Store(error)) if error.is(StoreErrorKind::Damaged) => {
                    let report = engine.remake(error.detail(), effort, observer, cancel)?;
                    notes.extend(report.notes);
                }
                other => drop(other?),
            }
            // What is shown must have been looked at.
            engine.watching().unsettle();
        }
        let (answer, outdated) = answer(self.answering())?;
        if outdated > 0 {
            notes.push(format!("{outdated} files keep changing and are left out"));
        }
        let notes = self.all_notes(effort, notes, error.as_deref());
        Ok((answer, Freshness { notes, embedder_error: error, is_behind: outdated > 0 }))
    }

    /// Brings this engine's own index up to date before a query, unless it can be read and not written.
    pub(crate) fn freshen_if_possible(
        &self,
        effort: Effort,
        observer: &dyn Observer,
        cancel: &Cancel,
    ) -> Result<Freshness, EngineError> {
        match self.freshen(effort, observer, cancel) {
            Err(error) if self.can_answer_without(&error) => Ok(unwritten(&error)),
            freshness => freshness,
        }
    }

    /// Whether an index that could not be brought up to date can answer all the same: it is there, and what
    /// failed was the writing.
    fn can_answer_without(&self, error: &EngineError) -> bool {
        use StoreErrorKind::{Damaged, Refused};
        match error {
            EngineError::Shared(error) => self.can_answer_without(error),
            EngineError::Store(error) if matches!(error.kind(), Damaged | Refused) => false,
            EngineError::Store(_) | EngineError::Crashed => matches!(self.readable(), Ok(Some(_))),
            _ => false,
        }
    }

    /// The notes, each once, after what is to be said about vectors where those took part.
    fn all_notes(&self, effort: Effort, notes: Vec<String>, error: Option<&str>) -> Vec<String> {
        let mut all = Vec::new();
        if effort > Effort::Words {
            all = self.notes_on_vectors(error);
        }
        for note in notes {
            if !all.contains(&note) {
                all.push(note);
            }
        }
        all
    }
}
