//! The engine of one project.

use crate::cache::AnswerCache;
use crate::error::EngineError;
use crate::index::change::Changes;
use crate::index::walk::{WalkOptions, Walked, walk};
use crate::notebook::NoteCaches;
use crate::outline::ImportCache;
use crate::query::ranking::Ranking;
use crate::update::{PATIENCE as PATIENCE_WITH_CHANGES, Updates};
use crate::watch::Watch;
use groma_core::{
    Embedder, EmbedderIdentity, GenerationInfo, Manifest, Notebook, RefName, Snapshot, Store,
};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

mod completion;
mod current;
mod generation;
mod report;
mod runs;
mod search;
mod tree;
mod vectors;

use completion::Completion;
pub(crate) use generation::bare;
pub use report::IndexReport;
pub use search::MOST_HITS;
use tree::LastWalk;
pub(crate) use tree::Tree;
pub(crate) use vectors::Effort;

/// How long a request waits for another process that is indexing the same project.
pub(crate) const PATIENCE: Duration = Duration::from_secs(120);

/// What an engine is made of.
pub struct Parts {
    /// The project's root folder.
    pub root: PathBuf,
    /// Where the index lives.
    pub store: Box<dyn Store>,
    /// What is noted about the project; `None` notes nothing.
    pub notebook: Option<Box<dyn Notebook>>,
    /// The model behind the vectors; `None` for an index without them.
    pub embedder: Option<Box<dyn Embedder>>,
    /// Which files are indexed.
    pub walk: WalkOptions,
    /// The numbers behind ranking.
    pub ranking: Ranking,
}

/// The engine of one project.
pub struct Engine {
    parts: Parts,
    stand_in: Option<Arc<Engine>>,
    note: Option<String>,
    completion: Completion,
    snapshot: Mutex<Option<Arc<dyn Snapshot>>>,
    cache: AnswerCache,
    imports: ImportCache,
    notes: NoteCaches,
    updates: Updates,
    patience: Duration,
    watch: Watch,
    last_walk: LastWalk,
    /// The engine itself, where it is shared: an index run that outlives a query needs to hold it.
    me: Weak<Engine>,
}

impl Engine {
    /// An engine. Nothing is read before the first request.
    pub fn new(parts: Parts) -> Self {
        Self {
            parts,
            stand_in: None,
            note: None,
            completion: Completion::default(),
            snapshot: Mutex::default(),
            cache: AnswerCache::default(),
            imports: ImportCache::default(),
            notes: NoteCaches::default(),
            updates: Updates::default(),
            patience: PATIENCE_WITH_CHANGES,
            watch: Watch::default(),
            last_walk: LastWalk::default(),
            me: Weak::new(),
        }
    }

    /// An engine that many threads ask at once. Changes are indexed behind its queries, which wait for them, but
    /// no longer than `patience` where an older generation can answer.
    pub fn shared(parts: Parts, patience: Option<Duration>) -> Arc<Self> {
        Self::new(parts).into_shared(patience)
    }

    /// Makes it one that many threads ask at once, as [`Engine::shared`] does. Who stands in for it is shared by
    /// itself, or else indexes changes in the queries.
    pub fn into_shared(self, patience: Option<Duration>) -> Arc<Self> {
        Arc::new_cyclic(|me| Self {
            me: me.clone(),
            patience: patience.unwrap_or(PATIENCE_WITH_CHANGES),
            ..self
        })
    }

    pub(crate) fn updates(&self) -> &Updates {
        &self.updates
    }

    pub(crate) fn patience(&self) -> Duration {
        self.patience
    }

    pub(crate) fn watching(&self) -> &Watch {
        &self.watch
    }

    /// The project's root folder.
    pub fn root(&self) -> &Path {
        &self.parts.root
    }

    /// What a walk finds, without reading or changing anything.
    pub fn walk(&self) -> Result<Walked, EngineError> {
        Ok(walk(&self.parts.root, &self.parts.walk)?)
    }

    pub(crate) fn changes(&self, walked: &Walked, before: &Manifest) -> Changes {
        Changes::between(walked, before, self.parts.walk.fingerprint())
    }

    /// The newest generation as it is, without looking for changes; `None` when the project was never indexed.
    pub fn generation(&self) -> Result<Option<GenerationInfo>, EngineError> {
        Ok(self.newest()?.map(|snapshot| snapshot.info()))
    }

    /// The newest committed generation of the engine that answers.
    pub(crate) fn newest(&self) -> Result<Option<Arc<dyn Snapshot>>, EngineError> {
        self.answering().own_newest()
    }

    /// The newest committed generation, kept open until there is a newer one.
    fn own_newest(&self) -> Result<Option<Arc<dyn Snapshot>>, EngineError> {
        let generation = self.parts.store.generation()?;
        let mut held = self.snapshot.lock().unwrap_or_else(PoisonError::into_inner);
        if held.as_ref().map(|snapshot| snapshot.info().generation) != generation || held.is_none()
        {
            *held = self.parts.store.snapshot(&RefName::live())?;
        }
        Ok(held.clone())
    }

    pub(crate) fn notes(&self) -> &NoteCaches {
        &self.notes
    }

    pub(crate) fn embedder(&self) -> Option<&dyn Embedder> {
        self.parts.embedder.as_deref()
    }

    /// The imports of the engine that answers: generations of two stores may have the same number.
    pub(crate) fn imports(&self) -> &ImportCache {
        &self.answering().imports
    }

    pub(crate) fn notebook(&self) -> Option<&dyn Notebook> {
        self.parts.notebook.as_deref()
    }

    pub(crate) fn walk_options(&self) -> &WalkOptions {
        &self.parts.walk
    }

    pub(crate) fn store(&self) -> &dyn Store {
        &*self.parts.store
    }

    /// The model behind the vectors.
    pub fn embedder_identity(&self) -> Option<EmbedderIdentity> {
        self.parts.embedder.as_ref().map(|embedder| embedder.identity())
    }

    fn is_remote(&self) -> bool {
        self.parts.embedder.as_ref().is_some_and(|embedder| embedder.remote().is_some())
    }

    pub(crate) fn embedder_name(&self) -> Option<String> {
        self.embedder_identity().map(|identity| identity.to_string())
    }
}
