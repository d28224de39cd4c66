//! How the chunks of one run get their vectors, and what becomes of those that cannot have one.
//!
//! An embedder may be behind a network, so two failures are distinguished. One that is unavailable is not asked again in
//! the same run: the remaining files are stored unembedded and get their vectors later. One that refuses a text still
//! embeds the others: only that chunk has no vector.

use groma_core::{EmbedError, Embedder, TextRole, Vector};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The vectors of one run.
pub(crate) struct Vectors<'a> {
    embedder: Option<&'a dyn Embedder>,
    /// Another run makes them.
    later: bool,
    missing: Mutex<MissingVectors>,
}

/// Why chunks of a run have no vector.
#[derive(Debug, Default)]
pub(crate) struct MissingVectors {
    /// Why the embedder was not asked any more.
    pub unavailable: Option<EmbedError>,
    /// How many chunks it refused, and why the first.
    pub refused: Option<(usize, EmbedError)>,
}

impl<'a> Vectors<'a> {
    pub fn new(embedder: Option<&'a dyn Embedder>, later: bool) -> Self {
        Self { embedder, later, missing: Mutex::default() }
    }

    /// Whether chunks have vectors at all.
    pub fn are_wanted(&self) -> bool {
        self.embedder.is_some()
    }

    /// Whether this run makes them.
    pub fn are_made(&self) -> bool {
        self.embedder.is_some() && !self.later && self.missing().unavailable.is_none()
    }

    /// How many texts are worth a call.
    pub fn batch(&self) -> usize {
        self.embedder.and_then(|embedder| embedder.remote()).map_or(1, |remote| remote.batch)
    }

    /// How many workers it takes to keep both the processor and the embedder busy.
    pub fn workers(&self, cores: usize) -> usize {
        match self.embedder.and_then(|embedder| embedder.remote()) {
            Some(remote) if !self.later => cores.max(remote.concurrency),
            _ => cores,
        }
    }

    /// One vector for each text; `None` when they must be made another time.
    pub fn of(&self, texts: &[&str]) -> Option<Vec<Vector>> {
        let embedder = self.embedder.filter(|_| self.are_made())?;
        match ask(embedder, texts) {
            Ok(vectors) => Some(vectors),
            Err(EmbedError::Refused(_)) => self.one_by_one(embedder, texts),
            Err(error) => self.give_up(error),
        }
    }

    /// Finds out which texts are refused. A caching embedder answers the rest without a request.
    fn one_by_one(&self, embedder: &dyn Embedder, texts: &[&str]) -> Option<Vec<Vector>> {
        let mut vectors = Vec::with_capacity(texts.len());
        for text in texts {
            match ask(embedder, &[text]) {
                Ok(mut vector) => vectors.append(&mut vector),
                Err(error @ EmbedError::Refused(_)) => {
                    self.missing().refused.get_or_insert((0, error)).0 += 1;
                    vectors.push(Vector::quantise(&vec![0.0; embedder.identity().dimensions]));
                }
                Err(error) => return self.give_up(error),
            }
        }
        Some(vectors)
    }

    fn give_up(&self, error: EmbedError) -> Option<Vec<Vector>> {
        self.missing().unavailable.get_or_insert(error);
        None
    }

    fn missing(&self) -> MutexGuard<'_, MissingVectors> {
        self.missing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn into_missing(self) -> MissingVectors {
        self.missing.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Asks, and believes no answer that the store would refuse. A text that brings the embedder down is refused.
fn ask(embedder: &dyn Embedder, texts: &[&str]) -> Result<Vec<Vector>, EmbedError> {
    let asked = catch_unwind(AssertUnwindSafe(|| embedder.embed(TextRole::Passage, texts)));
    let failed = |_| Err(EmbedError::Refused("the embedder failed on it".to_string()));
    let vectors = asked.unwrap_or_else(failed)?;
    let dimensions = embedder.identity().dimensions;
    if vectors.len() == texts.len() && vectors.iter().all(|one| one.values.len() == dimensions) {
        return Ok(vectors);
    }
    let reason = format!("it gave {} vectors for {} texts", vectors.len(), texts.len());
    Err(EmbedError::Unavailable(format!("{reason}, or of other than {dimensions} dimensions")))
}
