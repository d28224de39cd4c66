//! The embedded store: one folder, nothing to install or start.
//!
//! ```text
//! index.db            generations, manifests, where each version is: SQLite, and the commit point
//! parts/00000007.part versions with all that is searched in them: immutable, mapped
//! writer.lock         held by the one process that writes; the lock dies with its holder
//! jobs.lock           held by the one process that runs a job
//! keeper.lock         held by the one process that watches the tree
//! ```
//!
//! A part counts only once a row of the database names it, so a process that dies at any moment leaves the
//! last committed generation whole and at most a file that the next writer removes.

mod build;
mod codec;
mod database;
mod fetch;
mod files;
mod jobs;
mod keyword;
mod lock;
mod merge;
mod nearest;
mod part;
mod pool;
mod postings;
mod sections;
mod sibling;
mod signs;
mod snapshot;
mod trigrams;
mod writer;

use database::Database;
pub(crate) use files::{has_index, has_segments, remove_index};
use groma_core::{
    Generation, IndexedRef, JobRecord, Pipeline, Predecessor, RefName, Role, Snapshot, Store,
    StoreError, StoreSize, Turn, VersionKey, Writer,
};
pub(crate) use jobs::REMEMBERED;
pub use lock::{Holder, holders, turn};
use part::Part;
use rustc_hash::{FxHashMap, FxHashSet};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

/// A point in a commit, told to [`EmbeddedStore::observe`]. Tests end the process at each of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommitStep {
    /// A part was written.
    PartWritten,
    /// Small parts were merged into a new one.
    Merged,
    /// The transaction holds the new rows.
    RowsWritten,
    /// The transaction is committed.
    Committed,
    /// Files that no row names were removed.
    Swept,
}

/// The versions that all refs but one name, and what tells that they still do.
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
    /// Parts that are mapped already, shared by all snapshots.
    parts: Mutex<FxHashMap<u64, Arc<Part>>>,
    /// What the refs besides the one that was written last name.
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
        let _lock = lock::lock(folder, Role::Writer)?;
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
            parts: Mutex::default(),
            elsewhere: Mutex::default(),
            observer: None,
            siblings: Vec::new(),
            clock: SystemTime::now,
        })
    }

    /// Has `observer` told of every step of a commit.
    pub fn observe(&mut self, observer: impl Fn(CommitStep) + Send + Sync + 'static) {
        self.observer = Some(Box::new(observer));
    }

    /// Has versions taken from other indexes where those have them: those of the repository's other working trees.
    pub fn with_siblings(self, siblings: Vec<PathBuf>) -> Self {
        Self { siblings, ..self }
    }

    /// Has commits dated by another clock than the system's.
    pub fn set_clock(&mut self, clock: fn() -> SystemTime) {
        self.clock = clock;
    }

    /// Reads every byte of the index and compares it with its checksums.
    pub fn verify(&self) -> Result<(), StoreError> {
        let database = self.database()?;
        database.verify()?;
        let (ids, refs) = (database.part_ids()?, database.refs()?);
        drop(database);
        ids.into_iter().try_for_each(|id| self.part(id)?.verify()).map_err(missing_is_damage)?;
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
        // Another process may merge parts between reading the rows and mapping the files; the rows say
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
            // What somebody cleared stays away until somebody writes.
            *database = match path.exists() {
                true => Database::open(&path)?,
                false => Database::absent(&path)?,
            };
            self.forget_parts(|_| false);
            *self.elsewhere() = None;
        }
        Ok(database)
    }

    /// The same for who is about to write: there is a file.
    fn database_to_write(&self) -> Result<MutexGuard<'_, Database>, StoreError> {
        let mut database = self.database()?;
        if database.is_absent {
            make_folder(&self.folder)?;
            *database = Database::open(&self.folder.join("index.db"))?;
        }
        Ok(database)
    }

    /// What the database tells, or `otherwise` where another pipeline wrote it.
    fn if_ours<T>(
        &self,
        otherwise: T,
        ask: impl FnOnce(&Database) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let database = self.database()?;
        match database.pipeline()? == Some(pipeline_text(&self.pipeline)) {
            true => ask(&database),
            false => Ok(otherwise),
        }
    }

    fn part_path(&self, id: u64) -> PathBuf {
        self.folder.join("parts").join(format!("{id:08}.part"))
    }

    /// A part, mapped at first use.
    fn part(&self, id: u64) -> Result<Arc<Part>, StoreError> {
        let mut parts = self.parts.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(part) = parts.get(&id) {
            return Ok(part.clone());
        }
        let part = Arc::new(Part::open(id, &self.part_path(id))?);
        parts.insert(id, part.clone());
        Ok(part)
    }

    /// Makes sure that no part that is mapped and counts was cut short since: reading on would end the process.
    fn check_mapped(&self, named: &[u64]) -> Result<(), StoreError> {
        let parts = self.parts.lock().unwrap_or_else(PoisonError::into_inner);
        named.iter().filter_map(|id| parts.get(id)).try_for_each(|part| part.check_length())
    }

    fn elsewhere(&self) -> MutexGuard<'_, Option<Elsewhere>> {
        self.elsewhere.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The versions that refs other than `besides` name. Who saves again and again reads them once.
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

    fn forget_parts(&self, keep: impl Fn(u64) -> bool) {
        self.parts.lock().unwrap_or_else(PoisonError::into_inner).retain(|id, _| keep(*id));
    }

    /// Removes part files that no row names. Only the writer may: others may be about to name them.
    fn sweep(&self) -> Result<(), StoreError> {
        let named = self.database()?.part_ids()?;
        let folder = self.folder.join("parts");
        let entries = match std::fs::read_dir(&folder) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
            entries => entries.map_err(|source| io_error(&folder, source))?,
        };
        for entry in entries.flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let id = name.strip_suffix(".part").and_then(|stem| stem.parse::<u64>().ok());
            if id.is_none_or(|id| !named.contains(&id)) {
                // One that cannot be removed now (mapped, on some systems) is removed by a later writer.
                let _ = std::fs::remove_file(entry.path());
            }
        }
        self.forget_parts(|id| named.contains(&id));
        Ok(())
    }
}

