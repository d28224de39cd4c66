//! Which file versions a ref consists of.

use crate::{RelPath, VersionKey};
use std::collections::BTreeMap;

/// The result of a stat: enough to know that a file has not changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct FileStamp {
    /// Size in bytes.
    pub size: u64,
    /// Modification time (mtime), in nanoseconds since 1970. Users can set it.
    pub modified: i64,
    /// Hash of ctime and inode, which users cannot set; 0 on platforms without them. For a file of a commit, the first
    /// bytes of its object id.
    pub state: u64,
    /// The stat was taken so soon after the modification that another one could have the same times (racy, as git
    /// calls it).
    pub racy: bool,
}

impl FileStamp {
    /// Whether a file that now has the stamp `now` is certainly unchanged. A racy stamp never proves that.
    pub fn vouches_for(&self, now: &FileStamp) -> bool {
        !self.racy && self.is_like(now)
    }

    /// Whether both stats have the same values.
    pub fn is_like(&self, other: &FileStamp) -> bool {
        (self.size, self.modified, self.state) == (other.size, other.modified, other.state)
    }
}

/// One file of a manifest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ManifestEntry {
    /// The current version.
    pub key: VersionKey,
    /// The stat before it was read.
    pub stamp: FileStamp,
}

/// A file that is not indexed, and why.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SkippedFile {
    /// The path, for display.
    pub path: String,
    /// The reason's short name.
    pub reason: String,
    /// More about it; may be empty.
    pub detail: String,
    /// The stat of a file that had to be opened to decide; `None` if its name decided, or if it may be decided
    /// differently next time.
    pub stamp: Option<FileStamp>,
}

/// The files of one ref.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Manifest {
    /// Path to version.
    pub files: BTreeMap<RelPath, ManifestEntry>,
    /// Files that are not indexed.
    pub skipped: Vec<SkippedFile>,
    /// Hash of the options that selected the files: under other options no stamp proves anything.
    pub options_hash: u64,
    /// The commit that the files belong to; `None` for a working tree.
    pub commit: Option<String>,
}
