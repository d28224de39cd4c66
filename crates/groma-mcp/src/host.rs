//! The program as the surfaces see it: it opens projects and lists indexes.
//!
//! Only the program knows where indexes are stored and which store and embedder they use; a surface names a project
//! by its folder.

pub use groma_core::SubIndex;
use groma_engine::{DocumentIndex, Engine, EngineError, Jobs};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The program, as surfaces see it.
pub trait Host: Send + Sync + 'static {
    /// The project around a folder: the repository it lies in, or the folder itself. Without a folder, the one the
    /// server was started for.
    fn workspace(&self, folder: Option<&Path>) -> Result<Workspace, HostError>;

    /// Whether a project is registered: it was initialised or indexed. Opening it registers it.
    fn is_registered(&self, root: &Path) -> Result<bool, HostError>;

    /// Opens the project rooted exactly at a folder; later calls share it. If the folder is gone, the project still
    /// opens as long as its index exists.
    fn open(&self, root: &Path) -> Result<Arc<Project>, HostError>;

    /// Opens a sub-index of the project rooted exactly at a folder; later calls share it. [`Host::sub_index`] finds it
    /// only after [`Host::save_sub_index`].
    fn open_sub_index(&self, root: &Path, options: &SubIndex) -> Result<Arc<Project>, HostError>;

    /// Makes these the options of the sub-index of that name, for every process.
    fn save_sub_index(&self, root: &Path, options: &SubIndex) -> Result<(), HostError>;

    /// Opens the sub-index of that name with the options saved last; `None` if there are none. Writes nothing.
    fn sub_index(&self, root: &Path, name: &str) -> Result<Option<Arc<Project>>, HostError>;

    /// The current content of the project's folder of chunk files, in the form of the Cortex contract; `None` if the
    /// project has no such folder.
    fn chunks(&self, root: &Path) -> Result<Option<Arc<DocumentIndex>>, HostError>;

    /// Every project that has an index, ordered by root; sub-indexes are not included.
    fn projects(&self) -> Result<Vec<IndexedProject>, HostError>;

    /// Deletes the indexes of a project, whatever their state; returns the bytes freed.
    fn delete_index(&self, root: &Path) -> Result<u64, HostError>;

    /// The names of all indexes, in order; a project may have several.
    fn names(&self) -> Result<Vec<NamedIndex>, HostError>;

    /// The name of a project that was given none.
    fn default_name(&self, root: &Path) -> String;

    /// Adds a name to a project. If another project has that name, nothing changes and its root is returned.
    fn add_name(&self, root: &Path, name: &str) -> Result<Option<PathBuf>, HostError>;

    /// The projects that are open in this process.
    fn open_projects(&self) -> Vec<Arc<Project>> {
        Vec::new()
    }

    /// Why the server cannot answer requests, if it cannot.
    fn problem(&self) -> Option<String> {
        None
    }

    /// Whether the server runs with `--verbose`.
    fn is_verbose(&self) -> bool {
        false
    }
}

/// The project a client works in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Workspace {
    /// The project's root, canonical.
    pub root: PathBuf,
    /// How it was found.
    pub source: WorkspaceSource,
}

/// How a workspace was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorkspaceSource {
    /// It is one of the client's MCP roots.
    Roots,
    /// The URL of the request named it.
    Url,
    /// `--workspace` named it.
    Option,
    /// An environment variable named it.
    Environment,
    /// The working directory.
    Folder,
}

/// An open project.
pub struct Project {
    /// Its root, canonical.
    pub root: PathBuf,
    /// Its unique id.
    pub id: String,
    /// Its engine.
    pub engine: Arc<Engine>,
    /// Its background index runs; dropping the project stops the running one.
    pub jobs: Jobs,
}

impl fmt::Debug for Project {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Project").field("root", &self.root).finish_non_exhaustive()
    }
}

impl Project {
    /// A project with its engine.
    pub fn new(root: PathBuf, id: String, engine: Arc<Engine>) -> Self {
        Self { root, id, jobs: Jobs::new(engine.clone()), engine }
    }
}

/// A project that has an index.
#[derive(Clone, Debug)]
pub struct IndexedProject {
    /// Its root.
    pub root: PathBuf,
    /// Its unique id.
    pub id: String,
    /// Whether the root still exists.
    pub exists: bool,
    /// When it was indexed first, in seconds since 1970.
    pub created: u64,
}

/// A name of a project with an index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedIndex {
    /// The name.
    pub name: String,
    /// The project's root.
    pub root: PathBuf,
    /// Whether the root still exists.
    pub exists: bool,
    /// When the project was indexed first, in seconds since 1970.
    pub created: u64,
}

impl NamedIndex {
    /// Whether a name means this index.
    pub fn matches(&self, name: &str) -> bool {
        same_name(&self.name, name)
    }
}

/// Whether two names are equal after normalisation, as `My-API` and `my_api` are.
pub fn same_name(one: &str, other: &str) -> bool {
    normalized_name(one) == normalized_name(other)
}

/// A name in lower case, with underscores for everything but letters and digits.
pub fn normalized_name(name: &str) -> String {
    let plain = |c: char| if c.is_alphanumeric() { c } else { '_' };
    name.chars().map(plain).flat_map(char::to_lowercase).collect()
}

/// Why the program could not do what a surface asked for.
#[derive(Debug, thiserror::Error)]
pub enum HostError {
    /// The folder does not exist, is not a directory, or cannot be read.
    #[error("{message}")]
    NotFound {
        /// Which one, and what to do.
        message: String,
    },
    /// The folder may not be used.
    #[error("{message}")]
    Refused {
        /// Why, and what to do.
        message: String,
    },
    /// The engine failed.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// Something else failed.
    #[error("{message}")]
    Failed {
        /// What, with its causes.
        message: String,
    },
}
