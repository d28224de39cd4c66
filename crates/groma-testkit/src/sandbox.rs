//! A project in a temporary folder with an engine over it.

use crate::fixture::{DIMENSIONS, embed};
use crate::{Calls, Tree};
use groma_core::{
    EmbedError, Embedder, EmbedderIdentity, Notebook, Pipeline, Store, StoreError, StoreErrorKind,
    TextRole, Vector,
};
use groma_engine::{
    Cancel, Engine, EngineError, Fallback, IndexReport, PIPELINE_VERSION, Parts, Ranking,
    SearchAnswer, SearchRequest, WalkOptions,
};
use groma_store::{
    EmbeddedNotebook, EmbeddedStore, MemoryNotebook, MemoryStore, Ports, SqliteLedger,
};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tempfile::TempDir;

/// The embedder of the fixtures: texts with the same words point the same way.
#[derive(Clone, Copy, Debug, Default)]
pub struct WordEmbedder;

impl Embedder for WordEmbedder {
    fn identity(&self) -> EmbedderIdentity {
        EmbedderIdentity { name: "words".into(), version: "1".into(), dimensions: DIMENSIONS }
    }

    fn embed(&self, _: TextRole, texts: &[&str]) -> Result<Vec<Vector>, EmbedError> {
        Ok(texts.iter().map(|text| embed(text)).collect())
    }
}

/// Where the index of a sandbox is kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Keep {
    /// In a temporary folder.
    #[default]
    OnDisk,
    /// In memory: quicker, and an oracle for the other.
    InMemory,
}

/// The configuration of a sandbox and its engine.
#[derive(Clone)]
pub struct Setup {
    /// Where its index is kept.
    pub keep: Keep,
    /// The model behind the vectors.
    pub embedder: Option<Arc<dyn Embedder>>,
    /// Which files are indexed.
    pub walk: WalkOptions,
    /// The weights of the ranking signals.
    pub ranking: Ranking,
    /// Counts the calls of an index on disk to its ports.
    pub calls: Option<Arc<Calls>>,
}

impl Default for Setup {
    fn default() -> Self {
        Self {
            keep: Keep::OnDisk,
            embedder: Some(Arc::new(WordEmbedder)),
            walk: WalkOptions::default(),
            ranking: Ranking::default(),
            calls: None,
        }
    }
}

impl Setup {
    /// The defaults, with the index in memory.
    pub fn in_memory() -> Self {
        Self { keep: Keep::InMemory, ..Self::default() }
    }

    /// An engine over any folder, its index in memory.
    pub fn engine(self, root: &Path) -> Engine {
        engine(root, root, &Self { keep: Keep::InMemory, ..self })
    }

    /// The parts of an engine over any folder, its index in the folder `index`.
    pub fn parts(&self, root: &Path, index: &Path) -> Result<Parts, StoreError> {
        let embedder = self.embedder.clone();
        let pipeline = Pipeline {
            version: PIPELINE_VERSION,
            embedder: embedder.as_ref().map(|embedder| embedder.identity()),
        };
        Ok(Parts {
            root: root.to_path_buf(),
            store: store(index, self, pipeline)?,
            notebook: Some(notebook(index, self.keep)),
            embedder,
            walk: self.walk.clone(),
            ranking: self.ranking,
        })
    }
}

/// A project in a temporary folder with an engine over it. Both go away with it.
pub struct Sandbox {
    project: TempDir,
    index: TempDir,
    setup: Setup,
    engine: Engine,
    clock: AtomicU64,
}

impl Sandbox {
    /// A project of the files in `text` (each follows a line `//- path`), its index on disk.
    pub fn new(text: &str) -> Self {
        Self::with(Setup::default(), text)
    }

    /// The same with the index in memory.
    pub fn in_memory(text: &str) -> Self {
        Self::with(Setup::in_memory(), text)
    }

    /// The same with an engine of your own making.
    pub fn with(setup: Setup, text: &str) -> Self {
        let project = tempfile::tempdir().expect("a temporary folder");
        let index = tempfile::tempdir().expect("a temporary folder");
        let engine = engine(project.path(), index.path(), &setup);
        let sandbox = Self { project, index, setup, engine, clock: AtomicU64::new(0) };
        for (path, text) in Tree::parse(text).files() {
            sandbox.write(path, text);
        }
        sandbox
    }

    /// The engine.
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// The project's root folder.
    pub fn root(&self) -> &Path {
        self.project.path()
    }

    /// The folder of the index.
    pub fn index_folder(&self) -> &Path {
        self.index.path()
    }

    /// The absolute path of a file.
    pub fn path(&self, path: &str) -> PathBuf {
        self.root().join(path)
    }

    /// Another engine over the same project and index, as another process would have it.
    pub fn another(&self) -> Engine {
        engine(self.root(), self.index_folder(), &self.setup)
    }

    /// The project's index as the fallback of an engine with another embedder.
    pub fn fallback(&self) -> Fallback {
        let Parts { store, embedder, .. } = parts(self.root(), self.index_folder(), &self.setup);
        Fallback { store, embedder }
    }

