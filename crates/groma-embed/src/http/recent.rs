//! The questions asked last. They are short, come again soon, and are worth no place on the disk.

use groma_core::Vector;
use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// How many are kept.
const CAPACITY: usize = 256;

/// The questions asked last, the newest first.
#[derive(Default)]
pub(super) struct Recent(Mutex<VecDeque<(String, Vector)>>);

impl Recent {
    pub fn find(&self, text: &str) -> Option<Vector> {
        let mut questions = self.questions();
        let place = questions.iter().position(|(known, _)| known == text)?;
        let found = questions.remove(place)?;
        let vector = found.1.clone();
        questions.push_front(found);
        Some(vector)
    }

    pub fn keep(&self, text: &str, vector: &Vector) {
        let mut questions = self.questions();
        questions.push_front((text.to_string(), vector.clone()));
        questions.truncate(CAPACITY);
    }

    fn questions(&self) -> MutexGuard<'_, VecDeque<(String, Vector)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_is_forgotten_first() {
        let recent = Recent::default();
        let vector = Vector::quantise(&[1.0]);
        for number in 0..CAPACITY {
            recent.keep(&number.to_string(), &vector);
        }
        assert_eq!(recent.find("0"), Some(vector.clone()));
        recent.keep("one more", &vector);
        assert_eq!(recent.find("1"), None);
        assert_eq!(recent.find("0"), Some(vector));
    }
}
