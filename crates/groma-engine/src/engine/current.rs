//! Whether a file is still the version that was indexed.

use super::Engine;
use crate::index::walk::WalkedFile;
use crate::index::{source, version};
use groma_core::{FileStamp, Manifest, RelPath, VersionKey};

impl Engine {
    /// The text of a file, if it is still the version that was indexed. A stamp that vouches for the file
    /// spares reading it twice: once to hash and once to show.
    pub(crate) fn current_text(
        &self,
        manifest: &Manifest,
        path: &RelPath,
        key: &VersionKey,
    ) -> Option<String> {
        self.current_bytes(manifest, path, key).and_then(source::text_again)
    }

    /// The same as it is on disk.
    pub(crate) fn current_bytes(
        &self,
        manifest: &Manifest,
        path: &RelPath,
        key: &VersionKey,
    ) -> Option<Vec<u8>> {
        let (bytes, stamp) = self.tree().load(path, self.parts.walk.max_file_size).ok()?;
        let entry = manifest.files.get(path)?;
        let vouched = entry.key == *key && entry.stamp.vouches_for(&stamp);
        let same = vouched || version::of_bytes(path, &bytes) == key.embedded();
        same.then_some(bytes)
    }

    /// Whether a file is still the version that was indexed.
    pub(crate) fn is_current(&self, manifest: &Manifest, path: &RelPath) -> bool {
        let Some(entry) = manifest.files.get(path) else { return false };
        self.tree().stamp(path).is_some_and(|stamp| entry.stamp.vouches_for(&stamp))
            || self.current_text(manifest, path, &entry.key).is_some()
    }

    /// Whether a file that was stamped too soon to be sure is what was indexed after all.
    pub(crate) fn is_as_indexed(&self, file: &WalkedFile, manifest: &Manifest) -> bool {
        let same = |stamp: &FileStamp| stamp.racy && stamp.is_like(&file.stamp);
        match manifest.files.get(&file.path) {
            Some(entry) => {
                same(&entry.stamp) && self.current_text(manifest, &file.path, &entry.key).is_some()
            }
            None => manifest.skipped.iter().any(|skipped| {
                skipped.path == file.path.as_str() && skipped.stamp.as_ref().is_some_and(same)
            }),
        }
    }
}
