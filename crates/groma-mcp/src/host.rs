//! What the surfaces are given by the program: engines, and what is known of projects.
//!
//! Only the program knows where indexes live and which store and embedder they use; a surface asks for a project
//! by its folder.

use groma_engine::{Collection, Engine, EngineError, Jobs};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The program, as surfaces see it.
pub trait Host: Send + Sync + 'static {
    /// The project around a folder: the repository it lies in, or the folder itself. Without a folder, the one the
    /// server was started for.
    fn place(&self, folder: Option<&Path>) -> Result<Place, HostError>;

    /// The project rooted exactly at a folder. Opened once, then shared. One whose folder is gone opens as long as
    /// its index is there.
    fn open(&self, root: &Path) -> Result<Arc<Project>, HostError>;

    /// The project rooted exactly at a folder as a scope sees it, with an index of its own. Opened once, then
    /// shared; asked about again only once it is kept.
    fn open_scoped(&self, root: &Path, scope: &Scope) -> Result<Arc<Project>, HostError>;

    /// Has `scope` count from now on, here and in every other process, wherever its name is asked for.
    fn keep_scope(&self, root: &Path, scope: &Scope) -> Result<(), HostError>;

    /// The project as the scope of that name sees it that was kept last; `None` when none was. Writes nothing.
    fn scoped(&self, root: &Path, name: &str) -> Result<Option<Arc<Project>>, HostError>;

    /// The chunks that a folder of chunk files holds now, each as the Cortex contract shows it; `None` for a project
    /// without such a folder.
    fn chunks(&self, root: &Path) -> Result<Option<Arc<Collection<Value>>>, HostError>;

    /// Every project that has an index, in order of root. Those of scopes are not among them.
    fn known(&self) -> Result<Vec<Known>, HostError>;

    /// Forgets the index of a project, whatever its state; says how many bytes that freed.
    fn forget(&self, root: &Path) -> Result<u64, HostError>;

    /// The names that projects with an index go by, in order; several may be one project's.
    fn names(&self) -> Result<Vec<Named>, HostError>;

    /// What a project is called when nobody named it.
    fn usual_name(&self, root: &Path) -> String;

    /// Lets a project go by a name, besides those it has; the root of another whose name it already is.
    fn name(&self, root: &Path, name: &str) -> Result<Option<PathBuf>, HostError>;

    /// Takes a name away from a project.
    fn unname(&self, root: &Path, name: &str) -> Result<(), HostError>;

    /// Whether the user asked for more to be told.
    fn is_verbose(&self) -> bool {
        false
    }
}

/// Where a client works.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The project's root, resolved.
    pub root: PathBuf,
    /// How it was found.
    pub source: Source,
}

/// How a place was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// The client told its roots.
    Roots,
    /// The address of the request named it.
    Address,
    /// `--workspace` named it.
    Option,
    /// An environment variable named it.
    Environment,
    /// The working directory.
    Folder,
}

/// An open project.
pub struct Project {
    /// Its root, resolved.
    pub root: PathBuf,
    /// Its short name, unlike any other's.
    pub id: String,
    /// Its engine.
    pub engine: Arc<Engine>,
    /// Its index runs in the background; the one that runs is stopped with the project.
    pub jobs: Jobs,
}

impl Project {
    /// A project with its engine.
    pub fn new(root: PathBuf, id: String, engine: Arc<Engine>) -> Self {
        Self { root, id, jobs: Jobs::new(engine.clone()), engine }
    }
}

/// A part of a project that has an index of its own beside the project's: all files of some languages, tests and
/// generated ones included, as far as the project's ignore files and settings do not exclude them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scope {
    /// Whose it is; a project has one index for each name.
    pub name: String,
    /// Canonical names of its languages.
    pub languages: Vec<String>,
    /// Whether copies of other people's code belong to it.
    pub vendored: bool,
    /// Globs, as in a .gitignore, of files that do not.
    pub exclude: Vec<String>,
}

/// A project that has an index.
#[derive(Clone, Debug)]
pub struct Known {
    /// Its root.
    pub root: PathBuf,
    /// Its short name, unlike any other's.
    pub id: String,
    /// Whether the root is still there.
    pub exists: bool,
    /// When it was indexed first, in seconds since 1970.
    pub created: u64,
}

/// A name that a project goes by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// The name.
    pub name: String,
    /// The project's root.
    pub root: PathBuf,
    /// Whether the root is still there.
    pub exists: bool,
    /// When the project was indexed first, in seconds since 1970.
    pub created: u64,
}

impl Named {
    /// Whether a project is meant by a name.
    pub fn answers_to(&self, name: &str) -> bool {
        same_name(&self.name, name)
    }
}

/// Whether two names are one: case and signs do not count, so that `My-API` and `my_api` are the same.
pub fn same_name(one: &str, other: &str) -> bool {
    plain_name(one) == plain_name(other)
}

/// A name in small letters, digits and underscores.
pub fn plain_name(name: &str) -> String {
    let plain = |c: char| if c.is_alphanumeric() { c } else { '_' };
    name.chars().map(plain).flat_map(char::to_lowercase).collect()
}

/// Why the program could not give what was asked.
#[derive(Debug, thiserror::Error)]
pub enum HostError {
    /// The folder is not there, is no folder, or cannot be read.
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
