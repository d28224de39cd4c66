//! Trying again after a failure, each time later.

use std::time::Duration;

/// The pause before the next attempt: doubled each time, with a little chance so that clients do not all return
/// at once.
pub fn backoff(attempt: u32, base: Duration, most: Duration, chance: f64) -> Duration {
    let doubled = base.saturating_mul(1 << attempt.min(16));
    doubled.min(most).mul_f64(0.5 + chance / 2.0)
}

/// Runs `work` until it succeeds or has failed `attempts` times.
pub fn with_retries<T, E>(attempts: u32, mut work: impl FnMut() -> Result<T, E>) -> Result<T, E> {
    let mut failures = 0;
    loop {
        match work() {
            Err(_) if failures + 1 < attempts => failures += 1,
            result => return result,
        }
    }
}
