//! The ignore files of a commit.
//!
//! ripgrep's matcher reads ignore files from disk, so its precedence is implemented here for the files of a commit: the
//! nearest file wins, `.gromaignore` takes precedence over `.ignore`, and that over git's own.

use super::{CommitEntry, entry, joined, named, target};
use crate::filter::{Entry, FilterBase, IGNORE_FILES, MAX_IGNORE_FILE, is_unusable};
use crate::git::{GitError, Objects, TreeEntryKind};
use crate::options::WalkOptions;
use crate::path::parent;
use crate::skip::SkipReason;
use gix::ObjectId;
use groma_core::{RelPath, SkippedFile};
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use rustc_hash::FxHashMap;
use std::path::PathBuf;
use std::sync::Arc;

/// The ignore files of a commit, cached as they are read. A clone is cheap and serves another thread.
#[derive(Clone)]
pub(super) struct Ignores {
    objects: Arc<Objects>,
    /// The repository's root folder.
    top: ObjectId,
    /// The project's folder.
    root: ObjectId,
    /// The path of the project's folder in the repository.
    prefix: Arc<str>,
    /// Git's excludes of the repository, and those of the user.
    excludes: Arc<[Gitignore; 2]>,
    levels: FxHashMap<String, Arc<Level>>,
}

/// The ignore files of one folder, in the order of [`IGNORE_FILES`].
type Level = [Gitignore; IGNORE_FILES.len()];

impl Ignores {
    pub fn new(
        objects: Arc<Objects>,
        [top, root]: [ObjectId; 2],
        prefix: &str,
        excludes: Option<PathBuf>,
    ) -> Self {
        let mut own = GitignoreBuilder::new("");
        // Invalid lines and unreadable files exclude nothing.
        let _ = excludes.filter(|path| !is_unusable(path)).and_then(|path| own.add(path));
        let own = own.build().unwrap_or_else(|_| Gitignore::empty());
        let (users, _) = GitignoreBuilder::new("").build_global();
        let excludes = Arc::new([own, users]);
        Self { objects, top, root, prefix: prefix.into(), excludes, levels: FxHashMap::default() }
    }

    /// Whether a path of the project is excluded by itself, not by a parent folder.
    fn is_excluded(&mut self, path: &str, is_folder: bool, with_git: bool) -> bool {
        let full = joined(&self.prefix, path);
        let mut found = [None; IGNORE_FILES.len()];
        for level in self.levels_above(&full) {
            for (found, rules) in found.iter_mut().zip(&*level) {
                *found = found.or_else(|| matched(rules, &full, is_folder));
            }
        }
        let [git, plain, own] = found;
        let excludes = || self.excludes.iter().find_map(|rules| matched(rules, &full, is_folder));
        let git = if with_git { git.or_else(excludes) } else { None };
        own.or(plain).or(git).unwrap_or(false)
    }

    /// Whether a folder of the project has an entry of this name.
    fn has(&self, folder: &str, name: &str) -> bool {
        matches!(entry(&self.objects, self.root, &joined(folder, name)), Ok(Some(_)))
    }

    /// The target of a symbolic link of the project.
    fn link_target(&self, path: &str) -> Option<String> {
        let item = entry(&self.objects, self.root, path).ok()??;
        target(&self.objects, item.id)
    }

    /// The entry at a path of the project.
    fn find(&self, path: &str) -> Result<Option<CommitEntry>, GitError> {
        let item = entry(&self.objects, self.root, path)?;
        Ok(item.map(|item| CommitEntry::new(&self.objects, &item)))
    }

    /// The lines of an ignore file in a folder of the project, for paths of the project.
    fn file(&self, folder: &str, name: &str) -> Option<Gitignore> {
        let item = entry(&self.objects, self.root, &joined(folder, name)).ok()??;
        (item.kind == TreeEntryKind::File).then(|| self.rules(item.id, folder))
    }

    /// The ignore files of the folders above a path of the repository, the nearest first.
    fn levels_above(&mut self, full: &str) -> Vec<Arc<Level>> {
        let mut levels = Vec::new();
        let mut folder = parent(full);
        loop {
            levels.push(self.level(folder));
            match folder {
                "" => return levels,
                _ => folder = parent(folder),
            }
        }
    }

