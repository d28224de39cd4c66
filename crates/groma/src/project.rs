//! Which project a command is about, and where its index lives.

use crate::card::{self, Card};
use crate::config::{self, Config};
use crate::embedding::Embedding;
use crate::environment::Environment;
use crate::failure::{Failure, Kind};
use crate::names;
use crate::scope;
use anyhow::{Context, Result};
use groma_core::{EmbedError, Embedder, Pipeline, RefName, Role, Store, StoreError, VectorCache};
use groma_embed::{HttpEmbedder, StaticEmbedder};
use groma_engine::{Engine, Fallback, PIPELINE_VERSION, Parts, Ranking, Repository};
use groma_store::{EmbeddedNotebook, EmbeddedStore, EmbeddedVectorCache, Holder, MemoryStore};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long emptying an index waits for a run on it, which a server may have just begun.
const BRIEFLY: Duration = Duration::from_secs(2);

/// The folder in the data directory that holds the folders of all projects.
const PROJECTS: &str = "projects";

/// The folder in a project's with the index of a service's vectors. It stands beside the other, which answers
/// while this one is being made.
const REMOTE: &str = "remote";

/// The file of the data directory with the vectors that were paid for.
const VECTORS: &str = "vectors.db";

/// A project and the folder that holds its index.
#[derive(Clone, Debug)]
pub struct Project {
    /// The root folder, resolved.
    pub root: PathBuf,
    /// The project's own folder in the data directory.
    pub folder: PathBuf,
    /// Its settings.
    pub config: Config,
    /// The model that makes its vectors.
    pub embedding: Embedding,
    /// The file of vectors that all projects share, if there is a place for it.
    vectors: Option<PathBuf>,
}

/// A folder of the data directory that holds a project's index.
#[derive(Clone, Debug)]
pub struct Known {
    /// The project's root, as it was when it was indexed first.
    pub root: PathBuf,
    /// The folder.
    pub folder: PathBuf,
    /// When it was indexed first, in seconds since 1970.
    pub created: u64,
    /// The names it was given.
    pub names: Vec<String>,
}

impl Project {
    /// The project a command is about: the folder that was given, or what is around the working directory.
    pub fn choose(given: Option<&Path>, environment: &Environment) -> Result<Self> {
        environment.data()?;
        if let Some(path) = given.or(environment.project.as_deref()) {
            return Self::find(path, environment);
        }
        let folder = environment.folder.as_deref().ok_or_else(|| {
            Failure::new(Kind::NotFound, "the working directory is gone")
                .hint("change to a folder that exists, or name one with --project")
        })?;
        let root = around(folder).unwrap_or(folder);
        if root.parent().is_none() || environment.home.as_deref() == Some(root) {
            let message =
                format!("{} is no project: it would be indexed as a whole", root.display());
            let hint = "change to the project's folder, or name it; naming this one works too";
            return Err(Failure::new(Kind::Usage, message).hint(hint).into());
        }
        Self::find(root, environment)
    }

    /// The project rooted exactly at `path`.
    pub fn find(path: &Path, environment: &Environment) -> Result<Self> {
        let root = path.canonicalize().map_err(|error| {
            Failure::new(Kind::NotFound, format!("cannot open {}: {error}", path.display()))
                .hint("give a folder that exists")
        })?;
        if !root.is_dir() {
            let message = format!("{} is not a folder", path.display());
            return Err(Failure::new(Kind::Usage, message)
                .hint("give the folder that holds it")
                .into());
        }
        std::fs::read_dir(&root).map_err(|error| {
            Failure::new(Kind::NotFound, format!("cannot read {}: {error}", path.display()))
                .hint("check its permissions")
        })?;
        let config = Config::load(&root)?;
        let data = environment.data()?;
        Ok(Self::new(root.clone(), folder_of(&root, data), config, environment))
    }

    /// No project in particular: the settings are the defaults, and there is no index.
    pub fn nowhere(environment: &Environment) -> Self {
        Self::new(PathBuf::new(), PathBuf::new(), Config::default(), environment)
    }

    fn new(root: PathBuf, folder: PathBuf, config: Config, environment: &Environment) -> Self {
        let embedding = Embedding::choose(&config.embeddings, &environment.variables);
        let vectors = environment.data().ok().map(|data| data.join(VECTORS));
        Self { root, folder, config, embedding, vectors }
    }

