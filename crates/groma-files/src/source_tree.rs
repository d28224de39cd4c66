//! The files of one ref under the project's walk options: listed, compared with a manifest, read if unchanged.
//!
//! A walk is cached as long as the watcher reports no change: in a tree of thousands of files it costs far more than
//! the few files that the index leaves to be read.

use crate::change::Changes;
use crate::error::WalkError;
use crate::git::Repository;
use crate::options::WalkOptions;
use crate::source;
use crate::tree::{FileTree, WalkResult, WalkedFile};
use crate::version;
use crate::watcher::{Mark, Watcher};
use groma_core::{FileStamp, Locked, Manifest, RelPath, Snapshot, VersionKey};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Weak};
use std::time::Instant;

/// The files of one ref, with a cache of the last walk.
pub struct SourceTree {
    root: PathBuf,
    tree: Arc<dyn FileTree>,
    options: WalkOptions,
    watcher: Watcher,
    /// Whether the watcher is used. It does not pay for a process that answers one request.
    is_watched: bool,
    last_walk: Locked<Option<LastWalk>>,
}

/// A walk, and when it began.
struct LastWalk {
    mark: Mark,
    at: Instant,
    listing: Arc<Listing>,
}

/// The result of a walk, with a cache of the last comparison.
pub struct Listing {
    /// The files.
    pub walked: WalkResult,
    compared: Locked<Option<Compared>>,
}

/// The changes since one generation.
struct Compared {
    with: Weak<dyn Snapshot>,
    changes: Arc<Changes>,
}

impl SourceTree {
    /// The files of `tree`, which belongs to the project at `root`.
    pub fn new(root: &Path, tree: Arc<dyn FileTree>, options: WalkOptions) -> Self {
        Self {
            root: root.to_path_buf(),
            tree,
            options,
            watcher: Watcher::default(),
            is_watched: false,
            last_walk: Locked::default(),
        }
    }

    /// Follows the tree with the watcher from its next walk on. A commit never changes and is not watched.
    pub fn watched(mut self) -> Self {
        self.is_watched = self.tree.commit().is_none();
        self
    }

    /// The project's root folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The tree itself.
    pub fn tree(&self) -> &dyn FileTree {
        &*self.tree
    }

    /// The tree itself, to be shared.
    pub fn shared_tree(&self) -> Arc<dyn FileTree> {
        self.tree.clone()
    }

    /// The options that select files.
    pub fn options(&self) -> &WalkOptions {
        &self.options
    }

    /// The watcher of the tree.
    pub fn watcher(&self) -> &Watcher {
        &self.watcher
    }

    /// The commit whose files these are; `None` for a working tree.
    pub fn commit(&self) -> Option<&str> {
        self.tree.commit()
    }

    /// Walks the tree; reads and changes nothing.
    pub fn walk(&self) -> Result<WalkResult, WalkError> {
        self.tree.walk(&self.options)
    }

    /// Walks the tree and has the watcher follow the folders that were found.
    pub fn walk_and_watch(&self) -> Result<WalkResult, WalkError> {
        let walked = self.walk()?;
        if self.is_watched {
            let excludes = self.excludes_folder();
            let folders: Vec<PathBuf> = walked.folders.iter().cloned().chain(excludes).collect();
            self.watcher.follow(&self.root, &folders, &walked.linked);
        }
        Ok(walked)
    }

    /// The folder of git's own excludes, which no walk enters.
    fn excludes_folder(&self) -> Option<PathBuf> {
        let excludes = Repository::discover(&self.root)?.excludes();
        excludes.parent().filter(|folder| folder.is_dir()).map(Path::to_path_buf)
    }

    /// The tree as it is now. Nothing is walked while the watcher reports no change; a commit is walked once.
    pub fn listing(&self) -> Result<Arc<Listing>, WalkError> {
        let is_commit = self.commit().is_some();
        if let Some(last) = &*self.last_walk.lock()
            && (is_commit || self.watcher.is_unchanged_since(last.mark, last.at))
        {
            return Ok(last.listing.clone());
        }
        let (mark, at) = (self.watcher.mark(), Instant::now());
        let walked = self.walk_and_watch()?;
        let listing = Arc::new(Listing { walked, compared: Locked::default() });
        *self.last_walk.lock() =
            (self.is_watched || is_commit).then(|| LastWalk { mark, at, listing: listing.clone() });
        Ok(listing)
    }

    /// The changes between a manifest and a walk.
    pub fn changes(&self, walked: &WalkResult, before: &Manifest) -> Changes {
        Changes::between(walked, before, self.options.hash())
    }

    /// The changes between a generation and a listing.
    pub fn differences(&self, listing: &Listing, before: &Arc<dyn Snapshot>) -> Arc<Changes> {
        let mut compared = listing.compared.lock();
        let with = Arc::downgrade(before);
        if let Some(last) = compared.as_ref().filter(|last| last.with.ptr_eq(&with)) {
            return last.changes.clone();
        }
        let changes = Arc::new(self.changes(&listing.walked, before.manifest()));
        *compared = Some(Compared { with, changes: changes.clone() });
        changes
    }

    /// The text of a file, if it is still the version that was indexed. A stamp that proves it saves hashing the file.
    pub fn current_text(
        &self,
        manifest: &Manifest,
        path: &RelPath,
        key: &VersionKey,
    ) -> Option<String> {
        let bytes = self.current_bytes(manifest, path, key)?;
        source::decode_accepted(path, bytes)
    }

    /// The same as bytes.
    pub fn current_bytes(
        &self,
        manifest: &Manifest,
        path: &RelPath,
        key: &VersionKey,
    ) -> Option<Vec<u8>> {
        let (bytes, stamp) = self.tree.load(path, self.options.max_file_size).ok()?;
        let entry = manifest.files.get(path)?;
        let is_proven = entry.key == *key && entry.stamp.proves_unchanged(&stamp);
        let same = is_proven || version::of_bytes(path, &bytes) == key.unmarked();
        same.then_some(bytes)
    }

    /// Whether a file is still the version that was indexed.
    pub fn is_current(&self, manifest: &Manifest, path: &RelPath) -> bool {
        let Some(entry) = manifest.files.get(path) else { return false };
        self.tree.stamp(path).is_some_and(|stamp| entry.stamp.proves_unchanged(&stamp))
            || self.current_text(manifest, path, &entry.key).is_some()
    }

    /// Whether a file with a racy stamp is the version that was indexed.
    pub fn is_indexed_version(&self, file: &WalkedFile, manifest: &Manifest) -> bool {
        let same = |stamp: &FileStamp| stamp.racy && stamp.has_same_stat(&file.stamp);
        match manifest.files.get(&file.path) {
            Some(entry) => {
                same(&entry.stamp) && self.current_text(manifest, &file.path, &entry.key).is_some()
            }
            None => manifest.skipped.iter().any(|skipped| {
                skipped.path == file.path.as_str() && skipped.stamp.as_ref().is_some_and(same)
            }),
        }
    }
}
