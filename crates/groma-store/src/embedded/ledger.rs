//! The ledger in SQLite: one file beside the segments.

use super::database::Database;
use super::{full_path, make_folder};
use groma_core::{
    Deadline, Generation, Head, Heads, Ledger, Locked, Manifest, Publication, RefName, StoreError,
    StoreErrorKind, VersionKey,
};
use std::path::{Path, PathBuf};
use std::sync::MutexGuard;
use std::sync::atomic::{AtomicU64, Ordering};

/// The name of the database's file.
pub(super) const FILE: &str = "index.db";

/// A ledger in a SQLite database. Reading never creates the file.
pub struct SqliteLedger {
    folder: PathBuf,
    database: Locked<Database>,
    /// How often the database was opened or written by this process: changes that its change counter does not show.
    epoch: AtomicU64,
}

impl SqliteLedger {
    /// Opens the ledger of the index in `folder`, creating it if need be. One of another schema is emptied.
    pub fn open(folder: &Path) -> Result<Self, StoreError> {
        make_folder(folder)?;
        Ok(Self::new(folder, Database::open(&folder.join(FILE))?))
    }

    /// Creates an empty ledger in `folder`, whatever is there.
    pub fn create_empty(folder: &Path) -> Result<Self, StoreError> {
        make_folder(folder)?;
        Ok(Self::new(folder, Database::replace(&folder.join(FILE))?))
    }

    /// A ledger in `folder` that could not be opened: every call fails with its damage, until it is cleared.
    pub fn damaged(folder: &Path, damage: &StoreError) -> Result<Self, StoreError> {
        make_folder(folder)?;
        let database = Database::unreadable(&folder.join(FILE), damage.detail())?;
        Ok(Self::new(folder, database))
    }

    fn new(folder: &Path, database: Database) -> Self {
        let folder = folder.to_path_buf();
        Self { folder, database: Locked::new(database), epoch: AtomicU64::new(0) }
    }

    /// The database; opened again if another process replaced or removed it, or if it could not be written.
    fn database(&self) -> Result<MutexGuard<'_, Database>, StoreError> {
        // A panic while the lock was held cannot have left a transaction open: it rolls back on drop.
        let mut database = self.database.lock();
        if database.is_outdated() {
            let path = self.folder.join(FILE);
            if let Some(damage) = database.damage.clone()
                && path.exists()
                && Database::open(&path).is_err()
            {
                return Err(StoreError::damaged(damage));
            }
            // A database that was removed is created again by the next writer only.
            *database =
                if path.exists() { Database::open(&path)? } else { Database::absent(&path)? };
            self.count_change();
        }
        Ok(database)
    }

    /// As `database`, but creates the file first.
    fn database_to_write(
        &self,
        deadline: Deadline,
    ) -> Result<MutexGuard<'_, Database>, StoreError> {
        let mut database = self.database()?;
        if database.is_absent {
            make_folder(&self.folder)?;
            *database = Database::open(&self.folder.join(FILE))?;
        }
        database.set_deadline(deadline)?;
        self.count_change();
        Ok(database)
    }

    fn count_change(&self) {
        self.epoch.fetch_add(1, Ordering::SeqCst);
    }
}

impl Ledger for SqliteLedger {
    /// SQLite's `data_version` changes with commits of other connections without reading a table.
    fn change_counter(&self) -> Result<u64, StoreError> {
        let version = self.database()?.data_version()?;
        Ok(self.epoch.load(Ordering::SeqCst) << 32 ^ version)
    }

    fn heads(&self, _: Deadline) -> Result<Heads, StoreError> {
        self.database()?.heads()
    }

    fn manifest(&self, head: &Head, _: Deadline) -> Result<Option<Manifest>, StoreError> {
        self.database()?.manifest_of(head)
    }

    fn versions(&self, references: &[RefName], _: Deadline) -> Result<Vec<VersionKey>, StoreError> {
        self.database()?.versions(references)
    }

    fn publish(
        &self,
        publication: &Publication<'_>,
        deadline: Deadline,
    ) -> Result<Generation, StoreError> {
        self.database_to_write(deadline)?.transact(|rows| rows.publish(publication))
    }

    fn forget(&self, reference: &RefName, deadline: Deadline) -> Result<bool, StoreError> {
        let mut database = self.database()?;
        database.set_deadline(deadline)?;
        self.count_change();
        database.transact(|rows| rows.forget(reference))
    }

    fn clear(&self, deadline: Deadline) -> Result<(), StoreError> {
        let empty = |mut database: MutexGuard<'_, Database>| {
            database.set_deadline(deadline)?;
            database.verify()?;
            database.transact(|rows| rows.reset())
        };
        let emptied = self.database().and_then(empty);
        self.count_change();
        if emptied.as_ref().is_err_and(|error| error.is(StoreErrorKind::Damaged)) {
            // A damaged database cannot be emptied, only replaced.
            let mut database = self.database.lock();
            *database = Database::replace(&self.folder.join(FILE))?;
            return Ok(());
        }
        emptied
    }

    fn verify(&self) -> Result<(), StoreError> {
        self.database()?.verify()
    }

    fn bytes(&self) -> Result<u64, StoreError> {
        let length = |path: &Path| std::fs::metadata(path).map_or(0, |metadata| metadata.len());
        let path = self.folder.join(FILE);
        Ok(length(&path) + length(&full_path(&path, "-wal")))
    }
}
