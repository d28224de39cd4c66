//! The state machine of a run: the table, and every transition as it really happens.

use super::*;
use groma_core::{
    Cancel, CommitReport, EmbedError, Embedder, EmbedderIdentity, IndexedFile, IndexedRef, JobLog,
    Leases, Manifest, Pipeline, RefName, Remote, Snapshot, Store, StoreSize, StoredVersions,
    TextRole, Vector, VersionKey,
};
use groma_files::{WalkOptions, WorkingTree};
use groma_store::MemoryStore;
use std::fs;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use tempfile::TempDir;

const STATES: [State; 7] = [
    State::Scan,
    State::Acquire,
    State::Rescan,
    State::Write,
    State::Repair,
    State::FallBack,
    State::Done,
];

const EVENTS: [Event; 9] = [
    Event::Current,
    Event::VectorsLeft,
    Event::Changed,
    Event::Writer,
    Event::Superseded,
    Event::Cleared,
    Event::Reset,
    Event::Damaged,
    Event::EmbedderUnavailable,
];

#[test]
fn the_table_has_these_transitions_and_no_others() {
    let mut table = String::new();
    for state in STATES {
        for event in EVENTS {
            if let Some(next) = state.after(event) {
                table.push_str(&format!("{state:?} {event:?} {next:?}\n"));
            }
        }
    }
    assert_eq!(
        table,
        "Scan Current Done\n\
         Scan VectorsLeft Scan\n\
         Scan Changed Acquire\n\
         Scan Damaged Repair\n\
         Acquire Writer Write\n\
         Acquire Superseded Rescan\n\
         Acquire Cleared Done\n\
         Acquire Damaged Repair\n\
         Rescan Current Done\n\
         Rescan VectorsLeft Scan\n\
         Rescan Changed Acquire\n\
         Rescan Damaged Repair\n\
         Write Current Done\n\
         Write VectorsLeft Scan\n\
         Write Superseded Scan\n\
         Write Damaged Repair\n\
         Write EmbedderUnavailable FallBack\n\
         Repair Reset Scan\n\
         FallBack Reset Scan\n"
    );
}

/// What happens at the next chance.
type Accident = Box<dyn FnOnce(&MemoryStore) + Send>;

/// A store in memory to which things happen.
struct Faulty {
    store: MemoryStore,
    /// Reading fails until it is cleared.
    is_damaged: AtomicBool,
    /// The next commit finds another generation than it followed.
    is_overtaken: Arc<AtomicBool>,
    /// Happens before the next writer is given out.
    accident: Mutex<Option<Accident>>,
}

impl Faulty {
    fn new(embedder: Option<EmbedderIdentity>) -> Arc<Self> {
        Arc::new(Self {
            store: MemoryStore::new(Pipeline { version: 1, embedder }),
            is_damaged: AtomicBool::default(),
            is_overtaken: Arc::default(),
            accident: Mutex::default(),
        })
    }

    fn next(&self, accident: impl FnOnce(&MemoryStore) + Send + 'static) {
        *self.accident.lock().unwrap() = Some(Box::new(accident));
    }
}

impl Store for Faulty {
    fn snapshot(&self, reference: &RefName) -> Result<Option<Arc<dyn Snapshot>>, StoreError> {
        self.store.snapshot(reference)
    }

    fn generation(&self, reference: &RefName) -> Result<Option<Generation>, StoreError> {
        if self.is_damaged.load(Relaxed) {
            return Err(StoreError::damaged("a broken block"));
        }
        self.store.generation(reference)
    }

    fn refs(&self) -> Result<Vec<IndexedRef>, StoreError> {
        self.store.refs()
    }

    fn referenced_versions(&self, hash: u64, keys: &[VersionKey]) -> Result<Vec<bool>, StoreError> {
        self.store.referenced_versions(hash, keys)
    }

    fn forget(&self, reference: &RefName) -> Result<bool, StoreError> {
        self.store.forget(reference)
    }

    fn writer(&self) -> Result<Box<dyn Writer>, StoreError> {
        if let Some(accident) = self.accident.lock().unwrap().take() {
            accident(&self.store);
        }
        let writer = self.store.writer()?;
        Ok(Box::new(FaultyWriter { writer, is_overtaken: self.is_overtaken.clone() }))
    }