    /// The project's short name, unlike any other's.
    pub fn id(&self) -> String {
        self.folder.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }

    /// The program that keeps the project's history.
    pub fn version_control(&self) -> &'static str {
        let kept = |name: &str| self.root.ancestors().any(|folder| folder.join(name).exists());
        [(".jj", "jj"), (".git", "git"), (".hg", "hg"), (".svn", "svn")]
            .into_iter()
            .find(|(name, _)| kept(name))
            .map_or("none", |(_, program)| program)
    }

    /// Whether there is an index, of whatever state.
    pub fn is_indexed(&self) -> bool {
        self.folders().iter().any(|folder| holds_index(folder))
    }

    /// The folders that may hold an index: the built-in model's, and that of a service.
    pub fn folders(&self) -> [PathBuf; 2] {
        folders(&self.folder)
    }

    /// The processes that are at work on the project's indexes.
    pub fn holders(&self) -> Result<Vec<Holder>> {
        let held: Result<Vec<_>, StoreError> =
            self.folders().iter().map(|folder| groma_store::holders(folder)).collect();
        Ok(held?.concat())
    }

    /// The same project with the model that counts on the surface of a contract.
    pub fn on_surface(mut self, contract: &str, environment: &Environment) -> Self {
        let settings = &self.config.embeddings;
        self.embedding = Embedding::on_surface(contract, settings, &environment.variables);
        self
    }

    /// The model behind the vectors that are wanted; `None` for an index without them. A service is asked only
    /// where nobody knows how many dimensions its vectors have.
    pub fn embedder(&self) -> Result<Option<Box<dyn Embedder>>> {
        Ok(match &self.embedding {
            Embedding::Unusable(reason) => {
                return Err(Failure::new(Kind::Usage, reason.clone()).into());
            }
            Embedding::Remote(_) => self.service()?.map(|service| Box::new(service) as _),
            Embedding::Off | Embedding::BuiltIn => self.local_embedder(),
        })
    }

    /// The model of a service, if one is wanted and can be used.
    pub fn service(&self) -> Result<Option<HttpEmbedder>, EmbedError> {
        let Embedding::Remote(endpoint) = &self.embedding else { return Ok(None) };
        HttpEmbedder::open((**endpoint).clone(), self.vector_cache()).map(Some)
    }

    /// The same without asking anybody.
    fn known_service(&self) -> Result<Option<HttpEmbedder>, EmbedError> {
        let Embedding::Remote(endpoint) = &self.embedding else { return Ok(None) };
        HttpEmbedder::open_known(endpoint, &self.vector_cache())
    }

    /// What the wanted model is called, without asking anybody.
    pub fn embedder_name(&self) -> Option<String> {
        match &self.embedding {
            Embedding::Remote(endpoint) => match self.known_service() {
                Ok(Some(known)) => Some(known.identity().to_string()),
                _ => Some(format!("{}/{}", endpoint.provider.name(), endpoint.model)),
            },
            _ => self.local_embedder().map(|embedder| embedder.identity().to_string()),
        }
    }

    /// The model that needs nobody.
    fn local_embedder(&self) -> Option<Box<dyn Embedder>> {
        let off = self.embedding == Embedding::Off;
        (!off).then(|| Box::new(StaticEmbedder::default()) as _)
    }

    /// Where vectors that were paid for are kept; a place that cannot be written keeps none.
    fn vector_cache(&self) -> Arc<dyn VectorCache> {
        match self.vectors.as_deref().map(EmbeddedVectorCache::open) {
            Some(Ok(cache)) => Arc::new(cache),
            _ => Arc::new(()),
        }
    }

    /// The indexes that are there, the one that answers first.
    pub fn stores(&self) -> Result<Vec<EmbeddedStore>> {
        let [local, remote] = self.folders();
        let mut stores = Vec::new();
        if holds_index(&remote)
            && let Ok(Some(known)) = self.known_service()
        {
            stores.push(opened(&remote, EmbeddedStore::open(&remote, pipeline(Some(&known))))?);
        }
        if holds_index(&local) {
            let embedder = self.local_embedder();
            let store = EmbeddedStore::open(&local, pipeline(embedder.as_deref()));
            stores.push(opened(&local, store)?);
        }
        Ok(stores)
    }

    /// The engine over this project's index; the index is made if there is none, and again if it cannot be opened.
    pub fn engine(&self, ranking: Ranking) -> Result<Engine> {
        let engine = self.assemble(self.service(), open_or_replace, ranking)?;
        self.leave_card()?;
        Ok(engine)
    }

    /// The engine of a server, which many threads ask at once.
    pub fn shared_engine(&self) -> Result<Arc<Engine>> {
        let assembled = self.assemble(self.service(), open_or_replace, Ranking::default())?;
        self.leave_card()?;
        Ok(assembled.into_shared(None))
    }

    /// The engine over an index that is there already, or an error that says how to make one.
    pub fn indexed_engine(&self) -> Result<Engine> {
        if !self.is_indexed() {
            let message = format!("{} is not indexed", self.root.display());
            return Err(Failure::new(Kind::NotFound, message)
                .hint("`groma index` indexes it")
                .into());
        }
        let ranking = Ranking::default();
        Ok(self.assemble(self.known_service(), EmbeddedStore::open, ranking)?)
    }

    /// The engine for what needs no index: one that can be opened serves, and none is made.
    pub fn engine_without_index(&self) -> Engine {
        let live = RefName::live();
        let made = |store: &EmbeddedStore| matches!(store.generation(&live), Ok(Some(_)));
        let store: Arc<dyn Store> = match self.stores().unwrap_or_default().into_iter().find(made) {
            Some(store) => Arc::new(store),
            None => Arc::new(MemoryStore::new(pipeline(None))),
        };
        Engine::new(self.parts(store, None, Ranking::default()))
    }

    /// The engine of the wanted model, with the built-in one in reserve.
    fn assemble(
        &self,
        service: Result<Option<HttpEmbedder>, EmbedError>,
        open: impl Fn(&Path, Pipeline) -> Result<EmbeddedStore, StoreError>,
        ranking: Ranking,
    ) -> Result<Engine> {
        let siblings = self.siblings();
        let stored = |folder: &Path, embedder: Option<Box<dyn Embedder>>| -> Result<Fallback> {
            let store = opened(folder, open(folder, pipeline(embedder.as_deref())))?;
            let beneath = folder.strip_prefix(&self.folder).unwrap_or(Path::new(""));
            let store = store.with_siblings(siblings.iter().map(|one| one.join(beneath)).collect());
            Ok(Fallback { store: Arc::new(store), embedder: embedder.map(Arc::from) })
        };
        let engine = |Fallback { store, embedder }: Fallback| {
            let parts = Parts { embedder, ..self.parts(store, None, ranking) };
            Engine::new(parts).with_modules(self.config.modules())
        };
        let [local, remote] = self.folders();
        let built_in = stored(&local, self.local_embedder())?;
        let reason = match (service, &self.embedding) {
            (Ok(Some(service)), _) => {
                let wanted = stored(&remote, Some(Box::new(service)))?;
                return Ok(engine(wanted).with_fallback(built_in));
            }
            (Err(error), _) => error.to_string(),
            (_, Embedding::Unusable(reason)) => reason.clone(),
            _ => return Ok(engine(built_in)),
        };
        let note = format!("{reason}; the built-in model answers instead");
        Ok(engine(built_in).with_note(note))
    }

    /// The folders of the same project in the other working trees of its repository: they have most versions, too.
    fn siblings(&self) -> Vec<PathBuf> {
        let own = self
            .folder
            .ancestors()
            .find(|folder| folder.parent().is_some_and(|parent| parent.ends_with(PROJECTS)));
        let (Some(own), Some(repository)) = (own, Repository::around(&self.root)) else {
            return Vec::new();
        };
        let (Some(data), Some(place)) =
            (own.parent().and_then(Path::parent), repository.place(&self.root))
        else {
            return Vec::new();
        };
        let beneath = self.folder.strip_prefix(own).unwrap_or(Path::new(""));
        let folder = |tree: PathBuf| {
            let root = if place.is_empty() { tree } else { tree.join(&place) };
            folder_of(&root, data)
        };
        let folders = repository.trees().into_iter().map(folder).filter(|folder| folder != own);
        folders.map(|folder| folder.join(beneath)).collect()
    }

    fn parts(
        &self,
        store: Arc<dyn Store>,
        embedder: Option<Box<dyn Embedder>>,
        ranking: Ranking,
    ) -> Parts {
        Parts {
            root: self.root.clone(),
            store,
            notebook: Some(Arc::new(EmbeddedNotebook::new(&self.folder))),
            embedder: embedder.map(Arc::from),
            walk: self.config.index.clone(),
            ranking,
        }
    }

    /// Says whose index the folder holds, for `groma list`.
    fn leave_card(&self) -> Result<()> {
        if Card::read(&self.folder).is_some() {
            return Ok(());
        }
        // The folder is `DATA/projects/ID`, or lies in it.
        let data = self.folder.ancestors().find(|folder| folder.ends_with(PROJECTS));
        let _lock = card::lock(data.and_then(Path::parent).unwrap_or(&self.folder))?;
        // A root that is not UTF-8 has no JSON form; its index works and is not listed.
        if Card::read(&self.folder).is_some() || self.root.to_str().is_none() {
            return Ok(());
        }
        Card::new(&self.root).write(&self.folder)
    }
}

