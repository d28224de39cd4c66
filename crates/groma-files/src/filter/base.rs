//! The tree that a filter is applied to: a folder on disk, or a commit.

use crate::options::WalkOptions;
use groma_core::{FileStamp, RelPath, SkippedFile};
use ignore::gitignore::Gitignore;
use std::path::PathBuf;

/// The ignore files of a folder.
pub(crate) const IGNORE_FILES: [&str; 3] = [".gitignore", ".ignore", OWN_IGNORE_FILE];

/// Groma's own ignore file; it takes precedence over the others.
pub(super) const OWN_IGNORE_FILE: &str = ".gromaignore";

/// The metadata of an entry.
pub(crate) trait Entry {
    fn is_link(&self) -> bool;
    /// Whether it is a regular file.
    fn is_file(&self) -> bool;
    fn size(&self) -> u64;
    fn stamp(&self) -> FileStamp;
}

/// The tree behind a filter. Paths are relative to the project's root.
pub(crate) trait FilterBase: Send {
    /// A clone for another thread.
    fn boxed_clone(&self) -> Box<dyn FilterBase>;

    /// Whether the ignore files exclude a path by itself, not by a parent folder.
    fn is_ignored(&mut self, path: &str, is_folder: bool, options: &WalkOptions) -> bool;

    /// A path in the form that the ignore matcher expects.
    fn ignore_path(&self, path: &RelPath) -> PathBuf;

    /// The entry at a path, or why there is none. Follows no link.
    fn entry(&self, path: &RelPath) -> Result<Box<dyn Entry>, SkippedFile>;

    /// Whether a path is a symbolic link.
    fn is_link(&self, path: &str) -> bool;

    /// The target of a symbolic link.
    fn target(&self, path: &str) -> String;

    /// Whether a folder has an entry of this name.
    fn exists(&self, folder: &str, name: &str) -> bool;

    /// Whether an ignore file of the folder is a pipe, a device or too large.
    fn has_unusable_ignore_file(&self, folder: &str) -> bool;

    /// The lines of an ignore file.
    fn ignore_file(&self, folder: &str, name: &str) -> Option<Gitignore>;
}

impl Clone for Box<dyn FilterBase> {
    fn clone(&self) -> Self {
        self.boxed_clone()
    }
}
