//! The program as the MCP surfaces see it: where a client works, and the engines of its projects.

use crate::chunks::{self, Library};
use crate::environment::Environment;
use crate::failure::Failure;
use crate::names;
use crate::project::{self, Project};
use crate::scope;
use anyhow::Result;
use groma_engine::{Collection, Engine};
use groma_mcp::contracts::Contract;
use groma_mcp::{
    Host, HostError, IndexedProject, NamedIndex, SubIndex, Workspace, WorkspaceSource,
};
use serde_json::Value;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// The projects of this process. One engine for each root, opened when it is first asked for and shared by all
/// connections.
pub struct Projects {
    environment: Environment,
    /// Whose variables choose the embedder.
    contract: Contract,
    workspace: Option<PathBuf>,
    verbose: bool,
    /// Whether changes are indexed while nobody asks.
    watches: bool,
    open: Mutex<HashMap<PathBuf, Arc<groma_mcp::Project>>>,
    /// By root and name of the scope, with the scope as it was opened.
    scoped: Mutex<HashMap<(PathBuf, String), Scoped>>,
    /// The folder of chunk files that the server was started with.
    chunks: Option<PathBuf>,
    libraries: Mutex<HashMap<PathBuf, Arc<Library>>>,
}

type Scoped = (SubIndex, Arc<groma_mcp::Project>);

impl Projects {
    /// The projects a server serves; `workspace` is the folder it was started for.
    pub fn new(environment: Environment, contract: Contract, workspace: Option<PathBuf>) -> Self {
        Self {
            chunks: environment.chunks.clone(),
            environment,
            contract,
            workspace,
            verbose: false,
            watches: true,
            open: Mutex::default(),
            scoped: Mutex::default(),
            libraries: Mutex::default(),
        }
    }

    /// Whether surfaces tell more of what they do.
    pub fn verbose(self, verbose: bool) -> Self {
        Self { verbose, ..self }
    }

    /// Whether changes are indexed while nobody asks.
    pub fn watching(self, watches: bool) -> Self {
        Self { watches, ..self }
    }

    /// The same, with the folder of chunk files that somebody named.
    pub fn with_chunks(mut self, folder: Option<&Path>) -> Self {
        let here = self.environment.folder.clone().unwrap_or_default();
        self.chunks = folder.map(|folder| here.join(folder)).or(self.chunks);
        self
    }

    /// The folder the server was started for.
    fn start(&self) -> Option<(&Path, WorkspaceSource)> {
        let option = self.workspace.as_deref().map(|folder| (folder, WorkspaceSource::Option));
        let variables = self.environment.project.as_ref().or(self.environment.served.as_ref());
        let variable = || Some((variables?.as_path(), WorkspaceSource::Environment));
        let folder = || Some((self.environment.folder.as_deref()?, WorkspaceSource::Folder));
        option.or_else(variable).or_else(folder)
    }

    /// A root that is gone, if its index is still there.
    fn remembered(&self, root: &Path) -> Option<PathBuf> {
        let known = project::Known::at(root.to_path_buf(), self.data().ok()?);
        (!root.exists() && known.is_made()).then(|| root.to_path_buf())
    }

    /// The project at a root, which may be gone where its index is still there.
    fn project(&self, root: &Path) -> Result<Project, HostError> {
        let found = match root.is_dir() {
            true => Project::find(root, &self.environment).map_err(|error| failed(&error))?,
            false => {
                project::Known::at(root.to_path_buf(), self.data()?).project(&self.environment)
            }
        };
        Ok(found.on_surface(self.contract.as_str(), &self.environment))
    }

    /// The engine of a project, its index kept up to date behind the queries.
    fn engine(&self, project: &Project) -> Result<Arc<Engine>, HostError> {
        let engine = project.shared_engine().map_err(|error| failed(&error))?;
        if self.watches {
            engine.keep_behind();
        }
        Ok(engine)
    }

    fn data(&self) -> Result<&Path, HostError> {
        self.environment.data().map_err(|error| failed(&error))
    }
}

impl Host for Projects {
    fn workspace(&self, folder: Option<&Path>) -> Result<Workspace, HostError> {
        let (folder, source) = match folder {
            Some(folder) => (folder, WorkspaceSource::Url),
            None => self.start().ok_or_else(|| HostError::NotFound {
                message: "the working directory is gone; start the server with --workspace DIR"
                    .into(),
            })?,
        };
        let folder = resolved(folder)?;
        // A folder that was named is taken as it is, unless it lies in a repository.
        let root = project::around(&folder).unwrap_or(&folder).to_path_buf();
        let is_everything =
            root.parent().is_none() || self.environment.home.as_ref() == Some(&root);
        if is_everything && source == WorkspaceSource::Folder {
            let message = format!(
                "{} is no project: it would be indexed as a whole; start the server with --workspace DIR",
                root.display()
            );
            return Err(HostError::Refused { message });
        }
        Ok(Workspace { root, source })
    }

