//! Why a project cannot be walked.

use crate::git::GitError;
use std::io;
use std::path::PathBuf;

/// Why a project could not be walked at all.
#[derive(Debug, thiserror::Error)]
pub enum WalkError {
    /// There is nothing at the root.
    #[error("{} does not exist; give the path of the project's folder", .root.display())]
    Missing {
        /// The root asked for.
        root: PathBuf,
    },
    /// The root is something else.
    #[error("{} is not a folder; give the folder that contains it", .root.display())]
    NotAFolder {
        /// The root asked for.
        root: PathBuf,
    },
    /// The root cannot be listed.
    #[error("{} cannot be read; check its permissions", .root.display())]
    Unreadable {
        /// The root asked for.
        root: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// An ignore file of the root would block whoever opens it.
    #[error("{} is not a regular file; remove it", .path.display())]
    IgnoreFile {
        /// Which one.
        path: PathBuf,
    },
    /// A commit has more entries than anybody wrote.
    #[error("commit {commit} has more than {most} entries; it is not indexed")]
    Endless {
        /// Which one.
        commit: String,
        /// How many there may be.
        most: usize,
    },
    /// A commit cannot be read.
    #[error(transparent)]
    Git(#[from] GitError),
    /// `include` or `exclude` holds something that is no glob.
    #[error("`{glob}` is not a glob; correct it in `include` or `exclude`")]
    Glob {
        /// As written.
        glob: String,
        /// What is wrong with it.
        #[source]
        source: ignore::Error,
    },
}
