//! The objects of a git repository: commits, trees and blobs, read where they lie, without a checkout.
//!
//! Whatever a repository holds was written by somebody else. An object that is missing or broken is an error, one that
//! brings the reader down too, and nothing is read before its size is known.

use gix::ObjectId;
use gix::objs::tree::EntryKind;
use rustc_hash::FxHashMap;
use std::collections::HashSet;
use std::error::Error;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Most entries of folders that are remembered.
const MOST_REMEMBERED: usize = 500_000;

/// Largest commit, tag or folder that is read.
const LARGEST_OBJECT: u64 = 64 << 20;

/// How often a tag may stand for another.
const DEEPEST_TAG: usize = 10;

/// Why something could not be read from a repository.
#[derive(Debug, thiserror::Error)]
#[error("git's {what} cannot be read: {source}; `git fsck` tells more")]
pub struct GitError {
    what: String,
    source: Box<dyn Error + Send + Sync>,
}

/// What stands in a folder of a commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ItemKind {
    Folder,
    File,
    Link,
    /// Another repository.
    Module,
}

/// An entry of a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Item {
    /// Its name; what can be shown of it where it is not UTF-8.
    pub name: Result<Box<str>, String>,
    pub kind: ItemKind,
    pub id: ObjectId,
}

/// A commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommitInfo {
    /// Its id.
    pub id: ObjectId,
    /// Its files.
    pub tree: ObjectId,
    /// When it was committed.
    pub time: SystemTime,
}

/// The objects of one repository.
pub struct Objects {
    repository: gix::ThreadSafeRepository,
    /// Readers that nobody uses right now: none is for two threads at once, and making one takes a while.
    idle: Mutex<Vec<gix::Repository>>,
    /// What was read of folders; they never change.
    folders: Mutex<Folders>,
}

#[derive(Default)]
struct Folders {
    known: FxHashMap<ObjectId, Arc<[Item]>>,
    entries: usize,
}

impl Objects {
    /// The objects of the repository whose own folder, `.git` as a rule, is given.
    pub fn open(folder: &Path) -> Result<Self, GitError> {
        // Nobody's settings but the repository's own, and no variables: what is read depends on it alone.
        let options = gix::open::Options::isolated().open_path_as_is(true);
        let open = || gix::ThreadSafeRepository::open_opts(folder, options);
        let repository = guarded(&format!("folder {}", folder.display()), open)?;
        Ok(Self { repository, idle: Mutex::default(), folders: Mutex::default() })
    }

    /// The commit that an object, given as SHA-1 in hex, is or stands for; `None` for anything else.
    pub fn commit_of(&self, object: &str) -> Result<Option<CommitInfo>, GitError> {
        ObjectId::from_hex(object.as_bytes()).map_or(Ok(None), |id| self.commit(id))
    }

    /// The commit that an object is, or stands for; `None` for an object that stands for no commit.
    pub fn commit(&self, id: ObjectId) -> Result<Option<CommitInfo>, GitError> {
        self.ask(|| format!("commit {id}"), |reader| commit(reader, id))
    }

    /// The commits whose names begin so.
    pub fn commits(&self, prefix: &str) -> Result<Vec<CommitInfo>, GitError> {
        let ids = self.ask(
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

    /// What stands in a folder, in git's order.
    pub(crate) fn folder(&self, id: ObjectId) -> Result<Arc<[Item]>, GitError> {
        if let Some(known) = self.folders().known.get(&id) {
            return Ok(known.clone());
        }
        let items: Arc<[Item]> =
            self.ask(|| format!("folder {id}"), |reader| items(reader, id))?.into();
        let mut folders = self.folders();
        if folders.entries + items.len() > MOST_REMEMBERED {
            *folders = Folders::default();
        }
        folders.entries += items.len();
        folders.known.insert(id, items.clone());
        Ok(items)
    }

    /// How many bytes a file has.
    pub(crate) fn size(&self, id: ObjectId) -> Result<u64, GitError> {
        self.ask(|| format!("object {id}"), |reader| Ok(reader.find_header(id)?.size()))
    }

    /// The bytes of a file; the caller knows how many to expect.
    pub(crate) fn bytes(&self, id: ObjectId) -> Result<Vec<u8>, GitError> {
        self.ask(|| format!("object {id}"), |reader| Ok(reader.find_blob(id)?.take_data()))
    }

    fn folders(&self) -> MutexGuard<'_, Folders> {
        self.folders.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn idle(&self) -> MutexGuard<'_, Vec<gix::Repository>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn ask<T>(
        &self,
        what: impl Fn() -> String,
        ask: impl FnOnce(&gix::Repository) -> gix::Result<T>,
    ) -> Result<T, GitError> {
        let idle = self.idle().pop();
        let reader = idle.unwrap_or_else(|| self.repository.to_thread_local());
        // One that was brought down is not used again.
        let asked = catch_unwind(AssertUnwindSafe(|| (ask(&reader), reader)));
        let Ok((answer, reader)) = asked else { return Err(broken(&what())) };
        self.idle().push(reader);
        answer.map_err(|error| GitError { what: what(), source: error.into() })
    }
}

fn guarded<T>(what: &str, work: impl FnOnce() -> gix::Result<T>) -> Result<T, GitError> {
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(done) => done.map_err(|error| GitError { what: what.into(), source: error.into() }),
        Err(_) => Err(broken(what)),
    }
}

fn broken(what: &str) -> GitError {
    GitError { what: what.into(), source: "it makes no sense".into() }
}

fn commit(reader: &gix::Repository, mut id: ObjectId) -> gix::Result<Option<CommitInfo>> {
    for _ in 0..DEEPEST_TAG {
        if reader.find_header(id)?.size() > LARGEST_OBJECT {
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

fn items(reader: &gix::Repository, id: ObjectId) -> gix::Result<Vec<Item>> {
    if reader.find_header(id)?.size() > LARGEST_OBJECT {
        return Ok(Vec::new());
    }
    let tree = reader.find_tree(id)?;
    let item = |entry: gix::Result<gix::object::tree::EntryRef<'_, '_>>| {
        let entry = entry?;
        let name = std::str::from_utf8(entry.filename()).map(Box::from);
        Ok(Item {
            name: name.map_err(|_| entry.filename().to_string()),
            kind: match entry.mode().kind() {
                EntryKind::Tree => ItemKind::Folder,
                EntryKind::Blob | EntryKind::BlobExecutable => ItemKind::File,
                EntryKind::Link => ItemKind::Link,
                EntryKind::Commit => ItemKind::Module,
            },
            id: entry.object_id(),
        })
    };
    tree.iter().map(item).collect()
}
