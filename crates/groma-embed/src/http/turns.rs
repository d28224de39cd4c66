//! So many requests at once and no more.

use std::sync::{Condvar, Mutex, PoisonError};

/// Turns to be taken.
pub(super) struct Turns {
    free: Mutex<usize>,
    given_back: Condvar,
}

/// A turn; it is given back when it is dropped.
pub(super) struct Turn<'t>(&'t Turns);

impl Turns {
    pub fn new(count: usize) -> Self {
        Self { free: Mutex::new(count.max(1)), given_back: Condvar::new() }
    }

    /// Waits for a turn.
    pub fn take(&self) -> Turn<'_> {
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        while *free == 0 {
            free = self.given_back.wait(free).unwrap_or_else(PoisonError::into_inner);
        }
        *free -= 1;
        Turn(self)
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        *self.0.free.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        self.0.given_back.notify_one();
    }
}
