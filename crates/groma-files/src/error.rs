//! Errors of walking a project.

use crate::git::GitError;
use std::io;
use std::path::PathBuf;

/// Why a project could not be walked at all.
#[derive(Debug, thiserror::Error)]
pub enum WalkError {
    /// There is nothing at the root.
    #[error("{} does not exist; give the path of the project's folder", .root.display())]
    Missing {
        /// The requested root.
        root: PathBuf,
    },
    /// The root is something else.
    #[error("{} is not a folder; give the folder that contains it", .root.display())]
    NotAFolder {
        /// The requested root.
        root: PathBuf,
    },
    /// The root cannot be listed.
    #[error("{} cannot be read; check its permissions", .root.display())]
    Unreadable {
        /// The requested root.
        root: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// An ignore file that applies to the root is a pipe or a device, or too large.
    #[error("{} is not a regular file of at most 128 KiB; shorten or remove it", .path.display())]
    IgnoreFile {
        /// Which one.
        path: PathBuf,
    },
    /// A commit has too many entries; it may be a crafted one whose trees repeat each other.
    #[error("commit {commit} has more than {limit} entries; it is not indexed")]
    TooManyEntries {
        /// Which one.
        commit: String,
        /// The maximum.
        limit: usize,
    },
    /// A commit cannot be read.
    #[error(transparent)]
    Git(#[from] GitError),
    /// `include` or `exclude` contains an invalid glob.
    #[error("`{glob}` is not a glob; correct it in `include` or `exclude`")]
    Glob {
        /// As written.
        glob: String,
        /// What is wrong with it.
        #[source]
        source: ignore::Error,
    },
}
