//! Index runs in the background: started at once, one at a time for a project, remembered.
//!
//! A job runs on a thread of its own and holds the job lease while it does. Whoever finds a record that says
//! "running" and can acquire the lease knows that the job's process died: nothing stays running for ever.

use crate::engine::Engine;
use crate::error::EngineError;
use crate::refs::View;
use groma_core::{
    Cancel, Deadline, JobMode, JobRecord, JobState, JobTask, Lease, LeaseKind, Observer, Progress,
    RefName, StoreError, with_causes,
};
use groma_index::{Goal, IndexReport, Run};
use std::hash::{BuildHasher, RandomState};
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// How many records are looked at for one that is not over.
const LOOK_BACK: usize = 10;

/// How long a job that is told to stop may take to do so.
const STOP_TIMEOUT: Duration = Duration::from_secs(5);

/// What a job is to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobRequest {
    /// What was asked for.
    pub task: JobTask,
    /// The ref it is about, as the caller knows it.
    pub reference: RefName,
    /// Whether to forget the index first.
    pub force: bool,
}

/// A job, and how far it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Job {
    /// What is remembered of it.
    pub record: JobRecord,
    /// Files done and files in all, while it runs in this process.
    pub progress: Option<(usize, usize)>,
}

/// Why a job was not started.
#[derive(Debug, thiserror::Error)]
pub enum JobError {
    /// Another job of the project runs.
    #[error("another job of this project is running")]
    Running(Option<Box<Job>>),
    /// There is no thread to be had.
    #[error("cannot start a thread for the job")]
    Thread(#[source] io::Error),
    /// The engine failed.
    #[error(transparent)]
    Engine(#[from] EngineError),
}

impl From<StoreError> for JobError {
    fn from(error: StoreError) -> Self {
        Self::Engine(error.into())
    }
}

/// The jobs of one project. Dropping it stops the one that runs.
pub struct Jobs {
    engine: Arc<Engine>,
    own: Mutex<Option<Own>>,
    looked_back: AtomicBool,
}

/// The last job of this process.
struct Own {
    watch: Arc<Watch>,
    thread: JoinHandle<()>,
}

/// What a job's thread shares with those who ask.
struct Watch {
    job: Mutex<Job>,
    cancel: Cancel,
}

impl Watch {
    fn job(&self) -> MutexGuard<'_, Job> {
        self.job.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Jobs {
    /// The jobs of an engine's project.
    pub fn new(engine: Arc<Engine>) -> Self {
        Self { engine, own: Mutex::default(), looked_back: AtomicBool::default() }
    }

    /// Starts a job and does not wait for it.
    pub fn start(&self, request: &JobRequest) -> Result<Job, JobError> {
        let mut own = self.own();
        let leases = self.engine.primary().store().leases();
        let lease = match leases.acquire(LeaseKind::Job, "", Deadline::now())? {
            Some(lease) => lease,
            None => {
                let running = match running(&own) {
                    Some(job) => Some(job),
                    None => self.unfinished()?.map(Job::from),
                };
                return Err(JobError::Running(running.map(Box::new)));
            }
        };
        self.bury(&lease)?;
        let engine = self.engine_of(&request.reference)?;
        let record = record(&engine, request)?;
        engine.primary().store().job_log().record(&record)?;
        let job = Job::from(record);
        let watch = Arc::new(Watch { job: Mutex::new(job.clone()), cancel: Cancel::default() });
        let work = Work { engine, watch: watch.clone(), force: request.force, lease };
        let thread = std::thread::Builder::new().name("groma-job".into()).spawn(|| work.run());
        *own = Some(Own { watch, thread: thread.map_err(JobError::Thread)? });
        Ok(job)
    }

    /// The job that runs, in whichever process.
    pub fn active(&self) -> Result<Option<Job>, EngineError> {
        if let Some(job) = running(&self.own()) {
            return Ok(Some(job));
        }
        let Some(record) = self.unfinished()? else { return Ok(None) };
        let leases = self.engine.primary().store().leases();
        match leases.acquire(LeaseKind::Job, "", Deadline::now())? {
            None => Ok(Some(record.into())),
            Some(lease) => {
                self.bury(&lease)?;
                Ok(None)
            }
        }
    }

    /// The jobs started last, newest first. One whose process is gone is told as interrupted.
    pub fn recent(&self, limit: usize) -> Result<Vec<JobRecord>, EngineError> {
        self.active()?;
        Ok(self.engine.primary().store().job_log().jobs(limit)?)
    }

    /// Does again what another process left undone when it ended. Looks back once. A job that was interrupted
    /// twice in a row is left alone: it may be what ends its process.
    pub fn resume(&self) -> Result<Option<Job>, JobError> {
        if self.looked_back.swap(true, Ordering::Relaxed) {
            return Ok(None);
        }
        let recent = self.recent(2)?;
        let is_interrupted = |job: &&JobRecord| job.state == JobState::Interrupted;
        let Some(last) = recent.first().filter(is_interrupted) else { return Ok(None) };
        if recent.get(1).filter(is_interrupted).is_some() {
            return Ok(None);
        }
        let (task, reference) = (last.task, last.reference.clone());
        let request = JobRequest { task, reference, force: last.mode == JobMode::Full };
        match self.start(&request) {
            // Somebody else was quicker.
            Err(JobError::Running(_)) => Ok(None),
            started => started.map(Some),
        }
    }

    /// Stops the job of this process and waits until it is over, but not for ever. Nothing it did counts.
    pub fn stop(&self) {
        let Some(own) = self.own().take() else { return };
        own.watch.cancel.cancel();
        let started = Instant::now();
        while !own.thread.is_finished() && started.elapsed() < STOP_TIMEOUT {
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    fn own(&self) -> MutexGuard<'_, Option<Own>> {
        self.own.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The record of a job that is not over, as far as anybody wrote down.
    fn unfinished(&self) -> Result<Option<JobRecord>, StoreError> {
        let jobs = self.engine.primary().store().job_log().jobs(LOOK_BACK)?;
        Ok(jobs.into_iter().find(|job| job.state.is_active()))
    }

    /// The holder of the lease knows that no other job runs: active records are of processes that died.
    fn bury(&self, _lease: &Lease) -> Result<(), StoreError> {
        let store = self.engine.primary().store();
        for mut job in
            store.job_log().jobs(LOOK_BACK)?.into_iter().filter(|job| job.state.is_active())
        {
            job.state = JobState::Interrupted;
            job.message = "its process ended before it was done; nothing it did counts".into();
            store.job_log().record(&job)?;
        }
        Ok(())
    }

    /// The engine of the ref that a job is about.
    fn engine_of(&self, reference: &RefName) -> Result<Arc<Engine>, EngineError> {
        match self.engine.at(Some(reference.as_str()))? {
            View::Own(_) => Ok(self.engine.clone()),
            View::Other(engine) => Ok(engine),
        }
    }
}

fn record(engine: &Engine, request: &JobRequest) -> Result<JobRecord, EngineError> {
    let is_first = !engine.readiness()?.is_ready();
    let mode = if request.force || is_first { JobMode::Full } else { JobMode::Incremental };
    Ok(JobRecord {
        id: job_id(),
        task: request.task,
        reference: request.reference.clone(),
        mode,
        state: JobState::Running,
        changed_files: None,
        duration_ms: None,
        created: now(),
        message: String::new(),
    })
}

impl Drop for Jobs {
    fn drop(&mut self) {
        self.stop();
    }
}

impl From<JobRecord> for Job {
    fn from(record: JobRecord) -> Self {
        Self { record, progress: None }
    }
}

/// The job of this process, if it is not over.
fn running(own: &Option<Own>) -> Option<Job> {
    let job = own.as_ref()?.watch.job().clone();
    job.record.state.is_active().then_some(job)
}

/// A name unlike any other's.
fn job_id() -> String {
    let moment = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
    format!("{:012x}", RandomState::new().hash_one(moment) >> 16)
}

/// Now, as finely as it is remembered.
fn now() -> SystemTime {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    UNIX_EPOCH + Duration::from_millis(since.as_millis() as u64)
}

/// What a job's thread has to do.
struct Work {
    engine: Arc<Engine>,
    watch: Arc<Watch>,
    force: bool,
    lease: Lease,
}

impl Work {
    fn run(self) {
        let started = Instant::now();
        let goal = if self.force { Goal::Rebuild } else { Goal::Complete };
        let run = Run::new(goal, &self, &self.watch.cancel);
        let indexed = catch_unwind(AssertUnwindSafe(|| self.engine.run(&run)));
        let mut record = self.watch.job().record.clone();
        record.duration_ms = Some(started.elapsed().as_millis() as u64);
        conclude(&mut record, indexed.ok());
        // Where this cannot be written, whoever looks next finds a job that nobody runs.
        let _ = self.engine.primary().store().job_log().record(&record);
        *self.watch.job() = record.into();
        drop(self.lease);
    }

    /// Notes a new state; other processes see it too.
    fn enter(&self, state: JobState) {
        let mut job = self.watch.job();
        if job.record.state != state {
            job.record.state = state;
            let record = job.record.clone();
            drop(job);
            // The end is what matters; how far it is may go unseen.
            let _ = self.engine.primary().store().job_log().record(&record);
        }
    }
}

impl Observer for Work {
    fn progress(&self, progress: Progress) {
        match progress {
            Progress::Waiting => self.enter(JobState::Queued),
            Progress::Walking => self.enter(JobState::Running),
            Progress::Committing => self.enter(JobState::Validating),
            Progress::Indexing { done, total } => {
                self.enter(JobState::Running);
                self.watch.job().progress = Some((done, total));
            }
        }
    }
}

/// Writes down how a job ended; `None` is a panic.
fn conclude(record: &mut JobRecord, indexed: Option<Result<IndexReport, EngineError>>) {
    match indexed {
        Some(Ok(report)) => {
            record.state = JobState::Published;
            record.changed_files = Some((report.added + report.updated + report.removed) as u64);
            record.message = report.notes.join("; ");
        }
        Some(Err(error @ EngineError::Cancelled)) => {
            record.state = JobState::RolledBack;
            record.message = error.to_string();
        }
        Some(Err(error)) => {
            record.state = JobState::Failed;
            record.message = with_causes(&error);
        }
        None => {
            record.state = JobState::Failed;
            record.message = "it failed inside the program; nothing it did counts".into();
        }
    }
}
