//! The port to the catalog of projects: which projects exist, what they are called, and how to open their indexes.
//!
//! Callers name projects and indexes by id and never see where the bytes are. The embedded catalog keeps a folder
//! for each project in the data directory; a shared one would keep rows in a database.

use crate::{Notebook, Pipeline, Store, StoreError, VectorCache};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Identity of a project in its catalog: short, unique, and always the same for one root.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProjectId(String);

impl ProjectId {
    /// An id by its text; only a catalog makes up new ones.
    pub fn new(id: impl Into<String>) -> Self {
        Self(id.into())
    }

    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ProjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// What a catalog records of a project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProjectRecord {
    /// The id.
    pub id: ProjectId,
    /// The root folder at the time of the first index run.
    pub root: PathBuf,
    /// Time of the first index run, in seconds since 1970; 0 if it is unknown.
    pub created: u64,
    /// The names the project was given, oldest first.
    pub names: Vec<String>,
}

/// A subset of a project's files with an index of its own: all files of some languages, whatever the project's
/// own index leaves out of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SubIndex {
    /// The name; unique within a project.
    pub name: String,
    /// Canonical names of the languages.
    pub languages: Vec<String>,
    /// Whether vendored files are indexed.
    pub vendored: bool,
    /// Globs of excluded files, in `.gitignore` syntax.
    pub exclude: Vec<String>,
}

/// Where the vectors of an index come from. The two kinds are indexes of their own, so that the built-in model's
/// answers while a service's is being built.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum VectorSource {
    /// The built-in model, or no vectors at all.
    BuiltIn,
    /// An embedding service.
    Service,
}

/// Identity of one index of a project.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct IndexId {
    /// The project.
    pub project: ProjectId,
    /// The name of the sub-index; `None` for the project's own index.
    pub sub_index: Option<String>,
    /// Where its vectors come from.
    pub vectors: VectorSource,
}

/// How to open an index.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OpenOptions {
    /// Replace an index that is too damaged to be opened by an empty one, instead of failing.
    pub replace_damaged: bool,
    /// The same project in other working trees of its repository. The store may copy versions from their indexes;
    /// one without an index is ignored.
    pub siblings: Vec<ProjectId>,
}

/// Why a catalog failed.
#[derive(Debug, thiserror::Error)]
pub enum CatalogError {
    /// An index could not be opened.
    #[error("cannot open the index in {location}")]
    Open {
        /// Where it is, for the user.
        location: String,
        /// Why.
        #[source]
        source: StoreError,
    },
    /// A project's record could not be read or written.
    #[error("cannot {attempt}")]
    Record {
        /// What was attempted, for the user: verb and object.
        attempt: String,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// An index failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Computes the new names of a project from its names and all records; `None` changes nothing.
pub type Rename<'a> = dyn FnMut(&[String], &[ProjectRecord]) -> Option<Vec<String>> + 'a;

/// The projects whose indexes share one data directory or server.
///
/// An implementation must guarantee two things. Changes of records are atomic: a reader sees a record before or after
/// a change, and no change of another process is lost. And whatever state an index is in, damaged or written by
/// another version, [`list`](Self::list), [`indexes`](Self::indexes) and [`remove`](Self::remove) work.
/// Notebooks are original data: nothing here removes one.
pub trait Catalog: Send + Sync {
    /// The id of the project rooted at `root`, a canonical path, whether or not there is a record of it.
    fn resolve(&self, root: &Path) -> ProjectId;

    /// The record of a project, if there is one.
    fn find(&self, project: &ProjectId) -> Option<ProjectRecord>;

    /// All projects, ordered by root. Includes projects that have nothing but sub-indexes.
    fn list(&self) -> Result<Vec<ProjectRecord>, CatalogError>;

    /// Records the project at `root`. Does nothing if there is a record already. A root that cannot be recorded
    /// (not UTF-8) is not an error: its index works and is not listed.
    fn create(&self, root: &Path) -> Result<(), CatalogError>;

    /// Replaces the names of the project at `root`. No record changes while `names` computes them. It may be called
    /// more than once, so that an implementation can retry a transaction.
    fn rename(&self, root: &Path, names: &mut Rename<'_>) -> Result<(), CatalogError>;

    /// Deletes all indexes of a project, waiting briefly for an index run to end, and its record. Returns how many
    /// bytes were freed. An index that another process commits meanwhile is kept.
    fn remove(&self, project: &ProjectId) -> Result<u64, CatalogError>;

    /// The indexes of a project that exist, in whatever state: its own first, then those of its sub-indexes.
    fn indexes(&self, project: &ProjectId) -> Vec<IndexId>;

    /// Whether the project's own index was ever committed to, judged without opening it.
    fn is_indexed(&self, project: &ProjectId) -> bool;

    /// Opens an index; it is created if it does not exist.
    fn open(
        &self,
        index: &IndexId,
        pipeline: &Pipeline,
        options: &OpenOptions,
    ) -> Result<Arc<dyn Store>, CatalogError>;

    /// The notebook of a project or of one of its sub-indexes; it is created by the first write.
    fn notebook(&self, project: &ProjectId, sub_index: Option<&str>) -> Arc<dyn Notebook>;

    /// Stores the definition of a sub-index of the project at `root`, replacing that of the same name.
    fn define_sub_index(&self, root: &Path, sub_index: &SubIndex) -> Result<(), CatalogError>;

    /// The definition of a sub-index that was stored last.
    fn sub_index(&self, project: &ProjectId, name: &str) -> Option<SubIndex>;

    /// The cache of vectors that all projects share. One that cannot be opened caches nothing.
    fn vector_cache(&self) -> Arc<dyn VectorCache>;

    /// Where the data of a project or of one of its sub-indexes is, for the user.
    fn location(&self, project: &ProjectId, sub_index: Option<&str>) -> String;
}
