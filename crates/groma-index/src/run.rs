//! The parameters of an index run.

use crate::index::Active;
use groma_core::{Cancel, Observer};
use std::time::Duration;

/// How long a run waits for another process that is indexing the same project, unless its caller says otherwise.
pub const WAIT_TIMEOUT: Duration = Duration::from_secs(120);

/// The goal of a run. Each goal includes those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Goal {
    /// Keywords, symbols and trigrams; vectors of a remote embedder are left for later.
    Keywords,
    /// Vectors of a few files as well: a search is waiting.
    Quick,
    /// All vectors, however long that takes.
    Complete,
    /// Everything from scratch. Queries use the current generation until the new one is committed.
    Rebuild,
}

/// One run: its goal, its index, and how to observe and cancel it.
#[derive(Clone, Copy)]
pub struct Run<'a> {
    /// Its goal.
    pub goal: Goal,
    /// The index to bring up to date.
    pub index: Active,
    /// How long it waits for another writer.
    pub wait: Duration,
    /// Receives progress.
    pub observer: &'a dyn Observer,
    /// Cancels it between files.
    pub cancel: &'a Cancel,
}

impl<'a> Run<'a> {
    /// A run on the primary index that waits for other writers.
    pub fn new(goal: Goal, observer: &'a dyn Observer, cancel: &'a Cancel) -> Self {
        Self { goal, index: Active::Primary, wait: WAIT_TIMEOUT, observer, cancel }
    }

    /// The same on one of the indexes.
    pub fn on(self, index: Active) -> Self {
        Self { index, ..self }
    }

    /// The same with another timeout.
    pub fn waiting(self, wait: Duration) -> Self {
        Self { wait, ..self }
    }
}
