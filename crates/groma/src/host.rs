//! The program as the MCP surfaces see it: which project a client means, and the engines of open projects.

use crate::chunks::{self, Library};
use crate::config;
use crate::environment::Environment;
use crate::project::{Project, enclosing_root, index_name};
use crate::registry::Registry;
use crate::report::failure_of;
use crate::trust;
use anyhow::Result;
use groma_core::{Catalog, ProjectRecord};
use groma_engine::{DocumentIndex, Engine};
use groma_mcp::contracts::Contract;
use groma_mcp::{
    Host, HostError, IndexedProject, NamedIndex, SubIndex, Workspace, WorkspaceSource,
};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

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
    /// By root, with the settings it was opened with.
    open: Registry<PathBuf, OpenProject>,
    /// By root and name of the sub-index, with the settings and the definition it was opened with.
    sub_indexes: Registry<(PathBuf, String), OpenSubIndex>,
    /// The folders that clients may open besides projects with an index; `None` if they may open any.
    allowed: Option<Vec<PathBuf>>,
    /// The folder of chunk files that the server was started with.
    chunks: Option<PathBuf>,
    /// By folder.
    libraries: Registry<PathBuf, Arc<Library>>,
}

/// The stat data of the files that settings come from: size and times, or nothing where there is no file.
type SettingsStamp = Vec<Option<(u64, SystemTime, SystemTime)>>;

type OpenProject = (SettingsStamp, Arc<groma_mcp::Project>);

type OpenSubIndex = ((SettingsStamp, SubIndex), Arc<groma_mcp::Project>);

/// Maximum number of projects that are kept open. Each has some ten descriptors and a thread.
const MAX_OPEN: usize = 16;

