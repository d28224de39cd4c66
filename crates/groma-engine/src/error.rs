//! Errors of the engine, and their kinds.

use groma_core::{EmbedError, NotebookError, StoreError, StoreErrorKind};
use groma_files::WalkError;
use groma_index::IndexError;
use groma_search::{ReadRefusal, SearchError};
use std::sync::Arc;

/// What a caller can do about an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// The request is invalid.
    Input,
    /// There is no such project, file or index.
    NotFound,
    /// Another process is writing; retry later.
    Busy,
    /// The index cannot be read; rebuild it.
    Damaged,
    /// The caller cancelled it.
    Cancelled,
    /// The disk, the database or a program error.
    Internal,
}

/// Why a request failed.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// A parameter is out of range or malformed.
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
        refusal: ReadRefusal,
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
    #[error("there is no file {path}{}", did_you_mean(.suggestions))]
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
    /// The error of an index run that several queries waited for.
    #[error(transparent)]
    Shared(Arc<EngineError>),
    /// An index run panicked; the next one starts afresh.
    #[error("internal error in the index run; nothing was changed")]
    Crashed,
    /// The notebook failed.
    #[error(transparent)]
    Notebook(#[from] NotebookError),
    /// The embedder is unavailable, and the fallback index is better than one without vectors.
    #[error(transparent)]
    Embed(#[from] EmbedError),
    /// The caller cancelled the request.
    #[error("stopped before it was done; nothing was changed")]
    Cancelled,
}

impl EngineError {
    /// An invalid parameter.
    pub fn invalid(parameter: &'static str, reason: impl Into<String>) -> Self {
        Self::Invalid { parameter, reason: reason.into() }
    }

    /// What a caller can do about it.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Invalid { .. } | Self::Refused { .. } => ErrorKind::Input,
            Self::Walk(_) | Self::Ref { .. } | Self::FileNotFound { .. } => ErrorKind::NotFound,
            Self::Store(error) => match error.kind() {
                StoreErrorKind::Busy | StoreErrorKind::Superseded => ErrorKind::Busy,
                StoreErrorKind::Damaged => ErrorKind::Damaged,
                _ => ErrorKind::Internal,
            },
            Self::Notebook(_) | Self::Crashed | Self::Embed(_) => ErrorKind::Internal,
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

impl From<SearchError> for EngineError {
    fn from(error: SearchError) -> Self {
        match error {
            SearchError::Invalid { parameter, reason } => Self::Invalid { parameter, reason },
            SearchError::Refused { path, refusal } => Self::Refused { path, refusal },
            SearchError::FileNotFound { path, suggestions } => {
                Self::FileNotFound { path, suggestions }
            }
            SearchError::Walk(error) => Self::Walk(error),
            SearchError::Store(error) => Self::Store(error),
            SearchError::Cancelled => Self::Cancelled,
        }
    }
}

impl From<IndexError> for EngineError {
    fn from(error: IndexError) -> Self {
        match error {
            IndexError::Walk(error) => Self::Walk(error),
            IndexError::Store(error) => Self::Store(error),
            IndexError::Embed(error) => Self::Embed(error),
            IndexError::Cancelled => Self::Cancelled,
        }
    }
}

impl From<groma_notebook::Error> for EngineError {
    fn from(error: groma_notebook::Error) -> Self {
        match error {
            groma_notebook::Error::Invalid { parameter, reason } => {
                Self::Invalid { parameter, reason }
            }
            groma_notebook::Error::Notebook(error) => Self::Notebook(error),
            groma_notebook::Error::Store(error) => Self::Store(error),
            groma_notebook::Error::Search(error) => error.into(),
        }
    }
}

fn did_you_mean(suggestions: &[String]) -> String {
    match suggestions {
        [] => String::new(),
        some => format!("; did you mean {}?", some.join(" or ")),
    }
}
