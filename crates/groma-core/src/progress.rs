//! Progress and cancellation of long work.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// The stage of an index run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// Walking the tree.
    Walking,
    /// Reading, parsing and embedding files that are new or changed.
    Indexing {
        /// Files done.
        done: usize,
        /// Files in all.
        total: usize,
    },
    /// Writing the generation.
    Committing,
    /// Another process is indexing this project; its result will be used.
    Waiting,
}

/// Receives the progress of an index run.
pub trait Observer: Sync {
    /// Called now and then, from any thread.
    fn progress(&self, progress: Progress);
}

/// Discards it.
impl Observer for () {
    fn progress(&self, _: Progress) {}
}

/// A flag that stops long work.
#[derive(Debug, Default)]
pub struct Cancel(AtomicBool);

impl Cancel {
    /// Asks the work to stop.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether it should stop.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Time spent by stage, summed over all threads where a stage runs on several.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StageTimes {
    /// Finding files.
    pub walk: Duration,
    /// Reading and hashing them.
    pub read: Duration,
    /// Parsing and chunking.
    pub parse: Duration,
    /// Counting terms.
    pub terms: Duration,
    /// Collecting trigrams.
    pub trigrams: Duration,
    /// Embedding.
    pub embed: Duration,
    /// Adding to the store and committing.
    pub store: Duration,
}

impl StageTimes {
    /// The stages with their names.
    pub fn stages(&self) -> [(&'static str, Duration); 7] {
        [
            ("walk", self.walk),
            ("read", self.read),
            ("parse", self.parse),
            ("terms", self.terms),
            ("trigrams", self.trigrams),
            ("embed", self.embed),
            ("store", self.store),
        ]
    }

    /// Adds the times of another run.
    pub fn add(&mut self, other: &StageTimes) {
        self.walk += other.walk;
        self.read += other.read;
        self.parse += other.parse;
        self.terms += other.terms;
        self.trigrams += other.trigrams;
        self.embed += other.embed;
        self.store += other.store;
    }
}
