//! The files of a commit, read from git without a checkout.
//!
//! A file here has no times: its stamp is made of its size and of git's name for its bytes, which is all that a change
//! can change. That name also makes its version's key, so a file whose bytes were indexed for another ref is known
//! without being read.

mod ignores;

use ignores::Ignores;

use crate::error::WalkError;
use crate::filter::{Entry, FileDecision, FileFilter, FolderDecision};
use crate::git::{CommitInfo, GitError, Item, ItemKind, Objects};
use crate::options::WalkOptions;
use crate::skip::SkipReason;
use crate::tree::{FileTree, OpenFile, UnresolvedPath, Walked, WalkedFile};
use crate::version;
use gix::ObjectId;
use groma_core::{FileStamp, RelPath, SkippedFile, VersionKey};
use std::cell::OnceCell;
use std::io::{self, Cursor, Read};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::SystemTime;

/// Most entries of one commit. Folders that hold each other's copies can make a small repository endless.
const MOST_ENTRIES: usize = 2_000_000;

/// Longest path, in bytes; no system lets one be checked out that is longer.
const LONGEST_PATH: usize = 4096;

/// Largest file that is searched line by line, in bytes: it is in memory as a whole.
const LARGEST_SEARCHED: u64 = 64 << 20;

/// How many links are followed on the way to a file.
const MOST_LINKS: usize = 40;

/// The files of a commit in the folder that the project is.
pub struct CommitTree {
    objects: Arc<Objects>,
    /// The commit's name.
    name: String,
    time: SystemTime,
    root: ObjectId,
    ignores: Ignores,
    most_entries: usize,
}

/// An entry of a commit.
pub(super) struct CommitEntry {
    objects: Arc<Objects>,
    kind: ItemKind,
    id: ObjectId,
    size: OnceCell<Result<u64, GitError>>,
}

impl CommitEntry {
    fn new(objects: &Arc<Objects>, item: &Item) -> Self {
        Self { objects: objects.clone(), kind: item.kind, id: item.id, size: OnceCell::new() }
    }

    /// Why its size is not known, where it was asked for.
    fn failure(&self) -> Option<String> {
        self.size.get().and_then(|size| size.as_ref().err()).map(ToString::to_string)
    }
}

impl Entry for CommitEntry {
    fn is_link(&self) -> bool {
        self.kind == ItemKind::Link
    }

    fn is_file(&self) -> bool {
        self.kind == ItemKind::File
    }

    fn size(&self) -> u64 {
        *self.size.get_or_init(|| self.objects.size(self.id)).as_ref().unwrap_or(&0)
    }

    fn stamp(&self) -> FileStamp {
        let mut start = [0; 8];
        start.copy_from_slice(&self.id.as_bytes()[..8]);
        let state = u64::from_le_bytes(start);
        FileStamp { size: self.size(), modified: 0, state, racy: false }
    }
}

impl CommitTree {
    /// The files that a commit has in `folder` of the repository; `None` where it has no such folder.
    pub fn open(
        objects: Arc<Objects>,
        commit: &CommitInfo,
        folder: &str,
        excludes: Option<PathBuf>,
    ) -> Result<Option<Self>, GitError> {
        let item = match folder {
            "" => None,
            _ => entry(&objects, commit.tree, folder)?,
        };
        let root = match &item {
            None if folder.is_empty() => commit.tree,
            Some(item) if item.kind == ItemKind::Folder => item.id,
            _ => return Ok(None),
        };
        let ignores = Ignores::new(objects.clone(), [commit.tree, root], folder, excludes);
        let name = commit.id.to_string();
        let (time, most_entries) = (commit.time, MOST_ENTRIES);
        Ok(Some(Self { objects, name, time, root, ignores, most_entries }))
    }

    fn found(&self, item: &Item) -> CommitEntry {
        CommitEntry::new(&self.objects, item)
    }

    /// The entry at a path; no link is followed.
    fn entry(&self, path: &str) -> Result<Option<Item>, GitError> {
        entry(&self.objects, self.root, path)
    }

    /// The bytes of a file.
    fn bytes(&self, path: &RelPath, limit: u64) -> Result<(Vec<u8>, FileStamp), SkippedFile> {
        let skip = |reason: SkipReason, detail: String| reason.skip(path.as_str(), detail);
        let unreadable = |error: GitError| skip(SkipReason::Unreadable, error.to_string());
        let Some(item) = self.entry(path.as_str()).map_err(unreadable)? else {
            return Err(skip(SkipReason::Vanished, "not in the commit".into()));
        };
        match item.kind {
            ItemKind::File => {}
            ItemKind::Link => return Err(skip(SkipReason::Symlink, format!("{path} is a link"))),
            ItemKind::Folder | ItemKind::Module => {
                return Err(skip(SkipReason::NotAFile, String::new()));
            }
        }
        let found = self.found(&item);
        if found.size() > limit {
            return Err(skip(SkipReason::TooLarge, format!("more than {limit} bytes")));
        }
        if let Some(failure) = found.failure() {
            return Err(skip(SkipReason::Unreadable, failure));
        }
        Ok((self.objects.bytes(item.id).map_err(unreadable)?, found.stamp()))
    }
}