/// A project that no request has used for so long is closed.
const IDLE_TIMEOUT: Duration = Duration::from_secs(15 * 60);

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
            allowed: None,
            open: Registry::default(),
            sub_indexes: Registry::default(),
            libraries: Registry::default(),
        }
    }

    /// Lets clients open only the folder the server was started for, projects that have an index, and what is in one of
    /// `folders`: a client must not read everything that the server's user can.
    pub fn only_in(self, folders: &[PathBuf]) -> Self {
        let resolved = |folder: &PathBuf| folder.canonicalize().unwrap_or_else(|_| folder.clone());
        Self { allowed: Some(folders.iter().map(resolved).collect()), ..self }
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

    /// Fails if a client may not have this folder opened as a project.
    fn check(&self, root: &Path) -> Result<(), HostError> {
        // The user named it, by an option or in the environment.
        let given = self.start().filter(|(_, source)| *source != WorkspaceSource::Folder);
        if given.and_then(|(folder, _)| folder.canonicalize().ok()).as_deref() == Some(root) {
            return Ok(());
        }
        if self.environment.is_too_much(root) {
            let message = format!(
                "{} is no project: it would be indexed as a whole; name a project's folder, or start the server with \
                 --workspace DIR",
                root.display()
            );
            return Err(HostError::Refused { message });
        }
        let Some(allowed) = &self.allowed else { return Ok(()) };
        let is_start = || {
            let start = self.start().and_then(|(folder, _)| folder.canonicalize().ok());
            start.is_some_and(|start| enclosing_root(&start).unwrap_or(&start) == root)
        };
        let is_indexed = || {
            let catalog = self.catalog().ok()?;
            Some(catalog.find(&catalog.resolve(root)).is_some())
        };
        let is_allowed = allowed.iter().any(|folder| root.starts_with(folder))
            || is_start()
            || is_indexed() == Some(true);
        if is_allowed {
            return Ok(());
        }
        let message = format!(
            "{} is not a project of this server; start it with --allow DIR, or run `groma index` there",
            root.display()
        );
        Err(HostError::Refused { message })
    }

    /// The stat data of what the settings of a project depend on.
    fn settings(&self, root: &Path) -> SettingsStamp {
        let stamp = |path: &Path| {
            let found = std::fs::metadata(path).ok()?;
            let modified = found.modified().unwrap_or(UNIX_EPOCH);
            // A file that was replaced may have the size and mtime of the one before.
            Some((found.len(), modified, found.created().unwrap_or(UNIX_EPOCH)))
        };
        let files = trust::SETTINGS.map(|name| root.join(name)).into_iter();
        files.chain(trust::record(root, &self.environment)).map(|path| stamp(&path)).collect()
    }

    /// Closes projects that are not in use, if there are too many or they were not used for long: descriptors, threads and
    /// caches are returned.
    pub fn close_idle(&self) {
        let is_free = |project: &Arc<groma_mcp::Project>| {
            Arc::strong_count(project) == 1 && matches!(project.jobs.active(), Ok(None))
        };
        self.open.close_idle(MAX_OPEN, IDLE_TIMEOUT, |(_, project)| is_free(project));
        self.sub_indexes.close_idle(MAX_OPEN, IDLE_TIMEOUT, |(_, project)| is_free(project));
        self.libraries
            .close_idle(MAX_OPEN, IDLE_TIMEOUT, |library| Arc::strong_count(library) == 1);
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

    /// Fails if the embedding service that is configured for the server's project cannot be used.
    pub fn check_service(&self) -> Result<()> {
        match self.workspace(None) {
            Ok(workspace) => {
                let project = Project::find(&workspace.root, &self.environment)?;
                project.on_surface(self.contract.as_str(), &self.environment).models.check_service()
            }
            // Clients name their projects.
            Err(_) => Ok(()),
        }
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
        self.check(&root)?;
        Ok(Workspace { root, source })
    }

    fn is_registered(&self, root: &Path) -> Result<bool, HostError> {
        let catalog = self.catalog()?;
        let root = resolved(root)?;
        // The settings that `groma init` writes outlive an index that is cleared.
        let is_initialized = root.join(config::FILE_NAME).exists();
        Ok(is_initialized || catalog.find(&catalog.resolve(&root)).is_some())
    }

    fn open_projects(&self) -> Vec<Arc<groma_mcp::Project>> {
        self.open.values().into_iter().map(|(_, project)| project).collect()
    }

    fn problem(&self) -> Option<String> {
        let data = match self.environment.data() {
            Ok(data) => data,
            Err(error) => return Some(failure_of(&error).to_string()),
        };
        let probe = data.join(format!(".health-{}", std::process::id()));
        let written = std::fs::create_dir_all(data).and_then(|()| std::fs::write(&probe, b"ok"));
        let _ = std::fs::remove_file(&probe);
        if let Err(error) = written {
            return Some(format!("the data directory cannot be written: {error}"));
        }
        self.open_projects().into_iter().find_map(|project| {
            let error = project.engine.generation().err()?;
            Some(format!("the index of {} cannot be read: {error}", project.id))
        })
    }

    fn open(&self, root: &Path) -> Result<Arc<groma_mcp::Project>, HostError> {
        let root = resolved(root).or_else(|error| self.indexed_once(root).ok_or(error))?;
        self.check(&root)?;
        self.close_idle();
        let catalog = self.catalog()?;
        let id = catalog.resolve(&root);
        let settings = self.settings(&root);
        // Another process removes the record of a project that it clears; then the project is opened again, and so it is
        // if its settings have changed.
        let is_current =
            |(known, _): &OpenProject| *known == settings && catalog.find(&id).is_some();
        let (_, project) = self.open.get_or_open(root.clone(), is_current, || {
            let project = self.project(&root)?;
            let engine = self.engine(&project)?;
            tracing::info!(project = %project.id, root = %root.display(), "project opened");
            let opened = groma_mcp::Project::new(root.clone(), project.id.to_string(), engine);
            Ok::<_, HostError>((settings.clone(), Arc::new(opened)))
        })?;
        Ok(project)
    }

    fn open_sub_index(
        &self,
        root: &Path,
        sub_index: &SubIndex,
    ) -> Result<Arc<groma_mcp::Project>, HostError> {
        let root = resolved(root)?;
        self.check(&root)?;
        self.close_idle();
        let key = (root.clone(), sub_index.name.clone());
        let settings = self.settings(&root);
        let is_current =
            |((known, definition), _): &OpenSubIndex| *known == settings && definition == sub_index;
        let (_, project) = self.sub_indexes.get_or_open(key, is_current, || {
            let project = self.project(&root)?;
            let engine = self.engine(&project.narrowed(sub_index))?;
            let opened = groma_mcp::Project::new(root.clone(), project.id.to_string(), engine);
            Ok::<_, HostError>(((settings.clone(), sub_index.clone()), Arc::new(opened)))
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
        let is_trusted = trust::is_trusted(&root, &self.environment);
        let folder = chunks::folder_of(&root, self.chunks.as_deref(), is_trusted);
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
        for (_, project) in self.open.remove(|key| key == root) {
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

    fn projects(folder: &TempDir) -> Projects {
        let environment = Environment::of_test(&folder.path().join("data"));
        Projects::new(environment, Contract::Native, None).watching(false)
    }

    #[test]
    fn changed_settings_and_trust_count_at_the_next_request() {
        let folder = TempDir::new().unwrap();
        let root = project(&folder, "a", "");
        let projects = projects(&folder);
        let first = projects.open(&root).unwrap();
        assert!(Arc::ptr_eq(&first, &projects.open(&root).unwrap()));
        std::fs::write(root.join(".groma.toml"), "[index]\nexclude = [\"old/\"]\n").unwrap();
        let second = projects.open(&root).unwrap();
        assert!(!Arc::ptr_eq(&first, &second), "the settings have changed");
        trust::grant(&root, &projects.environment).unwrap();
        assert!(!Arc::ptr_eq(&second, &projects.open(&root).unwrap()), "they are trusted now");
    }

    #[test]
    fn a_server_keeps_a_bounded_number_of_projects_open() {
        let folder = TempDir::new().unwrap();
        let projects = projects(&folder);
        let roots: Vec<PathBuf> =
            (0..MAX_OPEN + 20).map(|n| project(&folder, &format!("p{n}"), "")).collect();
        let in_use = projects.open(&roots[0]).unwrap();
        for root in &roots {
            projects.open(root).unwrap();
        }
        // One is in use, and one was opened after the others were closed.
        assert!(projects.open.len() <= MAX_OPEN + 2, "{}", projects.open.len());
        assert!(Arc::ptr_eq(&in_use, &projects.open(&roots[0]).unwrap()), "one in use stays open");
    }

    #[test]
    fn clients_open_only_what_they_may() {
        let folder = TempDir::new().unwrap();
        let (allowed, other) = (project(&folder, "allowed", ""), project(&folder, "other", ""));
        let local = projects(&folder);
        let refused = |projects: &Projects, root: &Path| {
            let errors = [projects.open(root).err(), projects.workspace(Some(root)).err()];
            errors.iter().all(|error| matches!(error, Some(HostError::Refused { .. })))
        };
        for root in ["/", "/etc", "/usr", "/proc/self", "/home"] {
            let exists = Path::new(root).is_dir();
            assert!(!exists || refused(&local, Path::new(root)), "{root}");
        }
        let remote = projects(&folder).only_in(std::slice::from_ref(&allowed));
        assert!(remote.open(&allowed).is_ok() && refused(&remote, &other));
        local.open(&other).unwrap();
        assert!(remote.open(&other).is_ok(), "it is registered now");
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
        trust::grant(&slow, &environment).unwrap();
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
