//! A host without settings and command line: its indexes are in memory, or in a folder.

use groma_core::{Embedder, StoreError};
use groma_embed::StaticEmbedder;
use groma_engine::{DocumentIndex, Engine, WalkOptions};
use groma_mcp::{
    Host, HostError, IndexedProject, NamedIndex, Project, SubIndex, Workspace, WorkspaceSource,
};
use groma_testkit::{ANSWER_TIMEOUT, Setup};
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

/// When every project was indexed first.
const CREATED: u64 = 1_760_000_000;

/// The root and the name of a sub-index.
type SubIndexKey = (PathBuf, String);

/// Opens projects. Clones share them, as connections to one server do.
#[derive(Clone)]
pub struct TestHost {
    start: PathBuf,
    /// Where indexes are; `None` if they are in memory.
    data: Option<PathBuf>,
    /// Whether queries of indexes on disk answer at once from the last generation, instead of waiting until changes are
    /// indexed.
    pub answers_at_once: bool,
    shared: Arc<Shared>,
    records: Arc<Records>,
}

/// What all processes know of the projects.
#[derive(Default)]
struct Records {
    sub_indexes: Mutex<HashMap<SubIndexKey, SubIndex>>,
    names: Mutex<BTreeMap<PathBuf, Vec<String>>>,
}

/// What one process has open.
#[derive(Default)]
struct Shared {
    is_verbose: AtomicBool,
    without_embeddings: AtomicBool,
    is_unregistered: AtomicBool,
    workspaces_resolved: AtomicUsize,
    projects_opened: AtomicUsize,
    embedder: OnceLock<Arc<dyn Embedder>>,
    /// Roots of projects that cannot be opened, with the reason.
    broken: Mutex<HashMap<PathBuf, String>>,
    projects: Mutex<BTreeMap<PathBuf, Arc<Project>>>,
    sub_indexes: Mutex<HashMap<SubIndexKey, (SubIndex, Arc<Project>)>>,
}

impl TestHost {
    /// A host that was started in a folder, with indexes in memory.
    pub fn in_memory(start: &Path) -> Self {
        Self {
            start: start.to_path_buf(),
            data: None,
            answers_at_once: false,
            shared: Arc::default(),
            records: Arc::default(),
        }
    }

    /// A host that was started in a folder, with indexes in `data`.
    pub fn on_disk(start: &Path, data: &Path) -> Self {
        Self { data: Some(data.to_path_buf()), ..Self::in_memory(start) }
    }

    /// A host over the same indexes that was started in another folder.
    pub fn started_in(&self, start: &Path) -> Self {
        Self { start: start.to_path_buf(), ..self.clone() }
    }

    /// A host over the same indexes on disk and with nothing open, as another process.
    pub fn another_process(&self) -> Self {
        assert!(self.data.is_some(), "processes share only what is on disk");
        Self { shared: Arc::default(), ..self.clone() }
    }

    /// Closes every project, as a server that ends.
    pub fn close(&self) {
        self.shared.projects.lock().unwrap().clear();
        self.shared.sub_indexes.lock().unwrap().clear();
    }

    /// The folder of a project's index on disk.
    pub fn index_folder(&self, root: &Path) -> PathBuf {
        let data = self.data.as_ref().expect("an index on disk");
        data.join(root.to_string_lossy().replace('/', "-"))
    }

    /// The folder of a sub-index on disk.
    pub fn sub_index_folder(&self, root: &Path, name: &str) -> PathBuf {
        self.index_folder(root).join(name)
    }

    /// Projects opened from now on have this embedder instead of the built-in one.
    pub fn set_embedder(&self, embedder: Arc<dyn Embedder>) {
        assert!(self.shared.embedder.set(embedder).is_ok(), "there is one embedder");
    }

    /// From now on a project cannot be opened, as one with wrong settings.
    pub fn break_project(&self, root: &Path, reason: &str) {
        self.shared.broken.lock().unwrap().insert(root.to_path_buf(), reason.into());
    }

    /// From now on, as if started with `--verbose`.
    pub fn set_verbose(&self) {
        self.shared.is_verbose.store(true, Ordering::Relaxed);
    }

