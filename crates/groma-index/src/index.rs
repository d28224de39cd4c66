//! One index: the manifest of one ref in one store, with the vectors of one embedder.

use groma_core::{
    Embedder, EmbedderIdentity, Generation, Locked, Manifest, PreviousIndex, RefName, Snapshot,
    Store, StoreError,
};
use groma_files::SyncPoint;
use std::sync::Arc;

/// One of the indexes of a ref.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Active {
    /// The one with the vectors of the configured embedder.
    Primary,
    /// The one used until the primary index has been built once: a remote embedder can take an hour for that.
    Fallback,
}

/// One index. It caches the newest generation until there is a newer one.
pub struct Index {
    store: Arc<dyn Store>,
    reference: RefName,
    embedder: Option<Arc<dyn Embedder>>,
    newest: Locked<Option<Arc<dyn Snapshot>>>,
    previous: Locked<Option<PreviousIndex>>,
    /// Up to where it is known to be in sync with the tree.
    pub(crate) synced: SyncPoint,
}

impl Index {
    /// The index of a ref in a store.
    pub fn new(
        store: Arc<dyn Store>,
        reference: RefName,
        embedder: Option<Arc<dyn Embedder>>,
    ) -> Self {
        Self {
            store,
            reference,
            embedder,
            newest: Locked::default(),
            previous: Locked::default(),
            synced: SyncPoint::default(),
        }
    }

    /// The store.
    pub fn store(&self) -> &Arc<dyn Store> {
        &self.store
    }

    /// The ref.
    pub fn reference(&self) -> &RefName {
        &self.reference
    }

    /// The embedder behind its vectors.
    pub fn embedder(&self) -> Option<&Arc<dyn Embedder>> {
        self.embedder.as_ref()
    }

    /// The identity of the embedder behind its vectors.
    pub fn embedder_identity(&self) -> Option<EmbedderIdentity> {
        self.embedder.as_ref().map(|embedder| embedder.identity())
    }

    /// Whether its vectors come over a network.
    pub fn is_remote(&self) -> bool {
        self.embedder.as_ref().is_some_and(|embedder| embedder.remote().is_some())
    }

    /// The number of the newest generation.
    pub fn generation(&self) -> Result<Option<Generation>, StoreError> {
        self.store.generation(&self.reference)
    }

    /// The newest committed generation.
    pub fn newest(&self) -> Result<Option<Arc<dyn Snapshot>>, StoreError> {
        let generation = self.generation()?;
        let mut cached = self.newest.lock();
        if cached.as_ref().map(|snapshot| snapshot.info().generation) != generation
            || cached.is_none()
        {
            *cached = self.store.snapshot(&self.reference)?;
        }
        Ok(cached.clone())
    }

    /// The index of another version of the program, until this one has committed.
    pub fn previous(&self) -> Result<Option<PreviousIndex>, StoreError> {
        let mut cached = self.previous.lock();
        if !self.store.is_outdated()? {
            *cached = None;
        } else if cached.is_none() {
            *cached = self.store.previous_index(&self.reference)?;
        }
        Ok(cached.clone())
    }

    /// The newest generation, or the previous index until there is one.
    pub fn readable(&self) -> Result<Option<Arc<dyn Snapshot>>, StoreError> {
        Ok(match self.newest()? {
            Some(snapshot) => Some(snapshot),
            None => self.previous()?.map(|previous| previous.snapshot),
        })
    }

    /// The number of files without vectors, if the embedder is remote.
    pub fn unembedded_files(&self) -> usize {
        if !self.is_remote() {
            return 0;
        }
        let newest = self.newest().ok().flatten();
        newest.map_or(0, |snapshot| unembedded(snapshot.manifest()))
    }

    /// Drops the cached generation.
    pub(crate) fn close(&self) {
        *self.newest.lock() = None;
        self.synced.reset();
    }
}

/// The number of files of a manifest without vectors.
pub fn unembedded(manifest: &Manifest) -> usize {
    manifest.files.values().filter(|entry| entry.key.is_unembedded()).count()
}
