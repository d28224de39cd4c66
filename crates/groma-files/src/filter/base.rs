//! What a filter asks of the tree it decides about: a folder on disk, or a commit.

use crate::options::WalkOptions;
use groma_core::{FileStamp, RelPath, SkippedFile};
use ignore::gitignore::Gitignore;
use std::path::PathBuf;

/// The ignore files that are read in every folder.
pub(crate) const IGNORE_FILES: [&str; 3] = [".gitignore", ".ignore", OWN_IGNORE_FILE];

/// Groma's own ignore file; it outranks the others.
pub(super) const OWN_IGNORE_FILE: &str = ".gromaignore";

/// What is known of an entry without reading it.
pub(crate) trait Entry {
    fn is_link(&self) -> bool;
    /// Whether it is a regular file.
    fn is_file(&self) -> bool;
    fn size(&self) -> u64;
    fn stamp(&self) -> FileStamp;
}

/// The tree behind a filter. Paths are relative to the project's root.
pub(crate) trait FilterBase: Send {
    /// A clone that serves another thread.
    fn boxed_clone(&self) -> Box<dyn FilterBase>;

    /// Whether the ignore files exclude a path, other than by a folder above it.
    fn is_ignored(&mut self, path: &str, is_folder: bool, options: &WalkOptions) -> bool;

    /// A path as the lines of ignore files know it.
    fn ignore_path(&self, path: &RelPath) -> PathBuf;

    /// The entry at a path, or why there is none. Follows no link.
    fn entry(&self, path: &RelPath) -> Result<Box<dyn Entry>, SkippedFile>;

    /// Whether a path is a symbolic link.
    fn is_link(&self, path: &str) -> bool;

    /// Where a link points.
    fn target(&self, path: &str) -> String;

    /// Whether a folder has an entry of this name.
    fn exists(&self, folder: &str, name: &str) -> bool;

    /// Whether an ignore file of the folder is a pipe or a device, which would block its reader.
    fn has_blocking_ignore_file(&self, folder: &str) -> bool;

    /// The lines of an ignore file.
    fn ignore_file(&self, folder: &str, name: &str) -> Option<Gitignore>;
}

impl Clone for Box<dyn FilterBase> {
    fn clone(&self) -> Self {
        self.boxed_clone()
    }
}