    /// How often a workspace was resolved and a project opened.
    pub fn calls(&self) -> (usize, usize) {
        let count = |of: &AtomicUsize| of.load(Ordering::Relaxed);
        (count(&self.shared.workspaces_resolved), count(&self.shared.projects_opened))
    }

    /// From now on, as if no project had been initialised.
    pub fn set_unregistered(&self) {
        self.shared.is_unregistered.store(true, Ordering::Relaxed);
    }

    /// Projects opened from now on have no embedder.
    pub fn disable_embeddings(&self) {
        self.shared.without_embeddings.store(true, Ordering::Relaxed);
    }

    fn embedder(&self) -> Option<Arc<dyn Embedder>> {
        static MODEL: OnceLock<Arc<StaticEmbedder>> = OnceLock::new();
        if self.shared.without_embeddings.load(Ordering::Relaxed) {
            return None;
        }
        let model = || MODEL.get_or_init(Arc::default).clone() as Arc<dyn Embedder>;
        Some(self.shared.embedder.get().cloned().unwrap_or_else(model))
    }

    /// A project with its engine; `index` is the folder of an index on disk.
    fn project(
        &self,
        root: &Path,
        walk: WalkOptions,
        index: Option<&Path>,
    ) -> Result<Arc<Project>, HostError> {
        let setup = Setup { embedder: self.embedder(), walk, ..Setup::default() };
        let engine = match index {
            Some(folder) => {
                let failed = |error: StoreError| HostError::Failed { message: error.to_string() };
                let timeout = if self.answers_at_once { Duration::ZERO } else { ANSWER_TIMEOUT };
                Engine::shared(setup.parts(root, folder).map_err(failed)?, Some(timeout))
            }
            None => Arc::new(setup.engine(root)),
        };
        Ok(Arc::new(Project::new(root.to_path_buf(), "sample-0".into(), engine)))
    }

    /// Fails for a project that cannot be opened.
    fn check(&self, root: &Path) -> Result<(), HostError> {
        let root = canonical(root).unwrap_or_else(|_| root.to_path_buf());
        let broken = self.shared.broken.lock().unwrap().get(&root).cloned();
        broken.map_or(Ok(()), |message| Err(HostError::Failed { message }))
    }

    /// The names of a project with an index.
    fn names_of(&self, root: &Path) -> Vec<String> {
        let given = self.records.names.lock().unwrap().get(root).cloned().unwrap_or_default();
        if given.is_empty() { vec![self.default_name(root)] } else { given }
    }
}

fn canonical(folder: &Path) -> Result<PathBuf, HostError> {
    let root = folder.canonicalize().map_err(|error| HostError::NotFound {
        message: format!("cannot open {}: {error}", folder.display()),
    })?;
    if !root.is_dir() {
        let message = format!("{} is not a folder", folder.display());
        return Err(HostError::NotFound { message });
    }
    Ok(root)
}

impl Host for TestHost {
    fn workspace(&self, folder: Option<&Path>) -> Result<Workspace, HostError> {
        self.shared.workspaces_resolved.fetch_add(1, Ordering::Relaxed);
        let (folder, source) = match folder {
            Some(folder) => (folder, WorkspaceSource::Url),
            None => (self.start.as_path(), WorkspaceSource::Folder),
        };
        let folder = canonical(folder)?;
        let repository = folder.ancestors().find(|folder| folder.join(".git").exists());
        Ok(Workspace { root: repository.unwrap_or(&folder).to_path_buf(), source })
    }

    fn is_registered(&self, root: &Path) -> Result<bool, HostError> {
        canonical(root)?;
        Ok(!self.shared.is_unregistered.load(Ordering::Relaxed))
    }

    fn open(&self, root: &Path) -> Result<Arc<Project>, HostError> {
        self.shared.projects_opened.fetch_add(1, Ordering::Relaxed);
        self.check(root)?;
        let mut projects = self.shared.projects.lock().unwrap();
        if let Some(project) = projects.get(root) {
            return Ok(project.clone());
        }
        let root = canonical(root)?;
        let index = self.data.as_ref().map(|_| self.index_folder(&root));
        if let Some(project) = projects.get(&root) {
            return Ok(project.clone());
        }
        let opened = self.project(&root, WalkOptions::default(), index.as_deref())?;
        projects.insert(root, opened.clone());
        Ok(opened)
    }

