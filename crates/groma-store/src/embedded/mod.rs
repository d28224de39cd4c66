//! The embedded store: one folder, nothing to install or start.
//!
//! ```text
//! index.db                  the ledger: generations, manifests, segments; SQLite, and the commit point
//! segments/<hash>.segment   versions with all that is searched in them: immutable, mapped
//! stat-cache/<ref>          stat data of the files of a ref: local to this machine, rebuildable
//! writer.lock               the writer's lease: a file lock, which dies with its holder
//! jobs.lock                 the lease of the process that runs a job
//! background.lock           the lease of the background indexer
//! ```
//!
//! A segment counts only once a row of the ledger names it, so a process that dies at any moment leaves the last
//! committed generation whole and at most a file that the next writer removes.

mod blobs;
mod build;
mod codec;
mod database;
mod fetch;
mod files;
mod jobs;
mod keyword;
mod leases;
mod ledger;
mod ledger_error;
mod links_codec;
mod memory;
mod merge;
mod nearest;
mod pool;
mod postings;
mod sections;
mod segment;
mod segment_store;
mod sibling;
mod signs;
mod snapshot;
mod stat_cache;
mod trigrams;
mod writer;

use crate::job_log::MemoryJobLog;
use crate::memory_leases::MemoryLeases;
pub use blobs::FolderBlobs;
pub use codec::{pack_facts, unpack_facts};
pub(crate) use files::{has_index, has_segments, remove_index};
use groma_core::{
    Generation, IndexedRef, JobLog, LeaseKind, Leases, Pipeline, PreviousIndex, RefName, Snapshot,
    Store, StoreError, StoreErrorKind, StoreSize, VersionKey, Writer,
};
use jobs::SqliteJobLog;
pub use leases::FileLeases;
pub use ledger::SqliteLedger;
use memory::{MemoryBlobs, MemoryLedger, MemoryStatCaches};
use sections::u64_at;
use segment_store::SegmentStore;
pub use segment_store::{CommitStep, Ports};
pub use stat_cache::FileStatCaches;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

/// An index in a folder: segments over SQLite, files and file locks.
pub struct EmbeddedStore {
    store: Arc<SegmentStore>,
}

impl EmbeddedStore {
    /// Opens the index in `folder`, creating the folder if need be.
    pub fn open(folder: &Path, pipeline: Pipeline) -> Result<Self, StoreError> {
        Ok(Self::over(folder, SqliteLedger::open(folder)?, pipeline))
    }

    /// Opens an empty index in `folder`, whatever is there: for an index that is too damaged to be opened.
    pub fn open_empty(folder: &Path, pipeline: Pipeline) -> Result<Self, StoreError> {
        make_folder(folder)?;
        let _lease = FileLeases::new(folder).require(LeaseKind::Writer)?;
        let store = Self::over(folder, SqliteLedger::create_empty(folder)?, pipeline);
        store.store.sweep()?;
        Ok(store)
    }

    /// Opens an index that is too damaged to be opened: what it is asked fails with that damage, until it is cleared,
    /// as with an index that turns out to be damaged later.
    pub fn open_damaged(
        folder: &Path,
        pipeline: Pipeline,
        damage: &StoreError,
    ) -> Result<Self, StoreError> {
        Ok(Self::over(folder, SqliteLedger::damaged(folder, damage)?, pipeline))
    }

    fn over(folder: &Path, ledger: SqliteLedger, pipeline: Pipeline) -> Self {
        Self::with_ports(Ports::new(folder, ledger), pipeline)
    }

    /// An empty index in memory, gone with the store.
    pub fn in_memory(pipeline: Pipeline) -> Self {
        Self::with_ports(Ports::in_memory(), pipeline)
    }

    /// An index over other ports than those of a folder.
    pub fn with_ports(ports: Ports, pipeline: Pipeline) -> Self {
        Self { store: Arc::new(SegmentStore::new(ports, pipeline)) }
    }

    /// Its store, to be configured before it is shared with a writer.
    fn configure(&mut self) -> &mut SegmentStore {
        Arc::get_mut(&mut self.store).expect("a store is configured before it has a writer")
    }

    /// Calls `observer` at every step of a commit.
    pub fn observe(&mut self, observer: impl Fn(CommitStep) + Send + Sync + 'static) {
        self.configure().observe(observer);
    }

    /// Takes versions from the indexes of the repository's other working trees where those have them.
    pub fn with_siblings(mut self, siblings: Vec<PathBuf>) -> Self {
        self.configure().set_siblings(siblings);
        self
    }

