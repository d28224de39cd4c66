//! One index: the manifest of one ref in one store, with the vectors of one embedder.

use groma_core::{
    Embedder, EmbedderIdentity, Generation, Manifest, PreviousIndex, RefName, Snapshot, Store,
    StoreError,
};
use groma_files::SyncPoint;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Which of the indexes of a ref is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Active {
    /// The one with the vectors of the configured embedder.
    Primary,
    /// The one that answers until the primary index was made once: a remote embedder can take an hour for that.
    Fallback,
}

/// One index. It keeps the newest generation open until there is a newer one.
pub struct Index {
    store: Arc<dyn Store>,
    reference: RefName,
    embedder: Option<Arc<dyn Embedder>>,
    newest: Mutex<Option<Arc<dyn Snapshot>>>,
    previous: Mutex<Option<PreviousIndex>>,
    /// How far it is known to hold the tree.
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
            newest: Mutex::default(),
            previous: Mutex::default(),
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
        let mut held = self.lock_newest();
        if held.as_ref().map(|snapshot| snapshot.info().generation) != generation || held.is_none()
        {
            *held = self.store.snapshot(&self.reference)?;
        }
        Ok(held.clone())
    }

    /// What another version of the program left, for as long as this one has committed nothing.
    pub fn previous(&self) -> Result<Option<PreviousIndex>, StoreError> {
        let mut held = self.previous.lock().unwrap_or_else(PoisonError::into_inner);
        if !self.store.is_outdated()? {
            *held = None;
        } else if held.is_none() {
            *held = self.store.previous_index(&self.reference)?;
        }
        Ok(held.clone())
    }

    /// The newest generation, or until there is one what another version of the program left.
    pub fn readable(&self) -> Result<Option<Arc<dyn Snapshot>>, StoreError> {
        Ok(match self.newest()? {
            Some(snapshot) => Some(snapshot),
            None => self.previous()?.map(|previous| previous.snapshot),
        })
    }

    /// How many files still lack vectors that come over a network.
    pub fn unembedded_files(&self) -> usize {
        if !self.is_remote() {
            return 0;
        }
        let newest = self.newest().ok().flatten();
        newest.map_or(0, |snapshot| unembedded(snapshot.manifest()))
    }

    /// Closes the generation that is kept open.
    pub(crate) fn close(&self) {
        *self.lock_newest() = None;
        self.synced.reset();
    }

    fn lock_newest(&self) -> MutexGuard<'_, Option<Arc<dyn Snapshot>>> {
        self.newest.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How many files of a manifest lack their vectors.
pub fn unembedded(manifest: &Manifest) -> usize {
    manifest.files.values().filter(|entry| entry.key.is_unembedded()).count()
}
