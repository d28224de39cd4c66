//! The time limit of a parse, in CPU time of its thread.
//!
//! CPU time, because a stopped process or a loaded machine says nothing about the file. The CPU clock is a system call,
//! so it is read only once the wall clock shows that the limit may have been reached.

use std::cell::Cell;
use std::time::{Duration, Instant};

/// A limit on the CPU time that the current thread spends from now on.
pub(crate) struct Deadline {
    limit: Duration,
    started: Duration,
    /// The limit cannot have been reached before.
    earliest: Cell<Instant>,
}

impl Deadline {
    /// The limit is reached when this thread has used `limit` of CPU time.
    pub fn after(limit: Duration) -> Self {
        let started = cpu_time();
        Self { limit, started, earliest: Cell::new(Instant::now() + limit) }
    }

    /// Whether the limit is reached.
    pub fn has_passed(&self) -> bool {
        let now = Instant::now();
        if now < self.earliest.get() {
            return false;
        }
        let left = self.limit.saturating_sub(cpu_time().saturating_sub(self.started));
        self.earliest.set(now + left);
        left.is_zero()
    }
}

/// The CPU time that this thread has used.
#[cfg(unix)]
fn cpu_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or(0))
}

/// The time since the first call: std has no CPU clock.
#[cfg(not(unix))]
fn cpu_time() -> Duration {
    static FIRST: std::sync::LazyLock<Instant> = std::sync::LazyLock::new(Instant::now);
    FIRST.elapsed()
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn time_without_cpu_does_not_count() {
        let deadline = Deadline::after(Duration::from_millis(200));
        std::thread::sleep(Duration::from_millis(250));
        assert!(!deadline.has_passed(), "the thread slept");
        while !deadline.has_passed() {}
        assert!(cpu_time() - deadline.started >= Duration::from_millis(200));
    }
}
