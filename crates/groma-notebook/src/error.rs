//! Errors of the notebook.

use groma_core::{NotebookError, StoreError};
use groma_search::SearchError;

/// Why a request to the notebook failed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A parameter is out of range or refers to nothing.
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
    /// The search failed.
    #[error(transparent)]
    Search(#[from] SearchError),
}

impl Error {
    /// An invalid parameter.
    pub fn invalid(parameter: &'static str, reason: impl Into<String>) -> Self {
        Self::Invalid { parameter, reason: reason.into() }
    }
}
