//! Rate limits of the tools.
//!
//! The contract's fixed window: calls are counted, and all counters are reset at the end of each minute since the
//! server started.

use groma_core::Locked;
use std::collections::HashMap;
use std::time::{Duration, Instant};

/// Calls per minute.
const LIMITS: &[(&str, u32)] = &[("context_search", 30), ("read_file", 100), ("grep_codebase", 60)];

const MINUTE: Duration = Duration::from_secs(60);

/// The time since the server started.
type Clock = Box<dyn Fn() -> Duration + Send + Sync>;

/// The calls of the current minute.
pub struct Limits {
    clock: Clock,
    counted: Locked<Counted>,
}

#[derive(Default)]
struct Counted {
    minute: u128,
    calls: HashMap<&'static str, u32>,
}

impl Default for Limits {
    fn default() -> Self {
        let started = Instant::now();
        Self::by(Box::new(move || started.elapsed()))
    }
}

impl Limits {
    fn by(clock: Clock) -> Self {
        Self { clock, counted: Locked::default() }
    }

    /// Counts a call; says whether it is within the limit of its tool.
    pub fn admits(&self, tool: &str) -> bool {
        let Some((tool, limit)) = LIMITS.iter().find(|(name, _)| *name == tool) else {
            return true;
        };
        let minute = (self.clock)().as_millis() / MINUTE.as_millis();
        let mut counted = self.counted.lock();
        if counted.minute != minute {
            *counted = Counted { minute, ..Counted::default() };
        }
        let calls = counted.calls.entry(tool).or_default();
        let admitted = *calls < *limit;
        *calls += u32::from(admitted);
        admitted
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU64, Ordering};

    #[test]
    fn each_tool_has_its_own_minute() {
        let now = Arc::new(AtomicU64::new(0));
        let clock = now.clone();
        let limits =
            Limits::by(Box::new(move || Duration::from_secs(clock.load(Ordering::Relaxed))));
        for (tool, most) in LIMITS {
            let admitted = (0..most + 5).filter(|_| limits.admits(tool)).count();
            assert_eq!(admitted, *most as usize, "{tool}");
        }
        now.store(59, Ordering::Relaxed);
        assert!(!limits.admits("context_search"), "the minute is not over");
        now.store(60, Ordering::Relaxed);
        assert!(limits.admits("context_search") && limits.admits("read_file"));
    }
}
