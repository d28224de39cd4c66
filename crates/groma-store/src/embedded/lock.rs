//! Locks over all processes, and who holds them.
//!
//! A lock is one on an open file: the operating system releases it when its holder ends, however that ends. What
//! stands in the file is for people who wonder; no lock depends on it.

use super::io_error;
use groma_core::{Role, StoreError, Turn};
use std::fs::{File, TryLockError};
use std::io::{Read, Write};
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Longer is nothing that we wrote.
const LONGEST_NOTE: u64 = 64;

/// A process that has a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Holder {
    /// What it does.
    pub role: Role,
    /// Its number; `None` where it left none, or is only just taking over.
    pub process: Option<u32>,
    /// Since when.
    pub since: Option<SystemTime>,
}

/// Whoever has a turn at the index in `folder`.
pub fn holders(folder: &Path) -> Result<Vec<Holder>, StoreError> {
    let mut holders = Vec::new();
    for role in Role::ALL {
        let path = folder.join(file_name(role));
        // A file that cannot be opened is held by nobody we could tell of.
        let Ok(file) = File::options().read(true).write(true).open(&path) else { continue };
        match file.try_lock_shared() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => holders.push(holder(role, &file)),
            Err(TryLockError::Error(source)) => return Err(io_error(&path, source)),
        }
    }
    Ok(holders)
}

fn holder(role: Role, file: &File) -> Holder {
    let mut note = String::new();
    let _ = file.take(LONGEST_NOTE).read_to_string(&mut note);
    let mut numbers = note.split_whitespace().map(str::parse::<u64>);
    let mut number = || numbers.next().and_then(Result::ok);
    let process = number().and_then(|process| process.try_into().ok());
    let since = number().and_then(|since| UNIX_EPOCH.checked_add(Duration::from_secs(since)));
    Holder { role, process, since }
}

/// The turn at the index in `folder`, whatever state that is in.
pub fn turn(folder: &Path, role: Role) -> Result<Turn, StoreError> {
    lock(folder, role).map(Turn::new)
}

/// Takes the lock of a role.
pub(super) fn lock(folder: &Path, role: Role) -> Result<File, StoreError> {
    let path = folder.join(file_name(role));
    // Whoever cleared the index may have taken its folder away, too.
    std::fs::create_dir_all(folder).map_err(|source| io_error(folder, source))?;
    let file = File::options()
        .create(true)
        .truncate(false)
        .write(true)
        .open(&path)
        .map_err(|source| io_error(&path, source))?;
    match patient_lock(&file, role) {
        Ok(()) => {
            let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
            let note = || write!(&file, "{} {since}", std::process::id());
            let _ = file.set_len(0).and_then(|()| note());
            Ok(file)
        }
        Err(TryLockError::WouldBlock) => Err(StoreError::Busy),
        Err(TryLockError::Error(source)) => Err(io_error(&path, source)),
    }
}

/// A process that is just being started has copies of all open files until its program is loaded, locks
/// included: a lock that was released a moment ago may still look held. A keeper asks again anyway.
fn patient_lock(file: &File, role: Role) -> Result<(), TryLockError> {
    let tries = if role == Role::Keeper { 0 } else { 20 };
    for _ in 0..tries {
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => std::thread::sleep(Duration::from_millis(5)),
            other => return other,
        }
    }
    file.try_lock()
}

fn file_name(role: Role) -> &'static str {
    match role {
        Role::Writer => "writer.lock",
        Role::Job => "jobs.lock",
        Role::Keeper => "keeper.lock",
    }
}
