//! The relational part of the index, and its commit point.

use super::io_error;
use groma_core::{
    FileStamp, Generation, GenerationInfo, Manifest, ManifestEntry, RefName, RelPath, SkippedFile,
    StoreError, VersionKey,
};
use rusqlite::{Connection, ErrorCode, OptionalExtension, Transaction, params};
use rustc_hash::FxHashMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The version of the tables and of the part format. Another version means a rebuild.
pub(crate) const SCHEMA: u32 = 1;

const TABLES: &str = "
    create table if not exists meta (key text primary key, value text not null) without rowid;
    create table if not exists part (id integer primary key);
    create table if not exists version (
        key blob primary key, part integer not null, ordinal integer not null
    ) without rowid;
    create index if not exists version_part on version (part);
    create table if not exists ref (
        id integer primary key, name text not null unique, generation integer not null,
        committed integer not null, duration_ms integer not null
    );
    create table if not exists manifest (
        ref integer not null, path text not null, key blob not null,
        size integer not null, modified integer not null, racy integer not null,
        primary key (ref, path)
    ) without rowid;
    create table if not exists skipped (
        ref integer not null, path text not null, reason text not null, detail text not null
    );
    create index if not exists skipped_ref on skipped (ref);
";

/// Where a version is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub part: u64,
    pub ordinal: u32,
}

/// A ref as it stands in the database.
pub(crate) struct StoredRef {
    pub id: i64,
    pub info: GenerationInfo,
}

pub(crate) struct Database {
    connection: Connection,
    path: PathBuf,
}

impl Database {
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        let connection = Connection::open(path).map_err(|error| convert(path, error))?;
        let prepare = || -> rusqlite::Result<()> {
            connection.busy_timeout(Duration::from_secs(10))?;
            connection.pragma_update(None, "journal_mode", "wal")?;
            // The index is derived: losing the last commit to a power cut costs a re-index, not data.
            connection.pragma_update(None, "synchronous", "normal")?;
            connection.execute_batch(TABLES)
        };
        prepare().map_err(|error| convert(path, error))?;
        Ok(Self { connection, path: path.to_path_buf() })
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

