//! Why the notebook does not answer.

use groma_core::{NotebookError, StoreError};
use groma_search::SearchError;

/// Why the notebook does not answer.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A parameter is out of its bounds or names nothing.
    #[error("{parameter}: {reason}")]
    Invalid {
        /// Which one.
        parameter: &'static str,
        /// What is wrong, and what is allowed.
        reason: String,
    },
    /// The notebook's storage failed.
    #[error(transparent)]
    Notebook(#[from] NotebookError),
    /// The index failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The question cannot be answered.
    #[error(transparent)]
    Search(#[from] SearchError),
}

impl Error {
    /// A parameter that cannot be used.
    pub fn invalid(parameter: &'static str, reason: impl Into<String>) -> Self {
        Self::Invalid { parameter, reason: reason.into() }
    }
}
