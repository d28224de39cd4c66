//! The engine of one ref of a project: its parts, put together.

use crate::cache::AnswerCache;
use crate::embedding::BackgroundEmbedding;
use crate::error::EngineError;
use crate::open_refs::OpenRefs;
use crate::runs::SharedRuns;
use groma_core::{Embedder, EmbedderIdentity, GenerationInfo, Notebook, RefName, Snapshot, Store};
use groma_files::{FileTree, SourceTree, WalkOptions, WalkResult, WorkingTree};
use groma_index::{Active, Index, Indexer};
use groma_notebook::{Modules, ProjectNotebook};
use groma_search::{ImportCache, Ranking, Reader};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// How long a query of a shared engine waits for changes if there is an older generation.
const QUERY_TIMEOUT: Duration = Duration::from_secs(2);

/// The parts of an engine, shared by the engines of all refs of a project.
#[derive(Clone)]
pub struct Parts {
    /// The project's root folder.
    pub root: PathBuf,
    /// The store of the index.
    pub store: Arc<dyn Store>,
    /// The storage of the notebook; `None` to record nothing.
    pub notebook: Option<Arc<dyn Notebook>>,
    /// The embedder; `None` for an index without vectors.
    pub embedder: Option<Arc<dyn Embedder>>,
    /// The options that select the files to index.
    pub walk: WalkOptions,
    /// The weights of ranking.
    pub ranking: Ranking,
}

/// The index used until that of the configured embedder has been built once: a remote embedder can take an hour, and
/// the index of a faster model is used meanwhile.
#[derive(Clone)]
pub struct Fallback {
    /// Its store.
    pub store: Arc<dyn Store>,
    /// Its embedder.
    pub embedder: Option<Arc<dyn Embedder>>,
}

/// The engine of one ref of a project: the working tree, or another ref opened by [`Engine::at`].
pub struct Engine {
    config: Config,
    indexer: Arc<Indexer>,
    notebook: ProjectNotebook,
    answers: AnswerCache,
    imports: Arc<ImportCache>,
    runs: Option<Arc<SharedRuns>>,
    embedding: Arc<BackgroundEmbedding>,
    refs: OpenRefs<Engine>,
}

/// What an engine did since it was opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Index runs that were finished.
    pub index_runs: u64,
    /// Searches answered from the cache.
    pub cache_hits: u64,
    /// Searches that were not in the cache.
    pub cache_misses: u64,
}

/// The configuration shared by the engines of all refs of a project.
#[derive(Clone)]
struct Config {
    parts: Parts,
    fallback: Option<Fallback>,
    modules: Modules,
    note: Option<String>,
    /// How long a query waits for changes; `None` for an engine that is not shared.
    query_timeout: Option<Duration>,
    is_unwatched: bool,
}

/// The generation that answers a request, resolved once.
pub(crate) struct Resolved {
    pub active: Active,
    pub reader: Reader,
    pub origin: Origin,
}

/// Where a generation comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// This version of the program made it.
    Newest,
    /// It was made by another version of the program or with another embedder.
    Previous { same_embedder: bool },
}

impl Engine {
    /// An engine. Nothing is read before the first request.
    pub fn new(parts: Parts) -> Self {
        let tree = Arc::new(WorkingTree::new(&parts.root));
        let config = Config {
            parts,
            fallback: None,
            modules: Modules::default(),
            note: None,
            query_timeout: None,
            is_unwatched: false,
        };
        Self::over(config, RefName::live(), tree)
    }

    /// An engine of any ref.
    fn over(config: Config, reference: RefName, tree: Arc<dyn FileTree>) -> Self {
        let parts = &config.parts;
        let mut source = SourceTree::new(&parts.root, tree, parts.walk.clone());
        if config.query_timeout.is_some() {
            source = source.watched();
        }
        if config.is_unwatched {
            source.watcher().disable();
        }
        let index = |store: &Arc<dyn Store>, embedder: &Option<Arc<dyn Embedder>>| {
            Index::new(store.clone(), reference.clone(), embedder.clone())
        };
        let primary = index(&parts.store, &parts.embedder);
        let fallback = config.fallback.as_ref().map(|other| index(&other.store, &other.embedder));
        let notebook =
            ProjectNotebook::new(&parts.root, parts.notebook.clone(), config.modules.clone());
        let indexer = Arc::new(Indexer::new(Arc::new(source), primary, fallback));
        let runs = config.query_timeout.map(|timeout| SharedRuns::new(indexer.clone(), timeout));
        Self {
            indexer,
            notebook,
            answers: AnswerCache::default(),
            imports: Arc::default(),
            runs: runs.map(Arc::new),
            embedding: Arc::default(),
            refs: OpenRefs::default(),
            config,
        }
    }

    /// The same engine with another configuration.
    fn configured(self, change: impl FnOnce(&mut Config)) -> Self {
        let Self { mut config, indexer, .. } = self;
        change(&mut config);
        let reference = indexer.get(Active::Primary).reference().clone();
        Self::over(config, reference, indexer.source().shared_tree())
    }

