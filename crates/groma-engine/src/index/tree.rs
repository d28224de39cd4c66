//! Where the files of a ref are listed and read: in a folder, or in a commit.
//!
//! Everything above asks a [`Tree`], so a commit that is not checked out is walked, gated, read, searched and shown by
//! the same code as the working tree.

use super::gate::Gate;
use super::skip::SkipReason;
use super::source::{self, Opener};
use super::stamp::stamp;
use super::walk::{WalkError, WalkOptions, Walked, walk};
use groma_core::{FileStamp, RelPath, SkippedFile, VersionKey};
use std::fs;
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The files of one ref.
pub(crate) trait Tree: Send + Sync {
    /// Finds the files to index, and says what is left out and why.
    fn walk(&self, options: &WalkOptions) -> Result<Walked, WalkError>;

    /// What decides about single paths.
    fn gate(&self, options: &WalkOptions) -> Result<Gate, WalkError>;

    /// The bytes of a file of at most `limit` bytes, and what was known of it before the first of them was read.
    fn load(&self, path: &RelPath, limit: u64) -> Result<(Vec<u8>, FileStamp), SkippedFile>;

    /// What is known of a file without reading it; `None` for anything else.
    fn stamp(&self, path: &RelPath) -> Option<FileStamp>;

    /// Opens files for whoever looks at bytes rather than text.
    fn opener(&self) -> Box<dyn Open + '_>;

    /// Where a path leads, links followed. No file is opened for that.
    fn resolve(&self, path: &RelPath) -> Result<RelPath, Astray>;

    /// When a file was changed last, by its stamp.
    fn modified(&self, stamp: &FileStamp) -> SystemTime;

    /// The commit it is; `None` for a folder.
    fn commit(&self) -> Option<&str> {
        None
    }

    /// The key of a file's version where it is known without reading.
    fn key(&self, _path: &RelPath) -> Option<VersionKey> {
        None
    }
}

/// Opens files of a tree.
pub(crate) trait Open {
    /// A regular file; `None` for anything else, and for whatever is reached through a link.
    fn open(&self, path: &RelPath) -> io::Result<Option<Box<dyn Read>>>;
}

/// Why a path leads to no file of a tree.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Astray {
    /// There is nothing.
    Missing,
    /// It leads out.
    Outside,
    /// It leads to the root itself.
    Root,
    /// It cannot be told where it leads.
    Unreadable(String),
}

/// The files of a folder as they are now.
pub(crate) struct WorkingTree {
    root: PathBuf,
}

impl WorkingTree {
    /// The files below a folder.
    pub fn new(root: &Path) -> Self {
        Self { root: root.to_path_buf() }
    }
}

impl Tree for WorkingTree {
    fn walk(&self, options: &WalkOptions) -> Result<Walked, WalkError> {
        walk(&self.root, options)
    }

    fn gate(&self, options: &WalkOptions) -> Result<Gate, WalkError> {
        Gate::new(&self.root, options)
    }

    fn load(&self, path: &RelPath, limit: u64) -> Result<(Vec<u8>, FileStamp), SkippedFile> {
        source::load(&self.root, path, limit)
    }

    fn stamp(&self, path: &RelPath) -> Option<FileStamp> {
        let metadata = fs::symlink_metadata(path.under(&self.root)).ok()?;
        metadata.is_file().then(|| stamp(&metadata))
    }

    fn opener(&self) -> Box<dyn Open + '_> {
        Box::new(Opener::new(&self.root))
    }

    fn resolve(&self, path: &RelPath) -> Result<RelPath, Astray> {
        let unreadable = |error: io::Error| match SkipReason::of_io(&error) {
            SkipReason::Vanished => Astray::Missing,
            _ => Astray::Unreadable(error.to_string()),
        };
        let root = self.root.canonicalize().map_err(unreadable)?;
        let resolved = path.under(&root).canonicalize().map_err(unreadable)?;
        let inside = resolved.strip_prefix(&root).map_err(|_| Astray::Outside)?;
        match inside.components().next() {
            Some(Component::Normal(_)) => {
                RelPath::new(inside).map_err(|error| Astray::Unreadable(error.to_string()))
            }
            _ => Err(Astray::Root),
        }
    }

    fn modified(&self, stamp: &FileStamp) -> SystemTime {
        time(stamp.modified)
    }
}

/// A time in nanoseconds since 1970.
fn time(nanoseconds: i64) -> SystemTime {
    let distance = Duration::from_nanos(nanoseconds.unsigned_abs());
    let time = if nanoseconds < 0 {
        UNIX_EPOCH.checked_sub(distance)
    } else {
        UNIX_EPOCH.checked_add(distance)
    };
    time.unwrap_or(UNIX_EPOCH)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_before_1970_are_times() {
        assert_eq!(time(0), UNIX_EPOCH);
        assert_eq!(time(-1_000_000_000), UNIX_EPOCH - Duration::from_secs(1));
    }
}
