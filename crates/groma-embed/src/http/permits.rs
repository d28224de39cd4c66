//! A semaphore that limits concurrent requests.

use groma_core::Locked;
use std::sync::{Condvar, PoisonError};

/// A counting semaphore; urgent callers go first.
pub(super) struct Permits {
    state: Locked<State>,
    changed: Condvar,
}

struct State {
    free: usize,
    /// The number of urgent callers that wait.
    urgent: usize,
}

/// A permit, released when dropped.
pub(super) struct Permit<'t>(&'t Permits);

impl Permits {
    pub fn new(count: usize) -> Self {
        Self {
            state: Locked::new(State { free: count.max(1), urgent: 0 }),
            changed: Condvar::new(),
        }
    }

    /// Waits for a permit.
    pub fn acquire(&self, urgent: bool) -> Permit<'_> {
        let mut state = self.state.lock();
        state.urgent += usize::from(urgent);
        while state.free == 0 || (!urgent && state.urgent > 0) {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.urgent -= usize::from(urgent);
        state.free -= 1;
        // A caller that yielded to urgent ones may proceed if another permit is free.
        self.changed.notify_all();
        Permit(self)
    }
}

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        self.0.state.lock().free += 1;
        self.0.changed.notify_all();
    }
}
