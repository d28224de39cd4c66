//! Stat data of a working tree: which version a file had when it had these times.

use crate::{FileStamp, Manifest, RefName, RelPath, StoreError, VersionKey};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What was known of a file after it was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CachedStat {
    /// The stat before it was read.
    pub stamp: FileStamp,
    /// The version that was read; `None` for a file that was read and skipped.
    pub key: Option<VersionKey>,
}

/// Stat data by path. Each entry is true by itself, like an entry of git's index: a file with this stamp is this
/// version. So a cache that is older or newer than a manifest costs hashing, and never gives a wrong answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StatCache {
    /// The entries.
    pub files: BTreeMap<RelPath, CachedStat>,
}

impl StatCache {
    /// The stat data of a manifest.
    pub fn of(manifest: &Manifest) -> Self {
        let file = |(path, entry): (&RelPath, &crate::ManifestEntry)| {
            (path.clone(), CachedStat { stamp: entry.stamp, key: Some(entry.key) })
        };
        let known = manifest.files.iter().filter(|(_, entry)| !entry.stamp.is_unknown());
        let mut files: BTreeMap<_, _> = known.map(file).collect();
        for skipped in &manifest.skipped {
            if let (Some(stamp), Ok(path)) = (skipped.stamp, RelPath::new(&skipped.path)) {
                files.entry(path).or_insert(CachedStat { stamp, key: None });
            }
        }
        Self { files }
    }
}

impl Manifest {
    /// The manifest as it is shared between machines: without stat data.
    pub fn without_stats(&self) -> Manifest {
        let mut shared = self.clone();
        shared.files.values_mut().for_each(|entry| entry.stamp = FileStamp::UNKNOWN);
        shared.skipped.iter_mut().for_each(|skipped| skipped.stamp = None);
        shared
    }

    /// The manifest with this machine's stat data, where that is of the same versions.
    pub fn with_stats(mut self, cache: &StatCache) -> Manifest {
        for (path, entry) in &mut self.files {
            let cached = cache.files.get(path).filter(|cached| cached.key == Some(entry.key));
            entry.stamp = cached.map_or(FileStamp::UNKNOWN, |cached| cached.stamp);
        }
        for skipped in &mut self.skipped {
            let cached = cache.files.get(skipped.path.as_str());
            skipped.stamp = cached.filter(|cached| cached.key.is_none()).map(|one| one.stamp);
        }
        self
    }
}

/// Where the stat data of a project's working trees is kept: always on this machine, whatever store is used.
///
/// It is rebuildable. `load` must never fail: what is missing, damaged or of another version is empty, and costs
/// hashing the files again.
pub trait StatCaches: Send + Sync {
    /// The stat data of a ref.
    fn load(&self, reference: &RefName) -> Arc<StatCache>;

    /// Replaces the stat data of a ref.
    fn save(&self, reference: &RefName, cache: &Arc<StatCache>) -> Result<(), StoreError>;

    /// Deletes the stat data of a ref, or of all.
    fn remove(&self, reference: Option<&RefName>);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ManifestEntry, SkippedFile};

    #[test]
    fn stat_data_belongs_to_a_version() {
        let path = RelPath::new("a.rs").unwrap();
        let stamp = FileStamp { size: 4, modified: 5, state: 6, racy: false };
        let key = |text: &str| VersionKey::new(&path, text.as_bytes(), 1);
        let manifest = |text: &str, stamp: Option<FileStamp>| Manifest {
            files: [(
                path.clone(),
                ManifestEntry { key: key(text), stamp: stamp.unwrap_or(FileStamp::UNKNOWN) },
            )]
            .into(),
            skipped: vec![SkippedFile {
                path: "b.bin".into(),
                reason: "binary".into(),
                detail: String::new(),
                stamp,
            }],
            ..Manifest::default()
        };
        let whole = manifest("one", Some(stamp));
        assert_eq!(whole.without_stats(), manifest("one", None));
        assert_eq!(whole.without_stats().id(), whole.id());
        let cache = StatCache::of(&whole);
        assert_eq!(manifest("one", None).with_stats(&cache), whole);
        assert_eq!(manifest("one", None).with_stats(&StatCache::default()), manifest("one", None));
        let other = manifest("two", None).with_stats(&cache);
        assert!(!other.files[&path].stamp.proves_unchanged(&stamp), "another version");
        assert_eq!(StatCache::of(&whole.without_stats()), StatCache::default());
    }
}
