//! What differs between the tree and the manifest. Pure.

use crate::tree::{Walked, WalkedFile};
use groma_core::{Manifest, ManifestEntry, RelPath, SkippedFile};
use rustc_hash::FxHashMap;

/// What a scan found to do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// Files whose stamp tells that they have not changed.
    pub unchanged: Vec<(RelPath, ManifestEntry)>,
    /// Files that are new, or may have changed.
    pub pending: Vec<WalkedFile>,
    /// Files that are gone.
    pub removed: Vec<RelPath>,
    /// What is left out, as far as it can be told without reading.
    pub skipped: Vec<SkippedFile>,
}

impl Changes {
    /// Compares a walk with what was indexed before. `rules` stands for what decides which files are indexed.
    pub fn between(walked: &Walked, before: &Manifest, rules: u64) -> Self {
        let mut changes = Self { skipped: walked.skipped.clone(), ..Self::default() };
        let unfit = unfit(before);
        for file in &walked.files {
            let known =
                before.files.get(&file.path).filter(|entry| entry.stamp.vouches_for(&file.stamp));
            let left_out = unfit.get(file.path.as_str()).filter(|skipped| {
                skipped.stamp.is_some_and(|stamp| stamp.vouches_for(&file.stamp))
            });
            match (known, left_out) {
                _ if before.options_hash != rules => changes.pending.push(file.clone()),
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

    /// Nothing to do for what is indexed already.
    pub fn none(indexed: &Manifest) -> Self {
        Self {
            unchanged: indexed.files.iter().map(|(path, entry)| (path.clone(), *entry)).collect(),
            skipped: indexed.skipped.clone(),
            ..Self::default()
        }
    }

    /// How many unchanged files still lack their vectors.
    pub fn bare(&self) -> usize {
        self.unchanged.iter().filter(|(_, entry)| entry.key.is_unembedded()).count()
    }

    /// Has some of the unchanged files that lack their vectors read again, so that they get them.
    pub fn complete(&mut self, most: usize) {
        let bare = self.unchanged.extract_if(.., |(_, entry)| entry.key.is_unembedded());
        let again = bare.take(most).map(|(path, entry)| WalkedFile { path, stamp: entry.stamp });
        self.pending.extend(again);
    }

    /// Whether what is to be done is at most to make sure: `before` has all files, and each looks like it.
    pub fn are_like(&self, before: &Manifest) -> bool {
        let like = |file: &WalkedFile| {
            before.files.get(&file.path).is_some_and(|entry| entry.stamp.is_like(&file.stamp))
        };
        self.removed.is_empty() && self.pending.iter().all(like)
    }

    /// Whether there is nothing to do.
    pub fn is_empty(&self) -> bool {
        self.pending.is_empty() && self.removed.is_empty()
    }
}

/// The files that were read before and found unfit, by path.
fn unfit(before: &Manifest) -> FxHashMap<&str, &SkippedFile> {
    let read = before.skipped.iter().filter(|skipped| skipped.stamp.is_some());
    read.map(|skipped| (skipped.path.as_str(), skipped)).collect()
}
