//! The workers of this process: started when needed, replaced when they die, ended when idle.

use crate::confinement::Confinement;
use crate::frame::Response;
use crate::worker_process::WorkerProcess;
use groma_core::RelPath;
use groma_syntax::{GrammarHost, HostError, Parsed, set_grammar_host};
use std::io;
use std::path::PathBuf;
use std::sync::{Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// How long no worker is started after one could not be.
const RETRY_DELAY: Duration = Duration::from_secs(10);

/// A worker without work for so long is ended.
const IDLE_TIMEOUT: Duration = Duration::from_secs(20);

static POOL: OnceLock<Pool> = OnceLock::new();

/// Has grammars run in workers from now on: processes of `program` with `argument`, which must call
/// [`run_worker`](crate::run_worker). Nothing is started before a file needs a grammar.
pub fn isolate_grammars(program: PathBuf, argument: &'static str) {
    set_grammar_host(POOL.get_or_init(|| Pool::new(program, argument)));
}

/// Where grammars run.
#[derive(Debug)]
pub enum Isolation {
    /// In workers, confined like this.
    Workers(Confinement),
    /// Nowhere, because no worker can be started: files are indexed by lines.
    Failed(io::Error),
    /// In this process, because nothing else was asked for.
    Off,
}

/// Starts a worker, if none is idle, to see where grammars run.
pub fn isolation() -> Isolation {
    let Some(pool) = POOL.get() else { return Isolation::Off };
    match pool.take() {
        Ok(worker) => {
            let confinement = worker.confinement;
            pool.put_back(worker);
            Isolation::Workers(confinement)
        }
        Err(error) => Isolation::Failed(error),
    }
}

struct Pool {
    program: PathBuf,
    argument: &'static str,
    max_workers: usize,
    state: Mutex<State>,
    /// A worker came back or died.
    changed: Condvar,
}

#[derive(Default)]
struct State {
    idle: Vec<(WorkerProcess, Instant)>,
    busy: usize,
    /// Whether a thread ends idle workers.
    has_reaper: bool,
    /// When a worker could not be started.
    failed: Option<Instant>,
}

impl Pool {
    fn new(program: PathBuf, argument: &'static str) -> Self {
        // As many as the threads of an index run, and some for the queries beside it.
        let cores = std::thread::available_parallelism().map_or(2, |cores| cores.get());
        let max_workers = cores.min(16) + 2;
        let (state, changed) = (Mutex::default(), Condvar::new());
        Self { program, argument, max_workers, state, changed }
    }

    /// No code that can panic runs under the lock.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// An idle worker, or a new one. Waits while there are too many.
    fn take(&self) -> io::Result<WorkerProcess> {
        let mut state = self.state();
        if state.failed.is_some_and(|failed| failed.elapsed() < RETRY_DELAY) {
            return Err(io::Error::other("no worker could be started a moment ago"));
        }
        while state.busy >= self.max_workers {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.busy += 1;
        if let Some((worker, _)) = state.idle.pop() {
            return Ok(worker);
        }
        drop(state);
        self.start().inspect_err(|_| {
            self.state().failed = Some(Instant::now());
            self.release();
        })
    }

    fn start(&self) -> io::Result<WorkerProcess> {
        WorkerProcess::start(&self.program, self.argument)
    }

    fn release(&self) {
        self.state().busy -= 1;
        self.changed.notify_one();
    }

    fn put_back(&'static self, worker: WorkerProcess) {
        let mut state = self.state();
        state.busy -= 1;
        state.idle.push((worker, Instant::now()));
        if !state.has_reaper {
            state.has_reaper = std::thread::Builder::new()
                .name("idle workers".into())
                .spawn(|| self.reap())
                .is_ok();
        }
        drop(state);
        self.changed.notify_one();
    }

    /// Ends idle workers until none is left.
    fn reap(&self) {
        loop {
            std::thread::sleep(IDLE_TIMEOUT / 4);
            let mut state = self.state();
            let is_expired =
                |(_, since): &mut (WorkerProcess, Instant)| since.elapsed() >= IDLE_TIMEOUT;
            let expired: Vec<_> = state.idle.extract_if(.., is_expired).collect();
            let is_done = state.idle.is_empty() && state.busy == 0;
            state.has_reaper = !is_done;
            drop(state);
            drop(expired);
            if is_done {
                return;
            }
        }
    }
}

/// A file that no worker could be started for is indexed by lines and tried again: a grammar never reads a text in the
/// process that answers.
fn unstarted() -> HostError {
    HostError::Interrupted("no process could be started to parse it".to_string())
}

impl GrammarHost for Pool {
    fn parse(&self, path: &RelPath, text: &str) -> Result<Parsed, HostError> {
        let pool = POOL.get().ok_or_else(unstarted)?;
        let mut worker = self.take().map_err(|_| unstarted())?;
        let mut response = worker.parse(path, text);
        // A file counts as the cause only if it ends a worker that has parsed nothing else: an earlier file may have
        // damaged a used one, and an idle one may have been ended by the system.
        if response.is_err() && worker.is_used {
            let Ok(fresh) = self.start() else {
                self.release();
                // Not in this process: the text may be what ended the other one.
                return Err(unstarted());
            };
            worker = fresh;
            response = worker.parse(path, text);
        }
        match response {
            Ok(response) => {
                pool.put_back(worker);
                match response {
                    Response::Parsed(parsed) => Ok(*parsed),
                    Response::Panicked => {
                        Err(HostError::Crashed("the parser failed on this file".to_string()))
                    }
                }
            }
            Err(_) => {
                let cause = worker.cause_of_death();
                self.release();
                Err(cause)
            }
        }
    }
}
