//! So many requests at once and no more.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Turns to be taken. Who is in a hurry goes first.
pub(super) struct Turns {
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    free: usize,
    /// How many wait who are in a hurry.
    hurried: usize,
}

/// A turn; it is given back when it is dropped.
pub(super) struct Turn<'t>(&'t Turns);

impl Turns {
    pub fn new(count: usize) -> Self {
        Self {
            state: Mutex::new(State { free: count.max(1), hurried: 0 }),
            changed: Condvar::new(),
        }
    }

    /// Waits for a turn.
    pub fn take(&self, in_a_hurry: bool) -> Turn<'_> {
        let mut state = self.state();
        state.hurried += usize::from(in_a_hurry);
        while state.free == 0 || (!in_a_hurry && state.hurried > 0) {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.hurried -= usize::from(in_a_hurry);
        state.free -= 1;
        // Whoever stood back for the hurried may go now, if there is another turn.
        self.changed.notify_all();
        Turn(self)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.0.state().free += 1;
        self.0.changed.notify_all();
    }
}
