//! What the index and the notebook both know about their database files.

use rusqlite::ErrorCode;
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
