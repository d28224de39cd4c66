//! What one file holds, and which files of the project it imports.

use crate::engine::{Effort, Engine};
use crate::error::EngineError;
use crate::index::progress::{Cancel, Observer};
use crate::index::source;
use groma_core::{FileFacts, Generation, Import, RelPath, Snapshot};
use groma_syntax::ImportMap;
use std::sync::{Arc, Mutex, PoisonError};

/// An import and the files of the project it means; none for a library.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResolvedImport {
    /// The import as written.
    pub import: Import,
    /// The files it means.
    pub files: Vec<RelPath>,
}

/// What one file holds.
#[derive(Clone, Debug)]
pub struct Outline {
    /// The file.
    pub path: RelPath,
    /// Its symbols, references, chunks and health.
    pub facts: Arc<FileFacts>,
    /// Its imports.
    pub imports: Vec<ResolvedImport>,
    /// What to know about the answer.
    pub notes: Vec<String>,
}

/// The import map of the newest generation that was asked about: making one reads every path.
#[derive(Default)]
pub(crate) struct ImportCache(Mutex<Option<(Generation, Arc<ImportMap>)>>);

impl Engine {
    /// What a file holds now; `None` when it is not indexed.
    pub fn outline(
        &self,
        path: &RelPath,
        observer: &dyn Observer,
        cancel: &Cancel,
    ) -> Result<Option<Outline>, EngineError> {
        let answer = |engine: &Engine| match engine.newest()? {
            Some(snapshot) => engine.outline_beside(&*snapshot, path),
            None => Ok((None, 0)),
        };
        let (outline, freshness) = self.fresh(Effort::Words, observer, cancel, answer)?;
        Ok(outline.map(|mut outline| {
            outline.notes.extend(freshness.notes);
            outline
        }))
    }

    /// What a file holds: as it was indexed, or parsed by itself where the index has not got it as it is now. Tells
    /// also whether that is so.
    fn outline_beside(
        &self,
        snapshot: &dyn Snapshot,
        path: &RelPath,
    ) -> Result<(Option<Outline>, usize), EngineError> {
        let (facts, notes) = if self.is_current(snapshot.manifest(), path) {
            (snapshot.file_facts(path)?, Vec::new())
        } else {
            let note = format!("{path} is not indexed as it is now; it was parsed by itself");
            (self.parse_alone(path)?.map(Arc::new), vec![note])
        };
        let Some(facts) = facts else { return Ok((None, 0)) };
        let map = self.import_map(snapshot);
        let resolve = |import: &Import| ResolvedImport {
            import: import.clone(),
            files: map.resolve(path, &facts.language, import),
        };
        let imports = facts.imports.iter().map(resolve).collect();
        let outdated = notes.len();
        Ok((Some(Outline { path: path.clone(), facts, imports, notes }), outdated))
    }

    /// What a file holds that belongs into the index; `None` for one that does not.
    fn parse_alone(&self, path: &RelPath) -> Result<Option<FileFacts>, EngineError> {
        let listing = self.listing()?;
        if !listing.walked.files.iter().any(|file| file.path == *path) {
            return Ok(None);
        }
        let source = source::read_from(self.tree(), path, self.walk_options()).ok();
        Ok(source.map(|source| groma_syntax::parse(path, &source.text).facts))
    }

    pub(crate) fn import_map(&self, snapshot: &dyn Snapshot) -> Arc<ImportMap> {
        let generation = snapshot.info().generation;
        let mut cached = self.imports().0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, map)) = &*cached
            && *known == generation
        {
            return map.clone();
        }
        let map = Arc::new(self.make_import_map(snapshot.manifest().files.keys()));
        *cached = Some((generation, map.clone()));
        map
    }

    /// The import map of the tree as it is now. When nothing has changed this costs a stat for each file.
    pub(crate) fn current_import_map(&self) -> Result<Arc<ImportMap>, EngineError> {
        let walked = self.walk()?;
        // Without an index, or with one that cannot be read, the walk is enough.
        if let Ok(Some(snapshot)) = self.newest()
            && self.changes(&walked, snapshot.manifest()).is_empty()
        {
            return Ok(self.import_map(&*snapshot));
        }
        let paths = walked.files.iter().map(|file| &file.path);
        Ok(Arc::new(self.make_import_map(paths)))
    }

    fn make_import_map<'p>(&self, paths: impl Iterator<Item = &'p RelPath> + Clone) -> ImportMap {
        let text = |path: &RelPath| {
            let source = source::read_from(self.tree(), path, self.walk_options()).ok()?;
            Some((path.clone(), source.text))
        };
        let manifests: Vec<(RelPath, String)> =
            paths.clone().filter(|path| ImportMap::is_manifest(path)).filter_map(text).collect();
        ImportMap::new(paths.cloned(), &manifests)
    }
}