/// Every project with an index in the data directory, in order of root.
pub fn known(data: &Path) -> Result<Vec<Known>> {
    let folder = projects(data);
    let entries = match std::fs::read_dir(&folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => {
            return Err(error).with_context(|| format!("cannot read {}", folder.display()));
        }
    };
    let mut found: Vec<Known> = entries
        .flatten()
        .filter_map(|entry| {
            let folder = entry.path();
            if let Some(Card { root, created, names }) = Card::read(&folder) {
                return Some(Known { root, folder, created, names });
            }
            let root = scope::folders(&folder).iter().find_map(|folder| scope::root(folder))?;
            Some(Known { root, folder, created: 0, names: Vec::new() })
        })
        .collect();
    found.sort_by(|a, b| a.root.cmp(&b.root));
    Ok(found)
}

impl Known {
    /// What a folder holds for a root, whether or not there is a card.
    pub fn at(root: PathBuf, data: &Path) -> Self {
        Self { folder: folder_of(&root, data), root, created: 0, names: Vec::new() }
    }

    /// Whether the folder holds an index that was made, as far as its files tell. An engine that was only opened
    /// leaves a database without parts; a name is given to none but an index.
    pub fn is_made(&self) -> bool {
        let has_parts = || {
            std::fs::read_dir(self.folder.join("parts"))
                .is_ok_and(|mut entries| entries.next().is_some())
        };
        self.folder.join("index.db").exists() && (!self.names.is_empty() || has_parts())
    }

