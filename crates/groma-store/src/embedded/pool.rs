//! Buffers reused between queries.
//!
//! The scores of all chunks of a large index take megabytes, and page faults on newly mapped memory cost more than
//! filling it.

use groma_core::Locked;

/// Buffers that are not in use.
pub(super) struct Pool<T> {
    unused: Locked<Vec<T>>,
}

impl<T> Default for Pool<T> {
    fn default() -> Self {
        Self { unused: Locked::default() }
    }
}

impl<T> Pool<T> {
    /// How many are kept: more queries at once are rare.
    const MAX: usize = 4;

    /// A buffer that was given back, with its content.
    pub fn take(&self) -> Option<T> {
        self.unused.lock().pop()
    }

    pub fn give_back(&self, one: T) {
        let mut unused = self.unused.lock();
        if unused.len() < Self::MAX {
            unused.push(one);
        }
    }
}
