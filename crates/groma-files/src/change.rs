//! The differences between a tree and a manifest. Pure.

use crate::tree::{WalkResult, WalkedFile};
use groma_core::{Manifest, ManifestEntry, RelPath, SkippedFile};
use rustc_hash::FxHashMap;

/// The result of comparing a walk with a manifest.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// Files whose stamp proves that they have not changed.
    pub unchanged: Vec<(RelPath, ManifestEntry)>,
    /// Files that are new, or may have changed.
    pub pending: Vec<WalkedFile>,
    /// Deleted files.
    pub removed: Vec<RelPath>,
    /// Files that are not indexed, as far as that is known without reading.
    pub skipped: Vec<SkippedFile>,
}

impl Changes {
    /// Compares a walk with a manifest. `options_hash` is the hash of the walk options.
    pub fn between(walked: &WalkResult, before: &Manifest, options_hash: u64) -> Self {
        let mut changes = Self { skipped: walked.skipped.clone(), ..Self::default() };
        let rejected = rejected(before);
        for file in &walked.files {
            let known = before
                .files
                .get(&file.path)
                .filter(|entry| entry.stamp.proves_unchanged(&file.stamp));
            let skipped = rejected.get(file.path.as_str()).filter(|skipped| {
                skipped.stamp.is_some_and(|stamp| stamp.proves_unchanged(&file.stamp))
            });
            match (known, skipped) {
                _ if before.options_hash != options_hash => changes.pending.push(file.clone()),
                (Some(entry), _) => changes.unchanged.push((file.path.clone(), *entry)),
                (None, Some(skipped)) => changes.skipped.push((*skipped).clone()),
                (None, None) => changes.pending.push(file.clone()),
            }
        }
        let present = |path: &RelPath| {
            walked.files.binary_search_by(|file| file.path.as_str().cmp(path.as_str())).is_ok()
        };
        changes.removed = before.files.keys().filter(|path| !present(path)).cloned().collect();
        changes
    }

    /// No changes since `indexed`.
    pub fn none(indexed: &Manifest) -> Self {
        Self {
            unchanged: indexed.files.iter().map(|(path, entry)| (path.clone(), *entry)).collect(),
            skipped: indexed.skipped.clone(),
            ..Self::default()
        }
    }

    /// The number of unchanged files without vectors.
    pub fn unembedded(&self) -> usize {
        self.unchanged.iter().filter(|(_, entry)| entry.key.is_unembedded()).count()
    }

    /// Re-queues up to `limit` unchanged files without vectors, so that they are embedded.
    pub fn requeue_unembedded(&mut self, limit: usize) {
        let unembedded = self.unchanged.extract_if(.., |(_, entry)| entry.key.is_unembedded());
        let requeued =
            unembedded.take(limit).map(|(path, entry)| WalkedFile { path, stamp: entry.stamp });
        self.pending.extend(requeued);
    }

    /// Re-queues unchanged files whose parse a limit ended, so that they are parsed again.
    pub fn requeue_provisional(&mut self) {
        let provisional = self.unchanged.extract_if(.., |(_, entry)| entry.key.is_provisional());
        let requeued = provisional.map(|(path, entry)| WalkedFile { path, stamp: entry.stamp });
        self.pending.extend(requeued);
    }

    /// Whether every pending file has the same stat data in `before`, and none was deleted: only racy stamps are left
    /// to check.
    pub fn match_stats_of(&self, before: &Manifest) -> bool {
        let is_same = |file: &WalkedFile| {
            before.files.get(&file.path).is_some_and(|entry| entry.stamp.has_same_stat(&file.stamp))
        };
        self.removed.is_empty() && self.pending.iter().all(is_same)
    }

    /// Whether there is nothing to do.
    pub fn is_empty(&self) -> bool {
        self.pending.is_empty() && self.removed.is_empty()
    }
}

/// The files that were rejected by their content, by path.
fn rejected(before: &Manifest) -> FxHashMap<&str, &SkippedFile> {
    let read = before.skipped.iter().filter(|skipped| skipped.stamp.is_some());
    read.map(|skipped| (skipped.path.as_str(), skipped)).collect()
}
