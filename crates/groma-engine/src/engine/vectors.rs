//! When vectors are made, and who answers meanwhile.
//!
//! The built-in model is done before anybody notices. One behind a network is not, so nobody waits for it: who
//! needs no vectors has none made, a search has those of few files made, and [`Engine::complete`] makes the rest.

use super::{Engine, IndexReport};
use crate::error::EngineError;
use crate::index::change::Changes;
use crate::index::progress::{Cancel, Observer};

/// How many files are embedded behind a network in one run, so that neither a search nor another writer has to wait
/// for long. More are stored without vectors.
const FEW: usize = 64;

/// How long a run may take over vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Effort {
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
    pub fn with_stand_in(mut self, other: Engine) -> Self {
        self.stand_in = Some(Box::new(other));
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
            Some(other) if matches!(self.parts.store.generation(), Ok(None)) => other,
            _ => self,
        }
    }

    /// Brings the index up to date and makes all vectors that are missing, those of a new embedder included,
    /// however long that takes. Where the embedder cannot be reached, what answered before goes on answering.
    pub fn complete(
        &self,
        observer: &dyn Observer,
        cancel: &Cancel,
    ) -> Result<IndexReport, EngineError> {
        let mut report = match (self.update(Effort::Whole, observer, cancel), &self.stand_in) {
            (Err(EngineError::Embed(error)), Some(other)) => {
                let mut report = other.update(Effort::Whole, observer, cancel)?;
                report.notes.push(error.to_string());
                report
            }
            (report, _) => report?,
        };
        while report.without_vectors > 0 && report.embedder_error.is_none() {
            let more = self.update(Effort::Whole, observer, cancel)?;
            let made = more.without_vectors < report.without_vectors;
            report.add(more);
            if !made {
                break;
            }
        }
        report.notes.extend(self.vector_notes(&report));
        Ok(report)
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
    pub(super) fn vector_notes(&self, report: &IndexReport) -> Vec<String> {
        let mut notes: Vec<String> = self.note.iter().cloned().collect();
        let answering = self.answering();
        if let (false, Some(wanted), Some(used)) =
            (std::ptr::eq(self, answering), self.embedder_name(), answering.embedder_name())
        {
            notes.push(format!(
                "the vectors of {wanted} have yet to be made by `groma index`; until then {used} answers"
            ));
        }
        if report.without_vectors > 0 {
            let why = report.embedder_error.iter().map(|error| format!("{error}: "));
            let files = if report.without_vectors == 1 { "file is" } else { "files are" };
            notes.push(format!(
                "{}{} {files} found by keywords only until `groma index` has made the vectors",
                why.collect::<String>(),
                report.without_vectors
            ));
        }
        notes
    }
}

impl IndexReport {
    /// Adds what a further run did for the same tree.
    fn add(&mut self, more: IndexReport) {
        self.generation = more.generation;
        self.parsed += more.parsed;
        self.chunks += more.chunks;
        self.symbols += more.symbols;
        self.bytes += more.bytes;
        self.without_vectors = more.without_vectors;
        self.embedder_error = more.embedder_error;
        self.times.add(&more.times);
        self.duration += more.duration;
        self.notes.extend(more.notes);
    }
}
