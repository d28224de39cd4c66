//! Which project a command is about, and where its index lives.

use crate::config::Config;
use anyhow::{Context, Result, bail};
use groma_core::{Embedder, Pipeline, VersionKey};
use groma_embed::StaticEmbedder;
use groma_engine::{Engine, PIPELINE_VERSION, Parts, Ranking};
use groma_store::EmbeddedStore;
use std::path::{Path, PathBuf};

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

impl Project {
    /// The project that `path` belongs to: the repository around it, or the folder itself.
    pub fn find(path: &Path, home: &Path) -> Result<Self> {
        let root = path.canonicalize().with_context(|| {
            format!("cannot open {}; give a folder that exists", path.display())
        })?;
        if !root.is_dir() {
            bail!("{} is not a folder; give the folder to search", path.display());
        }
        Self::at(root, home)
    }

    /// The project rooted exactly at `root`.
    pub fn at(root: PathBuf, home: &Path) -> Result<Self> {
        let config = Config::load(&root)?;
        let folder = home.join("projects").join(identity(&root));
        Ok(Self { root, folder, config })
    }

    /// The engine over this project's index.
    pub fn engine(&self, ranking: Ranking) -> Result<Engine> {
        let embedder: Option<Box<dyn Embedder>> =
            self.config.embeddings.enabled.then(|| Box::new(StaticEmbedder::default()) as _);
        let pipeline = Pipeline {
            version: PIPELINE_VERSION,
            embedder: embedder.as_ref().map(|embedder| embedder.identity()),
        };
        let store = EmbeddedStore::open(&self.folder, pipeline)
            .with_context(|| format!("cannot open the index in {}", self.folder.display()))?;
        Ok(Engine::new(Parts {
            root: self.root.clone(),
            store: Box::new(store),
            embedder,
            walk: self.config.index.clone(),
            ranking,
        }))
    }
}

/// A short name for a root that no other root has.
fn identity(root: &Path) -> String {
    let name = root.file_name().map_or("root".into(), |name| name.to_string_lossy().to_lowercase());
    let name: String = name.chars().map(|c| if c.is_alphanumeric() { c } else { '_' }).collect();
    let hash = blake3::hash(root.as_os_str().as_encoded_bytes()).to_hex();
    format!("{name}-{}", &hash[..16])
}
