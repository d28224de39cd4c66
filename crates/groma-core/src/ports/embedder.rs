//! The port an embedding model implements.

use crate::Vector;
use std::sync::Arc;

/// Which model made a vector. Vectors of different identities are never compared.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct EmbedderIdentity {
    /// The model's name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// How many components its vectors have.
    pub dimensions: usize,
}

impl std::fmt::Display for EmbedderIdentity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}@{}/{}", self.name, self.version, self.dimensions)
    }
}

/// What a text is for; some models treat the two differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextRole {
    /// A query.
    Query,
    /// An indexed text. Its first line is the path of its file, its second says what it is.
    Passage,
}

/// Why a text has no vector.
#[derive(Debug, thiserror::Error)]
pub enum EmbedError {
    /// The model cannot be reached now.
    #[error("the embedder is unavailable: {0}")]
    Unavailable(String),
    /// The model refused the text.
    #[error("the embedder refused the text: {0}")]
    Refused(String),
}

/// The request limits of a model behind a network; batches amortise the round trip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Remote {
    /// Texts in a request.
    pub batch: usize,
    /// Requests in flight at once.
    pub concurrency: usize,
}

/// A model that turns texts into vectors.
pub trait Embedder: Send + Sync {
    /// Which model this is. Known without a request, so that an index can be opened while a service is down.
    fn identity(&self) -> EmbedderIdentity;

    /// One vector for each text, in order.
    fn embed(&self, role: TextRole, texts: &[&str]) -> Result<Vec<Vector>, EmbedError>;

    /// The limits of a remote service; `None` for a model in this process, which answers without a round trip.
    fn remote(&self) -> Option<Remote> {
        None
    }

    /// Whether it can be called now, as far as that is known without a request.
    fn is_ready(&self) -> bool {
        true
    }
}

/// One model behind several engines.
impl<E: Embedder + ?Sized> Embedder for Arc<E> {
    fn identity(&self) -> EmbedderIdentity {
        (**self).identity()
    }

    fn embed(&self, role: TextRole, texts: &[&str]) -> Result<Vec<Vector>, EmbedError> {
        (**self).embed(role, texts)
    }

    fn remote(&self) -> Option<Remote> {
        (**self).remote()
    }

    fn is_ready(&self) -> bool {
        (**self).is_ready()
    }
}
