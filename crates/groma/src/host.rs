//! The program as the MCP surfaces see it: which project a client means, and the engines of open projects.

use crate::chunks::{self, Library};
use crate::environment::Environment;
use crate::project::{Project, enclosing_root, index_name};
use crate::registry::Registry;
use crate::report::failure_of;
use anyhow::Result;
use groma_core::{Catalog, ProjectRecord};
use groma_engine::{DocumentIndex, Engine};
use groma_mcp::contracts::Contract;
use groma_mcp::{
    Host, HostError, IndexedProject, NamedIndex, SubIndex, Workspace, WorkspaceSource,
};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The projects of this process. One engine for each root, opened on first use and shared by all connections.
/// Opening may wait for an embedding service; it blocks only requests for the same project.
pub struct Projects {
    environment: Environment,
    /// The contract whose environment variables choose the embedder.
    contract: Contract,
    workspace: Option<PathBuf>,
    verbose: bool,
    /// Whether changes are indexed in the background.
    watches: bool,
    /// By root.
    open: Registry<PathBuf, Arc<groma_mcp::Project>>,
    /// By root and name of the sub-index, with the definition it was opened with.
    sub_indexes: Registry<(PathBuf, String), OpenSubIndex>,
    /// The folder of chunk files that the server was started with.
    chunks: Option<PathBuf>,
    /// By folder.
    libraries: Registry<PathBuf, Arc<Library>>,
}

type OpenSubIndex = (SubIndex, Arc<groma_mcp::Project>);

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
            open: Registry::default(),
            sub_indexes: Registry::default(),
            libraries: Registry::default(),
        }
    }

    /// Whether surfaces log more.
    pub fn verbose(self, verbose: bool) -> Self {
        Self { verbose, ..self }
    }

    /// Whether changes are indexed in the background.
    pub fn watching(self, watches: bool) -> Self {
        Self { watches, ..self }
    }

    /// Sets the folder of chunk files; `None` leaves that of the environment.
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

    /// A root that no longer exists but whose index does.
    fn indexed_once(&self, root: &Path) -> Option<PathBuf> {
        let catalog = self.catalog().ok()?;
        let is_indexed = || catalog.is_indexed(&catalog.resolve(root));
        (!root.exists() && is_indexed()).then(|| root.to_path_buf())
    }

    /// The project at a root, which need not exist if its index does.
    fn project(&self, root: &Path) -> Result<Project, HostError> {
        let found = if root.is_dir() {
            Project::find(root, &self.environment)
        } else {
            Project::at(root.to_path_buf(), &self.environment)
        };
        let found = found.map_err(|error| failed(&error))?;
        Ok(found.on_surface(self.contract.as_str(), &self.environment))
    }

    /// The engine of a project, with its background indexer.
    fn engine(&self, project: &Project) -> Result<Arc<Engine>, HostError> {
        let engine = project.shared_engine().map_err(|error| failed(&error))?;
        if self.watches {
            engine.index_in_background();
        }
        Ok(engine)
    }

    fn catalog(&self) -> Result<Arc<dyn Catalog>, HostError> {
        self.environment.catalog().map_err(|error| failed(&error))
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
        let root = enclosing_root(&folder).unwrap_or(&folder).to_path_buf();
        let is_too_much = self.environment.is_home_or_filesystem_root(&root);
        if is_too_much && source == WorkspaceSource::Folder {
            let message = format!(
                "{} is no project: it would be indexed as a whole; start the server with --workspace DIR",
                root.display()
            );
            return Err(HostError::Refused { message });
        }
        Ok(Workspace { root, source })
    }

    fn open(&self, root: &Path) -> Result<Arc<groma_mcp::Project>, HostError> {
        let root = resolved(root).or_else(|error| self.indexed_once(root).ok_or(error))?;
        let catalog = self.catalog()?;
        let id = catalog.resolve(&root);
        // Another process removes the record of a project that it clears; then the project is opened again.
        let is_recorded = |_: &Arc<groma_mcp::Project>| catalog.find(&id).is_some();
        self.open.get_or_open(root.clone(), is_recorded, || {
            let project = self.project(&root)?;
            let engine = self.engine(&project)?;
            Ok(Arc::new(groma_mcp::Project::new(root.clone(), project.id.to_string(), engine)))
        })
    }

    fn open_sub_index(
        &self,
        root: &Path,
        sub_index: &SubIndex,
    ) -> Result<Arc<groma_mcp::Project>, HostError> {
        let root = resolved(root)?;
        let key = (root.clone(), sub_index.name.clone());
        let is_current = |(known, _): &OpenSubIndex| known == sub_index;
        let (_, project) = self.sub_indexes.get_or_open(key, is_current, || {
            let project = self.project(&root)?;
            let engine = self.engine(&project.narrowed(sub_index))?;
            let opened = groma_mcp::Project::new(root.clone(), project.id.to_string(), engine);
            Ok::<_, HostError>((sub_index.clone(), Arc::new(opened)))
        })?;
        Ok(project)
    }

    fn save_sub_index(&self, root: &Path, sub_index: &SubIndex) -> Result<(), HostError> {
        let root = resolved(root)?;
        let stored = self.catalog()?.define_sub_index(&root, sub_index);
        stored.map_err(|error| failed(&error.into()))
    }

    fn sub_index(
        &self,
        root: &Path,
        name: &str,
    ) -> Result<Option<Arc<groma_mcp::Project>>, HostError> {
        let root = resolved(root)?;
        let catalog = self.catalog()?;
        let definition = catalog.sub_index(&catalog.resolve(&root), name);
        definition.map(|sub_index| self.open_sub_index(&root, &sub_index)).transpose()
    }

    fn chunks(&self, root: &Path) -> Result<Option<Arc<DocumentIndex>>, HostError> {
        let root = resolved(root)?;
        let folder = chunks::folder_of(&root, self.chunks.as_deref());
        if let Some(library) = self.libraries.get(&folder.path) {
            return Ok(Some(library.chunks()));
        }
        if !folder.is_configured && !chunks::has_chunks(&folder.path) {
            return Ok(None);
        }
        let library = self.libraries.get_or_open(
            folder.path.clone(),
            |_| true,
            || {
                let project = self.project(&root)?;
                Library::open(folder.path, project).map_err(|error| failed(&error))
            },
        )?;
        Ok(Some(library.chunks()))
    }

    fn projects(&self) -> Result<Vec<IndexedProject>, HostError> {
        let catalog = self.catalog()?;
        let records = catalog.list().map_err(|error| failed(&error.into()))?;
        let has_index = |record: &ProjectRecord| {
            catalog.indexes(&record.id).iter().any(|index| index.sub_index.is_none())
        };
        let known = |record: ProjectRecord| IndexedProject {
            exists: record.root.is_dir(),
            id: record.id.to_string(),
            created: record.created,
            root: record.root,
        };
        Ok(records.into_iter().filter(has_index).map(known).collect())
    }

    fn delete_index(&self, root: &Path) -> Result<u64, HostError> {
        for project in self.open.remove(|key| key == root) {
            project.jobs.stop();
            project.engine.clear()?;
        }
        // Each by its engine, which stops its index runs first.
        let sub_indexes = self.sub_indexes.remove(|(key, _)| key == root);
        sub_indexes.iter().try_for_each(|(_, project)| project.engine.clear())?;
        let catalog = self.catalog()?;
        catalog.remove(&catalog.resolve(root)).map_err(|error| failed(&error.into()))
    }

    fn names(&self) -> Result<Vec<NamedIndex>, HostError> {
        index_name::all(&*self.catalog()?).map_err(|error| failed(&error))
    }

    fn default_name(&self, root: &Path) -> String {
        index_name::default_name(root)
    }

    fn add_name(&self, root: &Path, name: &str) -> Result<Option<PathBuf>, HostError> {
        index_name::add(&*self.catalog()?, root, name).map_err(|error| failed(&error))
    }

    fn remove_name(&self, root: &Path, name: &str) -> Result<(), HostError> {
        index_name::remove(&*self.catalog()?, root, name).map_err(|error| failed(&error))
    }

    fn is_verbose(&self) -> bool {
        self.verbose
    }
}

