//! The relational segment of the index, and its commit point.

use super::sections::checksum;
use super::{full, io_error, jobs};
use crate::sqlite::{PATIENCE, frozen, identity, patiently};
use groma_core::{
    FileStamp, Generation, GenerationInfo, IndexedRef, Manifest, ManifestEntry, RefName, RelPath,
    SkippedFile, StoreError, StoreErrorKind, VersionKey,
};
use rusqlite::ffi::SQLITE_IOERR_SHMSIZE;
use rusqlite::types::{FromSql, ToSql};
use rusqlite::{Connection, OptionalExtension, Transaction, TransactionBehavior, params};
use rustc_hash::FxHashSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// The version of the tables and of the segment format. Another version means a rebuild.
pub(super) const SCHEMA: u32 = 8;

/// How long a database that cannot be written is taken for such.
const THAW: Duration = Duration::from_secs(1);

const TABLES: &str = "
    drop table if exists meta;
    drop table if exists segment;
    drop table if exists version;
    drop table if exists ref;
    drop table if exists manifest;
    drop table if exists skipped;
    create table meta (key text primary key, value) without rowid;
    create table segment (id integer primary key);
    create table version (
        key blob primary key, segment integer not null, ordinal integer not null
    ) without rowid;
    create index version_segment on version (segment);
    create table ref (
        id integer primary key, name text not null unique, generation integer not null,
        committed integer not null, duration_ms integer not null, options_hash integer not null,
        commit_id text, checksum integer not null
    );
    create table manifest (
        ref integer not null, path text not null, key blob not null,
        size integer not null, modified integer not null, state integer not null,
        racy integer not null, primary key (ref, path)
    ) without rowid;
    create table skipped (
        ref integer not null, path text not null, reason text not null, detail text not null,
        size integer, modified integer, state integer, racy integer
    );
    create index skipped_ref on skipped (ref);
";

/// Where a version is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub segment: u64,
    pub ordinal: u32,
}

/// A ref as it stands in the database.
pub(super) struct StoredRef {
    pub info: GenerationInfo,
    pub manifest: Manifest,
    /// Where the manifest's versions are, in the order of its paths.
    pub places: Vec<Place>,
}

pub(super) struct Database {
    connection: Connection,
    path: PathBuf,
    identity: Option<u64>,
    /// Since when it is read as it is, because nothing can be written.
    frozen: Option<Instant>,
    /// There is no file, and none is made by reading.
    pub is_absent: bool,
}

