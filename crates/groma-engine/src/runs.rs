//! Index runs that the queries of a shared engine wait for.
//!
//! A query must see all changes made before it arrived. It waits for a run that started after that, on its own thread;
//! concurrent queries share a run. After a timeout a query uses an older generation, if there is one, and adds a note,
//! while the run continues. A run whose callers were all cancelled is cancelled, too.

use crate::error::EngineError;
use groma_core::{Cancel, Locked, Observer, Progress, StoreErrorKind};
use groma_index::{Active, Goal, IndexReport, Indexer, Run};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How often a waiting query checks whether its caller cancelled it.
const CANCEL_POLL: Duration = Duration::from_millis(50);

/// How up to date an answer is.
#[derive(Clone, Debug, Default)]
pub(crate) struct Freshness {
    /// Notes for the user.
    pub notes: Vec<String>,
    /// Why vectors could not be made.
    pub embedder_error: Option<String>,
    /// Whether changes are missing: they are still being indexed, or files keep changing.
    pub is_behind: bool,
}

impl From<IndexReport> for Freshness {
    fn from(report: IndexReport) -> Self {
        let IndexReport { notes, embedder_error, .. } = report;
        Self { notes, embedder_error, is_behind: false }
    }
}

/// The runs of one engine.
pub(crate) struct SharedRuns {
    indexer: Arc<Indexer>,
    /// How long a query waits if there is an older generation.
    timeout: Duration,
    state: Locked<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    /// The number of runs started so far.
    begun: u64,
    current: Option<CurrentRun>,
    last: Option<FinishedRun>,
    waiting: usize,
}

/// A run in progress.
struct CurrentRun {
    progress: Option<Progress>,
    cancel: Arc<Cancel>,
    /// Whether a query timed out and relies on it to finish.
    is_detached: bool,
}

/// A run that has ended.
struct FinishedRun {
    number: u64,
    goal: Goal,
    index: Active,
    outcome: Result<Freshness, Arc<EngineError>>,
}

/// Passes the progress of a run to the queries that wait for it.
struct Broadcast<'a>(&'a SharedRuns);

impl Observer for Broadcast<'_> {
    fn progress(&self, progress: Progress) {
        if let Some(run) = &mut self.0.lock().current {
            run.progress = Some(progress);
        }
        self.0.changed.notify_all();
    }
}

/// Counts a waiting query; the last one to be cancelled cancels the run.
struct Waiting<'a> {
    runs: &'a SharedRuns,
    is_cancelled: bool,
}

impl<'a> Waiting<'a> {
    fn new(runs: &'a SharedRuns) -> Self {
        runs.lock().waiting += 1;
        Self { runs, is_cancelled: false }
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        let mut state = self.runs.lock();
        state.waiting -= 1;
        let is_last = state.waiting == 0;
        if let Some(run) = state.current.as_ref().filter(|run| !run.is_detached)
            && self.is_cancelled
            && is_last
        {
            run.cancel.cancel();
        }
    }
}

impl SharedRuns {
    pub fn new(indexer: Arc<Indexer>, timeout: Duration) -> Self {
        Self { indexer, timeout, state: Locked::default(), changed: Condvar::new() }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }

    /// Waits for a run that sees all changes made before this call, with the same goal or a higher one.
    pub fn wait_for(self: &Arc<Self>, wanted: &Run<'_>) -> Result<Freshness, EngineError> {
        let index = self.indexer.get(wanted.index);
        let timeout = match index.readable() {
            // The run rebuilds it.
            Err(error) if error.is(StoreErrorKind::Damaged) => None,
            readable => readable?.map(|_| self.timeout),
        };
        let arrived = Instant::now();
        let mut waiting = Waiting::new(self);
        let mut state = self.lock();
        // A run in progress may have missed the latest changes.
        let number = state.begun + 1;
        loop {
            let satisfies = |last: &&FinishedRun| {
                last.number >= number && last.goal >= wanted.goal && last.index == wanted.index
            };
            if let Some(last) = state.last.as_ref().filter(satisfies) {
                return last.outcome.clone().map_err(EngineError::Shared);
            }
            match &state.current {
                None => self.begin(wanted.goal, wanted.index, &mut state),
                Some(run) => {
                    run.progress.into_iter().for_each(|progress| wanted.observer.progress(progress))
                }
            }
            if wanted.cancel.is_cancelled() {
                drop(state);
                waiting.is_cancelled = true;
                return Err(EngineError::Cancelled);
            }
            if timeout.is_some_and(|timeout| arrived.elapsed() >= timeout) {
                return Ok(behind(state.current.as_mut(), index.previous()?.is_some()));
            }
            let woken = self.changed.wait_timeout(state, CANCEL_POLL);
            state = woken.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Begins a run on a thread of its own.
    fn begin(self: &Arc<Self>, goal: Goal, index: Active, state: &mut State) {
        state.begun += 1;
        let (runs, number) = (self.clone(), state.begun);
        let cancel = Arc::new(Cancel::default());
        state.current =
            Some(CurrentRun { progress: None, cancel: cancel.clone(), is_detached: false });
        std::thread::spawn(move || {
            let observer = Broadcast(&runs);
            let run = Run::new(goal, &observer, &cancel).on(index);
            let outcome = match catch_unwind(AssertUnwindSafe(|| runs.indexer.run(&run))) {
                Ok(Ok(report)) => Ok(report.into()),
                Ok(Err(error)) => Err(Arc::new(error.into())),
                Err(_) => Err(Arc::new(EngineError::Crashed)),
            };
            let mut state = runs.lock();
            state.current = None;
            state.last = Some(FinishedRun { number, goal, index, outcome });
            drop(state);
            runs.changed.notify_all();
        });
    }
}

/// The freshness of an answer after the timeout.
fn behind(run: Option<&mut CurrentRun>, is_previous: bool) -> Freshness {
    let mut how_far = String::new();
    if let Some(run) = run {
        run.is_detached = true;
        if let Some(Progress::Indexing { done, total }) = run.progress {
            how_far = format!(" ({done} of {total} done)");
        }
    }
    let note = if is_previous {
        format!(
            "the index is being rebuilt for this version of the program{how_far}; until then the previous one answers"
        )
    } else {
        format!(
            "changed files are still being indexed{how_far}; results may miss recent changes; run the query again"
        )
    };
    Freshness { notes: vec![note], is_behind: true, ..Freshness::default() }
}
