//! The embedded store: one folder, nothing to install or start.
//!
//! ```text
//! index.db                  generations, manifests, where each version is: SQLite, and the commit point
//! segments/00000007.segment versions with all that is searched in them: immutable, mapped
//! writer.lock               the writer's lease: a file lock, which dies with its holder
//! jobs.lock                 the lease of the process that runs a job
//! background.lock           the lease of the background indexer
//! ```
//!
//! A segment counts only once a row of the database names it, so a process that dies at any moment leaves the
//! last committed generation whole and at most a file that the next writer removes.

mod build;
mod codec;
mod database;
mod fetch;
mod jobs;
mod keyword;
mod leases;
mod merge;
mod nearest;
mod pool;
mod postings;
mod sections;
mod segment;
mod sibling;
mod signs;
mod snapshot;
mod trigrams;
mod writer;

use database::Database;
use groma_core::{
    Generation, IndexedRef, JobLog, JobRecord, LeaseKind, Leases, Pipeline, PreviousIndex, RefName,
    Snapshot, Store, StoreError, StoreErrorKind, StoreSize, VersionKey, Writer,
};
pub(crate) use jobs::MAX_JOBS;
pub use leases::FileLeases;
use rustc_hash::{FxHashMap, FxHashSet};
use segment::Segment;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

/// A step of a commit, passed to [`EmbeddedStore::observe`]. Tests end the process at each of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommitStep {
    /// A segment was written.
    SegmentWritten,
    /// Small segments were merged into a new one.
    Merged,
    /// The transaction holds the new rows.
    RowsWritten,
    /// The transaction is committed.
    Committed,
    /// Unreferenced segment files were removed.
    Swept,
}

/// The versions that all refs but one reference, and the generations for which that is known.
struct Elsewhere {
    besides: RefName,
    generations: Vec<(i64, i64)>,
    versions: Arc<FxHashSet<VersionKey>>,
}

/// An index in a folder.
pub struct EmbeddedStore {
    folder: PathBuf,
    pipeline: Pipeline,
    database: Mutex<Database>,
    leases: FileLeases,
    /// Segments that are mapped already, shared by all snapshots.
    segments: Mutex<FxHashMap<u64, Arc<Segment>>>,
    /// What refs other than the one that was written last reference.
    elsewhere: Mutex<Option<Elsewhere>>,
    observer: Option<Box<dyn Fn(CommitStep) + Send + Sync>>,
    /// Folders with the indexes of the repository's other working trees.
    siblings: Vec<PathBuf>,
    clock: fn() -> SystemTime,
}

impl EmbeddedStore {
    /// Opens the index in `folder`, making the folder if need be.
    pub fn open(folder: &Path, pipeline: Pipeline) -> Result<Self, StoreError> {
        Self::open_with(folder, pipeline, Database::open)
    }

    /// Opens an empty index in `folder`, whatever is there: for an index that is too damaged to be opened.
    pub fn open_empty(folder: &Path, pipeline: Pipeline) -> Result<Self, StoreError> {
        make_folder(folder)?;
        let _lease = FileLeases::new(folder).require(LeaseKind::Writer)?;
        let store = Self::open_with(folder, pipeline, Database::replace)?;
        store.sweep()?;
        Ok(store)
    }

    fn open_with(
        folder: &Path,
        pipeline: Pipeline,
        open: impl Fn(&Path) -> Result<Database, StoreError>,
    ) -> Result<Self, StoreError> {
        make_folder(folder)?;
        let database = open(&folder.join("index.db"))?;
        Ok(Self {
            folder: folder.to_path_buf(),
            pipeline,
            database: Mutex::new(database),
            leases: FileLeases::new(folder),
            segments: Mutex::default(),
            elsewhere: Mutex::default(),
            observer: None,
            siblings: Vec::new(),
            clock: SystemTime::now,
        })
    }

    /// Calls `observer` at every step of a commit.
    pub fn observe(&mut self, observer: impl Fn(CommitStep) + Send + Sync + 'static) {
        self.observer = Some(Box::new(observer));
    }

    /// Takes versions from the indexes of the repository's other working trees where those have them.
    pub fn with_siblings(self, siblings: Vec<PathBuf>) -> Self {
        Self { siblings, ..self }
    }

    /// Dates commits by another clock than the system's.
    pub fn set_clock(&mut self, clock: fn() -> SystemTime) {
        self.clock = clock;
    }

    /// Reads every byte of the index and compares it with its checksums.
    pub fn verify(&self) -> Result<(), StoreError> {
        let database = self.database()?;
        database.verify()?;
        let (ids, refs) = (database.segment_ids()?, database.refs()?);
        drop(database);
        ids.into_iter().try_for_each(|id| self.segment(id)?.verify()).map_err(missing_is_damage)?;
        refs.iter().try_for_each(|name| self.snapshot(name).map(drop))
    }

