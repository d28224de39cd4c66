//! An in-memory LRU cache of query vectors: queries are short and repeat soon, so they are not stored on disk.

use groma_core::{Locked, Vector};
use std::collections::VecDeque;

/// The maximum number of queries.
const CAPACITY: usize = 256;

/// The last queries, the most recent first.
#[derive(Default)]
pub(super) struct QueryCache(Locked<VecDeque<(String, Vector)>>);

impl QueryCache {
    pub fn get(&self, text: &str) -> Option<Vector> {
        let mut entries = self.0.lock();
        let index = entries.iter().position(|(known, _)| known == text)?;
        let found = entries.remove(index)?;
        let vector = found.1.clone();
        entries.push_front(found);
        Some(vector)
    }

    pub fn insert(&self, text: &str, vector: &Vector) {
        let mut entries = self.0.lock();
        entries.push_front((text.to_string(), vector.clone()));
        entries.truncate(CAPACITY);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_recently_used_is_evicted() {
        let cache = QueryCache::default();
        let vector = Vector::quantise(&[1.0]);
        for number in 0..CAPACITY {
            cache.insert(&number.to_string(), &vector);
        }
        assert_eq!(cache.get("0"), Some(vector.clone()));
        cache.insert("one more", &vector);
        assert_eq!(cache.get("1"), None);
        assert_eq!(cache.get("0"), Some(vector));
    }
}
