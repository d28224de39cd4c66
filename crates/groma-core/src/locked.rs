//! A mutex that ignores poisoning.

use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};

/// A mutex for values that no panic can leave half-changed, so that a panic in one thread does not take down
/// the others: the value is handed out as it is.
#[derive(Debug, Default)]
pub struct Locked<T>(Mutex<T>);

impl<T> Locked<T> {
    /// A value behind a lock.
    pub fn new(value: T) -> Self {
        Self(Mutex::new(value))
    }

    /// Waits for the lock.
    pub fn lock(&self) -> MutexGuard<'_, T> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The lock, if nothing else holds it.
    pub fn try_lock(&self) -> Option<MutexGuard<'_, T>> {
        match self.0.try_lock() {
            Ok(guard) => Some(guard),
            Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    /// The value, unlocked for good.
    pub fn into_inner(self) -> T {
        self.0.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    /// The value, which nothing else can have locked.
    pub fn get_mut(&mut self) -> &mut T {
        self.0.get_mut().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_does_not_poison_the_value() {
        let mut locked = Locked::new(1);
        let panicked = std::thread::scope(|scope| {
            let thread = scope.spawn(|| {
                let _guard = locked.lock();
                panic!("while the lock is held");
            });
            thread.join().is_err()
        });
        assert!(panicked);
        *locked.try_lock().unwrap() += 1;
        let held = locked.lock();
        assert!(locked.try_lock().is_none());
        drop(held);
        assert_eq!(*locked.get_mut(), 2);
        assert_eq!(locked.into_inner(), 2);
    }
}
