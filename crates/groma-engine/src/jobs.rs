//! Jobs: index runs in the background, one at a time per project, with a persistent log.
//!
//! A job runs on its own thread and holds the job lease meanwhile. If the log has an active job and the lease is free,
//! the job's process died, and the job is marked as interrupted.

use crate::engine::Engine;
use crate::error::EngineError;
use crate::refs::RefEngine;
use groma_core::{
    Cancel, Deadline, JobMode, JobRecord, JobState, JobTask, Lease, LeaseKind, Locked, Observer,
    Progress, RefName, StoreError, with_causes,
};
use groma_index::{Goal, IndexReport, Run};
use std::hash::{BuildHasher, RandomState};
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Maximum number of records searched for an active job.
const MAX_SEARCHED: usize = 10;

/// How long stopping waits for the job to end.
const STOP_TIMEOUT: Duration = Duration::from_secs(5);

/// A request for a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobRequest {
    /// The task.
    pub task: JobTask,
    /// The ref, as the caller named it.
    pub reference: RefName,
    /// Whether to rebuild from scratch.
    pub force: bool,
}

/// A job and its progress.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Job {
    /// Its record in the log.
    pub record: JobRecord,
    /// Files done and files in all, while it runs in this process.
    pub progress: Option<(usize, usize)>,
}

/// Why a job was not started.
#[derive(Debug, thiserror::Error)]
pub enum JobError {
    /// Another job of the project is running.
    #[error("another job of this project is running")]
    Running(Option<Box<Job>>),
    /// The thread could not be started.
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

/// The jobs of one project. Dropping it stops the running one.
pub struct Jobs {
    engine: Arc<Engine>,
    local: Locked<Option<LocalJob>>,
    is_resumed: AtomicBool,
}

/// The last job of this process.
struct LocalJob {
    shared: Arc<SharedJob>,
    thread: JoinHandle<()>,
}

/// The state that a job's thread shares with its observers.
struct SharedJob {
    job: Locked<Job>,
    cancel: Cancel,
}

impl Jobs {
    /// The jobs of an engine's project.
    pub fn new(engine: Arc<Engine>) -> Self {
        Self { engine, local: Locked::default(), is_resumed: AtomicBool::default() }
    }

    /// Starts a job and does not wait for it.
    pub fn start(&self, request: &JobRequest) -> Result<Job, JobError> {
        let mut local = self.local.lock();
        let leases = self.engine.primary().store().leases();
        let lease = match leases.acquire(LeaseKind::Job, "", Deadline::now())? {
            Some(lease) => lease,
            None => {
                let running = match running(&local) {
                    Some(job) => Some(job),
                    None => self.unfinished()?.map(Job::from),
                };
                return Err(JobError::Running(running.map(Box::new)));
            }
        };
        self.mark_interrupted(&lease)?;
        let engine = self.engine_of(&request.reference)?;
        let record = record(&engine, request)?;
        engine.primary().store().job_log().record(&record)?;
        let job = Job::from(record);
        let shared =
            Arc::new(SharedJob { job: Locked::new(job.clone()), cancel: Cancel::default() });
        let work = Work { engine, shared: shared.clone(), force: request.force, lease };
        let thread = std::thread::Builder::new().name("groma-job".into()).spawn(|| work.run());
        *local = Some(LocalJob { shared, thread: thread.map_err(JobError::Thread)? });
        Ok(job)
    }

    /// Records an index run that its caller has waited for.
    pub fn record_run(
        &self,
        request: &JobRequest,
        report: &IndexReport,
    ) -> Result<(), EngineError> {
        let mut record = record(&self.engine, request)?;
        // Rounded, as the caller tells it.
        record.duration_ms = Some((report.duration.as_secs_f64() * 1000.0).round() as u64);
        record.created = record.created.checked_sub(report.duration).unwrap_or(record.created);
        conclude(&mut record, Some(Ok(report.clone())));
        Ok(self.engine.primary().store().job_log().record(&record)?)
    }

    /// The running job of any process.
    pub fn active(&self) -> Result<Option<Job>, EngineError> {
        if let Some(job) = running(&self.local.lock()) {
            return Ok(Some(job));
        }
        let Some(record) = self.unfinished()? else { return Ok(None) };
        let leases = self.engine.primary().store().leases();
        match leases.acquire(LeaseKind::Job, "", Deadline::now())? {
            None => Ok(Some(record.into())),
            Some(lease) => {
                self.mark_interrupted(&lease)?;
                Ok(None)
            }
        }
    }

    /// The jobs started last, newest first. A job whose process died is reported as interrupted.
    pub fn recent(&self, limit: usize) -> Result<Vec<JobRecord>, EngineError> {
        self.active()?;
        Ok(self.engine.primary().store().job_log().jobs(limit)?)
    }

    /// Restarts a job that was interrupted when its process died; only the first call does. A job that was interrupted
    /// twice in a row is not restarted: it may be what kills its process.
    pub fn resume(&self) -> Result<Option<Job>, JobError> {
        if self.is_resumed.swap(true, Ordering::Relaxed) {
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
            // Another process started a job first.
            Err(JobError::Running(_)) => Ok(None),
            started => started.map(Some),
        }
    }

