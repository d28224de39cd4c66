//! Maintenance of indexes in files of this machine.

use super::EmbeddedCatalog;
use crate::embedded::{EmbeddedStore, FileLeases};
use groma_core::{
    Catalog, CatalogError, IndexId, LeaseHolder, Leases, Pipeline, ProjectId, Store, VectorSource,
};

/// What only a catalog of local files can do; a catalog behind a server has no such operations.
pub trait CatalogAdmin: Send + Sync {
    /// Reads every byte of an index and compares it with its checksums.
    fn verify(&self, index: &IndexId, pipeline: &Pipeline) -> Result<(), CatalogError>;

    /// The processes that hold a lease of one of the project's own indexes.
    fn holders(&self, project: &ProjectId) -> Result<Vec<LeaseHolder>, CatalogError>;

    /// The bytes that all indexes of a project take up; those that cannot be opened are not counted.
    fn size(&self, project: &ProjectId) -> u64;
}

impl CatalogAdmin for EmbeddedCatalog {
    fn verify(&self, index: &IndexId, pipeline: &Pipeline) -> Result<(), CatalogError> {
        let folder = self.layout.index(index);
        Ok(EmbeddedStore::open(&folder, pipeline.clone())?.verify()?)
    }

    fn holders(&self, project: &ProjectId) -> Result<Vec<LeaseHolder>, CatalogError> {
        let mut all = Vec::new();
        for vectors in [VectorSource::BuiltIn, VectorSource::Service] {
            let index = IndexId { project: project.clone(), sub_index: None, vectors };
            all.extend(FileLeases::new(&self.layout.index(&index)).holders()?);
        }
        Ok(all)
    }

    fn size(&self, project: &ProjectId) -> u64 {
        let size = |index: &IndexId| {
            let store = EmbeddedStore::open(&self.layout.index(index), super::ANY_PIPELINE).ok()?;
            Some(store.size().ok()?.bytes)
        };
        self.indexes(project).iter().filter_map(size).sum()
    }
}
