//! What can go wrong, and what kind of thing it is.

use crate::index::walk::WalkError;
use groma_core::{EmbedError, StoreError};

/// What a caller can do about an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// The request is wrong; another one may do.
    Input,
    /// There is no such project, file or index.
    NotFound,
    /// Somebody else is at work; later may do.
    Busy,
    /// The index cannot be read; making it anew will do.
    Damaged,
    /// The caller stopped it.
    Cancelled,
    /// The disk, the database or a program error.
    Internal,
}

/// Why a request was not answered.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// A parameter is out of its bounds or cannot be read.
    #[error("{parameter}: {reason}")]
    Invalid {
        /// Which one.
        parameter: &'static str,
        /// What is wrong, and what is allowed.
        reason: String,
    },
    /// The project cannot be walked.
    #[error(transparent)]
    Walk(#[from] WalkError),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The vectors without which an index is not worth having cannot be made now.
    #[error(transparent)]
    Embed(#[from] EmbedError),
    /// The caller asked to stop.
    #[error("stopped before it was done; nothing was changed")]
    Cancelled,
}

impl EngineError {
    /// A parameter that cannot be used.
    pub fn invalid(parameter: &'static str, reason: impl Into<String>) -> Self {
        Self::Invalid { parameter, reason: reason.into() }
    }

    /// What a caller can do about it.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Invalid { .. } => ErrorKind::Input,
            Self::Walk(_) => ErrorKind::NotFound,
            Self::Store(StoreError::Busy) => ErrorKind::Busy,
            Self::Store(StoreError::Damaged(_)) => ErrorKind::Damaged,
            Self::Store(_) | Self::Embed(_) => ErrorKind::Internal,
            Self::Cancelled => ErrorKind::Cancelled,
        }
    }
}
