//! The report of an index run.

use crate::pipeline::ParseFailure;
use groma_core::{Generation, SkippedFile, StageTimes};
use std::collections::BTreeMap;
use std::time::Duration;

/// The report of an index run.
#[derive(Clone, Debug, Default)]
pub struct IndexReport {
    /// The newest generation after the run.
    pub generation: Option<Generation>,
    /// Files in the index.
    pub files: usize,
    /// Files that were new.
    pub added: usize,
    /// Files that had changed.
    pub updated: usize,
    /// Deleted files.
    pub removed: usize,
    /// Unchanged files.
    pub unchanged: usize,
    /// File versions parsed (others were stored already).
    pub parsed: usize,
    /// Chunks made.
    pub chunks: usize,
    /// Symbols found in the files that were parsed.
    pub symbols: usize,
    /// Vectors of new and changed chunks.
    pub vectors: usize,
    /// Bytes read and parsed.
    pub bytes: u64,
    /// Files without vectors.
    pub without_vectors: usize,
    /// Why this run could not make them.
    pub embedder_error: Option<String>,
    /// Skipped files.
    pub skipped: usize,
    /// Their number by the name of the reason.
    pub skip_reasons: BTreeMap<String, usize>,
    /// Files with parse errors.
    pub parse_failures: Vec<ParseFailure>,
    /// Time by stage.
    pub times: StageTimes,
    /// Total time.
    pub duration: Duration,
    /// Notes for the user.
    pub notes: Vec<String>,
}

impl IndexReport {
    /// Adds what a further run did for the same tree.
    pub(crate) fn add(&mut self, more: IndexReport) {
        self.generation = more.generation;
        self.parsed += more.parsed;
        self.chunks += more.chunks;
        self.symbols += more.symbols;
        self.vectors += more.vectors;
        self.bytes += more.bytes;
        self.without_vectors = more.without_vectors;
        self.embedder_error = more.embedder_error;
        self.times.add(&more.times);
        self.duration += more.duration;
        self.notes.extend(more.notes);
    }
}

/// The number of skipped files by reason.
pub(crate) fn by_reason(skipped: &[SkippedFile]) -> BTreeMap<String, usize> {
    let mut reasons = BTreeMap::new();
    for skipped in skipped {
        *reasons.entry(skipped.reason.clone()).or_default() += 1;
    }
    reasons
}