    fn replacing_writer(&self) -> Result<Box<dyn Writer>, StoreError> {
        self.store.replacing_writer()
    }

    fn clear(&self) -> Result<(), StoreError> {
        self.is_damaged.store(false, Relaxed);
        self.store.clear()
    }

    fn size(&self) -> Result<StoreSize, StoreError> {
        self.store.size()
    }

    fn is_outdated(&self) -> Result<bool, StoreError> {
        self.store.is_outdated()
    }

    fn leases(&self) -> &dyn Leases {
        self.store.leases()
    }

    fn job_log(&self) -> &dyn JobLog {
        self.store.job_log()
    }
}

struct FaultyWriter {
    writer: Box<dyn Writer>,
    is_overtaken: Arc<AtomicBool>,
}

impl Writer for FaultyWriter {
    fn known(&self, keys: &[VersionKey]) -> Result<Vec<bool>, StoreError> {
        self.writer.known(keys)
    }

    fn stored(&self) -> Arc<dyn StoredVersions> {
        self.writer.stored()
    }

    fn add(&mut self, files: Vec<IndexedFile>) -> Result<(), StoreError> {
        self.writer.add(files)
    }

    fn commit(
        self: Box<Self>,
        reference: &RefName,
        manifest: &Manifest,
    ) -> Result<CommitReport, StoreError> {
        if self.is_overtaken.swap(false, Relaxed) {
            return Err(StoreError::superseded());
        }
        self.writer.commit(reference, manifest)
    }
}

/// A remote embedder that fails from some call on.
struct FarEmbedder {
    calls: AtomicUsize,
    fails_at: usize,
}

impl Embedder for FarEmbedder {
    fn identity(&self) -> EmbedderIdentity {
        EmbedderIdentity { name: "far".into(), version: "1".into(), dimensions: 2 }
    }

    fn embed(&self, _: TextRole, texts: &[&str]) -> Result<Vec<Vector>, EmbedError> {
        if self.calls.fetch_add(1, Relaxed) >= self.fails_at {
            return Err(EmbedError::Unavailable("no answer".into()));
        }
        Ok(texts.iter().map(|_| Vector::quantise(&[1.0, 0.0])).collect())
    }

    fn remote(&self) -> Option<Remote> {
        Some(Remote { batch: 8, concurrency: 1 })
    }
}

/// A project with an indexer over a faulty store.
struct Fixture {
    project: TempDir,
    store: Arc<Faulty>,
    indexer: Indexer,
}

impl Fixture {
    fn new(embedder: Option<Arc<dyn Embedder>>, with_fallback: bool) -> Self {
        let project = TempDir::new().unwrap();
        let store = Faulty::new(embedder.as_ref().map(|embedder| embedder.identity()));
        let tree = Arc::new(WorkingTree::new(project.path()));
        let source = SourceTree::new(project.path(), tree, WalkOptions::default());
        let primary = Index::new(store.clone(), RefName::live(), embedder);
        let fallback = with_fallback.then(|| Index::new(Faulty::new(None), RefName::live(), None));
        let indexer = Indexer::new(Arc::new(source), primary, fallback);
        let fixture = Self { project, store, indexer };
        fixture.write("a.rs");
        fixture
    }

    fn write(&self, name: &str) {
        fs::write(self.project.path().join(name), format!("fn {}() {{}}\n", &name[..1])).unwrap();
    }

    /// The states of a run, and its report.
    fn run(&self, goal: Goal, active: Active) -> (String, IndexReport) {
        let (cancel, mut states) = (Cancel::default(), Vec::new());
        let run = Run::new(goal, &(), &cancel).on(active);
        let report = Machine::new(&self.indexer, &run).run(&mut |state| states.push(state));
        let states: Vec<String> = states.iter().map(|state| format!("{state:?}")).collect();
        (states.join(" "), report.unwrap())
    }

    fn states(&self, goal: Goal) -> String {
        self.run(goal, Active::Primary).0
    }
}

/// Commits an empty generation, as another process might.
fn commit_elsewhere(store: &MemoryStore) {
    let manifest = Manifest { options_hash: 1, ..Manifest::default() };
    store.writer().unwrap().commit(&RefName::live(), &manifest).unwrap();
}

