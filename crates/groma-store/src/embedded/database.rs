//! The tables of the ledger, and the connection to them.

use super::ledger_error::{cannot_write, convert};
use super::sections::checksum;
use super::{full_path, io_error};
use crate::sqlite::{BUSY_TIMEOUT, frozen, identity, retry_while_busy};
use groma_core::{
    Deadline, FileStamp, Generation, GenerationId, GenerationInfo, Head, Heads, Manifest,
    ManifestEntry, ManifestId, Publication, RefName, RelPath, SegmentId, SegmentInfo, SkippedFile,
    StoreError, VersionKey,
};
use rusqlite::types::{FromSql, ToSql};
use rusqlite::{Connection, OptionalExtension, Row, Transaction, TransactionBehavior, params};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, UNIX_EPOCH};

/// The version of the tables and of the segment format. Another version means a rebuild.
pub(super) const SCHEMA: u32 = 11;

/// How long a database that could not be written is used read-only before it is opened again.
const REOPEN_INTERVAL: Duration = Duration::from_secs(1);

const TABLES: &str = "
    drop table if exists meta;
    drop table if exists part;
    drop table if exists segment;
    drop table if exists version;
    drop table if exists ref;
    drop table if exists ref_segment;
    drop table if exists manifest;
    drop table if exists skipped;
    create table meta (key text primary key, value) without rowid;
    create table segment (number integer primary key, id blob not null unique, bytes integer not null);
    create table ref (
        id integer primary key, name text not null unique, generation integer not null,
        generation_id blob not null, manifest blob not null, committed integer not null,
        duration_ms integer not null, options_hash integer not null, commit_id text,
        files integer not null, checksum integer not null
    );
    create table ref_segment (
        ref integer not null, segment integer not null, primary key (ref, segment)
    ) without rowid;
    create table manifest (
        ref integer not null, path text not null, key blob not null, primary key (ref, path)
    ) without rowid;
    create table skipped (
        ref integer not null, path text not null, reason text not null, detail text not null
    );
    create index skipped_ref on skipped (ref);
";

pub(super) struct Database {
    connection: Connection,
    path: PathBuf,
    identity: Option<u64>,
    /// The identities of the WAL and its index, if there were any when it was opened.
    wal: [Option<u64>; 2],
    /// Since when it is read-only, because it could not be written.
    frozen: Option<Instant>,
    /// There is no file, and reading creates none.
    pub is_absent: bool,
    /// Why the file cannot be opened.
    pub damage: Option<String>,
}

fn wal_identity(path: &Path) -> [Option<u64>; 2] {
    ["-wal", "-shm"].map(|ending| identity(&full_path(path, ending)))
}