    /// Cancels the job of this process and waits, up to a timeout, until it has ended. Its changes are discarded.
    pub fn stop(&self) {
        let Some(local) = self.local.lock().take() else { return };
        local.shared.cancel.cancel();
        let started = Instant::now();
        while !local.thread.is_finished() && started.elapsed() < STOP_TIMEOUT {
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// The record of an active job, whose process may have died.
    fn unfinished(&self) -> Result<Option<JobRecord>, StoreError> {
        let jobs = self.engine.primary().store().job_log().jobs(MAX_SEARCHED)?;
        Ok(jobs.into_iter().find(|job| job.state.is_active()))
    }

    /// Marks active jobs as interrupted. While the caller holds the lease no other job runs, so their processes died.
    fn mark_interrupted(&self, _lease: &Lease) -> Result<(), StoreError> {
        let store = self.engine.primary().store();
        for mut job in
            store.job_log().jobs(MAX_SEARCHED)?.into_iter().filter(|job| job.state.is_active())
        {
            job.state = JobState::Interrupted;
            job.message = "its process ended before it finished; nothing was changed".into();
            store.job_log().record(&job)?;
        }
        Ok(())
    }

    /// The engine of the ref of a job.
    fn engine_of(&self, reference: &RefName) -> Result<Arc<Engine>, EngineError> {
        match self.engine.at(Some(reference.as_str()))? {
            RefEngine::Own(_) => Ok(self.engine.clone()),
            RefEngine::Other(engine) => Ok(engine),
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

/// The job of this process, if it is active.
fn running(local: &Option<LocalJob>) -> Option<Job> {
    let job = local.as_ref()?.shared.job.lock().clone();
    job.record.state.is_active().then_some(job)
}

/// A unique id.
fn job_id() -> String {
    let nanos = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
    format!("{:012x}", RandomState::new().hash_one(nanos) >> 16)
}

/// The current time in milliseconds, the resolution of the log.
fn now() -> SystemTime {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    UNIX_EPOCH + Duration::from_millis(since.as_millis() as u64)
}

/// The work of a job's thread.
struct Work {
    engine: Arc<Engine>,
    shared: Arc<SharedJob>,
    force: bool,
    lease: Lease,
}

impl Work {
    fn run(self) {
        let started = Instant::now();
        tracing::info!(job = self.shared.job.lock().record.id, force = self.force, "job started");
        let goal = if self.force { Goal::Rebuild } else { Goal::Complete };
        let run = Run::new(goal, &self, &self.shared.cancel);
        let indexed = catch_unwind(AssertUnwindSafe(|| self.engine.run(&run)));
        let mut record = self.shared.job.lock().record.clone();
        record.duration_ms = Some(started.elapsed().as_millis() as u64);
        conclude(&mut record, indexed.ok());
        log(&record);
        // If this fails, the job is marked as interrupted later, because its lease is free.
        let _ = self.engine.primary().store().job_log().record(&record);
        *self.shared.job.lock() = record.into();
        drop(self.lease);
    }

    /// Records a new state, for other processes, too.
    fn enter(&self, state: JobState) {
        let mut job = self.shared.job.lock();
        if job.record.state != state {
            job.record.state = state;
            let record = job.record.clone();
            drop(job);
            // Only the final state matters; intermediate ones may be lost.
            let _ = self.engine.primary().store().job_log().record(&record);
        }
    }
}

impl Observer for Work {
    fn progress(&self, progress: Progress) {
        match progress {
            Progress::Waiting => self.enter(JobState::Queued),
            Progress::Walking => self.enter(JobState::Running),
            Progress::Committing => self.enter(JobState::Committing),
            Progress::Indexing { done, total } => {
                self.enter(JobState::Running);
                self.shared.job.lock().progress = Some((done, total));
            }
        }
    }
}

fn log(record: &JobRecord) {
    let JobRecord { id, state, changed_files, duration_ms, message, .. } = record;
    if *state == JobState::Failed {
        tracing::warn!(job = id, %state, message, "job failed");
    } else {
        tracing::info!(job = id, %state, changed_files, duration_ms, "job ended");
    }
}

/// Sets the final state of a job; `None` is a panic.
fn conclude(record: &mut JobRecord, indexed: Option<Result<IndexReport, EngineError>>) {
    match indexed {
        Some(Ok(report)) => {
            record.state = JobState::Succeeded;
            record.changed_files = Some((report.added + report.updated + report.removed) as u64);
            record.message = report.notes.join("; ");
        }
        Some(Err(error @ EngineError::Cancelled)) => {
            record.state = JobState::Cancelled;
            record.message = error.to_string();
        }
        Some(Err(error)) => {
            record.state = JobState::Failed;
            record.message = with_causes(&error);
        }
        None => {
            record.state = JobState::Failed;
            record.message = "internal error; nothing was changed".into();
        }
    }
}