impl FileTree for CommitTree {
    fn walk(&self, options: &WalkOptions) -> Result<Walked, WalkError> {
        let filter = self.filter(options)?;
        let mut walk = Walk { tree: self, filter, walked: Walked::default(), folders: Vec::new() };
        walk.items(String::new(), &self.objects.folder(self.root)?);
        let mut entries = 0;
        while let Some((path, id)) = walk.folders.pop() {
            match self.objects.folder(id) {
                Ok(items) => {
                    entries += items.len();
                    walk.items(path, &items);
                }
                Err(error) => walk.skip(&path, SkipReason::Unreadable, &error.to_string()),
            }
            if entries > self.most_entries {
                let (commit, most) = (self.name.clone(), self.most_entries);
                return Err(WalkError::Endless { commit, most });
            }
        }
        let mut walked = walk.walked;
        walked.files.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        walked.skipped.sort_unstable();
        walked.unindexed.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        Ok(walked)
    }

    fn filter(&self, options: &WalkOptions) -> Result<FileFilter, WalkError> {
        FileFilter::over(Box::new(self.ignores.clone()), options)
    }

    fn load(&self, path: &RelPath, limit: u64) -> Result<(Vec<u8>, FileStamp), SkippedFile> {
        self.bytes(path, limit)
    }

    fn stamp(&self, path: &RelPath) -> Option<FileStamp> {
        let item = self.entry(path.as_str()).ok()??;
        let found = self.found(&item);
        let stamp = found.is_file().then(|| found.stamp());
        stamp.filter(|_| found.failure().is_none())
    }

    fn opener(&self) -> Box<dyn OpenFile + '_> {
        Box::new(self)
    }

    fn resolve(&self, path: &RelPath) -> Result<RelPath, UnresolvedPath> {
        let mut way: Vec<String> = path.as_str().rsplit('/').map(str::to_string).collect();
        let mut place: Vec<String> = Vec::new();
        let mut links = 0;
        while let Some(name) = way.pop() {
            match &*name {
                "" | "." => continue,
                ".." => {
                    place.pop().ok_or(UnresolvedPath::Outside)?;
                    continue;
                }
                _ => place.push(name),
            }
            let item = self.entry(&place.join("/"));
            let item = item.map_err(|error| UnresolvedPath::Unreadable(error.to_string()))?;
            let item = item.ok_or(UnresolvedPath::Missing)?;
            if item.kind == ItemKind::Link {
                links += 1;
                let target = target(&self.objects, item.id).filter(|_| links <= MOST_LINKS);
                let target = target.ok_or(UnresolvedPath::Unreadable("too many links".into()))?;
                if target.starts_with('/') {
                    return Err(UnresolvedPath::Outside);
                }
                place.pop();
                way.extend(target.rsplit('/').map(str::to_string));
            }
        }
        match place.is_empty() {
            true => Err(UnresolvedPath::Root),
            false => RelPath::new(place.join("/"))
                .map_err(|error| UnresolvedPath::Unreadable(error.to_string())),
        }
    }

    fn modified(&self, _: &FileStamp) -> SystemTime {
        self.time
    }

    fn commit(&self) -> Option<&str> {
        Some(&self.name)
    }

    fn key(&self, path: &RelPath) -> Option<VersionKey> {
        let item = self.entry(path.as_str()).ok()??;
        (item.kind == ItemKind::File).then(|| version::of_blob(path, item.id))
    }
}

impl OpenFile for &CommitTree {
    fn open(&self, path: &RelPath) -> io::Result<Option<Box<dyn Read>>> {
        match self.bytes(path, LARGEST_SEARCHED) {
            Ok((bytes, _)) => Ok(Some(Box::new(Cursor::new(bytes)))),
            Err(skipped) => match SkipReason::named(&skipped.reason) {
                Some(SkipReason::Unreadable | SkipReason::TooLarge) => {
                    Err(io::Error::other(skipped.detail))
                }
                _ => Ok(None),
            },
        }
    }
}

/// A walk under way.
struct Walk<'a> {
    tree: &'a CommitTree,
    filter: FileFilter,
    walked: Walked,
    /// Those still to be looked into.
    folders: Vec<(String, ObjectId)>,
}

