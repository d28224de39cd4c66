//! Whether a file is still the version that was indexed.

use super::Engine;
use crate::index::pipeline::PIPELINE_VERSION;
use crate::index::{source, stamp};
use groma_core::{Manifest, RelPath, VersionKey};

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
        let (bytes, stamp) = source::load(&self.parts.root, path, &self.parts.walk).ok()?;
        let entry = manifest.files.get(path)?;
        let vouched = entry.key == *key && entry.stamp.vouches_for(&stamp);
        let same = vouched || VersionKey::new(path, &bytes, PIPELINE_VERSION) == key.whole();
        same.then_some(bytes)
    }

    /// Whether a file is still the version that was indexed.
    pub(crate) fn is_current(&self, manifest: &Manifest, path: &RelPath) -> bool {
        let Some(entry) = manifest.files.get(path) else { return false };
        let found = std::fs::symlink_metadata(path.under(&self.parts.root));
        let vouched = |metadata: &std::fs::Metadata| {
            metadata.is_file() && entry.stamp.vouches_for(&stamp(metadata))
        };
        found.is_ok_and(|metadata| vouched(&metadata))
            || self.current_text(manifest, path, &entry.key).is_some()
    }
}
