//! Caches the import map of a generation, which resolves imports to files of the project.

use groma_core::{Generation, Locked, RelPath, Snapshot};
use groma_files::{SourceTree, WalkError, source};
use groma_syntax::ImportMap;
use std::sync::Arc;

/// The import map of the last generation used; building one reads every path.
#[derive(Default)]
pub struct ImportCache(Locked<Option<CachedMap>>);

/// An import map and the generation it is of.
struct CachedMap {
    generation: Generation,
    map: Arc<ImportMap>,
}

impl ImportCache {
    /// The import map of a generation.
    pub fn of(&self, source: &SourceTree, snapshot: &Arc<dyn Snapshot>) -> Arc<ImportMap> {
        let generation = snapshot.info().generation;
        let mut cached = self.0.lock();
        if let Some(known) = &*cached
            && known.generation == generation
        {
            return known.map.clone();
        }
        let map = Arc::new(import_map(source, snapshot.manifest().files.keys()));
        *cached = Some(CachedMap { generation, map: map.clone() });
        map
    }

    /// The import map of the current tree. If nothing changed since `newest`, this costs one stat per file.
    pub fn of_tree(
        &self,
        source: &SourceTree,
        newest: Option<&Arc<dyn Snapshot>>,
    ) -> Result<Arc<ImportMap>, WalkError> {
        let walked = source.walk()?;
        if let Some(snapshot) = newest
            && source.changes(&walked, snapshot.manifest()).is_empty()
        {
            return Ok(self.of(source, snapshot));
        }
        let paths = walked.files.iter().map(|file| &file.path);
        Ok(Arc::new(import_map(source, paths)))
    }
}

fn import_map<'p>(
    source: &SourceTree,
    paths: impl Iterator<Item = &'p RelPath> + Clone,
) -> ImportMap {
    let text = |path: &RelPath| {
        let read = source::read(source.tree(), path, source.options()).ok()?;
        Some((path.clone(), read.text))
    };
    let manifests: Vec<(RelPath, String)> =
        paths.clone().filter(|path| ImportMap::is_manifest(path)).filter_map(text).collect();
    ImportMap::new(paths.cloned(), &manifests)
}
