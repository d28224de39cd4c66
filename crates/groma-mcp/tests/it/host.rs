//! A host whose indexes are in memory.

use groma_core::Embedder;
use groma_embed::StaticEmbedder;
use groma_engine::{DocumentIndex, WalkOptions};
use groma_mcp::{
    Host, HostError, IndexedProject, NamedIndex, Project, SubIndex, Workspace, WorkspaceSource,
};
use groma_testkit::Setup;
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

/// When every project was indexed first.
const CREATED: u64 = 1_760_000_000;

/// The root and the name of a sub-index.
type SubIndexKey = (PathBuf, String);

/// Opens projects with an index in memory. Clones share them, as processes share a data directory.
#[derive(Clone)]
pub struct MemoryHost {
    start: PathBuf,
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    is_verbose: AtomicBool,
    without_embeddings: AtomicBool,
    workspaces_resolved: AtomicUsize,
    projects_opened: AtomicUsize,
    projects: Mutex<BTreeMap<PathBuf, Arc<Project>>>,
    sub_indexes: Mutex<HashMap<SubIndexKey, (SubIndex, Arc<Project>)>>,
    saved: Mutex<HashMap<SubIndexKey, SubIndex>>,
    names: Mutex<BTreeMap<PathBuf, Vec<String>>>,
}

impl MemoryHost {
    /// A host that was started in a folder.
    pub fn new(start: PathBuf) -> Self {
        Self { start, shared: Arc::default() }
    }

    /// A host over the same indexes that was started in another folder.
    pub fn started_in(&self, start: &Path) -> Self {
        Self { start: start.to_path_buf(), shared: self.shared.clone() }
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

    /// Projects opened from now on have no embedder.
    pub fn disable_embeddings(&self) {
        self.shared.without_embeddings.store(true, Ordering::Relaxed);
    }

    fn project(&self, root: &Path, walk: WalkOptions) -> Arc<Project> {
        static MODEL: OnceLock<Arc<StaticEmbedder>> = OnceLock::new();
        let model: Arc<dyn Embedder> = MODEL.get_or_init(Arc::default).clone();
        let is_off = self.shared.without_embeddings.load(Ordering::Relaxed);
        let embedder = if is_off { None } else { Some(model) };
        let engine = Setup { embedder, walk, ..Setup::in_memory() }.engine(root);
        Arc::new(Project::new(root.to_path_buf(), "sample-0".into(), Arc::new(engine)))
    }

    /// The names of a project with an index.
    fn names_of(&self, root: &Path) -> Vec<String> {
        let given = self.shared.names.lock().unwrap().get(root).cloned().unwrap_or_default();
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

impl Host for MemoryHost {
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

    fn open(&self, root: &Path) -> Result<Arc<Project>, HostError> {
        self.shared.projects_opened.fetch_add(1, Ordering::Relaxed);
        let mut projects = self.shared.projects.lock().unwrap();
        if let Some(project) = projects.get(root) {
            return Ok(project.clone());
        }
        let root = canonical(root)?;
        let open = || self.project(&root, WalkOptions::default());
        Ok(projects.entry(root.clone()).or_insert_with(open).clone())
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
        let opened = self.project(&root, walk);
        open.insert(key, (options.clone(), opened.clone()));
        Ok(opened)
    }

    fn save_sub_index(&self, root: &Path, options: &SubIndex) -> Result<(), HostError> {
        let key = (canonical(root)?, options.name.clone());
        self.shared.saved.lock().unwrap().insert(key, options.clone());
        Ok(())
    }

    fn sub_index(&self, root: &Path, name: &str) -> Result<Option<Arc<Project>>, HostError> {
        let root = canonical(root)?;
        let saved =
            self.shared.saved.lock().unwrap().get(&(root.clone(), name.to_string())).cloned();
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
        self.shared.names.lock().unwrap().remove(root);
        self.shared.saved.lock().unwrap().retain(|(of, _), _| of != root);
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
        let mut names = self.shared.names.lock().unwrap();
        let own = names.entry(root.to_path_buf()).or_default();
        if !own.iter().any(|known| groma_mcp::same_name(known, name)) {
            own.push(name.to_string());
        }
        Ok(None)
    }

    fn remove_name(&self, root: &Path, name: &str) -> Result<(), HostError> {
        if let Some(own) = self.shared.names.lock().unwrap().get_mut(root) {
            own.retain(|known| !groma_mcp::same_name(known, name));
        }
        Ok(())
    }

    fn is_verbose(&self) -> bool {
        self.shared.is_verbose.load(Ordering::Relaxed)
    }
}
