//! What the index and the notebook both know about their database files.

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags};
use std::path::Path;
use std::time::{Duration, Instant};

/// How long to wait for another process.
pub(crate) const PATIENCE: Duration = Duration::from_secs(10);

/// Does what may be refused while another process makes the same database, until it is not.
pub(crate) fn patiently<T>(
    mut attempt: impl FnMut() -> rusqlite::Result<T>,
) -> rusqlite::Result<T> {
    // Two processes that make the same database at once can be told that it is locked without a wait.
    let started = Instant::now();
    loop {
        match attempt() {
            Err(error) if is_busy(&error) && started.elapsed() < PATIENCE => {
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

/// A database read as it is, where nothing can be written: not even the file that processes agree by.
/// Then nobody else writes either.
pub(crate) fn frozen(path: &Path) -> Option<Connection> {
    let wal = std::fs::metadata(path.with_extension("db-wal"));
    let unmerged = wal.is_ok_and(|found| found.len() > 0);
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
    let how = if unmerged { ALONE } else { "immutable=1" };
    let connection = Connection::open_with_flags(address(path, how)?, flags).ok()?;
    if unmerged {
        // What a process that was killed had not merged yet is found without the file that others would look at, and
        // left as it is.
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true).ok()?;
        connection.pragma_update(None, "locking_mode", "exclusive").ok()?;
    }
    Some(connection)
}

/// How a database is opened that nobody else has open: without locks, which would have to be written.
const ALONE: &str = if cfg!(windows) { "vfs=win32-none" } else { "vfs=unix-none" };

/// The address of a database, with how to open it.
fn address(path: &Path, how: &str) -> Option<String> {
    let mut address = String::from("file:");
    for letter in path.to_str()?.chars() {
        match letter {
            '%' | '?' | '#' => address.push_str(&format!("%{:02x}", letter as u32)),
            _ => address.push(letter),
        }
    }
    Some(format!("{address}?{how}"))
}

/// What tells one file from another of the same name.
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
