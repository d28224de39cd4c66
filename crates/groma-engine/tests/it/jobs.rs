//! Index runs in the background.

use groma_core::{
    Embedder, Generation, IndexedRef, JobLog, JobMode, JobRecord, JobState, JobTask, Leases,
    Pipeline, RefName, Snapshot, Store, StoreError, StoreSize, VersionKey, Writer,
};
use groma_engine::{
    Engine, Job, JobError, JobRequest, Jobs, PIPELINE_VERSION, Parts, Ranking, Readiness,
    SearchRequest, WalkOptions,
};
use groma_store::{EmbeddedStore, MemoryStore};
use groma_testkit::{Gate, Sandbox, Setup, WordEmbedder};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

const TREE: &str = "//- src/a.rs\nfn alpha() {}\n//- src/b.rs\nfn beta() {}\n";

/// Longer than any of these jobs takes; reached only by a test that fails.
const TIMEOUT: Duration = Duration::from_secs(30);

fn request(task: JobTask, force: bool) -> JobRequest {
    JobRequest { task, reference: RefName::live(), force }
}

fn jobs(sandbox: &Sandbox) -> Jobs {
    Jobs::new(Arc::new(sandbox.another()))
}

fn until(what: &str, holds: impl Fn() -> bool) {
    let started = Instant::now();
    while !holds() {
        assert!(started.elapsed() < TIMEOUT, "never {what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// The last job, once it is over.
fn ended(jobs: &Jobs) -> JobRecord {
    until("over", || jobs.active().unwrap().is_none());
    jobs.recent(1).unwrap().remove(0)
}

/// Another door to the same index.
fn store(sandbox: &Sandbox) -> EmbeddedStore {
    let pipeline = Pipeline { version: PIPELINE_VERSION, embedder: Some(WordEmbedder.identity()) };
    EmbeddedStore::open(sandbox.index_folder(), pipeline).unwrap()
}

fn gated(gate: &Arc<Gate>) -> Sandbox {
    Sandbox::with(Setup { embedder: Some(gate.clone()), ..Setup::default() }, TREE)
}

#[test]
fn a_job_is_published_and_remembered() {
    let sandbox = Sandbox::new(TREE);
    let jobs = jobs(&sandbox);
    let started = jobs.start(&request(JobTask::Index, false)).unwrap().record;
    assert_eq!((started.state, started.mode), (JobState::Running, JobMode::Full));
    assert_eq!((started.changed_files, started.duration_ms), (None, None));
    let done = ended(&jobs);
    assert_eq!((&done.id, done.created), (&started.id, started.created));
    assert_eq!((done.state, done.changed_files), (JobState::Succeeded, Some(2)));
    assert!(done.duration_ms.is_some() && done.message.is_empty());

    sandbox.write("src/a.rs", "fn gamma() {}\n");
    sandbox.remove("src/b.rs");
    let started = jobs.start(&request(JobTask::Update, false)).unwrap().record;
    assert_eq!((started.task, started.mode), (JobTask::Update, JobMode::Incremental));
    assert_eq!(ended(&jobs).changed_files, Some(2), "one changed and one is gone");

    let started = jobs.start(&request(JobTask::Update, true)).unwrap().record;
    assert_eq!(started.mode, JobMode::Full);
    assert_eq!(ended(&jobs).changed_files, Some(1), "all there is");

    // A later process finds the history.
    let later = self::jobs(&sandbox).recent(5).unwrap();
    let modes: Vec<_> = later.iter().map(|job| (job.mode, job.state)).collect();
    let published = |mode| (mode, JobState::Succeeded);
    let expected = [JobMode::Full, JobMode::Incremental, JobMode::Full].map(published);
    assert_eq!(modes, expected);
}

#[test]
fn one_job_runs_at_a_time_over_all_processes() {
    let gate = Gate::shut_for("beta");
    let sandbox = gated(&gate);
    let (jobs, others) = (jobs(&sandbox), jobs(&sandbox));
    let started = jobs.start(&request(JobTask::Index, false)).unwrap();
    for jobs in [&jobs, &others] {
        let refused = jobs.start(&request(JobTask::Update, false));
        let Err(JobError::Running(Some(job))) = refused else { panic!("{refused:?}") };
        assert_eq!(job.record.id, started.record.id);
        assert_eq!(jobs.active().unwrap().unwrap().record.id, started.record.id);
    }
    assert_eq!(others.recent(5).unwrap().len(), 1, "a refused request leaves no trace");
    gate.set_shut(false);
    assert_eq!(ended(&jobs).state, JobState::Succeeded);
    assert!(others.active().unwrap().is_none());
    others.start(&request(JobTask::Update, false)).unwrap();
    assert_eq!(ended(&others).changed_files, Some(0));
}

#[test]
fn progress_is_reported_during_a_job() {
    let gate = Gate::shut_for("beta");
    let sandbox = gated(&gate);
    let jobs = jobs(&sandbox);
    jobs.start(&request(JobTask::Index, false)).unwrap();
    let progress = || jobs.active().unwrap().and_then(|job: Job| job.progress);
    until("told", || progress().is_some());
    assert_eq!(progress(), Some((1, 2)));
    gate.set_shut(false);
    ended(&jobs);
}

#[test]
fn a_job_that_is_stopped_is_rolled_back() {
    let gate = Gate::shut_for("beta");
    let sandbox = gated(&gate);
    let jobs = jobs(&sandbox);
    jobs.start(&request(JobTask::Index, false)).unwrap();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(50));
            gate.set_shut(false);
        });
        // Dropping stops it.
        drop(jobs);
    });
    let jobs = self::jobs(&sandbox);
    let last = ended(&jobs);
    assert_eq!(last.state, JobState::Cancelled, "{last:?}");
    assert_eq!(sandbox.another().readiness().unwrap(), Readiness::Missing);
    assert!(jobs.resume().unwrap().is_none(), "a stopped job is not resumed");
}

