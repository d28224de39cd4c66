//! The engine of one project.

use crate::cache::AnswerCache;
use crate::error::EngineError;
use crate::index::change::Changes;
use crate::index::tree::{Tree, WorkingTree};
use crate::index::walk::{WalkOptions, Walked};
use crate::notebook::{Modules, NoteCaches};
use crate::outline::ImportCache;
use crate::query::ranking::Ranking;
use crate::refs::Others;
use crate::update::{PATIENCE as PATIENCE_WITH_CHANGES, Updates};
use crate::watch::Watch;
use groma_core::{
    Embedder, EmbedderIdentity, GenerationInfo, Manifest, Notebook, PreviousIndex, RefName,
    Snapshot, Store,
};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

mod completion;
mod current;
mod generation;
mod keeper;
mod listing;
mod report;
mod runs;
mod search;
mod vectors;

use completion::Completion;
pub(crate) use generation::bare;
pub use keeper::Kept;
use listing::LastWalk;
pub(crate) use listing::Listing;
pub use report::IndexReport;
pub use search::MOST_HITS;
pub(crate) use vectors::Effort;

/// How long a request waits for another process that is indexing the same project.
pub(crate) const PATIENCE: Duration = Duration::from_secs(120);

/// What an engine is made of. The engines of a project's refs share it.
#[derive(Clone)]
pub struct Parts {
    /// The project's root folder.
    pub root: PathBuf,
    /// Where the index lives.
    pub store: Arc<dyn Store>,
    /// What is noted about the project; `None` notes nothing.
    pub notebook: Option<Arc<dyn Notebook>>,
    /// The model behind the vectors; `None` for an index without them.
    pub embedder: Option<Arc<dyn Embedder>>,
    /// Which files are indexed.
    pub walk: WalkOptions,
    /// The numbers behind ranking.
    pub ranking: Ranking,
}

/// The engine of one ref of a project: of its working tree, unless it was asked for by [`Engine::at`].
pub struct Engine {
    parts: Parts,
    /// Whose manifest is its index.
    reference: RefName,
    /// Its files.
    tree: Arc<dyn Tree>,
    others: Others,
    stand_in: Option<Arc<Engine>>,
    note: Option<String>,
    completion: Completion,
    snapshot: Mutex<Option<Arc<dyn Snapshot>>>,
    predecessor: Mutex<Option<PreviousIndex>>,
    cache: AnswerCache,
    imports: ImportCache,
    notes: NoteCaches,
    modules: Modules,
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
        let tree = Arc::new(WorkingTree::new(&parts.root));
        Self::over(parts, RefName::live(), tree)
    }

    /// An engine of any ref.
    fn over(parts: Parts, reference: RefName, tree: Arc<dyn Tree>) -> Self {
        Self {
            parts,
            reference,
            tree,
            others: Others::default(),
            stand_in: None,
            note: None,
            completion: Completion::default(),
            snapshot: Mutex::default(),
            predecessor: Mutex::default(),
            cache: AnswerCache::default(),
            imports: ImportCache::default(),
            notes: NoteCaches::default(),
            modules: Modules::default(),
            updates: Updates::default(),
            patience: PATIENCE_WITH_CHANGES,
            watch: Watch::default(),
            last_walk: LastWalk::default(),
            me: Weak::new(),
        }
    }

    /// Takes the modules of the project as they are given, where paths alone would tell others.
    pub fn with_modules(mut self, modules: Modules) -> Self {
        self.modules = modules;
        self
    }

    /// Which parts the project has.
    pub fn modules(&self) -> &Modules {
        &self.modules
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

    /// Has every query look at every file, as it does where nothing tells of changes.
    pub fn unwatched(self) -> Self {
        self.watch.turn_off();
        self
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
        Ok(self.tree.walk(&self.parts.walk)?)
    }

    /// Its files.
    pub(crate) fn tree(&self) -> &dyn Tree {
        &*self.tree
    }

    /// The name under which its index is stored.
    pub(crate) fn reference(&self) -> &RefName {
        &self.reference
    }

    pub(crate) fn others(&self) -> &Others {
        &self.others
    }

    pub(crate) fn stand_in(&self) -> Option<&Engine> {
        self.stand_in.as_deref()
    }

    /// Whether many threads ask it at once.
    fn is_shared(&self) -> bool {
        self.me.strong_count() > 0
    }

    /// The engine of another ref of the same project.
    pub(crate) fn sibling(
        &self,
        reference: RefName,
        tree: Arc<dyn Tree>,
        stand_in: Option<Arc<Engine>>,
    ) -> Arc<Self> {
        let other = Self::over(self.parts.clone(), reference, tree);
        let (note, modules) = (self.note.clone(), self.modules.clone());
        let other = Self { stand_in, note, modules, ..other };
        match self.is_shared() {
            true => other.into_shared(Some(self.patience)),
            false => Arc::new(other),
        }
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
        let generation = self.parts.store.generation(&self.reference)?;
        let mut held = self.snapshot.lock().unwrap_or_else(PoisonError::into_inner);
        if held.as_ref().map(|snapshot| snapshot.info().generation) != generation || held.is_none()
        {
            *held = self.parts.store.snapshot(&self.reference)?;
        }
        Ok(held.clone())
    }

    /// What can be answered from: the newest generation, or until there is one what another version of the program
    /// left.
    pub(crate) fn readable(&self) -> Result<Option<Arc<dyn Snapshot>>, EngineError> {
        let engine = self.answering();
        Ok(match engine.own_newest()? {
            Some(snapshot) => Some(snapshot),
            None => engine.predecessor()?.map(|old| old.snapshot),
        })
    }

    /// What another version of the program left, for as long as this one has made nothing.
    pub(crate) fn predecessor(&self) -> Result<Option<PreviousIndex>, EngineError> {
        let mut held = self.predecessor.lock().unwrap_or_else(PoisonError::into_inner);
        if !self.parts.store.is_outdated()? {
            *held = None;
        } else if held.is_none() {
            *held = self.parts.store.previous_index(&self.reference)?;
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
