//! The files of a folder on disk.

mod load;
mod walk;

use crate::error::WalkError;
use crate::filter::FileFilter;
use crate::options::WalkOptions;
use crate::skip::SkipReason;
use crate::stamp::stamp;
use crate::tree::{FileTree, OpenFile, UnresolvedPath, WalkResult};
use groma_core::{FileStamp, RelPath, SkippedFile, from_unix_nanos};
use load::Opener;
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::time::SystemTime;
use walk::walk;

/// The files of a folder on disk.
pub struct WorkingTree {
    root: PathBuf,
}

impl WorkingTree {
    /// The working tree at `root`.
    pub fn new(root: &Path) -> Self {
        Self { root: root.to_path_buf() }
    }
}

impl FileTree for WorkingTree {
    fn walk(&self, options: &WalkOptions) -> Result<WalkResult, WalkError> {
        walk(&self.root, options)
    }

    fn filter(&self, options: &WalkOptions) -> Result<FileFilter, WalkError> {
        FileFilter::new(&self.root, options)
    }

    fn load(&self, path: &RelPath, limit: u64) -> Result<(Vec<u8>, FileStamp), SkippedFile> {
        load::load(&self.root, path, limit)
    }

    fn stamp(&self, path: &RelPath) -> Option<FileStamp> {
        let metadata = fs::symlink_metadata(path.under(&self.root)).ok()?;
        metadata.is_file().then(|| stamp(&metadata))
    }

    fn opener(&self) -> Box<dyn OpenFile + '_> {
        Box::new(Opener::new(&self.root))
    }

    fn resolve(&self, path: &RelPath) -> Result<RelPath, UnresolvedPath> {
        let unreadable = |error: io::Error| match SkipReason::of_io(&error) {
            SkipReason::Vanished => UnresolvedPath::Missing,
            _ => UnresolvedPath::Unreadable(error.to_string()),
        };
        let root = self.root.canonicalize().map_err(unreadable)?;
        let resolved = path.under(&root).canonicalize().map_err(unreadable)?;
        let inside = resolved.strip_prefix(&root).map_err(|_| UnresolvedPath::Outside)?;
        match inside.components().next() {
            Some(Component::Normal(_)) => {
                RelPath::new(inside).map_err(|error| UnresolvedPath::Unreadable(error.to_string()))
            }
            _ => Err(UnresolvedPath::Root),
        }
    }

    fn modified(&self, stamp: &FileStamp) -> SystemTime {
        from_unix_nanos(stamp.modified)
    }
}
