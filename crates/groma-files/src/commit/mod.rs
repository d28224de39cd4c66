//! The files of a commit, read from git without a checkout.
//!
//! A file here has no times: its stamp consists of its size and its blob id, which change with any content change. The
//! version key is derived from the blob id, so content that was indexed for another ref is recognised without reading
//! it.

mod ignores;

use ignores::Ignores;

use crate::error::WalkError;
use crate::filter::{Entry, FileDecision, FileFilter, FolderDecision};
use crate::git::{CommitInfo, GitError, Objects, TreeEntry, TreeEntryKind};
use crate::options::WalkOptions;
use crate::skip::SkipReason;
use crate::tree::{FileTree, OpenFile, UnresolvedPath, WalkResult, WalkedFile};
use crate::version;
use gix::ObjectId;
use groma_core::{FileStamp, RelPath, SkippedFile, VersionKey};
use std::cell::OnceCell;
use std::io::{self, Cursor, Read};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::SystemTime;

/// Maximum entries of one commit. Trees that contain the same tree many times make a small repository huge.
const MAX_ENTRIES: usize = 2_000_000;

/// Maximum path length, in bytes; longer paths cannot be checked out anywhere.
const MAX_PATH: usize = 4096;

/// Maximum size of a file that is opened for grep, in bytes: it is loaded into memory.
const MAX_OPENED: u64 = 64 << 20;

/// Maximum number of symbolic links followed for one path.
const MAX_LINKS: usize = 40;

/// The files of a commit below the project's folder.
pub struct CommitTree {
    objects: Arc<Objects>,
    /// The commit's id in hex.
    id: String,
    time: SystemTime,
    root: ObjectId,
    ignores: Ignores,
    max_entries: usize,
}

/// An entry of a commit.
pub(super) struct CommitEntry {
    objects: Arc<Objects>,
    kind: TreeEntryKind,
    id: ObjectId,
    size: OnceCell<Result<u64, GitError>>,
}

impl CommitEntry {
    fn new(objects: &Arc<Objects>, item: &TreeEntry) -> Self {
        Self { objects: objects.clone(), kind: item.kind, id: item.id, size: OnceCell::new() }
    }

    /// The error of reading its size, if that failed.
    fn failure(&self) -> Option<String> {
        self.size.get().and_then(|size| size.as_ref().err()).map(ToString::to_string)
    }
}

impl Entry for CommitEntry {
    fn is_link(&self) -> bool {
        self.kind == TreeEntryKind::Symlink
    }

    fn is_file(&self) -> bool {
        self.kind == TreeEntryKind::File
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
    /// The files of a commit below `folder` of the repository; `None` if it has no such folder.
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
            Some(item) if item.kind == TreeEntryKind::Folder => item.id,
            _ => return Ok(None),
        };
        let ignores = Ignores::new(objects.clone(), [commit.tree, root], folder, excludes);
        let id = commit.id.to_string();
        let (time, max_entries) = (commit.time, MAX_ENTRIES);
        Ok(Some(Self { objects, id, time, root, ignores, max_entries }))
    }

    fn commit_entry(&self, item: &TreeEntry) -> CommitEntry {
        CommitEntry::new(&self.objects, item)
    }

    /// The entry at a path; no link is followed.
    fn entry(&self, path: &str) -> Result<Option<TreeEntry>, GitError> {
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
            TreeEntryKind::File => {}
            TreeEntryKind::Symlink => {
                return Err(skip(SkipReason::Symlink, format!("{path} is a link")));
            }
            TreeEntryKind::Folder | TreeEntryKind::Submodule => {
                return Err(skip(SkipReason::NotAFile, String::new()));
            }
        }
        let found = self.commit_entry(&item);
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
    fn walk(&self, options: &WalkOptions) -> Result<WalkResult, WalkError> {
        let filter = self.filter(options)?;
        let mut walk =
            Walk { tree: self, filter, walked: WalkResult::default(), folders: Vec::new() };
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
            if entries > self.max_entries {
                let (commit, limit) = (self.id.clone(), self.max_entries);
                return Err(WalkError::TooManyEntries { commit, limit });
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
        let found = self.commit_entry(&item);
        let stamp = found.is_file().then(|| found.stamp());
        stamp.filter(|_| found.failure().is_none())
    }

    fn opener(&self) -> Box<dyn OpenFile + '_> {
        Box::new(self)
    }

    fn resolve(&self, path: &RelPath) -> Result<RelPath, UnresolvedPath> {
        let mut pending: Vec<String> = path.as_str().rsplit('/').map(str::to_string).collect();
        let mut resolved: Vec<String> = Vec::new();
        let mut links = 0;
        while let Some(name) = pending.pop() {
            match &*name {
                "" | "." => continue,
                ".." => {
                    resolved.pop().ok_or(UnresolvedPath::Outside)?;
                    continue;
                }
                _ => resolved.push(name),
            }
            let item = self.entry(&resolved.join("/"));
            let item = item.map_err(|error| UnresolvedPath::Unreadable(error.to_string()))?;
            let item = item.ok_or(UnresolvedPath::Missing)?;
            if item.kind == TreeEntryKind::Symlink {
                links += 1;
                let target = target(&self.objects, item.id).filter(|_| links <= MAX_LINKS);
                let target = target.ok_or(UnresolvedPath::Unreadable("too many links".into()))?;
                if target.starts_with('/') {
                    return Err(UnresolvedPath::Outside);
                }
                resolved.pop();
                pending.extend(target.rsplit('/').map(str::to_string));
            }
        }
        if resolved.is_empty() {
            return Err(UnresolvedPath::Root);
        }
        RelPath::new(resolved.join("/"))
            .map_err(|error| UnresolvedPath::Unreadable(error.to_string()))
    }

    fn modified(&self, _: &FileStamp) -> SystemTime {
        self.time
    }

    fn commit(&self) -> Option<&str> {
        Some(&self.id)
    }

    fn key(&self, path: &RelPath) -> Option<VersionKey> {
        let item = self.entry(path.as_str()).ok()??;
        (item.kind == TreeEntryKind::File).then(|| version::of_blob(path, item.id))
    }
}

