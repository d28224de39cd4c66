//! Values that are opened on first use and then shared, by key.

use groma_core::Locked;
use std::cmp::Reverse;
use std::collections::HashMap;
use std::hash::Hash;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Open values by key. Opening may take long, so it holds the lock of its own key only: callers with other keys
/// are not blocked, and callers with the same key wait and share the result.
pub struct Registry<K, V> {
    /// A slot outlives its value, so that removing and opening the same key exclude each other.
    slots: Locked<HashMap<K, Arc<Slot<V>>>>,
    /// When each key was last asked for.
    used: Locked<HashMap<K, Instant>>,
}

type Slot<V> = Locked<Option<V>>;

impl<K, V> Default for Registry<K, V> {
    fn default() -> Self {
        Self { slots: Locked::default(), used: Locked::default() }
    }
}

impl<K: Hash + Eq + Clone, V: Clone> Registry<K, V> {
    /// The value of a key if it is open.
    pub fn get(&self, key: &K) -> Option<V> {
        self.existing_slot(key)?.lock().clone()
    }

    /// The value of a key if it is open and `is_current`; otherwise opens it. Nothing is kept if that fails.
    pub fn get_or_open<E>(
        &self,
        key: K,
        is_current: impl FnOnce(&V) -> bool,
        open: impl FnOnce() -> Result<V, E>,
    ) -> Result<V, E> {
        self.used.lock().insert(key.clone(), Instant::now());
        let slot = self.slots.lock().entry(key).or_default().clone();
        let mut value = slot.lock();
        if let Some(value) = value.as_ref()
            && is_current(value)
        {
            return Ok(value.clone());
        }
        let opened = open()?;
        *value = Some(opened.clone());
        Ok(opened)
    }

    /// Every open value. One that is just being opened or closed is left out: this never waits.
    pub fn values(&self) -> Vec<V> {
        let slots: Vec<_> = self.slots.lock().values().cloned().collect();
        slots.iter().filter_map(|slot| slot.try_lock()?.clone()).collect()
    }

    /// Takes out the values of all keys that match. Waits for one that is just being opened.
    pub fn remove(&self, matches: impl Fn(&K) -> bool) -> Vec<V> {
        let slots = self.slots.lock();
        let matching = slots.iter().filter(|(key, _)| matches(key));
        let matching: Vec<_> = matching.map(|(_, slot)| slot.clone()).collect();
        drop(slots);
        matching.iter().filter_map(|slot| slot.lock().take()).collect()
    }

    /// Drops free values: those not asked for since `timeout`, and the least recent ones beyond `max`.
    pub fn close_idle(&self, max: usize, timeout: Duration, is_free: impl Fn(&V) -> bool) {
        let mut used: Vec<(K, Instant)> =
            self.used.lock().iter().map(|(key, used)| (key.clone(), *used)).collect();
        used.sort_by_key(|(_, used)| Reverse(*used));
        for (at, (key, used_at)) in used.iter().enumerate() {
            if at < max && used_at.elapsed() < timeout {
                continue;
            }
            let mut slots = self.slots.lock();
            // A slot that someone else holds is being opened or used.
            let is_idle = slots.get(key).is_some_and(|slot| {
                Arc::strong_count(slot) == 1 && slot.lock().as_ref().is_none_or(&is_free)
            });
            let closed = if is_idle { slots.remove(key) } else { None };
            drop(slots);
            if closed.is_some() {
                self.used.lock().remove(key);
            }
        }
    }

    /// The number of open values.
    #[cfg(test)]
    pub fn len(&self) -> usize {
        self.slots.lock().len()
    }

    fn existing_slot(&self, key: &K) -> Option<Arc<Slot<V>>> {
        self.slots.lock().get(key).cloned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::convert::Infallible;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::mpsc::channel;

    /// Longer than any test takes: reached only by a deadlock.
    const DEADLOCK: Duration = Duration::from_secs(60);

    #[test]
    fn a_slow_open_of_one_key_does_not_block_another() {
        let registry: Registry<&str, u32> = Registry::default();
        let (opening, is_opening) = channel();
        let (finish, may_finish) = channel();
        std::thread::scope(|scope| {
            let registry = &registry;
            let slow = scope.spawn(move || {
                registry.get_or_open(
                    "slow",
                    |_| true,
                    || {
                        opening.send(()).unwrap();
                        may_finish.recv_timeout(DEADLOCK).map(|()| 1)
                    },
                )
            });
            is_opening.recv_timeout(DEADLOCK).unwrap();
            let (opened, is_open) = channel();
            scope.spawn(move || {
                let fast = registry.get_or_open("fast", |_| true, || Ok::<_, Infallible>(2));
                opened.send((fast, registry.get(&"fast"), registry.remove(|key| *key == "fast")))
            });
            let fast = is_open.recv_timeout(DEADLOCK);
            finish.send(()).unwrap();
            assert_eq!(fast, Ok((Ok(2), Some(2), vec![2])));
            assert_eq!(slow.join().unwrap(), Ok(1));
        });
    }

    #[test]
    fn a_value_is_opened_once_and_shared() {
        let registry: Registry<u8, usize> = Registry::default();
        let opened = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    let open = || Ok::<_, Infallible>(opened.fetch_add(1, Ordering::Relaxed));
                    assert_eq!(registry.get_or_open(7, |_| true, open), Ok(0));
                });
            }
        });
        assert_eq!(opened.into_inner(), 1);
    }

    #[test]
    fn idle_values_are_closed_and_those_in_use_are_not() {
        let registry: Registry<u8, Arc<u8>> = Registry::default();
        let open = |key| registry.get_or_open(key, |_| true, || Ok::<_, Infallible>(Arc::new(key)));
        let in_use = open(0).unwrap();
        (1..9).for_each(|key| drop(open(key)));
        let close = |max, timeout| {
            registry.close_idle(max, timeout, |value| Arc::strong_count(value) == 1);
        };
        close(3, Duration::from_secs(3600));
        assert_eq!((registry.len(), registry.get(&0)), (4, Some(in_use)), "the oldest is in use");
        assert_eq!((registry.get(&5), registry.get(&6)), (None, Some(Arc::new(6))));
        close(3, Duration::ZERO);
        assert_eq!(registry.len(), 0);
    }

    #[test]
    fn outdated_values_are_replaced_and_failures_are_not_kept() {
        let registry: Registry<u8, &str> = Registry::default();
        assert_eq!(registry.get_or_open(1, |_| true, || Err("failed")), Err("failed"));
        assert_eq!(registry.get(&1), None);
        let open = |value, is_current| {
            registry.get_or_open(1, |_| is_current, || Ok::<_, Infallible>(value))
        };
        assert_eq!(open("old", true), Ok("old"));
        assert_eq!(open("new", true), Ok("old"));
        assert_eq!(open("new", false), Ok("new"));
        assert_eq!(registry.remove(|_| true), ["new"]);
        assert_eq!(registry.get(&1), None);
    }
}
