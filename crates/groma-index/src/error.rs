//! Errors of an index run.

use groma_core::{EmbedError, StoreError};
use groma_files::WalkError;

/// Why an index run failed. Nothing was committed.
#[derive(Debug, thiserror::Error)]
pub enum IndexError {
    /// The project cannot be walked.
    #[error(transparent)]
    Walk(#[from] WalkError),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The embedder is unavailable, and the fallback index is better than one without vectors.
    #[error(transparent)]
    Embed(#[from] EmbedError),
    /// The caller cancelled the run.
    #[error("stopped before it was done; nothing was changed")]
    Cancelled,
}
