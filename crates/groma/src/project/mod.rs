//! A project: its root, its settings, its models, and its place in the catalog.
//!
//! `locate` says which project a path means, `assemble` builds an engine over it. Where its data is kept is the
//! catalog's business.

mod assemble;
pub mod index_name;
mod locate;
mod models;
mod sub_index;

pub use locate::enclosing_root;
pub use models::Models;

use crate::config::Config;
use crate::cortex_settings;
use crate::embedding::EmbeddingSettings;
use crate::environment::Environment;
use crate::trust;
use anyhow::Result;
use groma_core::{Catalog, IndexId, ProjectId, VectorSource};
use std::path::PathBuf;
use std::sync::Arc;

/// A project, or one of its sub-indexes.
#[derive(Clone)]
pub struct Project {
    /// The root folder, canonical.
    pub root: PathBuf,
    /// Its id in the catalog.
    pub id: ProjectId,
    /// Its settings, as far as they may count.
    pub config: Config,
    /// The keys that would count only in a trusted project.
    pub ignored: Vec<&'static str>,
    /// Whether the user trusts its settings.
    pub is_trusted: bool,
    /// Its embedding models.
    pub models: Models,
    catalog: Arc<dyn Catalog>,
    sub_index: Option<String>,
}

impl Project {
    fn new(root: PathBuf, mut config: Config, environment: &Environment) -> Result<Self> {
        let catalog = environment.catalog()?;
        let is_trusted = trust::is_trusted(&root, environment);
        config.embeddings.is_trusted = is_trusted;
        let ignored = if is_trusted { Vec::new() } else { config.restrict() };
        let models = Models::new(&config.embeddings, environment);
        let id = catalog.resolve(&root);
        Ok(Self { id, root, config, ignored, is_trusted, models, catalog, sub_index: None })
    }

    /// The project at a root that was indexed once and may be gone, with its settings if they can still be read.
    pub fn at(root: PathBuf, environment: &Environment) -> Result<Self> {
        let config = environment.config(&root).unwrap_or_default();
        Self::new(root, config, environment)
    }

    /// The version control system the project is in.
    pub fn version_control(&self) -> &'static str {
        let is_in = |name: &str| self.root.ancestors().any(|folder| folder.join(name).exists());
        [(".jj", "jj"), (".git", "git"), (".hg", "hg"), (".svn", "svn")]
            .into_iter()
            .find(|(name, _)| is_in(name))
            .map_or("none", |(_, program)| program)
    }

    /// Whether there is an index, in whatever state.
    pub fn is_indexed(&self) -> bool {
        let indexes = self.catalog.indexes(&self.id);
        indexes.iter().any(|index| index.sub_index == self.sub_index)
    }

    /// Where its data is, for the user.
    pub fn location(&self) -> String {
        self.catalog.location(&self.id, self.sub_index.as_deref())
    }

    /// The same project with the models that count on the surface of a contract.
    pub fn on_surface(self, contract: &str, environment: &Environment) -> Self {
        let own = match contract {
            "cortex" => cortex_settings::embedding_settings(&self.root),
            _ => EmbeddingSettings::default(),
        };
        Self { models: self.models.on_surface(contract, &own, environment), ..self }
    }

    fn index_id(&self, vectors: VectorSource) -> IndexId {
        IndexId { project: self.id.clone(), sub_index: self.sub_index.clone(), vectors }
    }
}
