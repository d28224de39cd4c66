//! Stores in temporary folders.

use groma_core::{
    Generation, IndexedRef, JobLog, Leases, Pipeline, PreviousIndex, RefName, Snapshot, Store,
    StoreError, StoreSize, VersionKey, Writer,
};
use groma_store::EmbeddedStore;
use groma_testkit::{Tree, pipeline};
use std::path::Path;
use std::sync::Arc;
use tempfile::TempDir;

/// An embedded store with its folder.
pub struct Temporary {
    pub store: EmbeddedStore,
    pub folder: TempDir,
}

impl Temporary {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self { store: open(folder.path()).unwrap(), folder }
    }

    /// One with this tree in it.
    pub fn of(tree: &Tree) -> Self {
        let temporary = Self::new();
        tree.commit(&temporary, &RefName::live()).unwrap();
        temporary
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }
}

pub fn open(folder: &Path) -> Result<EmbeddedStore, StoreError> {
    EmbeddedStore::open(folder, pipeline())
}

/// The fixtures' pipeline with another version.
pub fn later_pipeline() -> Pipeline {
    Pipeline { version: pipeline().version + 1, ..pipeline() }
}

impl Store for Temporary {
    fn snapshot(&self, reference: &RefName) -> Result<Option<Arc<dyn Snapshot>>, StoreError> {
        self.store.snapshot(reference)
    }

    fn generation(&self, reference: &RefName) -> Result<Option<Generation>, StoreError> {
        self.store.generation(reference)
    }

    fn refs(&self) -> Result<Vec<IndexedRef>, StoreError> {
        self.store.refs()
    }

    fn referenced_versions(
        &self,
        options_hash: u64,
        keys: &[VersionKey],
    ) -> Result<Vec<bool>, StoreError> {
        self.store.referenced_versions(options_hash, keys)
    }

    fn forget(&self, reference: &RefName) -> Result<bool, StoreError> {
        self.store.forget(reference)
    }

    fn writer(&self) -> Result<Box<dyn Writer>, StoreError> {
        self.store.writer()
    }

    fn replacing_writer(&self) -> Result<Box<dyn Writer>, StoreError> {
        self.store.replacing_writer()
    }

    fn clear(&self) -> Result<(), StoreError> {
        self.store.clear()
    }

    fn size(&self) -> Result<StoreSize, StoreError> {
        self.store.size()
    }
    fn is_outdated(&self) -> Result<bool, StoreError> {
        self.store.is_outdated()
    }

    fn previous_index(&self, reference: &RefName) -> Result<Option<PreviousIndex>, StoreError> {
        self.store.previous_index(reference)
    }

    fn leases(&self) -> &dyn Leases {
        self.store.leases()
    }

    fn job_log(&self) -> &dyn JobLog {
        self.store.job_log()
    }
}
