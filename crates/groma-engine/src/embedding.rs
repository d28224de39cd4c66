//! Embeds with a remote embedder in the background of a server.
//!
//! There is at most one run. No request waits for it, so indexing and clearing cancel it first.

use groma_core::{Cancel, Locked};
use std::sync::{Arc, Condvar};
use std::time::{Duration, Instant};

/// Minimum time between a failed run and the next.
const RETRY_DELAY: Duration = Duration::from_secs(60);

/// How long stopping waits for the run to end: a call may be in progress.
const STOP_TIMEOUT: Duration = Duration::from_secs(10);

/// The run of one engine.
#[derive(Default)]
pub(crate) struct BackgroundEmbedding {
    state: Locked<State>,
    ended: Condvar,
}

#[derive(Default)]
struct State {
    run: Option<Arc<Cancel>>,
    /// When the last run failed.
    failed: Option<Instant>,
}

impl BackgroundEmbedding {
    /// Begins a run; `None` while another is in progress, and for a while after a failure.
    pub fn begin(&self) -> Option<Arc<Cancel>> {
        let mut state = self.state.lock();
        if state.run.is_some() || state.failed.is_some_and(|at| at.elapsed() < RETRY_DELAY) {
            return None;
        }
        Some(state.run.insert(Arc::default()).clone())
    }

    /// Ends the run; `all` if every vector was made.
    pub fn end(&self, all: bool) {
        let mut state = self.state.lock();
        let is_stopped = state.run.take().is_some_and(|run| run.is_cancelled());
        state.failed = (!all && !is_stopped).then(Instant::now);
        self.ended.notify_all();
    }

    /// Cancels the run, and waits until it has ended.
    pub fn stop(&self) {
        let state = self.state.lock();
        if let Some(run) = &state.run {
            run.cancel();
        }
        let is_running = |state: &mut State| state.run.is_some();
        let _ = self.ended.wait_timeout_while(state, STOP_TIMEOUT, is_running);
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
