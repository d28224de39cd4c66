//! What can go wrong, and what kind of thing it is.

use crate::index::walk::WalkError;
use crate::read::Refusal;
use groma_core::{EmbedError, NotebookError, StoreError};
use std::sync::Arc;

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
    /// A file may not be read.
    #[error("{path} {refusal}")]
    Refused {
        /// As the caller wrote it.
        path: String,
        /// Why.
        refusal: Refusal,
    },
    /// There is no such ref, or it cannot be read.
    #[error("ref {name}: {reason}")]
    Ref {
        /// As the caller wrote it.
        name: String,
        /// What is wrong, and what to do.
        reason: String,
    },
    /// There is no such file.
    #[error("there is no file {path}{}", nearly(.suggestions))]
    FileNotFound {
        /// As the caller wrote it.
        path: String,
        /// Files of the project that may be meant, likeliest first.
        suggestions: Vec<String>,
    },
    /// The project cannot be walked.
    #[error(transparent)]
    Walk(#[from] WalkError),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// What happened to an index run that several queries waited for.
    #[error(transparent)]
    Shared(Arc<EngineError>),
    /// An index run panicked; the next one starts afresh.
    #[error("the index run failed inside the program; nothing was changed")]
    Crashed,
    /// The notebook failed.
    #[error(transparent)]
    Notebook(#[from] NotebookError),
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
            Self::Invalid { .. } | Self::Refused { .. } => ErrorKind::Input,
            Self::Walk(_) | Self::Ref { .. } | Self::FileNotFound { .. } => ErrorKind::NotFound,
            Self::Store(StoreError::Busy) => ErrorKind::Busy,
            Self::Store(StoreError::Damaged(_)) => ErrorKind::Damaged,
            Self::Store(_) | Self::Notebook(_) | Self::Crashed | Self::Embed(_) => {
                ErrorKind::Internal
            }
            Self::Shared(error) => error.kind(),
            Self::Cancelled => ErrorKind::Cancelled,
        }
    }

    /// Whether the project's folder does not exist, is not a folder or cannot be read.
    pub fn is_project_missing(&self) -> bool {
        match self {
            Self::Walk(error) => matches!(
                error,
                WalkError::Missing { .. }
                    | WalkError::NotAFolder { .. }
                    | WalkError::Unreadable { .. }
            ),
            Self::Shared(error) => error.is_project_missing(),
            _ => false,
        }
    }
}

fn nearly(suggestions: &[String]) -> String {
    match suggestions {
        [] => String::new(),
        some => format!("; did you mean {}?", some.join(" or ")),
    }
}
