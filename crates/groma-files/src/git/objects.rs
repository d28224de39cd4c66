//! The object database of a git repository: commits, trees and blobs, read without a checkout.
//!
//! The content of a repository is untrusted. A missing or malformed object is an error, even if it makes the reader
//! panic, and nothing is read before its size is known.

use gix::ObjectId;
use gix::objs::tree::EntryKind;
use groma_core::Locked;
use rustc_hash::FxHashMap;
use std::collections::HashSet;
use std::error::Error;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Maximum number of cached tree entries.
const MAX_CACHED_ENTRIES: usize = 500_000;

/// Maximum size of a commit, tag or tree.
const MAX_OBJECT: u64 = 64 << 20;

/// Maximum depth of nested tags.
const MAX_TAG_DEPTH: usize = 10;

/// Why something could not be read from a repository.
#[derive(Debug, thiserror::Error)]
#[error("git's {what} cannot be read: {source}; run `git fsck` for details")]
pub struct GitError {
    what: String,
    source: Box<dyn Error + Send + Sync>,
}

/// The kind of a tree entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TreeEntryKind {
    Folder,
    File,
    Symlink,
    /// A submodule.
    Submodule,
}

/// An entry of a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TreeEntry {
    /// Its name; a lossy form if it is not UTF-8.
    pub name: Result<Box<str>, String>,
    pub kind: TreeEntryKind,
    pub id: ObjectId,
}

/// A commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommitInfo {
    /// Its id.
    pub id: ObjectId,
    /// Its root tree.
    pub tree: ObjectId,
    /// When it was committed.
    pub time: SystemTime,
}

/// The objects of one repository.
pub struct Objects {
    repository: gix::ThreadSafeRepository,
    /// A pool of readers: a reader is not `Sync` and expensive to create.
    idle: Locked<Vec<gix::Repository>>,
    /// A cache of trees, which are immutable.
    folders: Locked<FolderCache>,
}

#[derive(Default)]
struct FolderCache {
    known: FxHashMap<ObjectId, Arc<[TreeEntry]>>,
    entries: usize,
}

impl Objects {
    /// Opens the repository with this git directory.
    pub fn open(folder: &Path) -> Result<Self, GitError> {
        let repository = open_repository(folder)?;
        Ok(Self { repository, idle: Locked::default(), folders: Locked::default() })
    }

    /// Peels an object id in hex to a commit; `None` if it is neither a commit nor a tag of one.
    pub fn commit_of(&self, object: &str) -> Result<Option<CommitInfo>, GitError> {
        ObjectId::from_hex(object.as_bytes()).map_or(Ok(None), |id| self.commit(id))
    }

    /// Peels an object to a commit; `None` if it is neither a commit nor a tag of one.
    pub fn commit(&self, id: ObjectId) -> Result<Option<CommitInfo>, GitError> {
        self.with_reader(|| format!("commit {id}"), |reader| commit(reader, id))
    }

    /// The commits whose id has this prefix.
    pub fn commits(&self, prefix: &str) -> Result<Vec<CommitInfo>, GitError> {
        let ids = self.with_reader(
            || format!("objects {prefix}"),
            |reader| {
                let Ok(prefix) = gix::hash::Prefix::from_hex(prefix) else { return Ok(Vec::new()) };
                let mut found = HashSet::new();
                reader.objects.lookup_prefix(prefix, Some(&mut found))?;
                Ok(found.into_iter().collect())
            },
        )?;
        let found = ids.into_iter().filter_map(|id: ObjectId| self.commit(id).transpose());
        found.collect()
    }

    /// The n-th parent of a commit, from 1; `None` if it has fewer.
    pub fn parent(&self, id: ObjectId, number: usize) -> Result<Option<CommitInfo>, GitError> {
        let parent = self.with_reader(
            || format!("commit {id}"),
            |reader| {
                let commit = reader.find_object(id)?.try_into_commit()?;
                let parent = commit.parent_ids().nth(number.saturating_sub(1));
                Ok(parent.map(|parent| parent.detach()))
            },
        )?;
        parent.map_or(Ok(None), |parent| self.commit(parent))
    }

    /// The best common ancestor of two commits; `None` if their histories are separate.
    pub fn merge_base(
        &self,
        one: ObjectId,
        other: ObjectId,
    ) -> Result<Option<CommitInfo>, GitError> {
        let base = self.with_reader(
            || format!("history of {one} and {other}"),
            |reader| Ok(reader.merge_base(one, other)?.map(|base| base.detach())),
        )?;
        base.map_or(Ok(None), |base| self.commit(base))
    }

