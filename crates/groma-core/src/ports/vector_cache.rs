//! The port of a vector cache: a text that was embedded once is not embedded, or paid for, again.

use crate::Vector;

/// What a vector was made of: the model, what the text is for, and the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TextKey([u8; 16]);

impl TextKey {
    /// The key of a text as `model` embeds it. `model` names all that makes a difference to the vector.
    pub fn new(model: &str, text: &str) -> Self {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&(model.len() as u64).to_le_bytes());
        hasher.update(model.as_bytes());
        hasher.update(text.as_bytes());
        let mut key = [0; 16];
        key.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
        Self(key)
    }

    /// The bytes it is stored as.
    pub fn as_bytes(&self) -> &[u8; 16] {
        &self.0
    }
}

/// A cache of vectors. A cache that fails returns nothing and stores nothing; that is never an error.
pub trait VectorCache: Send + Sync {
    /// The cached vectors, in the order of `keys`.
    fn find(&self, keys: &[TextKey]) -> Vec<Option<Vector>>;

    /// Stores vectors.
    fn keep(&self, vectors: &[(TextKey, &Vector)]);

    /// The recorded dimensions of a model.
    fn dimensions(&self, model: &str) -> Option<usize>;

    /// Records the dimensions of a model, so that no request is needed to learn them again.
    fn keep_dimensions(&self, model: &str, dimensions: usize);
}

/// Caches nothing.
impl VectorCache for () {
    fn find(&self, keys: &[TextKey]) -> Vec<Option<Vector>> {
        vec![None; keys.len()]
    }

    fn keep(&self, _: &[(TextKey, &Vector)]) {}

    fn dimensions(&self, _: &str) -> Option<usize> {
        None
    }

    fn keep_dimensions(&self, _: &str, _: usize) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn models_and_texts_have_different_keys() {
        let key = TextKey::new("model", "text");
        assert_eq!(key, TextKey::new("model", "text"));
        assert_ne!(key, TextKey::new("modelt", "ext"));
        assert_ne!(key, TextKey::new("model", "other"));
    }
}
