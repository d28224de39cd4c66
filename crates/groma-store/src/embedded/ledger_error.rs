//! SQLite's errors as errors of a store.

use super::{full, io_error};
use groma_core::{StoreError, StoreErrorKind};
use rusqlite::ffi::{SQLITE_IOERR_SHMSIZE, SQLITE_IOERR_SHORT_READ};
use std::path::Path;

/// Whether an error says that nothing can be written, though reading may work.
pub(super) fn cannot_write(error: &StoreError) -> bool {
    use StoreErrorKind::{Denied, Full, Unavailable};
    matches!(error.kind(), Denied | Full | Unavailable)
}

/// SQLite's errors, by what a caller can do about them.
pub(super) fn convert(path: &Path, error: rusqlite::Error) -> StoreError {
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
        // A page that is not there: the file was cut off, or its WAL was removed before it was copied back.
        _ if error.sqlite_error().is_some_and(|e| e.extended_code == SQLITE_IOERR_SHORT_READ) => {
            damaged(&error)
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
        // The statements are constants: one that fails has met tables or rows that this program did not write.
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
