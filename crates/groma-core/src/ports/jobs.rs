//! The history of index jobs.
//!
//! It is not derived from the files, so it is stored apart from the index and survives `Store::clear`.

use crate::symbol::named_enum;
use crate::{RefName, StoreError};
use std::fmt;
use std::str::FromStr;
use std::time::SystemTime;

named_enum! {
    /// What a job was asked to do.
    JobTask {
        /// Index the project.
        Index = "index",
        /// Follow what changed since it was indexed.
        Update = "update",
    }
}

named_enum! {
    /// How much a job does.
    JobMode {
        /// Everything: there was no index, or it was asked to forget it.
        Full = "full",
        /// What changed.
        Incremental = "incremental",
    }
}

named_enum! {
    /// The state of a job, or its outcome.
    JobState {
        /// It waits for another writer.
        Queued = "queued",
        /// It reads files.
        Running = "running",
        /// All files are read; the generation is being committed.
        Committing = "committing",
        /// Its generation was committed.
        Succeeded = "succeeded",
        /// It failed; the previous generation answers.
        Failed = "failed",
        /// It was cancelled; the previous generation answers.
        Cancelled = "cancelled",
        /// Its process died.
        Interrupted = "interrupted",
    }
}

impl JobState {
    /// Whether the job is not over yet.
    pub fn is_active(self) -> bool {
        matches!(self, Self::Queued | Self::Running | Self::Committing)
    }
}

/// The history of the jobs of one project.
///
/// An implementer keeps the newest jobs (at least 100) in the order in which they were first recorded. A job whose
/// process died keeps its last recorded state: whether it still runs is a question to [`Leases`](crate::Leases).
pub trait JobLog: Send + Sync {
    /// Records a job, or the present state of one with the same id.
    fn record(&self, job: &JobRecord) -> Result<(), StoreError>;

    /// The jobs started last, newest first.
    fn jobs(&self, limit: usize) -> Result<Vec<JobRecord>, StoreError>;
}

/// A job, as it is recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobRecord {
    /// Unique id.
    pub id: String,
    /// What it was asked to do.
    pub task: JobTask,
    /// The ref it is about, as the caller knows it.
    pub reference: RefName,
    /// How much it does.
    pub mode: JobMode,
    /// How far it is, or how it ended.
    pub state: JobState,
    /// Files that were new, changed or gone, once that is known.
    pub changed_files: Option<u64>,
    /// How long it took, once it is over.
    pub duration_ms: Option<u64>,
    /// When it was started, to the millisecond.
    pub created: SystemTime,
    /// Why it ended as it did; empty when all is well.
    pub message: String,
}
