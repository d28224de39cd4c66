//! What differs between the tree and the manifest. Pure.

use super::walk::{Walked, WalkedFile};
use groma_core::{Manifest, ManifestEntry, RelPath};

/// What a scan found to do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// Files whose stamp tells that they have not changed.
    pub unchanged: Vec<(RelPath, ManifestEntry)>,
    /// Files that are new, or may have changed.
    pub pending: Vec<WalkedFile>,
    /// Files that are gone.
    pub removed: Vec<RelPath>,
}

impl Changes {
    /// Compares a walk with what was indexed before.
    pub fn between(walked: &Walked, before: &Manifest) -> Self {
        let mut changes = Self::default();
        for file in &walked.files {
            match before.files.get(&file.path) {
                Some(entry) if entry.stamp.vouches_for(&file.stamp) => {
                    changes.unchanged.push((file.path.clone(), *entry));
                }
                _ => changes.pending.push(file.clone()),
            }
        }
        let present = |path: &RelPath| {
            walked.files.binary_search_by(|file| file.path.as_str().cmp(path.as_str())).is_ok()
        };
        changes.removed = before.files.keys().filter(|path| !present(path)).cloned().collect();
        changes
    }

    /// Whether there is nothing to do.
    pub fn is_empty(&self) -> bool {
        self.pending.is_empty() && self.removed.is_empty()
    }
}
