//! Embeds the chunks of one run.
//!
//! An embedder may be remote, so two failures are distinguished. If it is unavailable, it is not called again in the
//! same run: the remaining files are stored unembedded and embedded later. If it refuses a text, only that chunk has no
//! vector.

use groma_core::{EmbedError, Embedder, Locked, TextRole, Vector};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The vectors of one run.
pub(crate) struct Vectors<'a> {
    embedder: Option<&'a dyn Embedder>,
    /// Whether they are left to a later run.
    later: bool,
    missing: Locked<MissingVectors>,
}

/// Why chunks of a run have no vector.
#[derive(Debug, Default)]
pub(crate) struct MissingVectors {
    /// Why the embedder is unavailable.
    pub unavailable: Option<EmbedError>,
    /// The number of refused chunks, and the error of the first.
    pub refused: Option<(usize, EmbedError)>,
}

impl<'a> Vectors<'a> {
    pub fn new(embedder: Option<&'a dyn Embedder>, later: bool) -> Self {
        Self { embedder, later, missing: Locked::default() }
    }

    /// Whether the index has vectors.
    pub fn are_wanted(&self) -> bool {
        self.embedder.is_some()
    }

    /// Whether this run makes them.
    pub fn are_made(&self) -> bool {
        self.embedder.is_some() && !self.later && self.missing.lock().unavailable.is_none()
    }

    /// The number of texts per call.
    pub fn batch(&self) -> usize {
        self.embedder.and_then(|embedder| embedder.remote()).map_or(1, |remote| remote.batch)
    }

    /// The number of workers that keeps both the cores and the embedder busy.
    pub fn workers(&self, cores: usize) -> usize {
        match self.embedder.and_then(|embedder| embedder.remote()) {
            Some(remote) if !self.later => cores.max(remote.concurrency),
            _ => cores,
        }
    }

    /// One vector for each text; `None` if the embedder is unavailable or deferred.
    pub fn embed(&self, texts: &[&str]) -> Option<Vec<Vector>> {
        let embedder = self.embedder.filter(|_| self.are_made())?;
        match embed_checked(embedder, texts) {
            Ok(vectors) => Some(vectors),
            Err(EmbedError::Refused(_)) => self.one_by_one(embedder, texts),
            Err(error) => self.give_up(error),
        }
    }

    /// Finds the texts that are refused. A caching embedder answers the rest without a request.
    fn one_by_one(&self, embedder: &dyn Embedder, texts: &[&str]) -> Option<Vec<Vector>> {
        let mut vectors = Vec::with_capacity(texts.len());
        for text in texts {
            match embed_checked(embedder, &[text]) {
                Ok(mut vector) => vectors.append(&mut vector),
                Err(error @ EmbedError::Refused(_)) => {
                    self.missing.lock().refused.get_or_insert((0, error)).0 += 1;
                    vectors.push(Vector::quantise(&vec![0.0; embedder.identity().dimensions]));
                }
                Err(error) => return self.give_up(error),
            }
        }
        Some(vectors)
    }

    fn give_up(&self, error: EmbedError) -> Option<Vec<Vector>> {
        self.missing.lock().unavailable.get_or_insert(error);
        None
    }

    pub fn into_missing(mut self) -> MissingVectors {
        std::mem::take(self.missing.get_mut())
    }
}

/// Embeds texts and validates the vectors. A text that makes the embedder panic counts as refused.
fn embed_checked(embedder: &dyn Embedder, texts: &[&str]) -> Result<Vec<Vector>, EmbedError> {
    let embedded = catch_unwind(AssertUnwindSafe(|| embedder.embed(TextRole::Passage, texts)));
    let failed = |_| Err(EmbedError::Refused("the embedder failed on it".to_string()));
    let vectors = embedded.unwrap_or_else(failed)?;
    let dimensions = embedder.identity().dimensions;
    if vectors.len() == texts.len() && vectors.iter().all(|one| one.values.len() == dimensions) {
        return Ok(vectors);
    }
    let reason = format!("it gave {} vectors for {} texts", vectors.len(), texts.len());
    Err(EmbedError::Unavailable(format!("{reason}, or of other than {dimensions} dimensions")))
}