#[test]
fn an_index_is_built_and_found_current() {
    let fixture = Fixture::new(None, false);
    assert_eq!(fixture.states(Goal::Keywords), "Scan Acquire Write Done");
    assert_eq!(fixture.states(Goal::Keywords), "Scan Done");
    assert_eq!(fixture.states(Goal::Rebuild), "Acquire Write Done");
}

#[test]
fn a_superseded_run_rescans() {
    let fixture = Fixture::new(None, false);
    fixture.store.next(commit_elsewhere);
    assert_eq!(fixture.states(Goal::Complete), "Scan Acquire Rescan Acquire Write Done");
    fixture.write("b.rs");
    fixture.store.is_overtaken.store(true, Relaxed);
    let states = fixture.states(Goal::Keywords);
    assert_eq!(states, "Scan Acquire Write Scan Acquire Write Done", "refused at the commit");
}

#[test]
fn an_index_cleared_meanwhile_is_rebuilt_only_on_request() {
    let fixture = Fixture::new(None, false);
    fixture.run(Goal::Keywords, Active::Primary);
    for (goal, states) in
        [(Goal::Keywords, "Scan Acquire Done"), (Goal::Complete, "Scan Acquire Write Done")]
    {
        fixture.write("b.rs");
        fixture.store.next(|store| store.clear().unwrap());
        assert_eq!(fixture.states(goal), states, "{goal:?}");
        fs::remove_file(fixture.project.path().join("b.rs")).unwrap();
    }
}

#[test]
fn a_damaged_index_is_deleted_and_rebuilt() {
    let fixture = Fixture::new(None, false);
    fixture.run(Goal::Keywords, Active::Primary);
    fixture.store.is_damaged.store(true, Relaxed);
    let (states, report) = fixture.run(Goal::Keywords, Active::Primary);
    assert_eq!(states, "Scan Repair Scan Acquire Write Done");
    assert_eq!(report.notes, ["the index was damaged (a broken block) and has been rebuilt"]);
}

#[test]
fn a_query_does_not_wait_for_a_remote_embedder_to_repair_its_index() {
    let far = Arc::new(FarEmbedder { calls: AtomicUsize::new(0), fails_at: usize::MAX });
    let fixture = Fixture::new(Some(far), true);
    fixture.run(Goal::Complete, Active::Primary);
    fixture.store.is_damaged.store(true, Relaxed);
    let (states, report) = fixture.run(Goal::Quick, Active::Primary);
    assert_eq!(states, "Scan Repair Scan Acquire Write Done");
    assert!(report.notes[0].ends_with("was deleted; `groma index` rebuilds it"), "{report:?}");
    assert_eq!(fixture.indexer.active(), Active::Fallback);
}

#[test]
fn an_unavailable_embedder_leaves_the_fallback() {
    let far = Arc::new(FarEmbedder { calls: AtomicUsize::new(0), fails_at: 0 });
    let fixture = Fixture::new(Some(far), true);
    let (states, report) = fixture.run(Goal::Complete, Active::Primary);
    assert_eq!(states, "Scan Acquire Write FallBack Scan Acquire Write Done");
    assert_eq!((report.files, report.notes.len()), (1, 1));
    assert_eq!(fixture.indexer.active(), Active::Fallback);
}

#[test]
fn a_complete_run_continues_until_no_vector_is_missing() {
    let far = Arc::new(FarEmbedder { calls: AtomicUsize::new(0), fails_at: usize::MAX });
    let fixture = Fixture::new(Some(far), false);
    fixture.run(Goal::Keywords, Active::Primary);
    for number in 0..2 * MAX_REMOTE_FILES {
        fs::write(fixture.project.path().join(format!("f{number}.rs")), "fn f() {}\n").unwrap();
    }
    let (states, report) = fixture.run(Goal::Complete, Active::Primary);
    assert!(states.starts_with("Scan Acquire Write Scan Acquire Write"), "{states}");
    assert!(states.ends_with("Write Done") && report.without_vectors == 0, "{states}");
    assert_eq!(fixture.states(Goal::Complete), "Scan Done");
}

#[test]
fn a_cancelled_run_commits_nothing() {
    let fixture = Fixture::new(None, false);
    let cancel = Cancel::default();
    cancel.cancel();
    let run = Run::new(Goal::Complete, &(), &cancel);
    assert!(matches!(fixture.indexer.run(&run), Err(IndexError::Cancelled)));
    assert!(fixture.indexer.get(Active::Primary).newest().unwrap().is_none());
}