    /// Dates commits by another clock than the system's.
    pub fn set_clock(&mut self, clock: fn() -> SystemTime) {
        self.configure().set_clock(clock);
    }

    /// Reads every byte of the index and compares it with its checksums.
    pub fn verify(&self) -> Result<(), StoreError> {
        self.store.verify()
    }
}

impl Store for EmbeddedStore {
    fn snapshot(&self, reference: &RefName) -> Result<Option<Arc<dyn Snapshot>>, StoreError> {
        self.store.snapshot(reference)
    }

    fn generation(&self, reference: &RefName) -> Result<Option<Generation>, StoreError> {
        self.store.generation(reference)
    }

    fn refs(&self) -> Result<Vec<IndexedRef>, StoreError> {
        self.store.refs()
    }

    fn referenced_versions(
        &self,
        options_hash: u64,
        keys: &[VersionKey],
    ) -> Result<Vec<bool>, StoreError> {
        self.store.referenced_versions(options_hash, keys)
    }

    fn forget(&self, reference: &RefName) -> Result<bool, StoreError> {
        self.store.forget(reference)
    }

    fn writer(&self) -> Result<Box<dyn Writer>, StoreError> {
        self.store.writer()
    }

    fn replacing_writer(&self) -> Result<Box<dyn Writer>, StoreError> {
        self.store.replacing_writer()
    }

    fn clear(&self) -> Result<(), StoreError> {
        self.store.clear()
    }

    fn size(&self) -> Result<StoreSize, StoreError> {
        self.store.size()
    }

    fn is_outdated(&self) -> Result<bool, StoreError> {
        self.store.is_outdated()
    }

    fn previous_index(&self, reference: &RefName) -> Result<Option<PreviousIndex>, StoreError> {
        self.store.previous_index(reference)
    }

    fn leases(&self) -> &dyn Leases {
        self.store.leases()
    }

    fn job_log(&self) -> &dyn JobLog {
        self.store.job_log()
    }
}

impl Ports {
    /// The ports of a folder.
    pub fn new(folder: &Path, ledger: SqliteLedger) -> Self {
        Self {
            ledger: Arc::new(ledger),
            blobs: Arc::new(FolderBlobs::new(folder)),
            leases: Arc::new(FileLeases::new(folder)),
            job_log: Arc::new(SqliteJobLog::new(folder)),
            stat_caches: Arc::new(FileStatCaches::new(folder)),
        }
    }

    /// Ports in memory.
    pub fn in_memory() -> Self {
        Self {
            ledger: Arc::new(MemoryLedger::default()),
            blobs: Arc::new(MemoryBlobs::default()),
            leases: Arc::new(MemoryLeases::default()),
            job_log: Arc::new(MemoryJobLog::default()),
            stat_caches: Arc::new(MemoryStatCaches::default()),
        }
    }
}

fn make_folder(folder: &Path) -> Result<(), StoreError> {
    let segments = folder.join("segments");
    crate::private::create_private_folders(&segments).map_err(|source| io_error(&segments, source))
}

/// A path with something appended to its file name.
fn full_path(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

/// Whether a file does not exist.
fn is_missing(error: &StoreError) -> bool {
    let source = std::error::Error::source(error);
    let source = source.and_then(|source| source.downcast_ref::<std::io::Error>());
    source.is_some_and(|source| source.kind() == ErrorKind::NotFound)
}

/// A referenced segment without its file is lost.
fn missing_is_damage(error: StoreError) -> StoreError {
    if !is_missing(&error) {
        return error;
    }
    let file = error.detail().strip_prefix(CANNOT_ACCESS).unwrap_or(error.detail());
    StoreError::damaged(format!("{file} is missing"))
}

const CANNOT_ACCESS: &str = "cannot access ";

/// An error of the file system, by its kind.
pub(crate) fn io_error(path: &Path, source: std::io::Error) -> StoreError {
    use ErrorKind::{PermissionDenied, QuotaExceeded, ReadOnlyFilesystem, StorageFull};
    let kind = match source.kind() {
        StorageFull | QuotaExceeded => return full(path),
        PermissionDenied | ReadOnlyFilesystem => StoreErrorKind::Denied,
        _ => StoreErrorKind::Unavailable,
    };
    StoreError::new(kind, format!("{CANNOT_ACCESS}{}", path.display())).with_source(source)
}

fn full(path: &Path) -> StoreError {
    let text = format!("the disk is full: cannot write {}", path.display());
    StoreError::new(StoreErrorKind::Full, text)
}
