//! The data a request is answered from.

use crate::imports::ImportCache;
use groma_core::{Manifest, RelPath, Snapshot, VersionKey};
use groma_files::SourceTree;
use groma_syntax::ImportMap;
use std::sync::Arc;

/// One generation, the files it describes, and the caches that belong to them. Resolved once for each request.
#[derive(Clone)]
pub struct Reader {
    /// The generation.
    pub snapshot: Arc<dyn Snapshot>,
    /// The files.
    pub source: Arc<SourceTree>,
    /// The import map of the generation, built on first use.
    pub imports: Arc<ImportCache>,
}

impl Reader {
    /// The files of the generation.
    pub fn manifest(&self) -> &Manifest {
        self.snapshot.manifest()
    }

    /// The text of a file, if it is unchanged since it was indexed.
    pub fn text(&self, path: &RelPath) -> Option<String> {
        let entry = self.manifest().files.get(path)?;
        self.text_of(path, &entry.key)
    }

    /// The text of a file, if it still has the given version.
    pub fn text_of(&self, path: &RelPath, key: &VersionKey) -> Option<String> {
        self.source.current_text(self.manifest(), path, key)
    }

    /// Whether a file is unchanged since it was indexed.
    pub fn is_current(&self, path: &RelPath) -> bool {
        self.source.is_current(self.manifest(), path)
    }

    /// Resolves imports to files of the project.
    pub fn import_map(&self) -> Arc<ImportMap> {
        self.imports.of(&self.source, &self.snapshot)
    }
}
