//! How long a call may wait.

use std::time::{Duration, Instant};

/// A point in time after which a call gives up, so that callers can share one limit over several calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deadline(Instant);

impl Deadline {
    /// For calls that transfer rows or acquire leases.
    pub const DEFAULT: Duration = Duration::from_secs(10);

    /// A deadline this far from now.
    pub fn after(timeout: Duration) -> Self {
        // A timeout beyond what the clock can express is treated as a century.
        let century = Duration::from_secs(100 * 365 * 24 * 60 * 60);
        let now = Instant::now();
        Self(now.checked_add(timeout).unwrap_or(now + century))
    }

    /// A deadline that has passed: the call may try once and must not wait.
    pub fn now() -> Self {
        Self(Instant::now())
    }

    /// The time that is left; zero when it has passed.
    pub fn remaining(&self) -> Duration {
        self.0.saturating_duration_since(Instant::now())
    }

    /// Whether it has passed.
    pub fn has_passed(&self) -> bool {
        self.remaining().is_zero()
    }
}

/// [`Deadline::DEFAULT`] from now.
impl Default for Deadline {
    fn default() -> Self {
        Self::after(Self::DEFAULT)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_deadline_passes_and_never_overflows() {
        assert!(Deadline::now().has_passed());
        assert!(!Deadline::after(Duration::MAX).has_passed());
        assert!(Deadline::default().remaining() <= Deadline::DEFAULT);
    }
}
