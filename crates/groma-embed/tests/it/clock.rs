//! A clock that moves only when a test moves it, or when the code under test sleeps.

use groma_embed::Clock;
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

/// The clock. Cloned, it is the same clock.
#[derive(Clone)]
pub struct ManualClock {
    start: Instant,
    shared: Arc<(Mutex<State>, Condvar)>,
}

#[derive(Default)]
struct State {
    passed: Duration,
    /// Sleepers wait for `advance` instead of moving the clock themselves.
    is_held: bool,
    sleeping: usize,
    slept: Vec<Duration>,
}

impl ManualClock {
    /// A clock on which sleeping takes no real time.
    pub fn new() -> Self {
        Self { start: Instant::now(), shared: Arc::default() }
    }

    /// A stopped clock: a sleeping thread wakes up only through `advance`.
    pub fn held() -> Self {
        let clock = Self::new();
        clock.shared.0.lock().unwrap().is_held = true;
        clock
    }

    /// Lets time pass.
    pub fn advance(&self, time: Duration) {
        self.shared.0.lock().unwrap().passed += time;
        self.shared.1.notify_all();
    }

    /// How many threads sleep now.
    pub fn sleeping(&self) -> usize {
        self.shared.0.lock().unwrap().sleeping
    }

    /// How long was slept, one entry for each call.
    pub fn slept(&self) -> Vec<Duration> {
        self.shared.0.lock().unwrap().slept.clone()
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Instant {
        self.start + self.shared.0.lock().unwrap().passed
    }

    fn sleep(&self, time: Duration) {
        let (state, moved) = &*self.shared;
        let mut state = state.lock().unwrap();
        state.slept.push(time);
        if !state.is_held {
            state.passed += time;
            return;
        }
        let until = state.passed + time;
        state.sleeping += 1;
        let mut state = moved.wait_while(state, |state| state.passed < until).unwrap();
        state.sleeping -= 1;
    }
}
