//! The catalog of projects in the data directory of one user: a folder for each project.

mod admin;
mod layout;
mod record;
mod remove;
#[cfg(test)]
mod tests;

pub use admin::CatalogAdmin;

use crate::embedded::{EmbeddedStore, has_index, has_segments};
use crate::{EmbeddedNotebook, EmbeddedVectorCache};
use groma_core::{
    Catalog, CatalogError, IndexId, Notebook, OpenOptions, Pipeline, ProjectId, ProjectRecord,
    Rename, Store, StoreErrorKind, SubIndex, VectorCache,
};
use layout::{Layout, project_id};
use record::{Record, SubIndexRecord, failed};
use std::fs::{self, File};
use std::io::ErrorKind;
use std::path::Path;
use std::sync::Arc;

/// For opening an index whose content does not matter. No program writes this version.
const ANY_PIPELINE: Pipeline = Pipeline { version: 0, embedder: None };

/// The projects in a data directory. Nothing is read or created before a call needs it.
#[derive(Clone, Debug)]
pub struct EmbeddedCatalog {
    layout: Layout,
}

impl EmbeddedCatalog {
    /// The catalog in the data directory `data`.
    pub fn new(data: &Path) -> Self {
        Self { layout: Layout::new(data) }
    }

    /// The lock over all records; it is released when the file is dropped.
    fn lock(&self) -> Result<File, CatalogError> {
        let path = self.layout.lock();
        crate::private::create_private_folders(self.layout.data())
            .and_then(|()| File::options().create(true).append(true).open(&path))
            .and_then(|file| file.lock().map(|()| file))
            .map_err(|source| failed("lock", &path, source))
    }

    /// The record of a project; one that has only sub-indexes is known by their records.
    fn record(&self, id: ProjectId) -> Option<ProjectRecord> {
        self.find(&id).or_else(|| {
            let root =
                |name: String| SubIndexRecord::read(&self.layout.project(&id, Some(&name)))?.root;
            let root = self.layout.sub_indexes(&id).into_iter().find_map(root)?;
            Some(ProjectRecord { id, root: root.into(), created: 0, names: Vec::new() })
        })
    }
}

impl Catalog for EmbeddedCatalog {
    fn resolve(&self, root: &Path) -> ProjectId {
        project_id(root)
    }

    fn find(&self, project: &ProjectId) -> Option<ProjectRecord> {
        let Record { root, created, names } = Record::read(&self.layout.project(project, None))?;
        Some(ProjectRecord { id: project.clone(), root, created, names })
    }

    fn list(&self) -> Result<Vec<ProjectRecord>, CatalogError> {
        let folder = self.layout.projects();
        let entries = match fs::read_dir(&folder) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries.map_err(|source| failed("read", &folder, source))?,
        };
        let ids = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
        let mut records: Vec<ProjectRecord> =
            ids.filter_map(|id| self.record(ProjectId::new(id))).collect();
        records.sort_by(|a, b| a.root.cmp(&b.root));
        Ok(records)
    }

    fn create(&self, root: &Path) -> Result<(), CatalogError> {
        let folder = self.layout.project(&project_id(root), None);
        let is_recorded = || Record::read(&folder).is_some();
        if is_recorded() {
            return Ok(());
        }
        let _lock = self.lock()?;
        // JSON cannot hold a root that is not UTF-8.
        if is_recorded() || root.to_str().is_none() {
            return Ok(());
        }
        Record::new(root).write(&folder)
    }

    fn rename(&self, root: &Path, names: &mut Rename<'_>) -> Result<(), CatalogError> {
        let _lock = self.lock()?;
        let folder = self.layout.project(&project_id(root), None);
        let mut record = Record::read(&folder).unwrap_or_else(|| Record::new(root));
        match names(&record.names, &self.list()?) {
            Some(names) => {
                record.names = names;
                record.write(&folder)
            }
            None => Ok(()),
        }
    }

    fn remove(&self, project: &ProjectId) -> Result<u64, CatalogError> {
        let mut freed = 0;
        for index in self.indexes(project) {
            freed += remove::clear(&self.layout.index(&index))?;
        }
        let all = self.layout.indexes(project);
        all.iter().for_each(|index| remove::delete(&self.layout.index(index)));
        Ok(freed)
    }

    fn indexes(&self, project: &ProjectId) -> Vec<IndexId> {
        let mut indexes = self.layout.indexes(project);
        indexes.retain(|index| has_index(&self.layout.index(index)));
        indexes
    }

    fn is_indexed(&self, project: &ProjectId) -> bool {
        let folder = self.layout.project(project, None);
        let is_named = || Record::read(&folder).is_some_and(|record| !record.names.is_empty());
        // Only an index gets a name.
        has_index(&folder) && (has_segments(&folder) || is_named())
    }

    fn open(
        &self,
        index: &IndexId,
        pipeline: &Pipeline,
        options: &OpenOptions,
    ) -> Result<Arc<dyn Store>, CatalogError> {
        let folder = self.layout.index(index);
        let store = match EmbeddedStore::open(&folder, pipeline.clone()) {
            Err(error) if error.is(StoreErrorKind::Damaged) && options.replace_damaged => {
                EmbeddedStore::open_damaged(&folder, pipeline.clone(), &error)
            }
            other => other,
        };
        let store = store.map_err(|source| CatalogError::Open {
            location: folder.display().to_string(),
            source,
        })?;
        let sibling = |project: &ProjectId| {
            self.layout.index(&IndexId { project: project.clone(), ..index.clone() })
        };
        let siblings = options.siblings.iter().filter(|id| **id != index.project);
        Ok(Arc::new(store.with_siblings(siblings.map(sibling).collect())))
    }

    fn notebook(&self, project: &ProjectId, sub_index: Option<&str>) -> Arc<dyn Notebook> {
        Arc::new(EmbeddedNotebook::new(&self.layout.project(project, sub_index)))
    }

    fn define_sub_index(&self, root: &Path, sub_index: &SubIndex) -> Result<(), CatalogError> {
        let folder = self.layout.project(&project_id(root), Some(&sub_index.name));
        SubIndexRecord::new(root, sub_index).write(&folder)
    }

    fn sub_index(&self, project: &ProjectId, name: &str) -> Option<SubIndex> {
        let folder = self.layout.project(project, Some(name));
        SubIndexRecord::read(&folder).map(SubIndexRecord::definition)
    }

    fn vector_cache(&self) -> Arc<dyn VectorCache> {
        match EmbeddedVectorCache::open(&self.layout.vectors()) {
            Ok(cache) => Arc::new(cache),
            Err(_) => Arc::new(()),
        }
    }

    fn location(&self, project: &ProjectId, sub_index: Option<&str>) -> String {
        self.layout.project(project, sub_index).to_string_lossy().into_owned()
    }
}