    /// Uses `fallback` until the primary index has been built once.
    pub fn with_fallback(self, fallback: Fallback) -> Self {
        self.configured(|config| config.fallback = Some(fallback))
    }

    /// Uses the configured modules of the project instead of those derived from paths.
    pub fn with_modules(self, modules: Modules) -> Self {
        self.configured(|config| config.modules = modules)
    }

    /// Adds `note` to every answer that uses vectors.
    pub fn with_note(self, note: String) -> Self {
        self.configured(|config| config.note = Some(note))
    }

    /// Makes every query walk the tree, as if it could not be watched.
    pub fn unwatched(self) -> Self {
        self.configured(|config| config.is_unwatched = true)
    }

    /// An engine for concurrent use. Queries wait until changes are indexed, but no longer than `timeout` if there is
    /// an older generation.
    pub fn shared(parts: Parts, timeout: Option<Duration>) -> Arc<Self> {
        Self::new(parts).into_shared(timeout)
    }

    /// Converts it into an engine for concurrent use, as [`Engine::shared`] returns.
    pub fn into_shared(self, timeout: Option<Duration>) -> Arc<Self> {
        let timeout = timeout.unwrap_or(QUERY_TIMEOUT);
        Arc::new(self.configured(|config| config.query_timeout = Some(timeout)))
    }

    /// The engine of another ref of the same project.
    pub(crate) fn sibling(&self, reference: RefName, tree: Arc<dyn FileTree>) -> Self {
        Self::over(self.config.clone(), reference, tree)
    }

    /// The project's root folder.
    pub fn root(&self) -> &Path {
        self.source().root()
    }

    /// What this engine did since it was opened.
    pub fn counts(&self) -> Counts {
        let (cache_hits, cache_misses) = self.answers.counts();
        Counts { index_runs: self.indexer.runs(), cache_hits, cache_misses }
    }

    /// The notebook of the project.
    pub fn notebook(&self) -> &ProjectNotebook {
        &self.notebook
    }

    /// Walks the project, without reading or changing anything.
    pub fn walk(&self) -> Result<WalkResult, EngineError> {
        Ok(self.source().walk()?)
    }

    /// The newest generation, without checking for changes; `None` if the project was never indexed.
    pub fn generation(&self) -> Result<Option<GenerationInfo>, EngineError> {
        Ok(self.newest()?.map(|snapshot| snapshot.info()))
    }

    /// The identity of the configured embedder.
    pub fn embedder_identity(&self) -> Option<EmbedderIdentity> {
        self.primary().embedder_identity()
    }

    pub(crate) fn source(&self) -> &Arc<SourceTree> {
        self.indexer.source()
    }

    pub(crate) fn indexer(&self) -> &Arc<Indexer> {
        &self.indexer
    }

    pub(crate) fn runs(&self) -> Option<&Arc<SharedRuns>> {
        self.runs.as_ref()
    }

    pub(crate) fn embedding(&self) -> &Arc<BackgroundEmbedding> {
        &self.embedding
    }

    pub(crate) fn answers(&self) -> &AnswerCache {
        &self.answers
    }

    pub(crate) fn imports(&self) -> &ImportCache {
        &self.imports
    }

    pub(crate) fn refs(&self) -> &OpenRefs<Engine> {
        &self.refs
    }

    pub(crate) fn ranking(&self) -> &Ranking {
        &self.config.parts.ranking
    }

    pub(crate) fn note(&self) -> Option<&str> {
        self.config.note.as_deref()
    }

    /// The index of the configured embedder.
    pub(crate) fn primary(&self) -> &Index {
        self.indexer.get(Active::Primary)
    }

    /// The active index: the primary one or the fallback.
    pub(crate) fn active(&self) -> &Index {
        self.indexer.get(self.indexer.active())
    }

    /// The newest generation of the active index.
    pub(crate) fn newest(&self) -> Result<Option<Arc<dyn Snapshot>>, EngineError> {
        Ok(self.active().newest()?)
    }

    /// Resolves the generation for a request; `None` if nothing is indexed.
    pub(crate) fn resolve(&self) -> Result<Option<Resolved>, EngineError> {
        let active = self.indexer.active();
        let index = self.indexer.get(active);
        if let Some(snapshot) = index.newest()? {
            return Ok(Some(self.resolved(active, snapshot, Origin::Newest)));
        }
        Ok(index.previous()?.map(|previous| {
            let origin = Origin::Previous { same_embedder: previous.same_embedder };
            self.resolved(active, previous.snapshot, origin)
        }))
    }

    pub(crate) fn resolved(
        &self,
        active: Active,
        snapshot: Arc<dyn Snapshot>,
        origin: Origin,
    ) -> Resolved {
        let reader =
            Reader { snapshot, source: self.source().clone(), imports: self.imports.clone() };
        Resolved { active, reader, origin }
    }

    /// A reader of the newest generation of this version of the program.
    pub(crate) fn newest_reader(&self) -> Result<Option<Reader>, EngineError> {
        let active = self.indexer.active();
        let newest = self.indexer.get(active).newest()?;
        Ok(newest.map(|snapshot| self.resolved(active, snapshot, Origin::Newest).reader))
    }
}
