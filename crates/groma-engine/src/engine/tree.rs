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
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Instant;

/// What a walk found.
pub(crate) struct Tree {
    pub walked: Walked,
    /// What differs from a generation, the last one asked for.
    compared: Mutex<Option<(Weak<dyn Snapshot>, Arc<Changes>)>>,
}

/// The last walk, and when it began.
#[derive(Default)]
pub(super) struct LastWalk(Mutex<Option<(Mark, Instant, Arc<Tree>)>>);

impl Engine {
    /// The tree as it is now. Where it is watched and nothing has happened, nothing is looked at.
    pub(crate) fn tree(&self) -> Result<Arc<Tree>, EngineError> {
        let is_watched = self.me.strong_count() > 0;
        if let Some((mark, at, tree)) = self.last_walk().as_ref()
            && is_watched
            && self.watch.is_still(*mark, *at)
        {
            return Ok(tree.clone());
        }
        let (mark, at) = (self.watch.mark(), Instant::now());
        let walked = self.walk()?;
        if is_watched {
            self.watch.follow(&self.parts.root, &walked.folders);
        }
        let tree = Arc::new(Tree { walked, compared: Mutex::default() });
        *self.last_walk() = is_watched.then(|| (mark, at, tree.clone()));
        Ok(tree)
    }

    fn last_walk(&self) -> std::sync::MutexGuard<'_, Option<(Mark, Instant, Arc<Tree>)>> {
        self.last_walk.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What differs between a tree and a generation.
    pub(crate) fn differences(&self, tree: &Tree, before: &Arc<dyn Snapshot>) -> Arc<Changes> {
        let mut compared = tree.compared.lock().unwrap_or_else(PoisonError::into_inner);
        match &*compared {
            Some((with, changes)) if Weak::ptr_eq(with, &Arc::downgrade(before)) => changes.clone(),
            _ => {
                let changes = Arc::new(self.changes(&tree.walked, before.manifest()));
                *compared = Some((Arc::downgrade(before), changes.clone()));
                changes
            }
        }
    }
}
