//! What the index, the notebook and the vector cache share: opening database files, waiting for locks, and values of
//! columns.

use rusqlite::config::DbConfig;
use rusqlite::types::Type;
use rusqlite::{Connection, ErrorCode, OpenFlags, Row};
use std::fmt::Display;
use std::path::Path;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// How long to wait for a lock that another process holds.
pub(crate) const BUSY_TIMEOUT: Duration = Duration::from_secs(10);

/// Repeats `attempt` while the database is busy, until [`BUSY_TIMEOUT`].
pub(crate) fn retry_while_busy<T>(
    mut attempt: impl FnMut() -> rusqlite::Result<T>,
) -> rusqlite::Result<T> {
    // While another process creates the database, SQLite reports SQLITE_BUSY at once, without calling its busy
    // handler.
    let started = Instant::now();
    loop {
        match attempt() {
            Err(error) if is_busy(&error) && started.elapsed() < BUSY_TIMEOUT => {
                std::thread::sleep(Duration::from_millis(5));
            }
            other => return other,
        }
    }
}

fn is_busy(error: &rusqlite::Error) -> bool {
    let code = error.sqlite_error_code();
    matches!(code, Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
}

/// Opens a database read-only in a folder that cannot be written, where not even the WAL index (`-shm` file) can be
/// created. No other process can be writing there either.
pub(crate) fn frozen(path: &Path) -> Option<Connection> {
    let wal = std::fs::metadata(path.with_extension("db-wal"));
    let unmerged = wal.is_ok_and(|found| found.len() > 0);
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
    let parameters = if unmerged { NO_LOCKS } else { "immutable=1" };
    let connection = Connection::open_with_flags(uri(path, parameters)?, flags).ok()?;
    if unmerged {
        // A killed process left a WAL that was not checkpointed: read it without a WAL index, and leave it as it is.
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true).ok()?;
        connection.pragma_update(None, "locking_mode", "exclusive").ok()?;
    }
    Some(connection)
}

/// The VFS without file locks, for a database that no other process has open.
const NO_LOCKS: &str = if cfg!(windows) { "vfs=win32-none" } else { "vfs=unix-none" };

/// The URI of a database file with query parameters.
fn uri(path: &Path, parameters: &str) -> Option<String> {
    let mut uri = String::from("file:");
    for letter in path.to_str()?.chars() {
        match letter {
            '%' | '?' | '#' => uri.push_str(&format!("%{:02x}", letter as u32)),
            _ => uri.push(letter),
        }
    }
    Some(format!("{uri}?{parameters}"))
}

/// The inode number: detects that a file was replaced by another of the same name.
#[cfg(unix)]
pub(crate) fn identity(path: &Path) -> Option<u64> {
    use std::os::unix::fs::MetadataExt;
    std::fs::metadata(path).ok().map(|metadata| metadata.ino())
}

/// Where a file in use cannot be removed, it cannot be replaced either.
#[cfg(not(unix))]
pub(crate) fn identity(_: &Path) -> Option<u64> {
    None
}

/// A time as it is stored: milliseconds since the Unix epoch.
pub(crate) fn milliseconds(time: SystemTime) -> i64 {
    match time.duration_since(UNIX_EPOCH) {
        Ok(after) => i64::try_from(after.as_millis()).unwrap_or(i64::MAX),
        Err(before) => i64::try_from(before.duration().as_millis()).map_or(i64::MIN, |ms| -ms),
    }
}

/// A stored time; the Unix epoch if the system cannot represent it.
pub(crate) fn time(milliseconds: i64) -> SystemTime {
    let distance = Duration::from_millis(milliseconds.unsigned_abs());
    let time = if milliseconds < 0 {
        UNIX_EPOCH.checked_sub(distance)
    } else {
        UNIX_EPOCH.checked_add(distance)
    };
    time.unwrap_or(UNIX_EPOCH)
}

/// A text column parsed as a value of an enum; an unknown name is an error.
pub(crate) fn parsed<T: std::str::FromStr<Err = E>, E: Display>(
    row: &Row<'_>,
    column: usize,
) -> rusqlite::Result<T> {
    let text: String = row.get(column)?;
    text.parse().map_err(|error: E| {
        let error = error.to_string().into();
        rusqlite::Error::FromSqlConversionFailure(column, Type::Text, error)
    })
}
