//! When vectors are made, and who answers meanwhile.
//!
//! The built-in model is done before anybody notices. One behind a network is not, so nobody waits for it: who
//! needs no vectors has none made, a search has those of few files made, and [`Engine::index`] makes the rest. A
//! shared engine does so behind its searches, too.

use super::{Engine, IndexReport, PATIENCE};
use crate::error::EngineError;
use crate::index::change::Changes;
use crate::index::progress::{Cancel, Observer};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

/// How many files are embedded behind a network in one run, so that neither a search nor another writer has to wait
/// for long. More are stored without vectors.
const FEW: usize = 64;

/// How long a run may take over vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Effort {
    /// No time at all: words and names are needed.
    Words,
    /// Little: somebody waits for an answer.
    Quick,
    /// As long as it takes.
    Whole,
}

impl Engine {
    /// Has `other` answer for as long as this engine's index was never made: vectors that come over a network
    /// can take an hour, and the index before them, or one of a quicker model, is as good as it was.
    pub fn with_stand_in(mut self, other: impl Into<Arc<Engine>>) -> Self {
        self.stand_in = Some(other.into());
        self
    }

    /// Says `note` with everything that vectors take part in.
    pub fn with_note(mut self, note: String) -> Self {
        self.note = Some(note);
        self
    }

    /// The engine that answers: this one, or the one that stands in for it.
    pub(crate) fn answering(&self) -> &Engine {
        match &self.stand_in {
            // An index that cannot be read is there, and to be repaired.
            Some(other) if matches!(self.parts.store.generation(&self.reference), Ok(None)) => {
                other
            }
            _ => self,
        }
    }

    /// Makes all vectors that a run, which made `made`, left for later.
    pub(super) fn complete(
        &self,
        made: Result<IndexReport, EngineError>,
        patience: Duration,
        observer: &dyn Observer,
        cancel: &Cancel,
    ) -> Result<IndexReport, EngineError> {
        let mut report = match (made, &self.stand_in) {
            (Err(EngineError::Embed(error)), Some(_)) => {
                let engine = self.answering();
                let mut report = engine.update(Effort::Whole, patience, observer, cancel)?;
                report.notes.push(error.to_string());
                report
            }
            (report, _) => report?,
        };
        while report.without_vectors > 0 && report.embedder_error.is_none() {
            let more = self.update(Effort::Whole, patience, observer, cancel)?;
            let made = more.without_vectors < report.without_vectors;
            report.add(more);
            if !made {
                break;
            }
        }
        let error = report.embedder_error.as_deref();
        report.notes.extend(self.vector_notes(report.without_vectors, error));
        Ok(report)
    }

    /// Has the vectors that are missing made behind the queries of a shared engine, which do not wait for it.
    pub(crate) fn complete_behind(&self) {
        let is_behind = !std::ptr::eq(self, self.answering()) || self.bare_files() > 0;
        let Some(me) = self.me.upgrade().filter(|_| self.is_remote() && is_behind) else { return };
        let Some(run) = self.completion.begin() else { return };
        std::thread::spawn(move || {
            let work = AssertUnwindSafe(|| {
                let made = me.update(Effort::Whole, PATIENCE, &(), &run);
                me.complete(made, PATIENCE, &(), &run)
            });
            let made = catch_unwind(work).ok().and_then(Result::ok);
            let all = made.is_some_and(|report| report.without_vectors == 0)
                && std::ptr::eq(&*me, me.answering());
            me.completion.end(all);
        });
    }

    /// Whether the index is there and can be read, with the vectors that an effort would make.
    pub(super) fn is_made(&self, effort: Effort) -> bool {
        let few = effort > Effort::Words && (1..=FEW).contains(&self.bare_files());
        !few && matches!(self.own_newest(), Ok(Some(_)))
    }

    /// How many files still lack vectors that come over a network.
    fn bare_files(&self) -> usize {
        if !self.is_remote() {
            return 0;
        }
        let newest = self.own_newest().ok().flatten();
        newest.map_or(0, |snapshot| super::bare(snapshot.manifest()))
    }

    /// What is to be said with an answer that vectors took part in.
    pub(crate) fn notes_on_vectors(&self, error: Option<&str>) -> Vec<String> {
        self.vector_notes(self.answering().bare_files(), error)
    }

    /// Decides which files are embedded now: those that lack their vectors are read again if there is time for
    /// them. Whether the vectors of the files that changed must wait.
    pub(super) fn leave_for_later(&self, effort: Effort, changes: &mut Changes) -> bool {
        let Some(embedder) = &self.parts.embedder else { return false };
        let (changed, bare) = (changes.pending.len(), changes.bare());
        if embedder.remote().is_none() {
            changes.complete(bare);
            return false;
        }
        let waits = changed + bare > 0;
        if effort == Effort::Words || (effort == Effort::Quick && waits && !embedder.is_ready()) {
            return true;
        }
        if effort == Effort::Whole || changed + bare <= FEW {
            changes.complete(FEW.saturating_sub(changed));
        }
        changed > FEW
    }

    /// What is to be said about the vectors behind an answer.
    fn vector_notes(&self, without: usize, error: Option<&str>) -> Vec<String> {
        let mut notes: Vec<String> = self.note.iter().cloned().collect();
        let answering = self.answering();
        if let (false, Some(wanted), Some(used)) =
            (std::ptr::eq(self, answering), self.embedder_name(), answering.embedder_name())
        {
            notes.push(format!(
                "the vectors of {wanted} have yet to be made by `groma index`; until then {used} answers"
            ));
        }
        if without > 0 {
            let why = error.map(|error| format!("{error}: ")).unwrap_or_default();
            let files = if without == 1 { "file is" } else { "files are" };
            notes.push(format!(
                "{why}{without} {files} found by keywords only until `groma index` has made the vectors"
            ));
        }
        notes
    }
}
