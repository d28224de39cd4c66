//! The run that makes a service's vectors behind the queries of a server.
//!
//! There is one at a time. Nobody waits for it, so it gives way: who wants to index or to clear stops it first.

use crate::index::progress::Cancel;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How long after a run that did not get through the next may begin.
const PAUSE: Duration = Duration::from_secs(60);

/// How long one that was stopped may take to end: a call may be under way.
const GRACE: Duration = Duration::from_secs(10);

/// The run of one engine.
#[derive(Default)]
pub(super) struct Completion {
    state: Mutex<State>,
    ended: Condvar,
}

#[derive(Default)]
struct State {
    run: Option<Arc<Cancel>>,
    /// When the last one ended before it was done.
    failed: Option<Instant>,
}

impl Completion {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The right to run; `None` while another does, and for a while after one failed.
    pub fn begin(&self) -> Option<Arc<Cancel>> {
        let mut state = self.lock();
        if state.run.is_some() || state.failed.is_some_and(|at| at.elapsed() < PAUSE) {
            return None;
        }
        Some(state.run.insert(Arc::default()).clone())
    }

    /// The run is over; `all` says whether it got through.
    pub fn end(&self, all: bool) {
        let mut state = self.lock();
        let is_stopped = state.run.take().is_some_and(|run| run.is_cancelled());
        state.failed = (!all && !is_stopped).then(Instant::now);
        self.ended.notify_all();
    }

    /// Stops the run, and waits until it has.
    pub fn stop(&self) {
        let state = self.lock();
        if let Some(run) = &state.run {
            run.cancel();
        }
        let runs = |state: &mut State| state.run.is_some();
        let _ = self.ended.wait_timeout_while(state, GRACE, runs);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_one_run_at_a_time_and_a_pause_after_a_failure() {
        let completion = Completion::default();
        assert!(completion.begin().is_some() && completion.begin().is_none());
        completion.end(true);
        assert!(completion.begin().is_some());
        completion.end(false);
        assert!(completion.begin().is_none());
    }

    #[test]
    fn stopping_waits_for_the_end() {
        let completion = Arc::new(Completion::default());
        let (run, other) = (completion.begin().unwrap(), completion.clone());
        let thread = std::thread::spawn(move || {
            while !run.is_cancelled() {
                std::thread::sleep(Duration::from_millis(1));
            }
            other.end(false);
        });
        completion.stop();
        assert!(completion.begin().is_some(), "being stopped is no failure");
        thread.join().unwrap();
    }
}
