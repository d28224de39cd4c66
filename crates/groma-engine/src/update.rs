//! Bringing the index up to date behind a query.
//!
//! A query wants the changes that were there when it arrived. It gets them from an index run that began after
//! that, on a thread of its own, which queries that arrive together share. A query waits for the run, but not for
//! ever: where an older generation can answer, it answers from that and says so, and the run goes on. A run that
//! nobody waits for any more because every caller gave up is stopped.

use crate::engine::{self, Effort, Engine, IndexReport};
use crate::error::EngineError;
use crate::index::progress::{Cancel, Observer, Progress};
use groma_core::StoreErrorKind;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How long a query waits for changes where an older generation can answer.
pub(crate) const PATIENCE: Duration = Duration::from_secs(2);

/// How often a waiting query looks whether its caller gave up.
const BETWEEN_LOOKS: Duration = Duration::from_millis(50);

/// What became of the wish for an index that is up to date.
#[derive(Clone, Debug, Default)]
pub(crate) struct Freshness {
    /// What the reader should know.
    pub notes: Vec<String>,
    /// Why vectors could not be made.
    pub embedder_error: Option<String>,
    /// Changes are missing: they are still being indexed, or keep coming.
    pub is_behind: bool,
}

impl From<IndexReport> for Freshness {
    fn from(report: IndexReport) -> Self {
        let IndexReport { notes, embedder_error, .. } = report;
        Self { notes, embedder_error, is_behind: false }
    }
}

/// The runs of one engine.
#[derive(Default)]
pub(crate) struct Updates {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    /// How many runs have begun.
    begun: u64,
    run: Option<Run>,
    last: Option<Finished>,
    waiting: usize,
}

/// A run under way.
struct Run {
    progress: Option<Progress>,
    cancel: Arc<Cancel>,
    /// Somebody answered without it and counts on it to end.
    is_kept: bool,
}

/// A run that has ended.
struct Finished {
    number: u64,
    effort: Effort,
    outcome: Result<Freshness, Arc<EngineError>>,
}

impl Updates {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Tells the waiting queries how their run goes.
struct Told<'a>(&'a Updates);

impl Observer for Told<'_> {
    fn progress(&self, progress: Progress) {
        if let Some(run) = &mut self.0.lock().run {
            run.progress = Some(progress);
        }
        self.0.changed.notify_all();
    }
}

/// Counts a waiting query; the last one to give up stops the run.
struct Waiting<'a> {
    updates: &'a Updates,
    gave_up: bool,
}

impl<'a> Waiting<'a> {
    fn new(updates: &'a Updates) -> Self {
        updates.lock().waiting += 1;
        Self { updates, gave_up: false }
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        let mut state = self.updates.lock();
        state.waiting -= 1;
        let is_alone = state.waiting == 0;
        if let Some(run) = state.run.as_ref().filter(|run| !run.is_kept)
            && self.gave_up
            && is_alone
        {
            run.cancel.cancel();
        }
    }
}

/// Waits for a run that sees everything there was when this was called, and makes that effort or a greater one.
pub(crate) fn freshen(
    engine: &Arc<Engine>,
    effort: Effort,
    observer: &dyn Observer,
    cancel: &Cancel,
) -> Result<Freshness, EngineError> {
    let updates = engine.updates();
    let patience = match engine.readable() {
        // The run makes it again.
        Err(EngineError::Store(error)) if error.is(StoreErrorKind::Damaged) => None,
        newest => newest?.map(|_| engine.patience()),
    };
    let arrived = Instant::now();
    let mut waiting = Waiting::new(updates);
    let mut state = updates.lock();
    // A run under way may have passed by what was just saved.
    let wanted = state.begun + 1;
    loop {
        let will_do = |last: &&Finished| last.number >= wanted && last.effort >= effort;
        if let Some(last) = state.last.as_ref().filter(will_do) {
            return last.outcome.clone().map_err(EngineError::Shared);
        }
        match &state.run {
            None => begin(engine, effort, &mut state),
            Some(run) => run.progress.into_iter().for_each(|progress| observer.progress(progress)),
        }
        if cancel.is_cancelled() {
            drop(state);
            waiting.gave_up = true;
            return Err(EngineError::Cancelled);
        }
        if patience.is_some_and(|patience| arrived.elapsed() >= patience) {
            return Ok(behind(state.run.as_mut(), engine.predecessor()?.is_some()));
        }
        let woken = updates.changed.wait_timeout(state, BETWEEN_LOOKS);
        state = woken.unwrap_or_else(PoisonError::into_inner).0;
    }
}

/// What is said when an answer does not wait for the run any longer.
fn behind(run: Option<&mut Run>, is_old: bool) -> Freshness {
    let mut how_far = String::new();
    if let Some(run) = run {
        run.is_kept = true;
        if let Some(Progress::Indexing { done, total }) = run.progress {
            how_far = format!(" ({done} of {total} done)");
        }
    }
    let note = match is_old {
        true => format!(
            "the index is being made anew for this version of the program{how_far}: until then the old one answers"
        ),
        false => format!(
            "changed files are still being indexed{how_far}: this answer is from before, without them; ask again"
        ),
    };
    Freshness { notes: vec![note], is_behind: true, ..Freshness::default() }
}

/// Begins a run on a thread of its own.
fn begin(engine: &Arc<Engine>, effort: Effort, state: &mut State) {
    state.begun += 1;
    let (engine, number) = (engine.clone(), state.begun);
    let cancel = Arc::new(Cancel::default());
    state.run = Some(Run { progress: None, cancel: cancel.clone(), is_kept: false });
    std::thread::spawn(move || {
        let updates = engine.updates();
        let run = || engine.update(effort, engine::PATIENCE, &Told(updates), &cancel);
        let outcome = match catch_unwind(AssertUnwindSafe(run)) {
            Ok(Ok(report)) => Ok(report.into()),
            Ok(Err(error)) => Err(Arc::new(error)),
            Err(_) => Err(Arc::new(EngineError::Crashed)),
        };
        let mut state = updates.lock();
        state.run = None;
        state.last = Some(Finished { number, effort, outcome });
        drop(state);
        updates.changed.notify_all();
    });
}
