//! The port a memory of vectors implements: what was embedded once is not embedded, or paid for, again.

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

/// Vectors that were made before. A cache that fails has nothing and keeps nothing; it is never an error.
pub trait VectorCache: Send + Sync {
    /// The vectors that are kept, in the order asked.
    fn find(&self, keys: &[TextKey]) -> Vec<Option<Vector>>;

    /// Keeps vectors.
    fn keep(&self, vectors: &[(TextKey, &Vector)]);

    /// How many dimensions a model turned out to have.
    fn dimensions(&self, model: &str) -> Option<usize>;

    /// Remembers how many it has, so that it need not be asked again.
    fn keep_dimensions(&self, model: &str, dimensions: usize);
}

/// Keeps nothing.
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
    fn models_and_texts_are_told_apart() {
        let key = TextKey::new("model", "text");
        assert_eq!(key, TextKey::new("model", "text"));
        assert_ne!(key, TextKey::new("modelt", "ext"));
        assert_ne!(key, TextKey::new("model", "other"));
    }
}
