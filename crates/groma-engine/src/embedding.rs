//! The run that makes the vectors of a remote embedder behind the queries of a server.
//!
//! There is one at a time. No request waits for it, so it yields: indexing and clearing stop it first.

use groma_core::Cancel;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How long after a failed run the next may begin.
const RETRY_DELAY: Duration = Duration::from_secs(60);

/// How long a run that was stopped may take to end: a call may be under way.
const STOP_TIMEOUT: Duration = Duration::from_secs(10);

/// The run of one engine.
#[derive(Default)]
pub(crate) struct BackgroundEmbedding {
    state: Mutex<State>,
    ended: Condvar,
}

#[derive(Default)]
struct State {
    run: Option<Arc<Cancel>>,
    /// When the last one ended before it was done.
    failed: Option<Instant>,
}

impl BackgroundEmbedding {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins a run; `None` while another is under way, and for a while after one failed.
    pub fn begin(&self) -> Option<Arc<Cancel>> {
        let mut state = self.lock();
        if state.run.is_some() || state.failed.is_some_and(|at| at.elapsed() < RETRY_DELAY) {
            return None;
        }
        Some(state.run.insert(Arc::default()).clone())
    }

    /// Ends the run; `all` says whether every vector was made.
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
        let _ = self.ended.wait_timeout_while(state, STOP_TIMEOUT, runs);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_one_run_at_a_time_and_a_pause_after_a_failure() {
        let embedding = BackgroundEmbedding::default();
        assert!(embedding.begin().is_some() && embedding.begin().is_none());
        embedding.end(true);
        assert!(embedding.begin().is_some());
        embedding.end(false);
        assert!(embedding.begin().is_none());
    }

    #[test]
    fn stopping_waits_for_the_end() {
        let embedding = Arc::new(BackgroundEmbedding::default());
        let (run, other) = (embedding.begin().unwrap(), embedding.clone());
        let thread = std::thread::spawn(move || {
            while !run.is_cancelled() {
                std::thread::sleep(Duration::from_millis(1));
            }
            other.end(false);
        });
        embedding.stop();
        assert!(embedding.begin().is_some(), "being stopped is no failure");
        thread.join().unwrap();
    }
}
