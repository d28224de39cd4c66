//! The files of a ref, as a port: a folder, a commit, or wherever else their text may come from.
//!
//! Everything above reads through a [`FileTree`], so a commit that is not checked out is walked, filtered, read,
//! searched and shown by the same code as the working tree.

use crate::error::WalkError;
use crate::filter::FileFilter;
use crate::options::WalkOptions;
use groma_core::{FileStamp, RelPath, SkippedFile, VersionKey};
use std::io::{self, Read};
use std::path::PathBuf;
use std::time::SystemTime;

/// A file found by a walk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WalkedFile {
    /// Its path.
    pub path: RelPath,
    /// Its stat data.
    pub stamp: FileStamp,
}

/// The result of a walk, all lists ordered by path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WalkResult {
    /// The files to index.
    pub files: Vec<WalkedFile>,
    /// What is skipped. A folder stands for everything in it.
    pub skipped: Vec<SkippedFile>,
    /// The folders it entered, below the root.
    pub folders: Vec<PathBuf>,
    /// The files that have other names (hard links): writing through one of those is no event of their folder.
    pub linked: Vec<PathBuf>,
    /// The skipped files that are probably text: generated, minified, too large, and lock files.
    pub unindexed: Vec<WalkedFile>,
}

/// The files of one ref.
pub trait FileTree: Send + Sync {
    /// Finds the files to index, and what is skipped and why.
    fn walk(&self, options: &WalkOptions) -> Result<WalkResult, WalkError>;

    /// The filter that decides about single paths.
    fn filter(&self, options: &WalkOptions) -> Result<FileFilter, WalkError>;

    /// The bytes of a file of at most `limit` bytes, and its stamp from before the first of them was read.
    fn load(&self, path: &RelPath, limit: u64) -> Result<(Vec<u8>, FileStamp), SkippedFile>;

    /// The stamp of a regular file; `None` for anything else.
    fn stamp(&self, path: &RelPath) -> Option<FileStamp>;

    /// Opens files for callers that read bytes rather than text.
    fn opener(&self) -> Box<dyn OpenFile + '_>;

    /// Resolves symbolic links. Opens no file.
    fn resolve(&self, path: &RelPath) -> Result<RelPath, UnresolvedPath>;

    /// The modification time of a file, by its stamp.
    fn modified(&self, stamp: &FileStamp) -> SystemTime;

    /// The id of the commit; `None` for a folder.
    fn commit(&self) -> Option<&str> {
        None
    }

    /// The key of a file's version, if it is known without reading.
    fn key(&self, _path: &RelPath) -> Option<VersionKey> {
        None
    }
}

/// Opens files of a tree.
pub trait OpenFile {
    /// Opens a regular file; `None` for anything else, and for files behind a symbolic link.
    fn open(&self, path: &RelPath) -> io::Result<Option<Box<dyn Read>>>;
}

/// Why a path could not be resolved to a file of a tree.
#[derive(Debug, PartialEq, Eq)]
pub enum UnresolvedPath {
    /// It does not exist.
    Missing,
    /// It resolves to a path outside the tree.
    Outside,
    /// It resolves to the root itself.
    Root,
    /// It cannot be read.
    Unreadable(String),
}