    /// The newest state of a ref that a pipeline left.
    fn snapshot_of(
        &self,
        reference: &RefName,
        pipeline: &str,
    ) -> Result<Option<Arc<dyn Snapshot>>, StoreError> {
        let open = || {
            let opened = snapshot::open(self, reference, pipeline)?;
            Ok(opened.map(|snapshot| Arc::new(snapshot) as Arc<dyn Snapshot>))
        };
        // Another process may merge segments between reading the rows and mapping the files; the rows say
        // which files there are now, so reading them again settles it.
        for _ in 0..5 {
            match open() {
                Err(error) if is_missing(&error) => {}
                other => return other,
            }
        }
        open().map_err(missing_is_damage)
    }

    fn tell(&self, step: CommitStep) {
        if let Some(observer) = &self.observer {
            observer(step);
        }
    }

    /// The database; opened again where another process replaced or removed it, or nothing could be written.
    fn database(&self) -> Result<MutexGuard<'_, Database>, StoreError> {
        // A panic while the lock was held cannot have left a transaction open: it rolls back on drop.
        let mut database = self.database.lock().unwrap_or_else(PoisonError::into_inner);
        if database.is_outdated() {
            let path = self.folder.join("index.db");
            // A database that was removed is created again by the next writer only.
            *database =
                if path.exists() { Database::open(&path)? } else { Database::absent(&path)? };
            self.unmap_segments(|_| false);
            *self.elsewhere() = None;
        }
        Ok(database)
    }

    /// As `database`, but creates the file first.
    fn database_to_write(&self) -> Result<MutexGuard<'_, Database>, StoreError> {
        let mut database = self.database()?;
        if database.is_absent {
            make_folder(&self.folder)?;
            *database = Database::open(&self.folder.join("index.db"))?;
        }
        Ok(database)
    }

    /// What `ask` reads, or `otherwise` if another pipeline wrote the database.
    fn if_ours<T>(
        &self,
        otherwise: T,
        ask: impl FnOnce(&Database) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let database = self.database()?;
        if database.pipeline()? == Some(pipeline_text(&self.pipeline)) {
            ask(&database)
        } else {
            Ok(otherwise)
        }
    }

    fn segment_path(&self, id: u64) -> PathBuf {
        self.folder.join("segments").join(format!("{id:08}.segment"))
    }

    /// A segment, mapped at first use.
    fn segment(&self, id: u64) -> Result<Arc<Segment>, StoreError> {
        let mut segments = self.segments.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(segment) = segments.get(&id) {
            return Ok(segment.clone());
        }
        let segment = Arc::new(Segment::open(id, &self.segment_path(id))?);
        segments.insert(id, segment.clone());
        Ok(segment)
    }

    /// Makes sure that no mapped segment in use was truncated meanwhile: reading on would raise SIGBUS.
    fn check_mapped(&self, referenced: &[u64]) -> Result<(), StoreError> {
        let segments = self.segments.lock().unwrap_or_else(PoisonError::into_inner);
        referenced
            .iter()
            .filter_map(|id| segments.get(id))
            .try_for_each(|segment| segment.check_length())
    }

    fn elsewhere(&self) -> MutexGuard<'_, Option<Elsewhere>> {
        self.elsewhere.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The versions that refs other than `besides` reference; cached for repeated commits to one ref.
    fn in_use_besides(&self, besides: &RefName) -> Result<Arc<FxHashSet<VersionKey>>, StoreError> {
        let database = self.database()?;
        let generations = database.generations_but(besides)?;
        let mut elsewhere = self.elsewhere();
        if let Some(known) = &*elsewhere
            && (&known.besides, &known.generations) == (besides, &generations)
        {
            return Ok(known.versions.clone());
        }
        let versions = Arc::new(database.versions_in_use(besides)?);
        let known = Elsewhere { besides: besides.clone(), generations, versions: versions.clone() };
        *elsewhere = Some(known);
        Ok(versions)
    }

    fn unmap_segments(&self, keep: impl Fn(u64) -> bool) {
        self.segments.lock().unwrap_or_else(PoisonError::into_inner).retain(|id, _| keep(*id));
    }

    /// Removes segment files that no row references. Only the writer may: others may be about to reference them.
    fn sweep(&self) -> Result<(), StoreError> {
        let referenced = self.database()?.segment_ids()?;
        let folder = self.folder.join("segments");
        let entries = match std::fs::read_dir(&folder) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
            entries => entries.map_err(|source| io_error(&folder, source))?,
        };
        for entry in entries.flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let id = name.strip_suffix(".segment").and_then(|stem| stem.parse::<u64>().ok());
            if id.is_none_or(|id| !referenced.contains(&id)) {
                // One that cannot be removed now (mapped, on some systems) is removed by a later writer.
                let _ = std::fs::remove_file(entry.path());
            }
        }
        self.unmap_segments(|id| referenced.contains(&id));
        Ok(())
    }
}