impl Database {
    /// Opens the database; one of another version is emptied.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        let connection = Connection::open(path).map_err(|error| convert(path, error))?;
        let prepare = || -> rusqlite::Result<()> {
            connection.busy_timeout(BUSY_TIMEOUT)?;
            connection.pragma_update(None, "journal_mode", "wal")?;
            // The index is derived: losing the last commit to a power cut costs a re-index, not data.
            connection.pragma_update(None, "synchronous", "normal")?;
            create_tables(&connection)
        };
        match retry_while_busy(prepare).map_err(|error| convert(path, error)) {
            Ok(()) => Ok(Self::new(connection, path, None)),
            Err(error) if cannot_write(&error) => Self::open_frozen(path).ok_or(error),
            Err(error) => Err(error),
        }
    }

    fn new(connection: Connection, path: &Path, frozen: Option<Instant>) -> Self {
        let (path, identity, wal) = (path.to_path_buf(), identity(path), wal_identity(path));
        Self { connection, path, identity, wal, frozen, is_absent: false, damage: None }
    }

    /// An empty database in memory, for one that was removed: reading creates no file.
    pub fn absent(path: &Path) -> Result<Self, StoreError> {
        let opened = Connection::open_in_memory()
            .and_then(|connection| create_tables(&connection).map(|()| connection));
        let connection = opened.map_err(|error| convert(path, error))?;
        Ok(Self {
            identity: None,
            wal: [None; 2],
            is_absent: true,
            ..Self::new(connection, path, None)
        })
    }

    /// Stands for a database that cannot be opened, with the reason.
    pub fn unreadable(path: &Path, damage: &str) -> Result<Self, StoreError> {
        Ok(Self { is_absent: false, damage: Some(damage.to_string()), ..Self::absent(path)? })
    }

    /// Opens a database of this version where not even the WAL index (`-shm` file) can be written: the folder is
    /// read-only, or the disk is full. No other process can be writing there either.
    fn open_frozen(path: &Path) -> Option<Self> {
        let connection = frozen(path)?;
        let is_ours = version(&connection).is_ok_and(|version| version == SCHEMA);
        is_ours.then(|| Self::new(connection, path, Some(Instant::now())))
    }

    /// Removes the database and creates an empty one.
    pub fn replace(path: &Path) -> Result<Self, StoreError> {
        for name in ["", "-wal", "-shm"].map(|ending| full_path(path, ending)) {
            match std::fs::remove_file(&name) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    return Err(io_error(&name, error));
                }
                _ => {}
            }
        }
        Self::open(path)
    }

    /// Whether it should be opened again: another process removed or replaced this file, or it may have
    /// become writable.
    pub fn is_outdated(&self) -> bool {
        if self.damage.is_some() {
            true
        } else if self.is_absent {
            self.path.exists()
        } else {
            identity(&self.path) != self.identity
                || self.has_lost_wal()
                || self.frozen.is_some_and(|since| since.elapsed() > REOPEN_INTERVAL)
        }
    }

    /// Whether the WAL or its index was removed: this connection would go on with files that no other process sees.
    fn has_lost_wal(&self) -> bool {
        let known = self.wal.into_iter().zip(wal_identity(&self.path));
        known.into_iter().any(|(known, now)| known.is_some() && known != now)
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

    /// How long calls wait for another process.
    pub fn set_deadline(&self, deadline: Deadline) -> Result<(), StoreError> {
        self.run(|connection| connection.busy_timeout(deadline.remaining()))
    }

    /// A number that changes with every commit of another connection.
    pub fn data_version(&self) -> Result<u64, StoreError> {
        self.run(|connection| {
            let mut statement = connection.prepare_cached("pragma data_version")?;
            statement.query_row([], |row| row.get::<_, i64>(0)).map(|version| version as u64)
        })
    }

    /// A read transaction: everything read within it is of one snapshot.
    fn moment(&self) -> Result<Transaction<'_>, StoreError> {
        self.connection.unchecked_transaction().map_err(|error| convert(&self.path, error))
    }

    /// All that is committed.
    pub fn heads(&self) -> Result<Heads, StoreError> {
        let _moment = self.moment()?;
        let pipeline = self.run(|connection| meta(connection, "pipeline"))?;
        let segments = self.segments()?;
        let rows = self.ref_rows()?;
        let heads = rows.into_iter().map(|row| self.head(row)).collect::<Result<_, _>>()?;
        Ok(Heads { pipeline, heads, segments })
    }

    fn segments(&self) -> Result<Vec<SegmentInfo>, StoreError> {
        self.run(|connection| {
            let sql = "select id, bytes from segment order by number";
            let mut statement = connection.prepare_cached(sql)?;
            let rows = statement.query_map([], |row| {
                let id = SegmentId::from_bytes(row.get(0)?);
                Ok(SegmentInfo { id, bytes: row.get::<_, i64>(1)? as u64 })
            })?;
            rows.collect()
        })
    }

    fn ref_rows(&self) -> Result<Vec<RefRow>, StoreError> {
        let sql = "select id, checksum, name, generation, committed, duration_ms, generation_id,
                   manifest, options_hash, commit_id, files from ref order by name";
        self.run(|connection| {
            let mut statement = connection.prepare_cached(sql)?;
            statement.query_map([], RefRow::read)?.collect()
        })
    }

    /// A head as it was committed, with its segments.
    fn head(&self, row: RefRow) -> Result<Head, StoreError> {
        if row.checksum != row.computed_checksum() {
            return Err(self.damaged("a ref is altered"));
        }
        let segments = self.run(|connection| {
            let sql = "select segment.id from ref_segment
                       left join segment on segment.number = ref_segment.segment
                       where ref = ?1 order by ref_segment.segment";
            let mut statement = connection.prepare_cached(sql)?;
            let rows =
                statement.query_map([row.id], |row| Ok(SegmentId::from_bytes(row.get(0)?)))?;
            rows.collect()
        })?;
        let [number, committed, duration_ms] = row.numbers.map(|number| number as u64);
        let committed = UNIX_EPOCH.checked_add(Duration::from_millis(committed));
        let info = GenerationInfo {
            generation: Generation { number, id: row.generation },
            committed: committed.ok_or_else(|| self.damaged("a time is out of range"))?,
            duration_ms,
        };
        Ok(Head {
            reference: RefName::new(row.name),
            info,
            manifest: row.manifest,
            segments,
            commit: row.commit,
            options_hash: row.options_hash as u64,
            files: row.files as usize,
        })
    }

    /// The versions that the manifests of some refs reference.
    pub fn versions(&self, references: &[RefName]) -> Result<Vec<VersionKey>, StoreError> {
        let _moment = self.moment()?;
        self.run(|connection| {
            let mut statement = connection.prepare_cached(
                "select key from manifest where ref in (select id from ref where name = ?1)",
            )?;
            let mut versions = Vec::new();
            for name in references {
                let mut rows = statement.query([name.as_str()])?;
                while let Some(row) = rows.next()? {
                    versions.push(VersionKey::from_bytes(row.get(0)?));
                }
            }
            Ok(versions)
        })
    }

    /// The manifest of a head; `None` if that is not the newest any more.
    pub fn manifest_of(&self, head: &Head) -> Result<Option<Manifest>, StoreError> {
        let moment = self.moment()?;
        let id: Option<i64> = self.run(|connection| {
            let sql = "select id from ref where name = ?1 and generation_id = ?2";
            let mut statement = connection.prepare_cached(sql)?;
            let generation = head.info.generation.id;
            let key = params![head.reference.as_str(), generation.as_bytes()];
            statement.query_row(key, |row| row.get(0)).optional()
        })?;
        let Some(id) = id else { return Ok(None) };
        let manifest = Manifest {
            files: self.files(id)?,
            skipped: self.skipped(id)?,
            options_hash: head.options_hash,
            commit: head.commit.clone(),
        };
        drop(moment);
        if manifest.id() != head.manifest {
            return Err(self.damaged("the manifest is altered"));
        }
        Ok(Some(manifest))
    }

    fn files(&self, reference: i64) -> Result<BTreeMap<RelPath, ManifestEntry>, StoreError> {
        let rows = self.run(|connection| {
            let mut statement =
                connection.prepare_cached("select path, key from manifest where ref = ?1")?;
            let rows = statement.query_map([reference], |row| {
                let (key, stamp) = (VersionKey::from_bytes(row.get(1)?), FileStamp::UNKNOWN);
                let entry = ManifestEntry { key, stamp };
                Ok((row.get::<_, String>(0)?, entry))
            })?;
            rows.collect::<rusqlite::Result<Vec<_>>>()
        })?;
        let file = |(path, entry): (String, ManifestEntry)| {
            let path = RelPath::new(&path).map_err(|error| self.damaged(&error.to_string()))?;
            Ok((path, entry))
        };
        rows.into_iter().map(file).collect()
    }

    fn skipped(&self, reference: i64) -> Result<Vec<SkippedFile>, StoreError> {
        self.run(|connection| {
            let sql = "select path, reason, detail from skipped where ref = ?1 order by rowid";
            let mut statement = connection.prepare_cached(sql)?;
            let rows = statement.query_map([reference], |row| {
                let (path, reason, detail) = (row.get(0)?, row.get(1)?, row.get(2)?);
                Ok(SkippedFile { path, reason, detail, stamp: None })
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

    /// Deletes everything but the number of the last generation, which must not be used again. The tables are created
    /// again, which repairs a broken schema, too.
    pub fn reset(&self) -> Result<(), StoreError> {
        self.run(|connection| {
            let generation = number(connection, "generation")?;
            connection.execute_batch(TABLES)?;
            set_meta(connection, "generation", generation)
        })
    }

    /// Makes a generation the newest of its ref, if its parent still is.
    pub fn publish(&self, publication: &Publication<'_>) -> Result<Generation, StoreError> {
        let newest: Option<[u8; 16]> = self.run(|connection| {
            let sql = "select generation_id from ref where name = ?1";
            let name = publication.reference.as_str();
            connection.query_row(sql, [name], |row| row.get(0)).optional()
        })?;
        if newest.map(GenerationId::from_bytes) != publication.parent {
            return Err(StoreError::superseded());
        }
        if publication.replaces_all {
            self.reset()?;
        }
        let generation = self.run(|connection| {
            set_meta(connection, "pipeline", publication.pipeline)?;
            replace_segments(connection, publication)?;
            let (id, generation) = write_ref(connection, publication)?;
            write_ref_segments(connection, id, publication.segments)?;
            write_files(connection, id, publication.before, publication.manifest)?;
            if publication.before.skipped != publication.manifest.skipped {
                write_skipped(connection, id, publication.manifest)?;
            }
            Ok(generation)
        })?;
        (publication.before_commit)();
        Ok(generation)
    }

    /// Deletes a ref. Its versions stay until a merge finds them unreferenced.
    pub fn forget(&self, name: &RefName) -> Result<bool, StoreError> {
        self.run(|connection| {
            for table in ["manifest", "skipped", "ref_segment"] {
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
    let sql = "insert or replace into manifest (ref, path, key) values (?1, ?2, ?3)";
    let mut upsert = connection.prepare_cached(sql)?;
    for (path, entry) in &manifest.files {
        if before.files.get(path).map(|before| before.key) != Some(entry.key) {
            upsert.execute(params![id, path.as_str(), entry.key.as_bytes()])?;
        }
    }
    Ok(())
}

fn write_skipped(connection: &Connection, id: i64, manifest: &Manifest) -> rusqlite::Result<()> {
    connection.execute("delete from skipped where ref = ?1", [id])?;
    let sql = "insert into skipped (ref, path, reason, detail) values (?1, ?2, ?3, ?4)";
    let mut insert = connection.prepare_cached(sql)?;
    for SkippedFile { path, reason, detail, .. } in &manifest.skipped {
        insert.execute(params![id, path, reason, detail])?;
    }
    Ok(())
}

/// Adds the new segments, and replaces removed ones by the merged one in every ref.
fn replace_segments(
    connection: &Connection,
    publication: &Publication<'_>,
) -> rusqlite::Result<()> {
    let sql = "insert into segment (id, bytes) values (?1, ?2) on conflict (id) do nothing";
    let mut insert = connection.prepare_cached(sql)?;
    for segment in publication.added {
        insert.execute(params![segment.id.as_bytes(), segment.bytes as i64])?;
    }
    let mut adopt = connection.prepare_cached(
        "insert or ignore into ref_segment (ref, segment)
         select ref, (select number from segment where id = ?2) from ref_segment
         where segment = (select number from segment where id = ?1)",
    )?;
    let mut release = connection.prepare_cached(
        "delete from ref_segment where segment = (select number from segment where id = ?1)",
    )?;
    let mut delete = connection.prepare_cached("delete from segment where id = ?1")?;
    for id in publication.removed {
        if let Some(merged) = publication.merged {
            adopt.execute([id.as_bytes(), merged.as_bytes()])?;
        }
        release.execute([id.as_bytes()])?;
        delete.execute([id.as_bytes()])?;
    }
    Ok(())
}

/// Writes the row of the ref; its id, and the generation.
fn write_ref(
    connection: &Connection,
    publication: &Publication<'_>,
) -> rusqlite::Result<(i64, Generation)> {
    let number = number(connection, "generation")? + 1;
    set_meta(connection, "generation", number)?;
    let committed = publication.committed.duration_since(UNIX_EPOCH).unwrap_or_default();
    let (committed, duration) = (committed.as_millis(), publication.duration.as_millis());
    let manifest = publication.manifest;
    let mut row = RefRow {
        id: 0,
        checksum: 0,
        name: publication.reference.as_str().to_string(),
        numbers: [number, committed as i64, duration as i64],
        generation: publication.id,
        manifest: manifest.id(),
        options_hash: manifest.options_hash as i64,
        commit: manifest.commit.clone(),
        files: manifest.files.len() as i64,
    };
    row.checksum = row.computed_checksum();
    let sql = "insert into ref (name, generation, committed, duration_ms, generation_id, manifest,
                   options_hash, commit_id, files, checksum)
               values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
               on conflict (name) do update set generation = ?2, committed = ?3, duration_ms = ?4,
                   generation_id = ?5, manifest = ?6, options_hash = ?7, commit_id = ?8, files = ?9,
                   checksum = ?10
               returning id";
    let values = params![
        row.name,
        row.numbers[0],
        row.numbers[1],
        row.numbers[2],
        row.generation.as_bytes(),
        row.manifest.as_bytes(),
        row.options_hash,
        row.commit,
        row.files,
        row.checksum
    ];
    let id = connection.query_row(sql, values, |row| row.get(0))?;
    Ok((id, Generation { number: number as u64, id: publication.id }))
}

fn write_ref_segments(
    connection: &Connection,
    id: i64,
    segments: &[SegmentId],
) -> rusqlite::Result<()> {
    connection.execute("delete from ref_segment where ref = ?1", [id])?;
    let mut insert = connection.prepare_cached(
        "insert into ref_segment (ref, segment)
         values (?1, (select number from segment where id = ?2))",
    )?;
    for segment in segments {
        insert.execute(params![id, segment.as_bytes()])?;
    }
    Ok(())
}

/// A row of `ref`.
struct RefRow {
    id: i64,
    checksum: i64,
    name: String,
    /// The generation's number, when it was committed and how long it took, as they are stored.
    numbers: [i64; 3],
    generation: GenerationId,
    manifest: ManifestId,
    options_hash: i64,
    commit: Option<String>,
    files: i64,
}

impl RefRow {
    fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            id: row.get(0)?,
            checksum: row.get(1)?,
            name: row.get(2)?,
            numbers: [row.get(3)?, row.get(4)?, row.get(5)?],
            generation: GenerationId::from_bytes(row.get(6)?),
            manifest: ManifestId::from_bytes(row.get(7)?),
            options_hash: row.get(8)?,
            commit: row.get(9)?,
            files: row.get(10)?,
        })
    }

    /// The checksum of all columns. SQLite has none of its own. The manifest is covered by its id, and segments that
    /// lack a version of the manifest are found when they are opened.
    fn computed_checksum(&self) -> i64 {
        let mut bytes = Vec::with_capacity(200);
        for text in [self.name.as_str(), self.commit.as_deref().unwrap_or_default()] {
            bytes.extend((text.len() as u64).to_le_bytes());
            bytes.extend_from_slice(text.as_bytes());
        }
        let [number, committed, duration] = self.numbers;
        for number in [number, committed, duration, self.options_hash, self.files] {
            bytes.extend(number.to_le_bytes());
        }
        bytes.push(u8::from(self.commit.is_some()));
        bytes.extend_from_slice(self.generation.as_bytes());
        bytes.extend_from_slice(self.manifest.as_bytes());
        checksum(&bytes) as i64
    }
}

/// The version of the tables.
fn version(connection: &Connection) -> rusqlite::Result<u32> {
    connection.pragma_query_value(None, "user_version", |row| row.get(0))
}

/// Creates the tables, unless they exist.
fn create_tables(connection: &Connection) -> rusqlite::Result<()> {
    if version(connection)? == SCHEMA {
        return Ok(());
    }
    let behavior = TransactionBehavior::Immediate;
    let transaction = Transaction::new_unchecked(connection, behavior)?;
    // Another process may have created them while this one waited.
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
