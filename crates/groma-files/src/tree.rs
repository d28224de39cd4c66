//! The files of a ref, as a port: a folder, a commit, or wherever else their text may come from.
//!
//! Everything above asks a [`FileTree`], so a commit that is not checked out is walked, filtered, read, searched and
//! shown by the same code as the working tree.

use crate::error::WalkError;
use crate::filter::FileFilter;
use crate::options::WalkOptions;
use groma_core::{FileStamp, RelPath, SkippedFile, VersionKey};
use std::io::{self, Read};
use std::path::PathBuf;
use std::time::SystemTime;

/// A file that is to be indexed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WalkedFile {
    /// Where it is.
    pub path: RelPath,
    /// What a stat tells of it.
    pub stamp: FileStamp,
}

/// The result of a walk, all lists ordered by path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Walked {
    /// The files to index.
    pub files: Vec<WalkedFile>,
    /// What is left out. A folder stands for everything in it.
    pub skipped: Vec<SkippedFile>,
    /// The folders it went into, below the root.
    pub folders: Vec<PathBuf>,
    /// Those of the files left out that are text for all their names tell: generated, minified, lock files, and
    /// such as are too large.
    pub unindexed: Vec<WalkedFile>,
}

/// The files of one ref.
pub trait FileTree: Send + Sync {
    /// Finds the files to index, and says what is left out and why.
    fn walk(&self, options: &WalkOptions) -> Result<Walked, WalkError>;

    /// The filter that decides about single paths.
    fn filter(&self, options: &WalkOptions) -> Result<FileFilter, WalkError>;

    /// The bytes of a file of at most `limit` bytes, and what was known of it before the first of them was read.
    fn load(&self, path: &RelPath, limit: u64) -> Result<(Vec<u8>, FileStamp), SkippedFile>;

    /// What is known of a file without reading it; `None` for anything else.
    fn stamp(&self, path: &RelPath) -> Option<FileStamp>;

    /// Opens files for callers that read bytes rather than text.
    fn opener(&self) -> Box<dyn OpenFile + '_>;

    /// Where a path leads, links followed. No file is opened for that.
    fn resolve(&self, path: &RelPath) -> Result<RelPath, UnresolvedPath>;

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
pub trait OpenFile {
    /// A regular file; `None` for anything else, and for whatever is reached through a link.
    fn open(&self, path: &RelPath) -> io::Result<Option<Box<dyn Read>>>;
}

/// Why a path leads to no file of a tree.
#[derive(Debug, PartialEq, Eq)]
pub enum UnresolvedPath {
    /// There is nothing.
    Missing,
    /// It leads out.
    Outside,
    /// It leads to the root itself.
    Root,
    /// It cannot be told where it leads.
    Unreadable(String),
}