impl Store for EmbeddedStore {
    fn snapshot(&self, reference: &RefName) -> Result<Option<Arc<dyn Snapshot>>, StoreError> {
        self.snapshot_of(reference, &pipeline_text(&self.pipeline))
    }

    fn generation(&self, reference: &RefName) -> Result<Option<Generation>, StoreError> {
        let read =
            |database: &Database| Ok((database.generation(reference)?, database.segment_ids()?));
        let (generation, referenced) = self.if_ours((None, Vec::new()), read)?;
        self.check_mapped(&referenced)?;
        Ok(generation)
    }

    fn refs(&self) -> Result<Vec<IndexedRef>, StoreError> {
        self.if_ours(Vec::new(), Database::indexed_refs)
    }

    fn referenced_versions(
        &self,
        options_hash: u64,
        keys: &[VersionKey],
    ) -> Result<Vec<bool>, StoreError> {
        let read = |database: &Database| database.referenced_versions(options_hash);
        let referenced = self.if_ours(FxHashSet::default(), read)?;
        Ok(keys.iter().map(|key| referenced.contains(key)).collect())
    }

    fn forget(&self, reference: &RefName) -> Result<bool, StoreError> {
        let _lease = self.leases.require(LeaseKind::Writer)?;
        self.database()?.transact(|rows| rows.forget(reference))
    }

    fn writer(&self) -> Result<Box<dyn Writer + '_>, StoreError> {
        Ok(Box::new(writer::EmbeddedWriter::start(self, false)?))
    }

    fn replacing_writer(&self) -> Result<Box<dyn Writer + '_>, StoreError> {
        // What is kept of a database must be whole.
        self.database()?.verify()?;
        Ok(Box::new(writer::EmbeddedWriter::start(self, true)?))
    }

    fn clear(&self) -> Result<(), StoreError> {
        let _lease = self.leases.require(LeaseKind::Writer)?;
        let empty = |mut database: MutexGuard<'_, Database>| {
            database.verify()?;
            database.transact(|rows| rows.reset())
        };
        let emptied = self.database().and_then(empty);
        if emptied.as_ref().is_err_and(|error| error.is(StoreErrorKind::Damaged)) {
            // A damaged database cannot be emptied, only replaced.
            let mut database = self.database.lock().unwrap_or_else(PoisonError::into_inner);
            *database = Database::replace(&self.folder.join("index.db"))?;
            *self.elsewhere() = None;
        } else {
            emptied?;
        }
        self.sweep()
    }

    fn size(&self) -> Result<StoreSize, StoreError> {
        let ids = self.database()?.segment_ids()?;
        let length = |path: &Path| std::fs::metadata(path).map_or(0, |metadata| metadata.len());
        let database = ["index.db", "index.db-wal"].map(|name| length(&self.folder.join(name)));
        let segments: u64 = ids.iter().map(|id| length(&self.segment_path(*id))).sum();
        Ok(StoreSize { bytes: segments + database.iter().sum::<u64>(), segments: ids.len() as u64 })
    }

    fn is_outdated(&self) -> Result<bool, StoreError> {
        let database = self.database()?;
        let ours = database.pipeline()?.is_none_or(|made| made == pipeline_text(&self.pipeline));
        Ok(!ours && !database.refs()?.is_empty())
    }

    fn previous_index(&self, reference: &RefName) -> Result<Option<PreviousIndex>, StoreError> {
        let made = self.database()?.pipeline()?;
        let ours = pipeline_text(&self.pipeline);
        let Some(made) = made.filter(|made| *made != ours) else { return Ok(None) };
        let same_embedder = embedder_text(&made) == embedder_text(&ours);
        let snapshot = self.snapshot_of(reference, &made)?;
        Ok(snapshot.map(|snapshot| PreviousIndex { snapshot, same_embedder }))
    }

    fn leases(&self) -> &dyn Leases {
        &self.leases
    }

    fn job_log(&self) -> &dyn JobLog {
        self
    }
}

impl JobLog for EmbeddedStore {
    fn record(&self, job: &JobRecord) -> Result<(), StoreError> {
        self.database_to_write()?.record_job(job)
    }

    fn jobs(&self, limit: usize) -> Result<Vec<JobRecord>, StoreError> {
        self.database()?.jobs(limit)
    }
}

fn make_folder(folder: &Path) -> Result<(), StoreError> {
    let segments = folder.join("segments");
    std::fs::create_dir_all(&segments).map_err(|source| io_error(&segments, source))
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

/// What identifies a pipeline in the database.
fn pipeline_text(pipeline: &Pipeline) -> String {
    let embedder = pipeline.embedder.as_ref().map_or("none".to_string(), ToString::to_string);
    format!("{}/{}/{embedder}", database::SCHEMA, pipeline.version)
}

/// The embedder in the text of a pipeline.
fn embedder_text(pipeline: &str) -> Option<&str> {
    pipeline.splitn(3, '/').nth(2)
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