    fn open(&self, root: &Path) -> Result<Arc<groma_mcp::Project>, HostError> {
        let root = resolved(root).or_else(|error| self.remembered(root).ok_or(error))?;
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        // A project without a card was forgotten by another process since, and begins anew.
        let card = project::folder_of(&root, self.data()?).join(crate::card::NAME);
        if let Some(project) = open.get(&root).filter(|_| card.exists()) {
            return Ok(project.clone());
        }
        let project = self.project(&root)?;
        let engine = self.engine(&project)?;
        let opened = Arc::new(groma_mcp::Project::new(root.clone(), project.id(), engine));
        open.insert(root, opened.clone());
        Ok(opened)
    }

    fn open_sub_index(
        &self,
        root: &Path,
        scope: &SubIndex,
    ) -> Result<Arc<groma_mcp::Project>, HostError> {
        let root = resolved(root)?;
        let key = (root.clone(), scope.name.clone());
        let mut open = self.scoped.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, project)) = open.get(&key)
            && known == scope
        {
            return Ok(project.clone());
        }
        let project = self.project(&root)?;
        let engine = self.engine(&scope::narrow(&project, scope))?;
        let opened = Arc::new(groma_mcp::Project::new(root, project.id(), engine));
        open.insert(key, (scope.clone(), opened.clone()));
        Ok(opened)
    }

    fn save_sub_index(&self, root: &Path, scope: &SubIndex) -> Result<(), HostError> {
        let root = resolved(root)?;
        let folder = project::folder_of(&root, self.data()?);
        scope::keep(&root, &folder, scope).map_err(|error| failed(&error))
    }

    fn sub_index(
        &self,
        root: &Path,
        name: &str,
    ) -> Result<Option<Arc<groma_mcp::Project>>, HostError> {
        let root = resolved(root)?;
        let kept = scope::kept(&project::folder_of(&root, self.data()?), name);
        kept.map(|scope| self.open_sub_index(&root, &scope)).transpose()
    }

    fn chunks(&self, root: &Path) -> Result<Option<Arc<Collection<Value>>>, HostError> {
        let root = resolved(root)?;
        let place = chunks::place(&root, self.chunks.as_deref());
        let mut libraries = self.libraries.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(library) = libraries.get(&place.folder) {
            return Ok(Some(library.chunks()));
        }
        if !place.is_named && !chunks::is_there(&place.folder) {
            return Ok(None);
        }
        let project = self.project(&root)?;
        let library = Library::open(place.folder.clone(), project);
        let library = library.map_err(|error| failed(&error))?;
        libraries.insert(place.folder, library.clone());
        Ok(Some(library.chunks()))
    }

    fn projects(&self) -> Result<Vec<IndexedProject>, HostError> {
        let known = project::known(self.data()?).map_err(|error| failed(&error))?;
        let project = |known: &project::Known| known.project(&self.environment);
        Ok(known
            .into_iter()
            .filter(|known| project(known).is_indexed())
            .map(|known| IndexedProject {
                exists: known.root.is_dir(),
                id: project(&known).id(),
                created: known.created,
                root: known.root,
            })
            .collect())
    }

    fn delete_index(&self, root: &Path) -> Result<u64, HostError> {
        let known = project::Known::at(root.to_path_buf(), self.data()?);
        let open = self.open.lock().unwrap_or_else(PoisonError::into_inner).remove(root);
        if let Some(project) = open {
            project.jobs.stop();
            project.engine.clear()?;
        }
        let mut open = self.scoped.lock().unwrap_or_else(PoisonError::into_inner);
        let scoped: Vec<Scoped> =
            open.extract_if(|key, _| key.0 == root).map(|(_, scoped)| scoped).collect();
        drop(open);
        // Each by its engine, which knows what to stop first.
        scoped.iter().try_for_each(|(_, project)| project.engine.clear())?;
        let freed = known.clear().map_err(|error| failed(&error))?;
        known.forget();
        Ok(freed)
    }

    fn names(&self) -> Result<Vec<NamedIndex>, HostError> {
        names::all(self.data()?).map_err(|error| failed(&error))
    }

    fn default_name(&self, root: &Path) -> String {
        names::usual(root)
    }

    fn add_name(&self, root: &Path, name: &str) -> Result<Option<PathBuf>, HostError> {
        names::give(self.data()?, root, name).map_err(|error| failed(&error))
    }

    fn remove_name(&self, root: &Path, name: &str) -> Result<(), HostError> {
        names::take(self.data()?, root, name).map_err(|error| failed(&error))
    }

    fn is_verbose(&self) -> bool {
        self.verbose
    }
}

/// A folder's own path, without links.
fn resolved(folder: &Path) -> Result<PathBuf, HostError> {
    let root = folder.canonicalize().map_err(|error| HostError::NotFound {
        message: format!("cannot open {}: {error}", folder.display()),
    })?;
    if !root.is_dir() {
        let message = format!("{} is not a folder", folder.display());
        return Err(HostError::NotFound { message });
    }
    Ok(root)
}

/// What went wrong, with its causes and what to do.
fn failed(error: &anyhow::Error) -> HostError {
    let failure = Failure::of(error);
    let message = match failure.next_step() {
        "" => failure.to_string(),
        next => format!("{failure}; {next}"),
    };
    HostError::Failed { message }
}