    fn run<T>(&self, work: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T, StoreError> {
        work(&self.connection).map_err(|error| convert(&self.path, error))
    }

    pub fn pipeline(&self) -> Result<Option<String>, StoreError> {
        self.run(|connection| {
            let sql = "select value from meta where key = 'pipeline'";
            connection.query_row(sql, [], |row| row.get(0)).optional()
        })
    }

    pub fn generation(&self) -> Result<Option<Generation>, StoreError> {
        let newest: Option<i64> = self
            .run(|connection| connection.query_row("select max(generation) from ref", [], |row| row.get(0)))?;
        Ok(newest.map(|number| Generation(number as u64)))
    }

    pub fn part_ids(&self) -> Result<Vec<u64>, StoreError> {
        self.run(|connection| {
            let mut statement = connection.prepare_cached("select id from part order by id")?;
            statement.query_map([], |row| Ok(row.get::<_, i64>(0)? as u64))?.collect()
        })
    }

    pub fn reference(&self, name: &RefName) -> Result<Option<StoredRef>, StoreError> {
        self.run(|connection| {
            let sql = "select id, generation, committed, duration_ms from ref where name = ?1";
            connection
                .query_row(sql, [name.as_str()], |row| {
                    let committed = Duration::from_millis(row.get::<_, i64>(2)? as u64);
                    Ok(StoredRef {
                        id: row.get(0)?,
                        info: GenerationInfo {
                            generation: Generation(row.get::<_, i64>(1)? as u64),
                            committed: UNIX_EPOCH + committed,
                            duration_ms: row.get::<_, i64>(3)? as u64,
                        },
                    })
                })
                .optional()
        })
    }

    /// A ref's manifest, and where its versions are, in the order of the paths.
    pub fn manifest(&self, reference: i64) -> Result<(Manifest, Vec<Place>), StoreError> {
        let rows = self.run(|connection| {
            let mut statement = connection.prepare_cached(
                "select path, manifest.key, size, modified, racy, part, ordinal
                 from manifest join version on version.key = manifest.key
                 where ref = ?1 order by path",
            )?;
            let rows = statement.query_map([reference], |row| {
                let stamp = FileStamp {
                    size: row.get::<_, i64>(2)? as u64,
                    modified: row.get(3)?,
                    racy: row.get(4)?,
                };
                let entry = ManifestEntry { key: VersionKey::from_bytes(row.get(1)?), stamp };
                let place = Place { part: row.get::<_, i64>(5)? as u64, ordinal: row.get(6)? };
                Ok((row.get::<_, String>(0)?, entry, place))
            })?;
            rows.collect::<rusqlite::Result<Vec<_>>>()
        })?;
        let mut manifest = Manifest { skipped: self.skipped(reference)?, ..Manifest::default() };
        let mut places = Vec::with_capacity(rows.len());
        for (path, entry, place) in rows {
            let path = RelPath::new(&path).map_err(|error| StoreError::Damaged(error.to_string()))?;
            manifest.files.insert(path, entry);
            places.push(place);
        }
        // Paths sort the same in SQLite (by bytes) and here, so places follow the manifest's order.
        Ok((manifest, places))
    }

    fn skipped(&self, reference: i64) -> Result<Vec<SkippedFile>, StoreError> {
        self.run(|connection| {
            let sql = "select path, reason, detail from skipped where ref = ?1 order by path";
            let mut statement = connection.prepare_cached(sql)?;
            let rows = statement.query_map([reference], |row| {
                Ok(SkippedFile { path: row.get(0)?, reason: row.get(1)?, detail: row.get(2)? })
            })?;
            rows.collect()
        })
    }

    /// Every stored version.
    pub fn versions(&self) -> Result<FxHashMap<VersionKey, Place>, StoreError> {
        self.run(|connection| {
            let mut statement = connection.prepare_cached("select key, part, ordinal from version")?;
            let rows = statement.query_map([], |row| {
                let place = Place { part: row.get::<_, i64>(1)? as u64, ordinal: row.get(2)? };
                Ok((VersionKey::from_bytes(row.get(0)?), place))
            })?;
            rows.collect()
        })
    }

    /// The versions that some manifest other than `except`'s names.
    pub fn versions_in_use(&self, except: &RefName) -> Result<Vec<VersionKey>, StoreError> {
        self.run(|connection| {
            let mut statement = connection.prepare_cached(
                "select distinct key from manifest
                 where ref not in (select id from ref where name = ?1)",
            )?;
            let rows = statement.query_map([except.as_str()], |row| {
                Ok(VersionKey::from_bytes(row.get(0)?))
            })?;
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
            .transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)
            .map_err(|error| convert(path, error))?;
        let rows = Rows { transaction: &transaction, path };
        let done = work(&rows)?;
        transaction.commit().map_err(|error| convert(path, error))?;
        Ok(done)
    }
}

/// Writes rows inside a transaction.
pub(crate) struct Rows<'a> {
    transaction: &'a Transaction<'a>,
    path: &'a Path,
}

impl Rows<'_> {
    fn run<T>(&self, work: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T, StoreError> {
        work(self.transaction).map_err(|error| convert(self.path, error))
    }

    /// Forgets everything, for a pipeline that cannot read what is here.
    pub fn reset(&self, pipeline: &str) -> Result<(), StoreError> {
        self.run(|connection| {
            connection.execute_batch(
                "delete from part; delete from version; delete from ref; delete from manifest;
                 delete from skipped;",
            )?;
            let sql = "insert or replace into meta (key, value) values ('pipeline', ?1)";
            connection.execute(sql, [pipeline]).map(drop)
        })
    }

    pub fn add_part(&self, id: u64, keys: &[VersionKey]) -> Result<(), StoreError> {
        self.run(|connection| {
            connection.execute("insert into part (id) values (?1)", [id as i64])?;
            let mut insert = connection
                .prepare_cached("insert or replace into version (key, part, ordinal) values (?1, ?2, ?3)")?;
            for (ordinal, key) in keys.iter().enumerate() {
                insert.execute(params![key.as_bytes(), id as i64, ordinal as i64])?;
            }
            Ok(())
        })
    }

    /// Forgets a part and the versions that are still said to be in it.
    pub fn remove_part(&self, id: u64) -> Result<(), StoreError> {
        self.run(|connection| {
            connection.execute("delete from version where part = ?1", [id as i64])?;
            connection.execute("delete from part where id = ?1", [id as i64]).map(drop)
        })
    }

    /// Makes `manifest` the state of the ref, writing only what differs from `before`.
    pub fn set_manifest(
        &self,
        name: &RefName,
        before: &Manifest,
        manifest: &Manifest,
        duration: Duration,
    ) -> Result<Generation, StoreError> {
        self.run(|connection| {
            let newest: Option<i64> =
                connection.query_row("select max(generation) from ref", [], |row| row.get(0))?;
            let generation = newest.unwrap_or(0) + 1;
            let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
            let id: i64 = connection.query_row(
                "insert into ref (name, generation, committed, duration_ms) values (?1, ?2, ?3, ?4)
                 on conflict (name) do update set generation = ?2, committed = ?3, duration_ms = ?4
                 returning id",
                params![name.as_str(), generation, now.as_millis() as i64, duration.as_millis() as i64],
                |row| row.get(0),
            )?;
            write_files(connection, id, before, manifest)?;
            if before.skipped != manifest.skipped {
                write_skipped(connection, id, manifest)?;
            }
            Ok(Generation(generation as u64))
        })
    }
}

fn write_files(
    connection: &Connection,
    id: i64,
    before: &Manifest,
    manifest: &Manifest,
) -> rusqlite::Result<()> {
    let mut delete = connection.prepare_cached("delete from manifest where ref = ?1 and path = ?2")?;
    for path in before.files.keys().filter(|path| !manifest.files.contains_key(*path)) {
        delete.execute(params![id, path.as_str()])?;
    }
    let mut upsert = connection.prepare_cached(
        "insert or replace into manifest (ref, path, key, size, modified, racy)
         values (?1, ?2, ?3, ?4, ?5, ?6)",
    )?;
    for (path, entry) in &manifest.files {
        if before.files.get(path) != Some(entry) {
            let FileStamp { size, modified, racy } = entry.stamp;
            let key = entry.key.as_bytes();
            upsert.execute(params![id, path.as_str(), key, size as i64, modified, racy])?;
        }
    }
    Ok(())
}

fn write_skipped(connection: &Connection, id: i64, manifest: &Manifest) -> rusqlite::Result<()> {
    connection.execute("delete from skipped where ref = ?1", [id])?;
    let sql = "insert into skipped (ref, path, reason, detail) values (?1, ?2, ?3, ?4)";
    let mut insert = connection.prepare_cached(sql)?;
    for skipped in &manifest.skipped {
        insert.execute(params![id, skipped.path, skipped.reason, skipped.detail])?;
    }
    Ok(())
}

/// SQLite's errors, by what a caller can do about them.
fn convert(path: &Path, error: rusqlite::Error) -> StoreError {
    match error.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => StoreError::Full { path: path.to_path_buf() },
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
            StoreError::Damaged(format!("{}: {error}", path.display()))
        }
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => StoreError::Busy,
        Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => {
            StoreError::Io { path: path.to_path_buf(), source: std::io::Error::other(error) }
        }
        _ => StoreError::Database(Box::new(error)),
    }
}