#[test]
fn an_index_answers_while_it_is_made_anew() {
    let gate = Gate::shut_for("beta");
    let sandbox = gated(&gate);
    gate.set_shut(false);
    let jobs = jobs(&sandbox);
    jobs.start(&request(JobTask::Index, false)).unwrap();
    ended(&jobs);
    gate.set_shut(true);
    jobs.start(&request(JobTask::Index, true)).unwrap();
    until("busy", || jobs.active().unwrap().is_some_and(|job| job.progress.is_some()));
    let found = || sandbox.another().search_indexed(&SearchRequest::new("alpha")).unwrap().hits;
    assert_eq!(found()[0].path.as_str(), "src/a.rs");
    std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(50));
            gate.set_shut(false);
        });
        jobs.stop();
    });
    assert_eq!(ended(&jobs).state, JobState::Cancelled);
    assert_eq!(found()[0].path.as_str(), "src/a.rs", "what was indexed before still answers");
}

#[test]
fn a_job_waits_while_another_process_writes() {
    for force in [false, true] {
        let sandbox = Sandbox::new(TREE);
        let jobs = jobs(&sandbox);
        let store = store(&sandbox);
        let writer = store.writer().unwrap();
        jobs.start(&request(JobTask::Index, force)).unwrap();
        let state = || store.job_log().jobs(1).unwrap()[0].state;
        until("queued", || state() == JobState::Queued);
        drop(writer);
        assert_eq!(ended(&jobs).state, JobState::Succeeded);
    }
}

/// Leaves a record as a process does that ends while its job runs.
fn left_behind(sandbox: &Sandbox, id: &str, state: JobState) {
    let job = JobRecord {
        id: id.into(),
        task: JobTask::Update,
        reference: RefName::live(),
        mode: JobMode::Full,
        state,
        changed_files: None,
        duration_ms: None,
        created: std::time::UNIX_EPOCH,
        message: String::new(),
    };
    store(sandbox).job_log().record(&job).unwrap();
}

#[test]
fn a_job_whose_process_is_gone_is_interrupted_and_done_again() {
    for state in [JobState::Queued, JobState::Running, JobState::Committing] {
        let sandbox = Sandbox::new(TREE);
        left_behind(&sandbox, "a", state);
        let jobs = jobs(&sandbox);
        assert!(jobs.active().unwrap().is_none());
        let seen = jobs.recent(5).unwrap();
        assert_eq!((seen.len(), seen[0].state), (1, JobState::Interrupted));
        assert!(seen[0].message.contains("process ended"), "{seen:?}");
        let again = jobs.resume().unwrap().expect("done again").record;
        assert_eq!((again.task, again.mode), (JobTask::Update, JobMode::Full));
        assert_eq!(again.reference, RefName::live());
        assert_eq!(ended(&jobs).state, JobState::Succeeded);
        assert!(
            jobs.resume().unwrap().is_none() && self::jobs(&sandbox).resume().unwrap().is_none()
        );
        assert_eq!(jobs.recent(5).unwrap().len(), 2);
    }
}

