//! The clock that retries and pauses go by, so that a test can have one of its own.

use std::time::{Duration, Instant};

/// Tells the time and waits.
pub trait Clock: Send + Sync {
    /// The present moment; never before an earlier one.
    fn now(&self) -> Instant;

    /// Returns once `time` has passed on this clock.
    fn sleep(&self, time: Duration);
}

/// The clock of the operating system.
pub(super) struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Instant {
        Instant::now()
    }

    fn sleep(&self, time: Duration) {
        std::thread::sleep(time);
    }
}
