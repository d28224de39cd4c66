//! The ports: what storage and models implement, and nothing above them sees behind.
//!
//! ```text
//! Store, Writer, Snapshot   the index of one project: commit generations, query one
//! Ledger, Blobs             what a store is made of: the commit point, and immutable bytes
//! StatCaches                stat data of working trees, local to a machine
//! Leases                    mutual exclusion between processes
//! JobLog                    the history of index jobs
//! Notebook                  what was remembered about a project; original data
//! Embedder, VectorCache     vectors, and those that were made before
//! ```
//!
//! Ports are synchronous. A call that may wait for another process or a network takes a [`Deadline`], and fails with
//! a kind of error that says what the caller can do about it, never with a path or a type of one implementation.

mod blobs;
mod deadline;
mod embedder;
mod error;
mod generation;
mod jobs;
mod lease;
mod ledger;
mod manifest;
mod notebook;
mod query;
mod stat_cache;
mod store;
mod vector_cache;

pub use blobs::{Blob, Blobs};
pub use deadline::Deadline;
pub use embedder::{EmbedError, Embedder, EmbedderIdentity, Remote, TextRole};
pub use error::{StoreError, StoreErrorKind};
pub use generation::{
    CommitReport, Generation, GenerationId, GenerationInfo, IndexedRef, Pipeline, RefName,
};
pub use jobs::{JobLog, JobMode, JobRecord, JobState, JobTask};
pub use lease::{Lease, LeaseHolder, LeaseKind, LeaseToken, Leases};
pub use ledger::{Head, Heads, Ledger, Publication, SegmentId, SegmentInfo};
pub use manifest::{FileStamp, Manifest, ManifestEntry, ManifestId, SkippedFile};
pub use notebook::{
    Access, History, MAX_SESSIONS, NoteOperation, Notebook, NotebookError, NotebookHealth, Notes,
    SourceCursors, TranscriptMark,
};
pub use query::{
    ChunkId, ChunkOutline, FieldWeights, KeywordHit, KeywordQuery, Scored, StoredChunk, TermQuery,
};
pub use stat_cache::{CachedStat, StatCache, StatCaches};
pub use store::{IndexedFile, PreviousIndex, Snapshot, Store, StoreSize, StoredVersions, Writer};
pub use vector_cache::{TextKey, VectorCache};
