//! Deleting the indexes of a project while other processes may be using them.

use super::ANY_PIPELINE;
use super::layout::{RECORD, SUB_INDEX};
use crate::embedded::{EmbeddedStore, FileLeases, has_index, remove_index};
use groma_core::{LeaseKind, RefName, Store, StoreError, StoreErrorKind};
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

/// How long to wait for an index run, which a server may have just begun.
const WAIT_TIMEOUT: Duration = Duration::from_secs(2);

const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// Empties the index in `folder`, whatever its state. Returns its size before that.
pub fn clear(folder: &Path) -> Result<u64, StoreError> {
    let store = match EmbeddedStore::open(folder, ANY_PIPELINE) {
        Err(error) if error.is(StoreErrorKind::Damaged) => {
            EmbeddedStore::open_empty(folder, ANY_PIPELINE)?;
            return Ok(0);
        }
        other => other?,
    };
    let before = store.size()?.bytes;
    retry_while_busy(|| store.clear()).map(|()| before)
}

/// Deletes the files of an emptied index, and the record beside it. An index that another process has committed
/// since it was emptied is kept, with its record.
pub fn delete(folder: &Path) {
    if !folder.is_dir() {
        return;
    }
    if let Ok(_lease) = retry_while_busy(|| FileLeases::new(folder).require(LeaseKind::Writer))
        && !(has_index(folder) && is_committed(folder))
    {
        remove_index(folder);
        for name in [RECORD, SUB_INDEX] {
            let _ = fs::remove_file(folder.join(name));
        }
    }
}

fn is_committed(folder: &Path) -> bool {
    let Ok(store) = EmbeddedStore::open(folder, ANY_PIPELINE) else { return false };
    let newest = store.generation(&RefName::live());
    store.is_outdated().unwrap_or(false) || newest.is_ok_and(|newest| newest.is_some())
}

fn retry_while_busy<T>(attempt: impl Fn() -> Result<T, StoreError>) -> Result<T, StoreError> {
    let started = Instant::now();
    loop {
        match attempt() {
            Err(error) if error.is(StoreErrorKind::Busy) && started.elapsed() < WAIT_TIMEOUT => {
                std::thread::sleep(POLL_INTERVAL);
            }
            done => return done,
        }
    }
}