    fn level(&mut self, folder: &str) -> Arc<Level> {
        if let Some(known) = self.levels.get(folder) {
            return known.clone();
        }
        let level = Arc::new(self.read_level(folder));
        self.levels.insert(folder.into(), level.clone());
        level
    }

    fn read_level(&self, folder: &str) -> Level {
        let mut level = IGNORE_FILES.map(|_| Gitignore::empty());
        let id = match folder {
            "" => Some(self.top),
            _ => entry(&self.objects, self.top, folder).ok().flatten().map(|item| item.id),
        };
        let Some(items) = id.and_then(|id| self.objects.folder(id).ok()) else { return level };
        for (rules, name) in level.iter_mut().zip(IGNORE_FILES) {
            if let Some(item) = named(&items, name).filter(|item| item.kind == TreeEntryKind::File)
            {
                *rules = self.rules(item.id, folder);
            }
        }
        level
    }

    /// The lines of an ignore file up to one that is not UTF-8, as ripgrep's matcher reads them.
    fn rules(&self, id: ObjectId, folder: &str) -> Gitignore {
        let mut builder = GitignoreBuilder::new(folder);
        let is_small = self.objects.size(id).is_ok_and(|size| size <= MAX_IGNORE_FILE);
        let bytes = is_small.then(|| self.objects.bytes(id).ok()).flatten().unwrap_or_default();
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
        for line in bytes.split(|byte| *byte == b'\n').map(std::str::from_utf8) {
            let Ok(line) = line else { break };
            let line = line.strip_suffix('\r').unwrap_or(line);
            let _ = builder.add_line(None, line);
        }
        builder.build().unwrap_or_else(|_| Gitignore::empty())
    }
}

impl FilterBase for Ignores {
    fn boxed_clone(&self) -> Box<dyn FilterBase> {
        Box::new(self.clone())
    }

    fn is_ignored(&mut self, path: &str, is_folder: bool, options: &WalkOptions) -> bool {
        self.is_excluded(path, is_folder, options.gitignore)
    }

    fn ignore_path(&self, path: &RelPath) -> PathBuf {
        path.as_str().into()
    }

    fn entry(&self, path: &RelPath) -> Result<Box<dyn Entry>, SkippedFile> {
        let skip = |reason: SkipReason, detail: String| reason.skip(path.as_str(), detail);
        match self.find(path.as_str()) {
            Ok(Some(found)) => Ok(Box::new(found)),
            Ok(None) => Err(skip(SkipReason::Vanished, "not in the commit".into())),
            Err(error) => Err(skip(SkipReason::Unreadable, error.to_string())),
        }
    }

    fn is_link(&self, path: &str) -> bool {
        matches!(self.find(path), Ok(Some(found)) if found.is_link())
    }

    fn target(&self, path: &str) -> String {
        self.link_target(path).unwrap_or_default()
    }

    fn exists(&self, folder: &str, name: &str) -> bool {
        self.has(folder, name)
    }

    fn has_unusable_ignore_file(&self, folder: &str) -> bool {
        let is_too_large = |name: &str| {
            let item = entry(&self.objects, self.root, &joined(folder, name)).ok().flatten();
            let item = item.filter(|item| item.kind == TreeEntryKind::File);
            item.is_some_and(|item| {
                self.objects.size(item.id).is_ok_and(|size| size > MAX_IGNORE_FILE)
            })
        };
        IGNORE_FILES.iter().any(|name| is_too_large(name))
    }

    fn ignore_file(&self, folder: &str, name: &str) -> Option<Gitignore> {
        self.file(folder, name)
    }
}

/// Whether the lines exclude a path; `None` if none matches.
fn matched(rules: &Gitignore, path: &str, is_folder: bool) -> Option<bool> {
    match rules.matched(path, is_folder) {
        ignore::Match::None => None,
        ignore::Match::Ignore(_) => Some(true),
        ignore::Match::Whitelist(_) => Some(false),
    }
}