    fn open_sub_index(&self, root: &Path, options: &SubIndex) -> Result<Arc<Project>, HostError> {
        let root = canonical(root)?;
        let mut open = self.shared.sub_indexes.lock().unwrap();
        let key = (root.clone(), options.name.clone());
        if let Some((known, project)) = open.get(&key)
            && known == options
        {
            return Ok(project.clone());
        }
        let walk = WalkOptions {
            languages: options.languages.clone(),
            vendored: options.vendored,
            exclude: options.exclude.clone(),
            tests: true,
            generated: true,
            minified: true,
            ..WalkOptions::default()
        };
        let index = self.data.as_ref().map(|_| self.sub_index_folder(&root, &options.name));
        let opened = self.project(&root, walk, index.as_deref())?;
        open.insert(key, (options.clone(), opened.clone()));
        Ok(opened)
    }

    fn save_sub_index(&self, root: &Path, options: &SubIndex) -> Result<(), HostError> {
        let key = (canonical(root)?, options.name.clone());
        self.records.sub_indexes.lock().unwrap().insert(key, options.clone());
        Ok(())
    }

    fn sub_index(&self, root: &Path, name: &str) -> Result<Option<Arc<Project>>, HostError> {
        let root = canonical(root)?;
        let saved = self
            .records
            .sub_indexes
            .lock()
            .unwrap()
            .get(&(root.clone(), name.to_string()))
            .cloned();
        saved.map(|options| self.open_sub_index(&root, &options)).transpose()
    }

    fn chunks(&self, _: &Path) -> Result<Option<Arc<DocumentIndex>>, HostError> {
        Ok(None)
    }

    fn projects(&self) -> Result<Vec<IndexedProject>, HostError> {
        let mut indexed = Vec::new();
        for (root, project) in &*self.shared.projects.lock().unwrap() {
            if project.engine.generation()?.is_some() {
                let (root, id) = (root.clone(), project.id.clone());
                indexed.push(IndexedProject { exists: root.is_dir(), root, id, created: CREATED });
            }
        }
        Ok(indexed)
    }

    fn delete_index(&self, root: &Path) -> Result<u64, HostError> {
        self.records.names.lock().unwrap().remove(root);
        self.records.sub_indexes.lock().unwrap().retain(|(of, _), _| of != root);
        self.shared.sub_indexes.lock().unwrap().retain(|(of, _), _| of != root);
        let Some(project) = self.shared.projects.lock().unwrap().remove(root) else { return Ok(0) };
        let bytes = project.engine.statistics()?.unwrap_or_default().size.bytes;
        project.jobs.stop();
        project.engine.clear()?;
        Ok(bytes)
    }

    fn names(&self) -> Result<Vec<NamedIndex>, HostError> {
        let mut names = Vec::new();
        for IndexedProject { root, exists, created, .. } in self.projects()? {
            let of_project = self.names_of(&root).into_iter();
            names.extend(of_project.map(|name| NamedIndex {
                name,
                root: root.clone(),
                exists,
                created,
            }));
        }
        names.sort_by(|a, b| (&a.name, &a.root).cmp(&(&b.name, &b.root)));
        Ok(names)
    }

    fn default_name(&self, root: &Path) -> String {
        root.file_name().unwrap().to_string_lossy().into_owned()
    }

    fn add_name(&self, root: &Path, name: &str) -> Result<Option<PathBuf>, HostError> {
        let taken = self.names()?.into_iter().find(|one| one.root != root && one.matches(name));
        if let Some(other) = taken {
            return Ok(Some(other.root));
        }
        let mut names = self.records.names.lock().unwrap();
        let own = names.entry(root.to_path_buf()).or_default();
        if !own.iter().any(|known| groma_mcp::same_name(known, name)) {
            own.push(name.to_string());
        }
        Ok(None)
    }

    fn is_verbose(&self) -> bool {
        self.shared.is_verbose.load(Ordering::Relaxed)
    }
}
