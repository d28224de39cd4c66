//! The tree as a walk found it, for as long as the watch tells that it is still so.
//!
//! A search by pattern looks at the tree itself, and in a tree of thousands of files the walk costs far more than
//! the few files that the index leaves to be read.

use super::Engine;
use crate::error::EngineError;
use crate::index::change::Changes;
use crate::index::walk::Walked;
use crate::watch::Mark;
use groma_core::Snapshot;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Instant;

/// What a walk found.
pub(crate) struct Listing {
    pub walked: Walked,
    compared: Mutex<Option<Compared>>,
}

/// What differs from a generation, the last one asked for.
struct Compared {
    with: Weak<dyn Snapshot>,
    changes: Arc<Changes>,
}

/// The last walk.
#[derive(Default)]
pub(super) struct LastWalk(Mutex<Option<Walk>>);

/// A walk, and when it began.
struct Walk {
    mark: Mark,
    at: Instant,
    listing: Arc<Listing>,
}

impl Engine {
    /// The tree as it is now. Where it is watched and nothing has happened, nothing is looked at; a commit never
    /// changes.
    pub(crate) fn listing(&self) -> Result<Arc<Listing>, EngineError> {
        let is_commit = self.tree.commit().is_some();
        let is_watched = self.is_shared() && !is_commit;
        if let Some(last) = &*self.last_walk()
            && (is_commit || self.watch.is_still(last.mark, last.at))
        {
            return Ok(last.listing.clone());
        }
        let (mark, at) = (self.watch.mark(), Instant::now());
        let walked = self.walk()?;
        if is_watched {
            self.watch.follow(&self.parts.root, &walked.folders);
        }
        let listing = Arc::new(Listing { walked, compared: Mutex::default() });
        *self.last_walk() =
            (is_watched || is_commit).then(|| Walk { mark, at, listing: listing.clone() });
        Ok(listing)
    }

    fn last_walk(&self) -> MutexGuard<'_, Option<Walk>> {
        self.last_walk.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What differs between a listing and a generation.
    pub(crate) fn differences(
        &self,
        listing: &Listing,
        before: &Arc<dyn Snapshot>,
    ) -> Arc<Changes> {
        let mut compared = listing.compared.lock().unwrap_or_else(PoisonError::into_inner);
        let with = Arc::downgrade(before);
        if let Some(last) = compared.as_ref().filter(|last| last.with.ptr_eq(&with)) {
            return last.changes.clone();
        }
        let changes = Arc::new(self.changes(&listing.walked, before.manifest()));
        *compared = Some(Compared { with, changes: changes.clone() });
        changes
    }
}