    /// The project, with its settings where they can still be read.
    pub fn project(&self, environment: &Environment) -> Project {
        let config = Config::load(&self.root).unwrap_or_default();
        Project::new(self.root.clone(), self.folder.clone(), config, environment)
    }

    /// The folders that may hold an index, its scopes' included.
    fn folders(&self) -> Vec<PathBuf> {
        let mut all = scope::folders(&self.folder);
        all.insert(0, self.folder.clone());
        all.iter().flat_map(|folder| folders(folder)).collect()
    }

    /// The folders with an index: the project's own and those of its scopes, whoever made the vectors.
    pub fn indexes(&self) -> Vec<PathBuf> {
        let mut folders = self.folders();
        folders.retain(|folder| holds_index(folder));
        folders
    }

    /// The names of its scopes that have an index.
    pub fn scopes(&self) -> Vec<String> {
        let is_indexed = |folder: &PathBuf| folders(folder).iter().any(|one| holds_index(one));
        let indexed = scope::folders(&self.folder).into_iter().filter(is_indexed);
        indexed.filter_map(|folder| Some(folder.file_name()?.to_str()?.to_string())).collect()
    }

    /// Empties its indexes, whatever their state, and says how much room that gave.
    pub fn clear(&self) -> Result<u64> {
        self.indexes().iter().map(|folder| empty(folder)).sum()
    }

    /// Removes the files of indexes that were emptied, and takes the project off the list. A notebook stays.
    pub fn forget(&self) {
        self.folders().iter().for_each(|folder| remove_index(folder));
    }
}

fn empty(folder: &Path) -> Result<u64> {
    let store = match EmbeddedStore::open(folder, pipeline(None)) {
        Err(StoreError::Damaged(_)) => {
            EmbeddedStore::open_empty(folder, pipeline(None))?;
            return Ok(0);
        }
        other => other?,
    };
    let before = store.size()?.bytes;
    Ok(briefly(|| store.clear()).map(|()| before)?)
}