#[test]
fn a_job_that_ends_its_process_twice_is_left_alone() {
    let sandbox = Sandbox::new(TREE);
    left_behind(&sandbox, "a", JobState::Interrupted);
    left_behind(&sandbox, "b", JobState::Running);
    let jobs = jobs(&sandbox);
    assert!(jobs.resume().unwrap().is_none());
    assert!(jobs.recent(5).unwrap().iter().all(|job| job.state == JobState::Interrupted));
    jobs.start(&request(JobTask::Index, false)).unwrap();
    assert_eq!(ended(&jobs).state, JobState::Succeeded, "an explicit request retries");
}

/// A store that notes the states of jobs, and may have a fault in it.
struct Spy {
    store: MemoryStore,
    is_faulty: bool,
    states: Arc<Mutex<Vec<JobState>>>,
}

impl Spy {
    /// The jobs of a project that is indexed in such a store, and the states they go through.
    fn jobs(sandbox: &Sandbox, is_faulty: bool) -> (Jobs, Arc<Mutex<Vec<JobState>>>) {
        let pipeline = Pipeline { version: PIPELINE_VERSION, embedder: None };
        let states = Arc::new(Mutex::new(Vec::new()));
        let store = Spy { store: MemoryStore::new(pipeline), is_faulty, states: states.clone() };
        let engine = Engine::new(Parts {
            root: sandbox.root().to_path_buf(),
            store: Arc::new(store),
            embedder: None,
            notebook: None,
            walk: WalkOptions::default(),
            ranking: Ranking::default(),
        });
        (Jobs::new(Arc::new(engine)), states)
    }
}

impl Store for Spy {
    fn snapshot(&self, reference: &RefName) -> Result<Option<Arc<dyn Snapshot>>, StoreError> {
        self.store.snapshot(reference)
    }

    fn generation(&self, reference: &RefName) -> Result<Option<Generation>, StoreError> {
        self.store.generation(reference)
    }

    fn refs(&self) -> Result<Vec<IndexedRef>, StoreError> {
        self.store.refs()
    }

    fn referenced_versions(
        &self,
        options_hash: u64,
        keys: &[VersionKey],
    ) -> Result<Vec<bool>, StoreError> {
        self.store.referenced_versions(options_hash, keys)
    }

    fn forget(&self, reference: &RefName) -> Result<bool, StoreError> {
        self.store.forget(reference)
    }

    fn writer(&self) -> Result<Box<dyn Writer>, StoreError> {
        assert!(!self.is_faulty, "a fault");
        self.store.writer()
    }

    fn replacing_writer(&self) -> Result<Box<dyn Writer>, StoreError> {
        self.store.replacing_writer()
    }

    fn clear(&self) -> Result<(), StoreError> {
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
        self
    }
}

impl JobLog for Spy {
    fn record(&self, job: &JobRecord) -> Result<(), StoreError> {
        self.states.lock().unwrap().push(job.state);
        self.store.job_log().record(job)
    }

    fn jobs(&self, limit: usize) -> Result<Vec<JobRecord>, StoreError> {
        self.store.job_log().jobs(limit)
    }
}

#[test]
fn a_job_goes_through_its_states() {
    use JobState::{Committing, Running, Succeeded};
    let sandbox = Sandbox::new(TREE);
    let (jobs, states) = Spy::jobs(&sandbox, false);
    jobs.start(&request(JobTask::Index, false)).unwrap();
    ended(&jobs);
    assert_eq!(*states.lock().unwrap(), [Running, Committing, Succeeded]);
}

#[test]
fn a_job_that_goes_wrong_has_failed() {
    let sandbox = Sandbox::new(TREE);
    let (jobs, _) = Spy::jobs(&sandbox, true);
    jobs.start(&request(JobTask::Index, false)).unwrap();
    let last = ended(&jobs);
    assert_eq!(last.state, JobState::Failed, "{last:?}");
    assert!(last.message.contains("internal error") && last.duration_ms.is_some(), "{last:?}");

    let sandbox = Sandbox::new(TREE);
    let jobs = self::jobs(&sandbox);
    std::fs::remove_dir_all(sandbox.root()).unwrap();
    jobs.start(&request(JobTask::Index, false)).unwrap();
    let last = ended(&jobs);
    assert_eq!(last.state, JobState::Failed);
    assert!(last.message.contains("does not exist"), "{last:?}");
}
