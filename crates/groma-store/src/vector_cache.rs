//! The vector cache: one SQLite file for all projects of a user.
//!
//! It is a cache in the strict sense: whatever is wrong with it, from a full disk to garbage in the file, costs
//! nothing but embedding a text again. Several processes may use it at once.

use crate::embedded::io_error;
use crate::sqlite::{BUSY_TIMEOUT, retry_while_busy};
use groma_core::{Locked, StoreError, TextKey, Vector, VectorCache};
use rusqlite::{Connection, ErrorCode, OptionalExtension, TransactionBehavior, params};
use std::path::{Path, PathBuf};
use std::sync::MutexGuard;

/// The version of the tables. A file of another version is replaced.
const SCHEMA: u32 = 1;

/// Maximum size of the file: about half a million vectors of 1,536 dimensions.
const LARGEST: u64 = 1 << 30;

const TABLES: &str = "
    drop table if exists vector;
    drop table if exists model;
    create table vector (
        id integer primary key, key blob not null unique, scale real not null, steps blob not null,
        checksum integer not null
    );
    create table model (name text primary key, dimensions integer not null) without rowid;
";

/// A vector cache in a file.
pub struct EmbeddedVectorCache {
    path: PathBuf,
    largest: u64,
    connection: Locked<Connection>,
}

impl EmbeddedVectorCache {
    /// Opens the cache in the file `path`, creating it if need be. A file that is no cache is replaced.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        Self::open_bounded(path, LARGEST)
    }

    /// As `open`, with a maximum size in bytes, beyond which the oldest vectors are evicted.
    pub fn open_bounded(path: &Path, largest: u64) -> Result<Self, StoreError> {
        if let Some(folder) = path.parent() {
            crate::private::create_private_folders(folder)
                .map_err(|source| io_error(folder, source))?;
        }
        let connection = match retry_while_busy(|| connect(path)) {
            Err(error) if is_damage(&error) => replace(path),
            other => other,
        };
        let connection = connection.map_err(|error| {
            let source = std::io::Error::other(error);
            io_error(path, source)
        })?;
        Ok(Self { path: path.to_path_buf(), largest, connection: Locked::new(connection) })
    }

    /// Runs `work` on the file; `None` if it fails. A damaged file is replaced.
    fn attempt<T>(&self, work: impl FnOnce(&mut Connection) -> rusqlite::Result<T>) -> Option<T> {
        let mut connection = self.connection();
        match work(&mut connection) {
            Ok(value) => Some(value),
            Err(error) => {
                if is_damage(&error)
                    && let Ok(fresh) = replace(&self.path)
                {
                    *connection = fresh;
                }
                None
            }
        }
    }

    fn connection(&self) -> MutexGuard<'_, Connection> {
        self.connection.lock()
    }
}

impl VectorCache for EmbeddedVectorCache {
    fn find(&self, keys: &[TextKey]) -> Vec<Option<Vector>> {
        let found = self.attempt(|connection| {
            let sql = "select scale, steps, checksum from vector where key = ?1";
            let mut statement = connection.prepare_cached(sql)?;
            let mut one = |key: &TextKey| {
                let read = |row: &rusqlite::Row<'_>| -> rusqlite::Result<Option<Vector>> {
                    let (scale, steps): (f32, Vec<u8>) = (row.get(0)?, row.get(1)?);
                    let values = steps.iter().map(|step| *step as i8).collect();
                    let vector = Vector { scale, values };
                    Ok(Some(vector).filter(|vector| row.get(2) == Ok(checksum(key, vector))))
                };
                Ok(statement.query_row([key.as_bytes()], read).optional()?.flatten())
            };
            keys.iter().map(&mut one).collect::<rusqlite::Result<Vec<_>>>()
        });
        found.unwrap_or_else(|| vec![None; keys.len()])
    }

    fn keep(&self, vectors: &[(TextKey, &Vector)]) {
        self.attempt(|connection| {
            let behavior = TransactionBehavior::Immediate;
            let transaction = connection.transaction_with_behavior(behavior)?;
            let sql = "insert or replace into vector (key, scale, steps, checksum)
                       values (?1, ?2, ?3, ?4)";
            for (key, vector) in vectors {
                let steps: Vec<u8> = vector.values.iter().map(|value| *value as u8).collect();
                let row = params![key.as_bytes(), vector.scale, steps, checksum(key, vector)];
                transaction.prepare_cached(sql)?.execute(row)?;
            }
            transaction.commit()?;
            make_room(connection, self.largest)
        });
    }

    fn dimensions(&self, model: &str) -> Option<usize> {
        self.attempt(|connection| {
            let sql = "select dimensions from model where name = ?1";
            connection.query_row(sql, [model], |row| row.get::<_, u32>(0)).optional()
        })?
        .map(|dimensions| dimensions as usize)
        .filter(|dimensions| *dimensions > 0)
    }

    fn keep_dimensions(&self, model: &str, dimensions: usize) {
        self.attempt(|connection| {
            let sql = "insert or replace into model (name, dimensions) values (?1, ?2)";
            connection.execute(sql, params![model, dimensions as i64])
        });
    }
}

fn connect(path: &Path) -> rusqlite::Result<Connection> {
    let mut connection = Connection::open(path)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    connection.pragma_update(None, "journal_mode", "wal")?;
    // What a power failure loses is embedded again.
    connection.pragma_update(None, "synchronous", "normal")?;
    let version = |connection: &Connection| -> rusqlite::Result<u32> {
        connection.pragma_query_value(None, "user_version", |row| row.get(0))
    };
    if version(&connection)? != SCHEMA {
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        // Another process may have created them while this one waited.
        if version(&transaction)? != SCHEMA {
            transaction.execute_batch(TABLES)?;
            transaction.pragma_update(None, "user_version", SCHEMA)?;
        }
        transaction.commit()?;
    }
    Ok(connection)
}

/// Removes the file and creates an empty one.
fn replace(path: &Path) -> rusqlite::Result<Connection> {
    for ending in ["", "-wal", "-shm"] {
        let mut name = path.as_os_str().to_owned();
        name.push(ending);
        let _ = std::fs::remove_file(name);
    }
    connect(path)
}

/// Whether the file is damaged or no cache.
fn is_damage(error: &rusqlite::Error) -> bool {
    let code = error.sqlite_error_code();
    matches!(code, Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase | ErrorCode::Unknown))
}

/// Evicts the oldest tenth if the file is too large. SQLite reuses its pages.
fn make_room(connection: &Connection, largest: u64) -> rusqlite::Result<()> {
    let number = |name: &str| -> rusqlite::Result<u64> {
        connection.pragma_query_value(None, name, |row| Ok(row.get::<_, i64>(0)?.max(0) as u64))
    };
    let pages = number("page_count")?.saturating_sub(number("freelist_count")?);
    if pages * number("page_size")? > largest {
        connection.execute(
            "delete from vector where id <= (
                 select min(id) + (max(id) - min(id)) / 10 from vector
             )",
            [],
        )?;
    }
    Ok(())
}

/// The checksum of a vector with its key: SQLite has none of its own.
fn checksum(key: &TextKey, vector: &Vector) -> i64 {
    let mut bytes = key.as_bytes().to_vec();
    bytes.extend(vector.scale.to_le_bytes());
    bytes.extend(vector.values.iter().map(|value| *value as u8));
    let hash = blake3::hash(&bytes);
    i64::from_le_bytes(std::array::from_fn(|byte| hash.as_bytes()[byte]))
}
