//! The base of a filter over a folder on disk.

use super::base::{Entry, FilterBase, IGNORE_FILES, OWN_IGNORE_FILE};
use crate::error::WalkError;
use crate::git::unusable_for_ignores;
use crate::options::WalkOptions;
use crate::skip::SkipReason;
use crate::stamp::stamp;
use groma_core::{FileStamp, RelPath, SkippedFile};
use ignore::gitignore::Gitignore;
use ignore::{IncrementalIgnore, WalkBuilder};
use std::fs::{self, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Maximum bytes of an ignore file: ten thousand patterns.
pub(crate) const MAX_IGNORE_FILE: u64 = 128 << 10;

/// A folder and the ignore files read in it so far.
#[derive(Clone)]
pub(super) struct FolderBase {
    root: Arc<Path>,
    ignored: Box<IncrementalIgnore>,
}

impl FolderBase {
    pub fn new(root: &Path, options: &WalkOptions) -> Result<Self, WalkError> {
        let root = checked_root(root)?;
        let mut matchers = ignore_rules(&root, options).build_matchers();
        let ignored = Box::new(matchers.pop().expect("one matcher for one root"));
        Ok(Self { root: root.into(), ignored })
    }
}

impl FilterBase for FolderBase {
    fn boxed_clone(&self) -> Box<dyn FilterBase> {
        Box::new(self.clone())
    }

    fn is_ignored(&mut self, path: &str, is_folder: bool, _: &WalkOptions) -> bool {
        self.ignored.matched(path, is_folder).is_ignore()
    }

    fn ignore_path(&self, path: &RelPath) -> PathBuf {
        path.under(&self.root)
    }

    fn entry(&self, path: &RelPath) -> Result<Box<dyn Entry>, SkippedFile> {
        fs::symlink_metadata(path.under(&self.root))
            .map(|metadata| Box::new(metadata) as Box<dyn Entry>)
            .map_err(|error| SkipReason::of_io(&error).skip(path.as_str(), error.to_string()))
    }

    fn is_link(&self, path: &str) -> bool {
        fs::symlink_metadata(self.root.join(path)).is_ok_and(|metadata| metadata.is_symlink())
    }

    fn target(&self, path: &str) -> String {
        fs::read_link(self.root.join(path)).unwrap_or_default().display().to_string()
    }

    fn exists(&self, folder: &str, name: &str) -> bool {
        self.root.join(folder).join(name).exists()
    }

    fn has_unusable_ignore_file(&self, folder: &str) -> bool {
        unusable_ignore_file(&self.root.join(folder)).is_some()
    }

    fn ignore_file(&self, folder: &str, name: &str) -> Option<Gitignore> {
        let file = self.root.join(folder).join(name);
        // The text of a rule is shown, and a link could lead to any file.
        let is_file = fs::symlink_metadata(&file).is_ok_and(|metadata| metadata.is_file());
        is_file.then(|| Gitignore::new(&file).0)
    }
}

impl Entry for Metadata {
    fn is_link(&self) -> bool {
        self.is_symlink()
    }

    fn is_file(&self) -> bool {
        Metadata::is_file(self)
    }

    fn size(&self) -> u64 {
        self.len()
    }

    fn stamp(&self) -> FileStamp {
        stamp(self)
    }
}

/// The canonical root, if it is a folder that can be listed.
pub(crate) fn checked_root(given: &Path) -> Result<PathBuf, WalkError> {
    let unreadable = |source: io::Error| match source.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => {
            WalkError::Missing { root: given.into() }
        }
        _ => WalkError::Unreadable { root: given.into(), source },
    };
    let root = given.canonicalize().map_err(unreadable)?;
    if !root.is_dir() {
        return Err(WalkError::NotAFolder { root: given.into() });
    }
    // An unreadable root must not look like an empty project: its whole index would be dropped.
    fs::read_dir(&root).map_err(unreadable)?;
    match unusable_ignore_file(&root).or_else(|| unusable_above(&root)) {
        Some(path) => Err(WalkError::IgnoreFile { path }),
        None => Ok(root),
    }
}

fn ignore_rules(root: &Path, options: &WalkOptions) -> WalkBuilder {
    let mut builder = WalkBuilder::new(root);
    builder
        .hidden(false)
        .git_ignore(options.gitignore)
        .git_exclude(options.gitignore)
        .git_global(options.gitignore)
        // In a repository, .gitignore files above its root do not apply. Outside of one, .gitignore files apply, too.
        .require_git(is_in_repository(root))
        .current_dir(root)
        .add_custom_ignore_filename(OWN_IGNORE_FILE);
    builder
}

fn is_in_repository(root: &Path) -> bool {
    root.ancestors().any(|folder| folder.join(".git").exists() || folder.join(".jj").exists())
}

/// An ignore file of a folder that cannot be used: a pipe or a device would block its reader, and compiling tens of
/// thousands of patterns takes seconds and gigabytes at every walk.
fn unusable_ignore_file(folder: &Path) -> Option<PathBuf> {
    let own = IGNORE_FILES.iter().map(|name| folder.join(name)).find(|path| is_unusable(path));
    own.or_else(|| unusable_for_ignores(folder, is_unusable))
}

/// Whether an ignore file is a pipe, a device or too large.
pub(crate) fn is_unusable(path: &Path) -> bool {
    fs::metadata(path)
        .is_ok_and(|found| !found.is_dir() && (!found.is_file() || found.len() > MAX_IGNORE_FILE))
}

/// Ignore files of the folders above a root apply to it, too.
fn unusable_above(root: &Path) -> Option<PathBuf> {
    root.ancestors().skip(1).find_map(unusable_ignore_file)
}