    /// The same as a server has it: asked by many threads, changes indexed behind its queries.
    pub fn shared(&self, timeout: Duration) -> Arc<Engine> {
        Engine::shared(parts(self.root(), self.index_folder(), &self.setup), Some(timeout))
    }

    /// A new engine over the same project, with an empty index in memory.
    pub fn fresh(&self) -> Engine {
        engine(
            self.root(),
            self.index_folder(),
            &Setup { keep: Keep::InMemory, ..self.setup.clone() },
        )
    }

    /// Closes the engine and opens another with a changed setup.
    pub fn reopen(&mut self, change: impl FnOnce(&mut Setup)) {
        change(&mut self.setup);
        self.engine = self.another();
    }

    /// Writes a file, long enough ago that its stamp is not racy; no two writes are at the same time.
    pub fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        self.save(path, text);
        self.touch(path);
    }

    /// Writes a file now, as an editor does.
    pub fn save(&self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().expect("a file is in a folder")).expect("a folder");
        fs::write(path, text).expect("a file");
    }

    /// Gives a file a new time of change.
    pub fn touch(&self, path: &str) {
        let seconds = 1_500_000_000 + self.clock.fetch_add(1, Ordering::Relaxed);
        self.set_time(path, UNIX_EPOCH + Duration::from_secs(seconds));
    }

    /// When a file was changed.
    pub fn time(&self, path: &str) -> SystemTime {
        fs::metadata(self.path(path)).and_then(|found| found.modified()).expect("a file")
    }

    /// Sets when a file was changed.
    pub fn set_time(&self, path: &str, time: SystemTime) {
        let file = File::options().write(true).open(self.path(path)).expect("a file");
        file.set_modified(time).expect("a time");
    }

    /// Writes as many other bytes into a file and gives it back its time, as `cp -p` does. The ctime has a
    /// coarse granularity, so this waits for the next tick.
    #[cfg(unix)]
    pub fn restore(&self, path: &str, text: &str) {
        use std::os::unix::fs::MetadataExt;
        let changed = |path: &Path| {
            let metadata = fs::metadata(path).expect("a file");
            (metadata.ctime(), metadata.ctime_nsec())
        };
        let (before, time) = (changed(&self.path(path)), self.time(path));
        assert_eq!(fs::metadata(self.path(path)).expect("a file").len(), text.len() as u64);
        while {
            self.save(path, text);
            self.set_time(path, time);
            changed(&self.path(path)) == before
        } {}
    }

    /// Removes a file.
    pub fn remove(&self, path: &str) {
        fs::remove_file(self.path(path)).expect("a file");
    }

    /// Renames a file.
    pub fn rename(&self, from: &str, to: &str) {
        let to = self.path(to);
        fs::create_dir_all(to.parent().expect("a file is in a folder")).expect("a folder");
        fs::rename(self.path(from), to).expect("a file");
    }

    /// Brings the index up to date.
    pub fn index(&self) -> IndexReport {
        self.engine.index(&(), &Cancel::default()).expect("an index")
    }

    /// Answers a request on the tree as it is now.
    pub fn ask(&self, request: &SearchRequest) -> SearchAnswer {
        self.try_ask(request).expect("an answer")
    }

    /// The same, where an error may be the answer.
    pub fn try_ask(&self, request: &SearchRequest) -> Result<SearchAnswer, EngineError> {
        self.engine.search(request, &(), &Cancel::default())
    }

    /// Answers a question with the defaults.
    pub fn search(&self, query: &str) -> SearchAnswer {
        self.ask(&SearchRequest::new(query))
    }

    /// The files a question leads to, best first, each once.
    pub fn found(&self, query: &str) -> Vec<String> {
        let mut paths: Vec<String> = Vec::new();
        for hit in self.search(query).hits {
            if !paths.contains(&hit.path.to_string()) {
                paths.push(hit.path.to_string());
            }
        }
        paths
    }
}

fn engine(root: &Path, index: &Path, setup: &Setup) -> Engine {
    Engine::new(parts(root, index, setup))
}

fn parts(root: &Path, index: &Path, setup: &Setup) -> Parts {
    setup.parts(root, index).expect("a store")
}

fn notebook(folder: &Path, keep: Keep) -> Arc<dyn Notebook> {
    match keep {
        Keep::OnDisk => Arc::new(EmbeddedNotebook::new(folder)),
        Keep::InMemory => Arc::new(MemoryNotebook::default()),
    }
}

/// A store; where the one in the folder cannot even be opened, one that is damaged.
fn store(folder: &Path, setup: &Setup, pipeline: Pipeline) -> Result<Arc<dyn Store>, StoreError> {
    if setup.keep == Keep::InMemory {
        return Ok(Arc::new(MemoryStore::new(pipeline)));
    }
    if let Some(calls) = &setup.calls {
        let ports = calls.count(Ports::new(folder, SqliteLedger::open(folder)?));
        return Ok(Arc::new(EmbeddedStore::with_ports(ports, pipeline)));
    }
    let opened = match EmbeddedStore::open(folder, pipeline.clone()) {
        Err(error) if error.is(StoreErrorKind::Damaged) => {
            EmbeddedStore::open_damaged(folder, pipeline, &error)
        }
        other => other,
    };
    Ok(Arc::new(opened?))
}