impl Database {
    /// Opens the database; one of another version is emptied.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        let connection = Connection::open(path).map_err(|error| convert(path, error))?;
        let prepare = || -> rusqlite::Result<()> {
            connection.busy_timeout(PATIENCE)?;
            connection.pragma_update(None, "journal_mode", "wal")?;
            // The index is derived: losing the last commit to a power cut costs a re-index, not data.
            connection.pragma_update(None, "synchronous", "normal")?;
            create_tables(&connection)
        };
        match patiently(prepare).map_err(|error| convert(path, error)) {
            Ok(()) => Ok(Self::new(connection, path, None)),
            Err(error) if cannot_write(&error) => Self::open_frozen(path).ok_or(error),
            Err(error) => Err(error),
        }
    }

    fn new(connection: Connection, path: &Path, frozen: Option<Instant>) -> Self {
        let (path, identity) = (path.to_path_buf(), identity(path));
        Self { connection, path, identity, frozen, is_absent: false }
    }

    /// Stands for a database that was removed, and tells that there is nothing: who only reads makes no file.
    pub fn absent(path: &Path) -> Result<Self, StoreError> {
        let opened = Connection::open_in_memory()
            .and_then(|connection| create_tables(&connection).map(|()| connection));
        let connection = opened.map_err(|error| convert(path, error))?;
        Ok(Self { identity: None, is_absent: true, ..Self::new(connection, path, None) })
    }

    /// A database of this version where nothing can be written, not even the file that processes agree by: the
    /// folder is read-only, or the disk is full. Then nobody else writes either, and it can be read as it is.
    fn open_frozen(path: &Path) -> Option<Self> {
        let connection = frozen(path)?;
        let is_ours = version(&connection).is_ok_and(|version| version == SCHEMA);
        is_ours.then(|| Self::new(connection, path, Some(Instant::now())))
    }

    /// Removes the database and makes an empty one.
    pub fn replace(path: &Path) -> Result<Self, StoreError> {
        for ending in ["", "-wal", "-shm"] {
            let mut name = path.as_os_str().to_owned();
            name.push(ending);
            match std::fs::remove_file(&name) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    return Err(io_error(Path::new(&name), error));
                }
                _ => {}
            }
        }
        Self::open(path)
    }

    /// Whether it should be opened again: another process removed this file or put another in its place, or by
    /// now it may be possible to write again.
    pub fn is_outdated(&self) -> bool {
        match self.is_absent {
            true => self.path.exists(),
            false => {
                identity(&self.path) != self.identity
                    || self.frozen.is_some_and(|since| since.elapsed() > THAW)
            }
        }
    }

    /// Reads every page.
    pub fn verify(&self) -> Result<(), StoreError> {
        let found: String = self.run(|connection| {
            connection.query_row("pragma integrity_check(1)", [], |row| row.get(0))
        })?;
        if found == "ok" { Ok(()) } else { Err(self.damaged(&found)) }
    }

    pub(super) fn run<T>(
        &self,
        work: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        work(&self.connection).map_err(|error| convert(&self.path, error))
    }

    fn damaged(&self, what: &str) -> StoreError {
        StoreError::damaged(format!("{}: {what}", self.path.display()))
    }

    pub fn pipeline(&self) -> Result<Option<String>, StoreError> {
        self.run(|connection| meta(connection, "pipeline"))
    }

    /// The id of the next segment; ids are never used again.
    pub fn next_segment(&self) -> Result<u64, StoreError> {
        Ok(self.run(|connection| number(connection, "next_segment"))?.max(1) as u64)
    }

    pub fn generation(&self, name: &RefName) -> Result<Option<Generation>, StoreError> {
        let newest: Option<i64> = self.run(|connection| {
            let sql = "select generation from ref where name = ?1";
            let mut statement = connection.prepare_cached(sql)?;
            statement.query_row([name.as_str()], |row| row.get(0)).optional()
        })?;
        Ok(newest.map(|number| Generation(number as u64)))
    }

    /// The refs with what is known of them at a glance.
    pub fn indexed_refs(&self) -> Result<Vec<IndexedRef>, StoreError> {
        let sql = "select name, generation, committed, duration_ms, commit_id,
                   (select count(*) from manifest where manifest.ref = ref.id) from ref order by name";
        let rows = self.run(|connection| {
            let mut statement = connection.prepare_cached(sql)?;
            let rows = statement.query_map([], |row| {
                let numbers = [row.get(1)?, row.get(2)?, row.get(3)?];
                Ok((row.get::<_, String>(0)?, numbers, row.get(4)?, row.get::<_, i64>(5)?))
            })?;
            rows.collect::<rusqlite::Result<Vec<(String, [i64; 3], Option<String>, i64)>>>()
        })?;
        let indexed = |(name, numbers, commit, files)| {
            let (name, info) = (RefName::new(name), self.info(numbers)?);
            Ok(IndexedRef { name, commit, info, files: files as usize })
        };
        rows.into_iter().map(indexed).collect()
    }

    /// The versions that a manifest of these options references.
    pub fn referenced_versions(
        &self,
        options_hash: u64,
    ) -> Result<FxHashSet<VersionKey>, StoreError> {
        self.run(|connection| {
            let mut statement = connection.prepare_cached(
                "select key from manifest where ref in (select id from ref where options_hash = ?1)",
            )?;
            let rows = statement
                .query_map([options_hash as i64], |row| Ok(VersionKey::from_bytes(row.get(0)?)))?;
            rows.collect()
        })
    }

    pub fn segment_ids(&self) -> Result<Vec<u64>, StoreError> {
        self.run(|connection| {
            let mut statement = connection.prepare_cached("select id from segment order by id")?;
            statement.query_map([], |row| Ok(row.get::<_, i64>(0)? as u64))?.collect()
        })
    }

    pub fn refs(&self) -> Result<Vec<RefName>, StoreError> {
        self.run(|connection| {
            let mut statement = connection.prepare_cached("select name from ref order by name")?;
            statement.query_map([], |row| Ok(RefName::new(row.get::<_, String>(0)?)))?.collect()
        })
    }

    /// A ref as `pipeline` left it, all of it of one moment.
    pub fn reference(
        &self,
        name: &RefName,
        pipeline: &str,
    ) -> Result<Option<StoredRef>, StoreError> {
        let moment = self.connection.unchecked_transaction().map_err(|e| convert(&self.path, e))?;
        if self.pipeline()?.as_deref() != Some(pipeline) {
            return Ok(None);
        }
        let Some(row) = self.ref_row(name)? else { return Ok(None) };
        let (mut manifest, places) = self.manifest(row.id)?;
        manifest.options_hash = row.options_hash as u64;
        manifest.commit = row.commit;
        drop(moment);
        if row.checksum != ref_checksum(name, row.numbers, &manifest) {
            return Err(self.damaged("the manifest is altered"));
        }
        Ok(Some(StoredRef { info: self.info(row.numbers)?, manifest, places }))
    }

    fn info(&self, numbers: [i64; 3]) -> Result<GenerationInfo, StoreError> {
        let [generation, committed, duration_ms] = numbers.map(|number| number as u64);
        let committed = UNIX_EPOCH.checked_add(Duration::from_millis(committed));
        Ok(GenerationInfo {
            generation: Generation(generation),
            committed: committed.ok_or_else(|| self.damaged("a time is out of range"))?,
            duration_ms,
        })
    }

    fn ref_row(&self, name: &RefName) -> Result<Option<RefRow>, StoreError> {
        let sql = "select id, checksum, generation, committed, duration_ms, options_hash, commit_id
                   from ref where name = ?1";
        self.run(|connection| {
            let mut statement = connection.prepare_cached(sql)?;
            let row = statement.query_row([name.as_str()], |row| {
                let numbers = [row.get(2)?, row.get(3)?, row.get(4)?];
                Ok(RefRow {
                    id: row.get(0)?,
                    checksum: row.get(1)?,
                    numbers,
                    options_hash: row.get(5)?,
                    commit: row.get(6)?,
                })
            });
            row.optional()
        })
    }

    /// A ref's manifest, and where its versions are.
    fn manifest(&self, reference: i64) -> Result<(Manifest, Vec<Place>), StoreError> {
        let rows = self.run(|connection| {
            let mut statement = connection.prepare_cached(
                "select path, manifest.key, size, modified, state, racy, segment, ordinal
                 from manifest left join version on version.key = manifest.key
                 where ref = ?1 order by path",
            )?;
            let rows = statement.query_map([reference], |row| {
                let stamp = FileStamp {
                    size: row.get::<_, i64>(2)? as u64,
                    modified: row.get(3)?,
                    state: row.get::<_, i64>(4)? as u64,
                    racy: row.get(5)?,
                };
                let entry = ManifestEntry { key: VersionKey::from_bytes(row.get(1)?), stamp };
                // A version that is missing has no segment, which is an error of its own.
                let place = Place { segment: row.get::<_, i64>(6)? as u64, ordinal: row.get(7)? };
                Ok((row.get::<_, String>(0)?, entry, place))
            })?;
            rows.collect::<rusqlite::Result<Vec<_>>>()
        })?;
        let mut manifest = Manifest { skipped: self.skipped(reference)?, ..Manifest::default() };
        let mut places = Vec::with_capacity(rows.len());
        for (path, entry, place) in rows {
            let path = RelPath::new(&path).map_err(|error| self.damaged(&error.to_string()))?;
            manifest.files.insert(path, entry);
            places.push(place);
        }
        // Paths sort the same in SQLite (by bytes) and here, so places follow the manifest's order.
        if places.len() != manifest.files.len() {
            return Err(self.damaged("a path is there twice"));
        }
        Ok((manifest, places))
    }

    fn skipped(&self, reference: i64) -> Result<Vec<SkippedFile>, StoreError> {
        self.run(|connection| {
            let sql = "select path, reason, detail, size, modified, state, racy from skipped
                       where ref = ?1 order by rowid";
            let mut statement = connection.prepare_cached(sql)?;
            let rows = statement.query_map([reference], |row| {
                let stamp = match row.get::<_, Option<i64>>(3)? {
                    Some(size) => Some(FileStamp {
                        size: size as u64,
                        modified: row.get(4)?,
                        state: row.get::<_, i64>(5)? as u64,
                        racy: row.get(6)?,
                    }),
                    None => None,
                };
                Ok(SkippedFile {
                    path: row.get(0)?,
                    reason: row.get(1)?,
                    detail: row.get(2)?,
                    stamp,
                })
            })?;
            rows.collect()
        })
    }

    /// Which of the versions are stored.
    pub fn stored<'k>(
        &self,
        keys: impl Iterator<Item = &'k VersionKey>,
    ) -> Result<Vec<bool>, StoreError> {
        self.run(|connection| {
            // By itself each question would lock the file and unlock it again.
            let _moment = connection
                .is_autocommit()
                .then(|| connection.unchecked_transaction())
                .transpose()?;
            let mut statement =
                connection.prepare_cached("select 1 from version where key = ?1")?;
            keys.map(|key| statement.exists([key.as_bytes()])).collect()
        })
    }

    /// The generations of all refs but one. Where they are the same, so is all that those refs name.
    pub fn generations_but(&self, except: &RefName) -> Result<Vec<(i64, i64)>, StoreError> {
        let sql = "select id, generation from ref where name != ?1 order by id";
        self.run(|connection| {
            let mut statement = connection.prepare_cached(sql)?;
            let rows =
                statement.query_map([except.as_str()], |row| Ok((row.get(0)?, row.get(1)?)))?;
            rows.collect()
        })
    }

    /// The versions that some manifest other than `except`'s names.
    pub fn versions_in_use(&self, except: &RefName) -> Result<FxHashSet<VersionKey>, StoreError> {
        self.run(|connection| {
            let mut statement = connection.prepare_cached(
                "select key from manifest where ref not in (select id from ref where name = ?1)",
            )?;
            let rows = statement
                .query_map([except.as_str()], |row| Ok(VersionKey::from_bytes(row.get(0)?)))?;
            rows.collect()
        })
    }

    /// Runs `work` in one transaction; its error, or the process's end, undoes all of it.
    pub fn transact<T>(
        &mut self,
        work: impl FnOnce(&Rows<'_>) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let path = &self.path;
        let transaction = self
            .connection
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .map_err(|error| convert(path, error))?;
        let rows = Rows { transaction: &transaction, path };
        let done = work(&rows)?;
        transaction.commit().map_err(|error| convert(path, error))?;
        Ok(done)
    }
}