/// The canonical path of a folder.
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

/// An error with its causes and the next step.
fn failed(error: &anyhow::Error) -> HostError {
    let failure = failure_of(error);
    let message = match failure.next_step() {
        "" => failure.to_string(),
        next => format!("{failure}; {next}"),
    };
    HostError::Failed { message }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};
    use std::net::{TcpListener, TcpStream};
    use std::sync::mpsc::{Receiver, Sender, channel};
    use std::time::Duration;
    use tempfile::TempDir;

    /// Longer than any test takes: reached only by a deadlock.
    const DEADLOCK: Duration = Duration::from_secs(60);

    /// A service that answers no request before it may, and then with an error.
    struct SlowService {
        address: String,
        requested: Receiver<()>,
        may_answer: Sender<()>,
    }

    impl SlowService {
        fn start() -> Self {
            let listener = TcpListener::bind("127.0.0.1:0").unwrap();
            let address = format!("http://{}/v1", listener.local_addr().unwrap());
            let (request, requested) = channel();
            let (may_answer, answer) = channel();
            std::thread::spawn(move || {
                for stream in listener.incoming() {
                    if request.send(()).is_err() || answer.recv().is_err() {
                        return;
                    }
                    refuse(stream.unwrap());
                }
            });
            Self { address, requested, may_answer }
        }
    }

    fn refuse(mut stream: TcpStream) {
        let _ = stream.read(&mut [0; 4096]);
        let answer = "HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
        let _ = stream.write_all(answer.as_bytes());
    }

    fn project(folder: &TempDir, name: &str, settings: &str) -> PathBuf {
        let root = folder.path().canonicalize().unwrap().join(name);
        std::fs::create_dir(&root).unwrap();
        std::fs::write(root.join(".groma.toml"), settings).unwrap();
        root
    }

    #[test]
    fn a_project_that_waits_for_its_service_does_not_block_another() {
        let folder = TempDir::new().unwrap();
        let service = SlowService::start();
        let settings = format!(
            "[embeddings]\nprovider = \"vllm\"\nbase_url = \"{}\"\nmodel = \"m\"\n",
            service.address
        );
        let (slow, fast) = (project(&folder, "slow", &settings), project(&folder, "fast", ""));
        let environment = Environment::of_test(&folder.path().join("data"));
        let projects = Projects::new(environment, Contract::Native, None).watching(false);
        std::thread::scope(|scope| {
            let opening = scope.spawn(|| projects.open(&slow).map(|project| project.root.clone()));
            service.requested.recv_timeout(DEADLOCK).unwrap();
            let (opened, is_open) = channel();
            let other = &projects;
            scope.spawn(move || opened.send(other.open(&fast).map(|project| project.id.clone())));
            let fast = is_open.recv_timeout(DEADLOCK);
            (0..100).for_each(|_| service.may_answer.send(()).unwrap());
            assert!(matches!(&fast, Ok(Ok(id)) if id.starts_with("fast-")), "{fast:?}");
            assert_eq!(opening.join().unwrap().unwrap(), slow);
        });
    }
}