impl Walk<'_> {
    fn items(&mut self, folder: String, items: &[Item]) {
        for item in items {
            match &item.name {
                Ok(name) if is_name(name) && folder.len() + name.len() < LONGEST_PATH => {
                    self.item(joined(&folder, name), item);
                }
                Ok(name) => {
                    let detail = "a name that cannot be checked out";
                    self.skip(&joined(&folder, name), SkipReason::Unreadable, detail);
                }
                Err(name) => {
                    self.skip(&joined(&folder, name), SkipReason::NotUtf8Name, "");
                }
            }
        }
    }

    fn item(&mut self, path: String, item: &Item) {
        if matches!(item.kind, ItemKind::Folder | ItemKind::Module) {
            return self.folder(path, item);
        }
        let Ok(relative) = RelPath::new(&path) else { return };
        let found = self.tree.found(item);
        match self.filter.file(&path, &found) {
            FileDecision::Included(stamp) => match found.failure() {
                Some(failure) => self.skip(&path, SkipReason::Unreadable, &failure),
                None => self.walked.files.push(WalkedFile { path: relative, stamp }),
            },
            FileDecision::Skipped(reason, detail) => {
                self.skip(&path, reason, &detail);
                if reason.may_be_text() {
                    let stamp = found.stamp();
                    self.walked.unindexed.push(WalkedFile { path: relative, stamp });
                }
            }
            FileDecision::InsideSkipped(_) => {}
        }
    }

    fn folder(&mut self, path: String, item: &Item) {
        let detail = match self.filter.folder(&path) {
            FolderDecision::Included | FolderDecision::IncludedInsideSkipped => "",
            FolderDecision::InsideSkipped => return,
            FolderDecision::Skipped(reason) => return self.skip(&path, reason, ""),
            FolderDecision::PartiallyIncluded(reason) => {
                self.skip(&path, reason, "except what `include` names");
                ""
            }
        };
        match item.kind {
            ItemKind::Module => self.skip(&path, SkipReason::Submodule, detail),
            _ => self.folders.push((path, item.id)),
        }
    }

    fn skip(&mut self, path: &str, reason: SkipReason, detail: &str) {
        self.walked.skipped.push(reason.skip(path, detail));
    }
}

/// The entry at a path below a folder; no link is followed.
fn entry(objects: &Objects, root: ObjectId, path: &str) -> Result<Option<Item>, GitError> {
    let mut folder = root;
    let mut parts = path.split('/').peekable();
    while let Some(name) = parts.next() {
        let items = objects.folder(folder)?;
        let Some(item) = named(&items, name) else { return Ok(None) };
        match (parts.peek(), item.kind) {
            (None, _) => return Ok(Some(item.clone())),
            (Some(_), ItemKind::Folder) => folder = item.id,
            (Some(_), _) => return Ok(None),
        }
    }
    Ok(None)
}

/// Where a link points, as it was written.
fn target(objects: &Objects, link: ObjectId) -> Option<String> {
    let is_short = objects.size(link).ok()? <= LONGEST_PATH as u64;
    let bytes = is_short.then(|| objects.bytes(link).ok()).flatten()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

fn named<'i>(items: &'i [Item], name: &str) -> Option<&'i Item> {
    items.iter().find(|item| item.name.as_deref() == Ok(name))
}

/// Whether a name is one that can stand in a folder.
fn is_name(name: &str) -> bool {
    !matches!(name, "" | "." | "..") && !name.contains(['/', '\0'])
}

fn joined(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.into() } else { format!("{folder}/{name}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use groma_testkit::{git, git_init};
    use std::fs;

    #[test]
    fn folders_that_hold_each_other_end() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        fs::create_dir(root.join("src")).unwrap();
        fs::write(root.join("src/a.rs"), "fn a() {}\n").unwrap();
        git_init(root);
        let mut entry = git(root, &["rev-parse", "main:src"]);
        // Ten times ten times ...: a few objects, and more files than anybody could list.
        for _ in 0..12 {
            let lines: String = (0..10).map(|at| format!("040000 tree {entry}\td{at}\n")).collect();
            fs::write(root.join("lines"), lines).unwrap();
            entry = git(root, &["-c", "alias.m=!git mktree < lines", "m"]);
        }
        let commit = git(root, &["commit-tree", "-m", "bomb", &entry]);
        let objects = Arc::new(Objects::open(&root.join(".git")).unwrap());
        let id = ObjectId::from_hex(commit.as_bytes()).unwrap();
        let commit = objects.commit(id).unwrap().unwrap();
        let tree = CommitTree::open(objects, &commit, "", None).unwrap().unwrap();
        let error = CommitTree { most_entries: 1000, ..tree }.walk(&WalkOptions::default());
        assert!(matches!(error, Err(WalkError::Endless { most: 1000, .. })), "{error:?}");
    }
}