/// Writes rows inside a transaction.
pub(super) struct Rows<'a> {
    transaction: &'a Transaction<'a>,
    path: &'a Path,
}

impl Rows<'_> {
    fn run<T>(
        &self,
        work: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        work(self.transaction).map_err(|error| convert(self.path, error))
    }

    /// Forgets everything but the numbers that must not be used again. The tables are made anew, so that what
    /// is wrong with them is forgotten too.
    pub fn reset(&self) -> Result<(), StoreError> {
        self.run(|connection| {
            let generation = number(connection, "generation")?;
            let next_segment = number(connection, "next_segment")?;
            connection.execute_batch(TABLES)?;
            set_meta(connection, "generation", generation)?;
            set_meta(connection, "next_segment", next_segment)
        })
    }

    pub fn set_pipeline(&self, pipeline: &str) -> Result<(), StoreError> {
        self.run(|connection| set_meta(connection, "pipeline", pipeline))
    }

    pub fn set_next_segment(&self, id: u64) -> Result<(), StoreError> {
        self.run(|connection| set_meta(connection, "next_segment", id as i64))
    }

    pub fn add_segment(&self, id: u64, keys: &[VersionKey]) -> Result<(), StoreError> {
        self.run(|connection| {
            connection.execute("insert into segment (id) values (?1)", [id as i64])?;
            let mut insert = connection.prepare_cached(
                "insert or replace into version (key, segment, ordinal) values (?1, ?2, ?3)",
            )?;
            for (ordinal, key) in keys.iter().enumerate() {
                insert.execute(params![key.as_bytes(), id as i64, ordinal as i64])?;
            }
            Ok(())
        })
    }

    /// Forgets a segment and the versions that are still said to be in it.
    pub fn remove_segment(&self, id: u64) -> Result<(), StoreError> {
        self.run(|connection| {
            connection.execute("delete from version where segment = ?1", [id as i64])?;
            connection.execute("delete from segment where id = ?1", [id as i64]).map(drop)
        })
    }

    /// Makes `manifest` the state of the ref, writing only what differs from `before`.
    pub fn set_manifest(
        &self,
        name: &RefName,
        before: &Manifest,
        manifest: &Manifest,
        now: SystemTime,
        duration: Duration,
    ) -> Result<Generation, StoreError> {
        self.run(|connection| {
            let generation = number(connection, "generation")? + 1;
            set_meta(connection, "generation", generation)?;
            let now = now.duration_since(UNIX_EPOCH).unwrap_or_default();
            let numbers = [generation, now.as_millis() as i64, duration.as_millis() as i64];
            let checksum = ref_checksum(name, numbers, manifest);
            let id: i64 = connection.query_row(
                "insert into ref (name, generation, committed, duration_ms, options_hash, checksum, commit_id)
                 values (?1, ?2, ?3, ?4, ?5, ?6, ?7)
                 on conflict (name) do update set generation = ?2, committed = ?3,
                 duration_ms = ?4, options_hash = ?5, checksum = ?6, commit_id = ?7
                 returning id",
                params![
                    name.as_str(),
                    numbers[0],
                    numbers[1],
                    numbers[2],
                    manifest.options_hash as i64,
                    checksum,
                    manifest.commit
                ],
                |row| row.get(0),
            )?;
            write_files(connection, id, before, manifest)?;
            if before.skipped != manifest.skipped {
                write_skipped(connection, id, manifest)?;
            }
            Ok(Generation(generation as u64))
        })
    }

    /// Forgets a ref. Its versions stay until a merge finds that nobody names them.
    pub fn forget(&self, name: &RefName) -> Result<bool, StoreError> {
        self.run(|connection| {
            for table in ["manifest", "skipped"] {
                let sql = format!(
                    "delete from {table} where ref in (select id from ref where name = ?1)"
                );
                connection.execute(&sql, [name.as_str()])?;
            }
            Ok(connection.execute("delete from ref where name = ?1", [name.as_str()])? > 0)
        })
    }
}