/// Tries until nobody else writes, but not for long.
fn briefly<T>(attempt: impl Fn() -> Result<T, StoreError>) -> Result<T, StoreError> {
    let started = Instant::now();
    loop {
        match attempt() {
            Err(StoreError::Busy) if started.elapsed() < BRIEFLY => {
                std::thread::sleep(Duration::from_millis(20));
            }
            done => return done,
        }
    }
}

fn remove_index(folder: &Path) {
    if !folder.is_dir() {
        return;
    }
    // Whoever wrote since made an index that is not ours to remove.
    let is_made = || {
        let Ok(store) = EmbeddedStore::open(folder, pipeline(None)) else { return false };
        let newest = store.generation(&RefName::live());
        store.is_foreign().unwrap_or(false) || newest.is_ok_and(|newest| newest.is_some())
    };
    if let Ok(_turn) = briefly(|| groma_store::turn(folder, Role::Writer))
        && !(holds_index(folder) && is_made())
    {
        for name in ["index.db-wal", "index.db-shm", "index.db", card::NAME, scope::CARD] {
            let _ = std::fs::remove_file(folder.join(name));
        }
        let _ = std::fs::remove_dir_all(folder.join("parts"));
    }
}

/// The folder that holds the folders of all projects.
fn projects(data: &Path) -> PathBuf {
    data.join(PROJECTS)
}

/// What the rows of an index depend on.
pub fn pipeline(embedder: Option<&dyn Embedder>) -> Pipeline {
    let embedder = embedder.map(|embedder| embedder.identity());
    Pipeline { version: PIPELINE_VERSION, embedder }
}

/// An index that cannot be read is derived, and makes room for another.
fn open_or_replace(folder: &Path, pipeline: Pipeline) -> Result<EmbeddedStore, StoreError> {
    match EmbeddedStore::open(folder, pipeline.clone()) {
        Err(StoreError::Damaged(_)) => EmbeddedStore::open_empty(folder, pipeline),
        other => other,
    }
}

fn opened<T>(folder: &Path, store: Result<T, StoreError>) -> Result<T> {
    store.with_context(|| format!("cannot open the index in {}", folder.display()))
}

fn holds_index(folder: &Path) -> bool {
    folder.join("index.db").exists()
}

fn folders(folder: &Path) -> [PathBuf; 2] {
    [folder.to_path_buf(), folder.join(REMOTE)]
}

/// The folder in the data directory that belongs to a root.
pub fn folder_of(root: &Path, data: &Path) -> PathBuf {
    let name = root.file_name().map_or("root".into(), |name| name.to_string_lossy().to_lowercase());
    let name: String = name.chars().map(|c| if c.is_alphanumeric() { c } else { '_' }).collect();
    let hash = blake3::hash(root.as_os_str().as_encoded_bytes()).to_hex();
    projects(data).join(format!("{name}-{}", &hash[..16]))
}

/// The nearest folder around `folder` that is a repository or has settings.
pub fn around(folder: &Path) -> Option<&Path> {
    let marks = [".git", config::FILE_NAME, names::SETTINGS];
    let marked = |folder: &&Path| marks.iter().any(|name| folder.join(name).exists());
    folder.ancestors().find(marked)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_repository_around_is_found() {
        let tree = tempfile::TempDir::new().unwrap();
        let deep = tree.path().join("repo/src/net");
        std::fs::create_dir_all(&deep).unwrap();
        std::fs::create_dir(tree.path().join("repo/.git")).unwrap();
        assert_eq!(around(&deep), Some(&*tree.path().join("repo")));
        std::fs::write(tree.path().join("repo/src/.groma.toml"), "").unwrap();
        assert_eq!(around(&deep), Some(&*tree.path().join("repo/src")));
        std::fs::write(deep.join("cocosearch.yaml"), "").unwrap();
        assert_eq!(around(&deep), Some(&*deep));
    }

    #[test]
    fn roots_have_folders_of_their_own() {
        let data = Path::new("/data");
        let a = folder_of(Path::new("/one/My App"), data);
        let b = folder_of(Path::new("/two/My App"), data);
        assert!(a.starts_with("/data/projects") && a.to_string_lossy().contains("my_app-"));
        assert_ne!(a, b);
    }
}
