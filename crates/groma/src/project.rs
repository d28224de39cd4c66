//! Which project a command is about, and where its index lives.

use crate::card::{self, Card};
use crate::config::{self, Config};
use crate::environment::Environment;
use crate::failure::{Failure, Kind};
use crate::names;
use crate::scope;
use anyhow::{Context, Result};
use groma_core::{Embedder, Pipeline, Store, StoreError};
use groma_embed::StaticEmbedder;
use groma_engine::{Engine, PIPELINE_VERSION, Parts, Ranking};
use groma_store::{EmbeddedNotebook, EmbeddedStore, MemoryStore};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The file in a project's folder that whoever writes the index holds locked.
pub const LOCK: &str = "writer.lock";

/// The folder in the data directory that holds the folders of all projects.
const PROJECTS: &str = "projects";

/// A project and the folder that holds its index.
#[derive(Clone, Debug)]
pub struct Project {
    /// The root folder, resolved.
    pub root: PathBuf,
    /// The project's own folder in the data directory.
    pub folder: PathBuf,
    /// Its settings.
    pub config: Config,
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
        let data = environment.data()?;
        if let Some(path) = given.or(environment.project.as_deref()) {
            return Self::find(path, data);
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
        Self::find(root, data)
    }

    /// The project rooted exactly at `path`.
    pub fn find(path: &Path, data: &Path) -> Result<Self> {
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
        Ok(Self { folder: folder_of(&root, data), root, config })
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
        self.folder.join("index.db").exists()
    }

    /// What the rows of the index depend on.
    pub fn pipeline(&self) -> Pipeline {
        let embedder = self.embedder().map(|embedder| embedder.identity());
        Pipeline { version: PIPELINE_VERSION, embedder }
    }

    /// The model behind the vectors.
    pub fn embedder(&self) -> Option<Box<dyn Embedder>> {
        self.config.embeddings.enabled.then(|| Box::new(StaticEmbedder::default()) as _)
    }

    /// The index as it is, whatever its state.
    pub fn store(&self) -> Result<EmbeddedStore> {
        EmbeddedStore::open(&self.folder, self.pipeline())
            .with_context(|| format!("cannot open the index in {}", self.folder.display()))
    }

    /// The engine over this project's index; the index is made if there is none, and again if it cannot be opened.
    pub fn engine(&self, ranking: Ranking) -> Result<Engine> {
        let store = self.open_store()?;
        self.leave_card()?;
        Ok(Engine::new(self.parts(Box::new(store), ranking)))
    }

    fn open_store(&self) -> Result<EmbeddedStore> {
        let store = match EmbeddedStore::open(&self.folder, self.pipeline()) {
            Err(StoreError::Damaged(_)) => EmbeddedStore::open_empty(&self.folder, self.pipeline()),
            other => other,
        };
        store.with_context(|| format!("cannot open the index in {}", self.folder.display()))
    }

    /// The engine over an index that is there already, or an error that says how to make one.
    pub fn indexed_engine(&self) -> Result<Engine> {
        if !self.is_indexed() {
            let message = format!("{} is not indexed", self.root.display());
            return Err(Failure::new(Kind::NotFound, message)
                .hint("`groma index` indexes it")
                .into());
        }
        Ok(Engine::new(self.parts(Box::new(self.store()?), Ranking::default())))
    }

    /// The engine for what needs no index: one that can be opened serves, and none is made.
    pub fn engine_without_index(&self) -> Engine {
        let store: Box<dyn Store> = match self.is_indexed().then(|| self.store()) {
            Some(Ok(store)) => Box::new(store),
            _ => Box::new(MemoryStore::new(self.pipeline())),
        };
        Engine::new(self.parts(store, Ranking::default()))
    }

    /// The engine of a server, which many threads ask at once.
    pub fn shared_engine(&self) -> Result<Arc<Engine>> {
        let store = self.open_store()?;
        self.leave_card()?;
        Ok(Engine::shared(self.parts(Box::new(store), Ranking::default()), None))
    }

    fn parts(&self, store: Box<dyn Store>, ranking: Ranking) -> Parts {
        Parts {
            root: self.root.clone(),
            store,
            notebook: Some(Box::new(EmbeddedNotebook::new(&self.folder))),
            embedder: self.embedder(),
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
    pub fn project(&self) -> Project {
        let config = Config::load(&self.root).unwrap_or_default();
        Project { root: self.root.clone(), folder: self.folder.clone(), config }
    }

    /// The folders with an index: the project's own, and those of its scopes.
    pub fn indexes(&self) -> Vec<PathBuf> {
        let mut folders = scope::folders(&self.folder);
        folders.insert(0, self.folder.clone());
        folders.retain(|folder| folder.join("index.db").exists());
        folders
    }

    /// Empties its indexes, whatever their state, and says how much room that gave.
    pub fn clear(&self) -> Result<u64> {
        let pipeline = self.project().pipeline();
        self.indexes().iter().map(|folder| empty(folder, &pipeline)).sum()
    }

    /// Removes the files of indexes that were emptied, and takes the project off the list. A notebook stays.
    pub fn forget(&self) {
        let folders = [vec![self.folder.clone()], scope::folders(&self.folder)].concat();
        folders.iter().for_each(|folder| remove_index(folder));
    }
}

fn empty(folder: &Path, pipeline: &Pipeline) -> Result<u64> {
    let store = match EmbeddedStore::open(folder, pipeline.clone()) {
        Err(StoreError::Damaged(_)) => {
            EmbeddedStore::open_empty(folder, pipeline.clone())?;
            return Ok(0);
        }
        other => other?,
    };
    let before = store.size()?.bytes;
    store.clear()?;
    Ok(before)
}

fn remove_index(folder: &Path) {
    let lock = File::options().write(true).open(folder.join(LOCK));
    // Whoever writes again already makes an index that is not ours to remove.
    if lock.as_ref().is_ok_and(|lock| lock.try_lock().is_ok()) {
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