impl Store for EmbeddedStore {
    fn snapshot(&self, reference: &RefName) -> Result<Option<Arc<dyn Snapshot>>, StoreError> {
        self.snapshot_of(reference, &pipeline_text(&self.pipeline))
    }

    fn generation(&self, reference: &RefName) -> Result<Option<Generation>, StoreError> {
        let told =
            |database: &Database| Ok((database.generation(reference)?, database.part_ids()?));
        let (generation, named) = self.if_ours((None, Vec::new()), told)?;
        self.check_mapped(&named)?;
        Ok(generation)
    }

    fn refs(&self) -> Result<Vec<IndexedRef>, StoreError> {
        self.if_ours(Vec::new(), Database::indexed_refs)
    }

    fn named(&self, rules: u64, keys: &[VersionKey]) -> Result<Vec<bool>, StoreError> {
        let named = self.if_ours(FxHashSet::default(), |database| database.named(rules))?;
        Ok(keys.iter().map(|key| named.contains(key)).collect())
    }

    fn forget(&self, reference: &RefName) -> Result<bool, StoreError> {
        let _lock = lock::lock(&self.folder, Role::Writer)?;
        self.database()?.transact(|rows| rows.forget(reference))
    }

    fn writer(&self) -> Result<Box<dyn Writer + '_>, StoreError> {
        Ok(Box::new(writer::EmbeddedWriter::start(self, false)?))
    }

    fn writer_anew(&self) -> Result<Box<dyn Writer + '_>, StoreError> {
        // What is kept of a database must be whole.
        self.database()?.verify()?;
        Ok(Box::new(writer::EmbeddedWriter::start(self, true)?))
    }

    fn clear(&self) -> Result<(), StoreError> {
        let _lock = lock::lock(&self.folder, Role::Writer)?;
        let empty = |mut database: MutexGuard<'_, Database>| {
            database.verify()?;
            database.transact(|rows| rows.reset())
        };
        let emptied = self.database().and_then(empty);
        if matches!(emptied, Err(StoreError::Damaged(_))) {
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
        let ids = self.database()?.part_ids()?;
        let length = |path: &Path| std::fs::metadata(path).map_or(0, |metadata| metadata.len());
        let database = ["index.db", "index.db-wal"].map(|name| length(&self.folder.join(name)));
        let parts: u64 = ids.iter().map(|id| length(&self.part_path(*id))).sum();
        Ok(StoreSize { bytes: parts + database.iter().sum::<u64>(), parts: ids.len() as u64 })
    }

    fn is_foreign(&self) -> Result<bool, StoreError> {
        let database = self.database()?;
        let ours = database.pipeline()?.is_none_or(|made| made == pipeline_text(&self.pipeline));
        Ok(!ours && !database.refs()?.is_empty())
    }

    fn predecessor(&self, reference: &RefName) -> Result<Option<Predecessor>, StoreError> {
        let made = self.database()?.pipeline()?;
        let ours = pipeline_text(&self.pipeline);
        let Some(made) = made.filter(|made| *made != ours) else { return Ok(None) };
        let same_embedder = embedder_text(&made) == embedder_text(&ours);
        let snapshot = self.snapshot_of(reference, &made)?;
        Ok(snapshot.map(|snapshot| Predecessor { snapshot, same_embedder }))
    }

    fn turn(&self, role: Role) -> Result<Turn, StoreError> {
        lock::turn(&self.folder, role)
    }

    fn is_held(&self, role: Role) -> Result<bool, StoreError> {
        Ok(holders(&self.folder)?.iter().any(|holder| holder.role == role))
    }

    fn record_job(&self, job: &JobRecord) -> Result<(), StoreError> {
        self.database_to_write()?.record_job(job)
    }

    fn jobs(&self, limit: usize) -> Result<Vec<JobRecord>, StoreError> {
        self.database()?.jobs(limit)
    }
}

fn make_folder(folder: &Path) -> Result<(), StoreError> {
    let parts = folder.join("parts");
    std::fs::create_dir_all(&parts).map_err(|source| io_error(&parts, source))
}

fn is_missing(error: &StoreError) -> bool {
    matches!(error, StoreError::Io { source, .. } if source.kind() == ErrorKind::NotFound)
}

/// A part that a row names and that is not there is lost.
fn missing_is_damage(error: StoreError) -> StoreError {
    match error {
        StoreError::Io { path, source } if source.kind() == ErrorKind::NotFound => {
            StoreError::Damaged(format!("{} is missing", path.display()))
        }
        other => other,
    }
}

/// What identifies a pipeline in the database.
fn pipeline_text(pipeline: &Pipeline) -> String {
    let embedder = pipeline.embedder.as_ref().map_or("none".to_string(), ToString::to_string);
    format!("{}/{}/{embedder}", database::SCHEMA, pipeline.version)
}

/// What stands for the embedder in the text of a pipeline.
fn embedder_text(pipeline: &str) -> Option<&str> {
    pipeline.splitn(3, '/').nth(2)
}

/// An error of the file system, with a full disk told apart.
fn io_error(path: &Path, source: std::io::Error) -> StoreError {
    match source.kind() {
        std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded => {
            StoreError::Full { path: path.to_path_buf() }
        }
        _ => StoreError::Io { path: path.to_path_buf(), source },
    }
}
