//! Memory of queries that are over, to be used again.
//!
//! What a query notes of each chunk of a large index is megabytes, and new memory costs more than filling it: the
//! system clears every page of it first.

use std::sync::{Mutex, PoisonError};

/// Things that may be used again.
pub(super) struct Pool<T> {
    unused: Mutex<Vec<T>>,
}

impl<T> Default for Pool<T> {
    fn default() -> Self {
        Self { unused: Mutex::default() }
    }
}

impl<T> Pool<T> {
    /// How many are kept: more queries at once are rare.
    const MAX: usize = 4;

    /// One that was given back, as it was.
    pub fn take(&self) -> Option<T> {
        self.unused.lock().unwrap_or_else(PoisonError::into_inner).pop()
    }

    pub fn give_back(&self, one: T) {
        let mut unused = self.unused.lock().unwrap_or_else(PoisonError::into_inner);
        if unused.len() < Self::MAX {
            unused.push(one);
        }
    }
}
