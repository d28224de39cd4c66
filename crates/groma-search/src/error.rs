//! Why a question is not answered.

use groma_core::StoreError;
use groma_files::WalkError;

/// Why a file is not read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReadRefusal {
    /// The path starts at the root of the file system, at a drive or at somebody's home.
    #[error("absolute paths are not read; give the path relative to the project")]
    Absolute,
    /// The path climbs with `..`, has backslashes, or is a link to the outside.
    #[error("leads out of the project; give a path below its folder, with `/` between names")]
    Traversal,
    /// It may hold a password or a key, or belongs to version control or to a package manager.
    #[error("may hold secrets or is kept by a tool for itself; such files are never read")]
    Sensitive,
    /// An ignore file or a setting excludes it.
    #[error("is excluded by {rule}; name it in `include` of .groma.toml to have it read")]
    Ignored {
        /// The line and the file it stands in.
        rule: String,
    },
    /// It is too large.
    #[error("has {bytes} bytes, and files of more than {limit} are not read")]
    TooLarge {
        /// Its size.
        bytes: u64,
        /// The largest size that is read.
        limit: u64,
    },
    /// It is not text.
    #[error("is not text")]
    Binary,
    /// It is a folder, a pipe, a socket or a device.
    #[error("is not a file")]
    NotAFile,
    /// The system does not let us.
    #[error("cannot be read: {reason}")]
    Unreadable {
        /// What it says.
        reason: String,
    },
}

/// Why a question is not answered.
#[derive(Debug, thiserror::Error)]
pub enum SearchError {
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
        refusal: ReadRefusal,
    },
    /// There is no such file.
    #[error("there is no file {path}")]
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
