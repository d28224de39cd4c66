//! What an index run did.

use crate::pipeline::ParseFailure;
use groma_core::{Generation, SkippedFile, StageTimes};
use std::collections::BTreeMap;
use std::time::Duration;

/// What an index run did.
#[derive(Clone, Debug, Default)]
pub struct IndexReport {
    /// The generation that is now newest.
    pub generation: Option<Generation>,
    /// Files in the index.
    pub files: usize,
    /// Files that were new.
    pub added: usize,
    /// Files that had changed.
    pub updated: usize,
    /// Files that were gone.
    pub removed: usize,
    /// Files that were as before.
    pub unchanged: usize,
    /// File versions parsed (others were stored already).
    pub parsed: usize,
    /// Chunks made.
    pub chunks: usize,
    /// Symbols found in the files that were parsed.
    pub symbols: usize,
    /// Chunks of them that have a vector.
    pub vectors: usize,
    /// Bytes read and parsed.
    pub bytes: u64,
    /// Files whose vectors have yet to be made.
    pub without_vectors: usize,
    /// Why this run could not make them.
    pub embedder_error: Option<String>,
    /// Files left out.
    pub skipped: usize,
    /// How many of them for which reason, by its short name.
    pub skip_reasons: BTreeMap<String, usize>,
    /// Files that could not be parsed whole.
    pub parse_failures: Vec<ParseFailure>,
    /// Time by stage.
    pub times: StageTimes,
    /// Time in all.
    pub duration: Duration,
    /// What the reader should know.
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

/// How many were left out for which reason.
pub(crate) fn by_reason(skipped: &[SkippedFile]) -> BTreeMap<String, usize> {
    let mut reasons = BTreeMap::new();
    for skipped in skipped {
        *reasons.entry(skipped.reason.clone()).or_default() += 1;
    }
    reasons
}
