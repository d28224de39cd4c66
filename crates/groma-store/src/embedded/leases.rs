//! Leases as file locks.
//!
//! A lock belongs to an open file: the operating system releases it when its holder exits or dies, so an embedded
//! lease needs no expiry and is taken over at once. The file's content (process id and time) is for status displays;
//! no lock depends on it.

use super::io_error;
use crate::random;
use groma_core::{Deadline, Lease, LeaseHolder, LeaseKind, LeaseToken, Leases, StoreError};
use std::fs::{File, TryLockError};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Maximum length of the content; a longer one was not written by this program.
const MAX_CONTENT: u64 = 64;

/// A child process that was just forked holds copies of all open files until it executes its program, locks
/// included: a lock that was released a moment ago may still appear held for this long.
const FORK_DELAY: Duration = Duration::from_millis(100);

const POLL: Duration = Duration::from_millis(5);

/// The leases of the index in a folder.
pub struct FileLeases {
    folder: PathBuf,
}

impl FileLeases {
    /// The leases of the index in `folder`, whatever state that is in. Nothing is opened yet.
    pub fn new(folder: &Path) -> Self {
        Self { folder: folder.to_path_buf() }
    }

    /// Acquires a lease for the whole project without waiting for another holder, which is an error.
    pub fn require(&self, kind: LeaseKind) -> Result<Lease, StoreError> {
        self.acquire(kind, "", Deadline::now())?.ok_or_else(StoreError::busy)
    }

    fn path(&self, kind: LeaseKind, scope: &str) -> PathBuf {
        let name = match kind {
            LeaseKind::Writer => "writer",
            LeaseKind::Job => "jobs",
            LeaseKind::BackgroundIndexer => "background",
        };
        let scope = match scope {
            "" => String::new(),
            scope => format!("-{}", &blake3::hash(scope.as_bytes()).to_hex()[..16]),
        };
        self.folder.join(format!("{name}{scope}.lock"))
    }

    fn open(&self, path: &Path) -> Result<File, StoreError> {
        // Clearing an index may have removed its folder.
        crate::private::create_private_folders(&self.folder)
            .map_err(|source| io_error(&self.folder, source))?;
        let mut options = File::options();
        let options = options.create(true).truncate(false).write(true);
        options.open(path).map_err(|source| io_error(path, source))
    }
}

impl Leases for FileLeases {
    fn acquire(
        &self,
        kind: LeaseKind,
        scope: &str,
        deadline: Deadline,
    ) -> Result<Option<Lease>, StoreError> {
        let path = self.path(kind, scope);
        let file = self.open(&path)?;
        // The background indexer tries again anyway.
        let delay = if kind == LeaseKind::BackgroundIndexer { Duration::ZERO } else { FORK_DELAY };
        let fork_deadline = Deadline::after(delay);
        loop {
            match file.try_lock() {
                Ok(()) => break,
                Err(TryLockError::Error(source)) => return Err(io_error(&path, source)),
                Err(TryLockError::WouldBlock)
                    if deadline.has_passed() && fork_deadline.has_passed() =>
                {
                    return Ok(None);
                }
                Err(TryLockError::WouldBlock) => std::thread::sleep(POLL),
            }
        }
        record_holder(&file);
        Ok(Some(Lease::new(kind, scope, LeaseToken::from_bytes(random::bytes()?), file)))
    }

    /// A file lock is held until it is dropped.
    fn renew(&self, lease: &Lease, _: Deadline) -> Result<bool, StoreError> {
        Ok(lease.guard().is::<File>())
    }

    fn holders(&self) -> Result<Vec<LeaseHolder>, StoreError> {
        let mut holders = Vec::new();
        for kind in LeaseKind::ALL {
            let path = self.path(kind, "");
            // A file that cannot be opened is locked by no process that we could name.
            let Ok(file) = File::options().read(true).write(true).open(&path) else { continue };
            match file.try_lock_shared() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => holders.push(holder(kind, &file)),
                Err(TryLockError::Error(source)) => return Err(io_error(&path, source)),
            }
        }
        Ok(holders)
    }
}

fn record_holder(file: &File) {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    let mut content = file;
    let _ = file.set_len(0).and_then(|()| write!(content, "{} {since}", std::process::id()));
}

fn holder(kind: LeaseKind, file: &File) -> LeaseHolder {
    let mut content = String::new();
    let _ = file.take(MAX_CONTENT).read_to_string(&mut content);
    let mut numbers = content.split_whitespace().map(str::parse::<u64>);
    let mut number = || numbers.next().and_then(Result::ok);
    let process = number().and_then(|process| process.try_into().ok());
    let since = number().and_then(|since| UNIX_EPOCH.checked_add(Duration::from_secs(since)));
    LeaseHolder { kind, process, since }
}