    /// The entries of a tree, in git's order.
    pub(crate) fn folder(&self, id: ObjectId) -> Result<Arc<[TreeEntry]>, GitError> {
        if let Some(known) = self.folders.lock().known.get(&id) {
            return Ok(known.clone());
        }
        let items: Arc<[TreeEntry]> =
            self.with_reader(|| format!("folder {id}"), |reader| items(reader, id))?.into();
        let mut folders = self.folders.lock();
        if folders.entries + items.len() > MAX_CACHED_ENTRIES {
            *folders = FolderCache::default();
        }
        folders.entries += items.len();
        folders.known.insert(id, items.clone());
        Ok(items)
    }

    /// The size of a blob in bytes.
    pub(crate) fn size(&self, id: ObjectId) -> Result<u64, GitError> {
        self.with_reader(|| format!("object {id}"), |reader| Ok(reader.find_header(id)?.size()))
    }

    /// The bytes of a blob; check its size first.
    pub(crate) fn bytes(&self, id: ObjectId) -> Result<Vec<u8>, GitError> {
        self.with_reader(|| format!("object {id}"), |reader| Ok(reader.find_blob(id)?.take_data()))
    }

    /// Runs `read` with a reader of the pool; a panic becomes an error.
    fn with_reader<T>(
        &self,
        what: impl Fn() -> String,
        read: impl FnOnce(&gix::Repository) -> gix::Result<T>,
    ) -> Result<T, GitError> {
        let idle = self.idle.lock().pop();
        let reader = idle.unwrap_or_else(|| self.repository.to_thread_local());
        // A reader that panicked is dropped.
        let result = catch_unwind(AssertUnwindSafe(|| (read(&reader), reader)));
        let Ok((result, reader)) = result else { return Err(malformed(&what())) };
        self.idle.lock().push(reader);
        result.map_err(|error| GitError { what: what(), source: error.into() })
    }
}

/// Opens the repository with this git directory, unless reading it could block or lead out of it. No program is run, and
/// only the repository's own configuration counts, not the user's or the environment.
pub fn open_repository(git_dir: &Path) -> Result<gix::ThreadSafeRepository, GitError> {
    let what = format!("folder {}", git_dir.display());
    if let Some(reason) = super::hazard(git_dir) {
        return Err(GitError { what, source: reason.into() });
    }
    let options = gix::open::Options::isolated().open_path_as_is(true);
    guarded(&what, || gix::ThreadSafeRepository::open_opts(git_dir, options))
}

fn guarded<T>(what: &str, work: impl FnOnce() -> gix::Result<T>) -> Result<T, GitError> {
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(done) => done.map_err(|error| GitError { what: what.into(), source: error.into() }),
        Err(_) => Err(malformed(what)),
    }
}

fn malformed(what: &str) -> GitError {
    GitError { what: what.into(), source: "it is malformed".into() }
}

fn commit(reader: &gix::Repository, mut id: ObjectId) -> gix::Result<Option<CommitInfo>> {
    for _ in 0..MAX_TAG_DEPTH {
        if reader.find_header(id)?.size() > MAX_OBJECT {
            return Ok(None);
        }
        let object = reader.find_object(id)?;
        match object.kind {
            gix::object::Kind::Tag => id = object.try_into_tag()?.target_id()?.detach(),
            gix::object::Kind::Commit => {
                let commit = object.try_into_commit()?;
                let seconds = commit.time().map_or(0, |time| time.seconds);
                let time = UNIX_EPOCH.checked_add(Duration::from_secs(seconds.max(0) as u64));
                let tree = commit.tree_id()?.detach();
                return Ok(Some(CommitInfo { id, tree, time: time.unwrap_or(UNIX_EPOCH) }));
            }
            _ => return Ok(None),
        }
    }
    Ok(None)
}

fn items(reader: &gix::Repository, id: ObjectId) -> gix::Result<Vec<TreeEntry>> {
    if reader.find_header(id)?.size() > MAX_OBJECT {
        return Ok(Vec::new());
    }
    let tree = reader.find_tree(id)?;
    let item = |entry: gix::Result<gix::object::tree::EntryRef<'_, '_>>| {
        let entry = entry?;
        let name = std::str::from_utf8(entry.filename()).map(Box::from);
        Ok(TreeEntry {
            name: name.map_err(|_| entry.filename().to_string()),
            kind: match entry.mode().kind() {
                EntryKind::Tree => TreeEntryKind::Folder,
                EntryKind::Blob | EntryKind::BlobExecutable => TreeEntryKind::File,
                EntryKind::Link => TreeEntryKind::Symlink,
                EntryKind::Commit => TreeEntryKind::Submodule,
            },
            id: entry.object_id(),
        })
    };
    tree.iter().map(item).collect()
}