fn write_files(
    connection: &Connection,
    id: i64,
    before: &Manifest,
    manifest: &Manifest,
) -> rusqlite::Result<()> {
    let mut delete =
        connection.prepare_cached("delete from manifest where ref = ?1 and path = ?2")?;
    for path in before.files.keys().filter(|path| !manifest.files.contains_key(*path)) {
        delete.execute(params![id, path.as_str()])?;
    }
    let mut upsert = connection.prepare_cached(
        "insert or replace into manifest (ref, path, key, size, modified, state, racy)
         values (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
    )?;
    for (path, entry) in &manifest.files {
        if before.files.get(path) != Some(entry) {
            let FileStamp { size, modified, state, racy } = entry.stamp;
            let (key, size, state) = (entry.key.as_bytes(), size as i64, state as i64);
            upsert.execute(params![id, path.as_str(), key, size, modified, state, racy])?;
        }
    }
    Ok(())
}

fn write_skipped(connection: &Connection, id: i64, manifest: &Manifest) -> rusqlite::Result<()> {
    connection.execute("delete from skipped where ref = ?1", [id])?;
    let sql = "insert into skipped (ref, path, reason, detail, size, modified, state, racy)
               values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
    let mut insert = connection.prepare_cached(sql)?;
    for skipped in &manifest.skipped {
        let SkippedFile { path, reason, detail, stamp } = skipped;
        let size = stamp.map(|stamp| stamp.size as i64);
        let state = stamp.map(|stamp| stamp.state as i64);
        let (modified, racy) = (stamp.map(|stamp| stamp.modified), stamp.map(|stamp| stamp.racy));
        insert.execute(params![id, path, reason, detail, size, modified, state, racy])?;
    }
    Ok(())
}

/// A row of `ref`: its id, its checksum, generation, time and duration as they are stored, and the hash of the options.
struct RefRow {
    id: i64,
    checksum: i64,
    numbers: [i64; 3],
    options_hash: i64,
    commit: Option<String>,
}

/// The checksum of all that is stored of a ref. SQLite has none of its own, and a manifest that names another
/// file, or lacks one, would give wrong answers without a sign.
fn ref_checksum(name: &RefName, numbers: [i64; 3], manifest: &Manifest) -> i64 {
    let mut bytes = Vec::with_capacity(manifest.files.len() * 80);
    let text = |text: &str, bytes: &mut Vec<u8>| {
        bytes.extend((text.len() as u64).to_le_bytes());
        bytes.extend_from_slice(text.as_bytes());
    };
    text(name.as_str(), &mut bytes);
    numbers.iter().for_each(|number| bytes.extend(number.to_le_bytes()));
    let stamp = |stamp: &FileStamp, bytes: &mut Vec<u8>| {
        bytes.extend(stamp.size.to_le_bytes());
        bytes.extend(stamp.modified.to_le_bytes());
        bytes.extend(stamp.state.to_le_bytes());
        bytes.push(u8::from(stamp.racy));
    };
    bytes.extend(manifest.options_hash.to_le_bytes());
    text(manifest.commit.as_deref().unwrap_or(""), &mut bytes);
    bytes.extend((manifest.files.len() as u64).to_le_bytes());
    for (path, entry) in &manifest.files {
        text(path.as_str(), &mut bytes);
        bytes.extend_from_slice(entry.key.as_bytes());
        stamp(&entry.stamp, &mut bytes);
    }
    for skipped in &manifest.skipped {
        for segment in [&skipped.path, &skipped.reason, &skipped.detail] {
            text(segment, &mut bytes);
        }
        skipped.stamp.iter().for_each(|taken| stamp(taken, &mut bytes));
    }
    checksum(&bytes) as i64
}

/// The version of the tables.
fn version(connection: &Connection) -> rusqlite::Result<u32> {
    connection.pragma_query_value(None, "user_version", |row| row.get(0))
}

/// Makes the tables, unless they are there.
fn create_tables(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch(jobs::TABLE)?;
    if version(connection)? == SCHEMA {
        return Ok(());
    }
    let behavior = TransactionBehavior::Immediate;
    let transaction = Transaction::new_unchecked(connection, behavior)?;
    // Another process may have made them while this one waited.
    if version(&transaction)? != SCHEMA {
        transaction.execute_batch(TABLES)?;
        transaction.pragma_update(None, "user_version", SCHEMA)?;
    }
    transaction.commit()
}

fn meta<T: FromSql>(connection: &Connection, key: &str) -> rusqlite::Result<Option<T>> {
    let mut statement = connection.prepare_cached("select value from meta where key = ?1")?;
    statement.query_row([key], |row| row.get(0)).optional()
}

/// A number of `meta`, 0 at first. One that cannot have been reached by counting is an error.
fn number(connection: &Connection, key: &str) -> rusqlite::Result<i64> {
    let number = meta(connection, key)?.unwrap_or(0);
    if (0..1 << 48).contains(&number) {
        return Ok(number);
    }
    Err(rusqlite::Error::IntegralValueOutOfRange(0, number))
}

fn set_meta(connection: &Connection, key: &str, value: impl ToSql) -> rusqlite::Result<()> {
    let sql = "insert or replace into meta (key, value) values (?1, ?2)";
    connection.execute(sql, params![key, value]).map(drop)
}

/// Whether an error says that nothing can be written, though reading may work.
fn cannot_write(error: &StoreError) -> bool {
    use StoreErrorKind::{Denied, Full, Unavailable};
    matches!(error.kind(), Denied | Full | Unavailable)
}

/// SQLite's errors, by what a caller can do about them.
fn convert(path: &Path, error: rusqlite::Error) -> StoreError {
    use rusqlite::Error;
    use rusqlite::ErrorCode::*;
    let damaged = |error: &Error| StoreError::damaged(format!("{}: {error}", path.display()));
    let code = error.sqlite_error_code();
    match (&error, code) {
        (_, Some(DiskFull)) => full(path),
        // There is no space for the WAL index (`-shm` file).
        _ if error.sqlite_error().is_some_and(|e| e.extended_code == SQLITE_IOERR_SHMSIZE) => {
            full(path)
        }
        (_, Some(DatabaseBusy | DatabaseLocked)) => StoreError::busy(),
        (_, Some(CannotOpen | ReadOnly | PermissionDenied | SystemIoFailure)) => {
            let kind = match code {
                Some(ReadOnly) => std::io::ErrorKind::ReadOnlyFilesystem,
                Some(PermissionDenied) => std::io::ErrorKind::PermissionDenied,
                _ => std::io::ErrorKind::Other,
            };
            io_error(path, std::io::Error::new(kind, error))
        }
        // The statements are fixed: one that fails by itself has met tables or rows that are not ours.
        (
            _,
            Some(DatabaseCorrupt | NotADatabase | Unknown | ConstraintViolation | TypeMismatch),
        ) => damaged(&error),
        (
            Error::SqlInputError { .. }
            | Error::InvalidColumnType(..)
            | Error::IntegralValueOutOfRange(..)
            | Error::FromSqlConversionFailure(..)
            | Error::Utf8Error(..)
            | Error::QueryReturnedNoRows,
            _,
        ) => damaged(&error),
        _ => StoreError::unavailable(error),
    }
}