impl OpenFile for &CommitTree {
    fn open(&self, path: &RelPath) -> io::Result<Option<Box<dyn Read>>> {
        match self.bytes(path, MAX_OPENED) {
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

/// A walk in progress.
struct Walk<'a> {
    tree: &'a CommitTree,
    filter: FileFilter,
    walked: WalkResult,
    /// The folders still to be visited.
    folders: Vec<(String, ObjectId)>,
}

impl Walk<'_> {
    fn items(&mut self, folder: String, items: &[TreeEntry]) {
        for item in items {
            match &item.name {
                Ok(name) if is_name(name) && folder.len() + name.len() < MAX_PATH => {
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

    fn item(&mut self, path: String, item: &TreeEntry) {
        if matches!(item.kind, TreeEntryKind::Folder | TreeEntryKind::Submodule) {
            return self.folder(path, item);
        }
        let Ok(relative) = RelPath::new(&path) else { return };
        let found = self.tree.commit_entry(item);
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

    fn folder(&mut self, path: String, item: &TreeEntry) {
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
            TreeEntryKind::Submodule => self.skip(&path, SkipReason::Submodule, detail),
            _ => self.folders.push((path, item.id)),
        }
    }

    fn skip(&mut self, path: &str, reason: SkipReason, detail: &str) {
        self.walked.skipped.push(reason.skip(path, detail));
    }
}

/// The entry at a path below a folder; no link is followed.
fn entry(objects: &Objects, root: ObjectId, path: &str) -> Result<Option<TreeEntry>, GitError> {
    let mut folder = root;
    let mut parts = path.split('/').peekable();
    while let Some(name) = parts.next() {
        let items = objects.folder(folder)?;
        let Some(item) = named(&items, name) else { return Ok(None) };
        match (parts.peek(), item.kind) {
            (None, _) => return Ok(Some(item.clone())),
            (Some(_), TreeEntryKind::Folder) => folder = item.id,
            (Some(_), _) => return Ok(None),
        }
    }
    Ok(None)
}

/// The target of a symbolic link, as written.
fn target(objects: &Objects, link: ObjectId) -> Option<String> {
    let is_short = objects.size(link).ok()? <= MAX_PATH as u64;
    let bytes = is_short.then(|| objects.bytes(link).ok()).flatten()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

fn named<'i>(items: &'i [TreeEntry], name: &str) -> Option<&'i TreeEntry> {
    items.iter().find(|item| item.name.as_deref() == Ok(name))
}

/// Whether a name is valid in a folder.
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
    fn a_commit_with_too_many_entries_is_rejected() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        fs::create_dir(root.join("src")).unwrap();
        fs::write(root.join("src/a.rs"), "fn a() {}\n").unwrap();
        git_init(root);
        let mut entry = git(root, &["rev-parse", "main:src"]);
        // Each tree contains the one below ten times: few objects, but 10^12 files.
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
        let error = CommitTree { max_entries: 1000, ..tree }.walk(&WalkOptions::default());
        assert!(matches!(error, Err(WalkError::TooManyEntries { limit: 1000, .. })), "{error:?}");
    }
}
