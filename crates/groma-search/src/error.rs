//! Errors of requests.

use groma_core::StoreError;
use groma_files::WalkError;

/// Why a file is not read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReadRefusal {
    /// The path is absolute, or starts with a drive or a home directory.
    #[error("absolute paths are not read; give the path relative to the project")]
    Absolute,
    /// The path contains `..` or backslashes, or is a symbolic link out of the project.
    #[error("is outside the project; give a path inside its folder, with `/` between names")]
    Traversal,
    /// It may contain a password or a key, or belongs to version control or to a package manager.
    #[error("may contain secrets or is internal to a tool; such files are never read")]
    Sensitive,
    /// An ignore file or a setting excludes it.
    #[error("is excluded by {rule}; add it to `include` in .groma.toml to read it")]
    Ignored {
        /// The rule and the file that contains it.
        rule: String,
    },
    /// It is too large.
    #[error("has {bytes} bytes; files larger than {limit} bytes are not read")]
    TooLarge {
        /// Its size.
        bytes: u64,
        /// The maximum size.
        limit: u64,
    },
    /// It is not text.
    #[error("is not text")]
    Binary,
    /// It is a folder, a pipe, a socket or a device.
    #[error("is not a file")]
    NotAFile,
    /// The operating system reports an error.
    #[error("cannot be read: {reason}")]
    Unreadable {
        /// Its message.
        reason: String,
    },
}

/// Why a request failed.
#[derive(Debug, thiserror::Error)]
pub enum SearchError {
    /// A parameter is out of range or cannot be parsed.
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
        /// As given in the request.
        path: String,
        /// Why.
        refusal: ReadRefusal,
    },
    /// There is no such file.
    #[error("there is no file {path}")]
    FileNotFound {
        /// As given in the request.
        path: String,
        /// Similar paths in the project, most similar first.
        suggestions: Vec<String>,
    },
    /// The project cannot be walked.
    #[error(transparent)]
    Walk(#[from] WalkError),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The caller cancelled the request.
    #[error("stopped before it was done; nothing was changed")]
    Cancelled,
}

impl SearchError {
    /// A parameter that cannot be used.
    pub fn invalid(parameter: &'static str, reason: impl Into<String>) -> Self {
        Self::Invalid { parameter, reason: reason.into() }
    }
}
