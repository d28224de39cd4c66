//! A token bucket: how many requests a client may make in a while.

use std::time::{Duration, Instant};

/// Tokens of one client. A request takes one; time brings them back.
pub struct TokenBucket {
    capacity: u32,
    tokens: f64,
    refilled: Instant,
}

impl TokenBucket {
    /// A full bucket.
    pub fn new(capacity: u32) -> Self {
        Self { capacity, tokens: f64::from(capacity), refilled: Instant::now() }
    }

    /// Takes a token, or says how long to wait for one.
    pub fn try_acquire(&mut self, per_second: f64) -> Result<(), Duration> {
        self.refill(per_second);
        if self.tokens >= 1.0 {
            self.tokens -= 1.0;
            return Ok(());
        }
        Err(Duration::from_secs_f64((1.0 - self.tokens) / per_second))
    }

    fn refill(&mut self, per_second: f64) {
        let elapsed = self.refilled.elapsed().as_secs_f64();
        self.tokens = (self.tokens + elapsed * per_second).min(f64::from(self.capacity));
        self.refilled = Instant::now();
    }
}
