//! Builds the engine of a project from its store, its notebook, its embedder and its settings.

use super::Project;
use crate::embedding::Embedding;
use crate::failure::{Failure, Kind};
use anyhow::Result;
use groma_core::{
    EmbedError, Embedder, IndexId, OpenOptions, Pipeline, ProjectId, RefName, Store, VectorSource,
};
use groma_embed::HttpEmbedder;
use groma_engine::{Engine, Fallback, PIPELINE_VERSION, Parts, Ranking, Repository};
use groma_store::MemoryStore;
use std::sync::Arc;

impl Project {
    /// The engine over this project's index, which is created if it does not exist and replaced if it is damaged.
    pub fn engine(&self, ranking: Ranking) -> Result<Engine> {
        self.assemble_recorded(ranking)
    }

    /// The engine of a server, for many threads.
    pub fn shared_engine(&self) -> Result<Arc<Engine>> {
        Ok(self.assemble_recorded(Ranking::default())?.into_shared(None))
    }

    /// The engine over an existing index; fails if there is none.
    pub fn indexed_engine(&self) -> Result<Engine> {
        if !self.is_indexed() {
            let message = format!("{} is not indexed", self.root.display());
            return Err(Failure::new(Kind::NotFound, message)
                .hint("`groma index` indexes it")
                .into());
        }
        let service = self.models.known_service();
        self.assemble(service, &self.options(false), Ranking::default())
    }

    /// The engine for requests that need no index. Uses an index that can be opened, and creates none.
    pub fn engine_without_index(&self) -> Engine {
        let live = RefName::live();
        let is_committed = |store: &Arc<dyn Store>| matches!(store.generation(&live), Ok(Some(_)));
        let store = self.stores().unwrap_or_default().into_iter().find(is_committed);
        let store = store.unwrap_or_else(|| Arc::new(MemoryStore::new(pipeline(None))));
        Engine::new(self.parts(store, None, Ranking::default()))
    }

    /// The existing indexes with the pipelines that read them, the one that answers first.
    pub fn indexes(&self) -> Vec<(IndexId, Pipeline)> {
        let existing = self.catalog.indexes(&self.id);
        let own = |vectors| Some(self.index_id(vectors)).filter(|index| existing.contains(index));
        let service = own(VectorSource::Service).and_then(|index| {
            let known = self.models.known_service().ok()??;
            Some((index, pipeline(Some(&known))))
        });
        let built_in = own(VectorSource::BuiltIn)
            .map(|index| (index, pipeline(self.models.built_in().as_deref())));
        service.into_iter().chain(built_in).collect()
    }

    /// The stores of the existing indexes, the one that answers first.
    pub fn stores(&self) -> Result<Vec<Arc<dyn Store>>> {
        let options = OpenOptions::default();
        let open = |(index, pipeline)| Ok(self.catalog.open(&index, &pipeline, &options)?);
        self.indexes().into_iter().map(open).collect()
    }

    fn assemble_recorded(&self, ranking: Ranking) -> Result<Engine> {
        let engine = self.assemble(self.models.service(), &self.options(true), ranking)?;
        if self.sub_index.is_none() {
            self.catalog.create(&self.root)?;
        }
        Ok(engine)
    }

    /// The engine of the chosen model, with the built-in one as its fallback.
    fn assemble(
        &self,
        service: Result<Option<HttpEmbedder>, EmbedError>,
        options: &OpenOptions,
        ranking: Ranking,
    ) -> Result<Engine> {
        let stored = |vectors, embedder: Option<Box<dyn Embedder>>| -> Result<Fallback> {
            let pipeline = pipeline(embedder.as_deref());
            let store = self.catalog.open(&self.index_id(vectors), &pipeline, options)?;
            Ok(Fallback { store, embedder: embedder.map(Arc::from) })
        };
        let engine = |Fallback { store, embedder }| {
            Engine::new(self.parts(store, embedder, ranking)).with_modules(self.config.modules())
        };
        let built_in = stored(VectorSource::BuiltIn, self.models.built_in())?;
        let reason = match (service, &self.models.embedding) {
            (Ok(Some(service)), _) => {
                let chosen = stored(VectorSource::Service, Some(Box::new(service)))?;
                return Ok(engine(chosen).with_fallback(built_in));
            }
            (Err(error), _) => error.to_string(),
            (_, Embedding::Unusable(reason)) => reason.clone(),
            _ => return Ok(engine(built_in)),
        };
        let note = format!("{reason}; the built-in model answers instead");
        Ok(engine(built_in).with_note(note))
    }

    fn parts(
        &self,
        store: Arc<dyn Store>,
        embedder: Option<Arc<dyn Embedder>>,
        ranking: Ranking,
    ) -> Parts {
        Parts {
            root: self.root.clone(),
            store,
            notebook: Some(self.catalog.notebook(&self.id, self.sub_index.as_deref())),
            embedder,
            walk: self.config.index.clone(),
            ranking,
        }
    }

    fn options(&self, replace_damaged: bool) -> OpenOptions {
        OpenOptions { replace_damaged, siblings: self.siblings() }
    }

    /// The same project in the other working trees of its repository; they have most versions in common.
    fn siblings(&self) -> Vec<ProjectId> {
        let Some(repository) = Repository::discover(&self.root) else { return Vec::new() };
        let Some(subfolder) = repository.prefix_of(&self.root) else { return Vec::new() };
        let trees = repository.worktrees().into_iter();
        let roots =
            trees.map(|tree| if subfolder.is_empty() { tree } else { tree.join(&subfolder) });
        roots.map(|root| self.catalog.resolve(&root)).collect()
    }
}

/// What the rows of an index depend on besides the files.
fn pipeline(embedder: Option<&dyn Embedder>) -> Pipeline {
    let embedder = embedder.map(|embedder| embedder.identity());
    Pipeline { version: PIPELINE_VERSION, embedder }
}
