//! Finds the files of a project.
//!
//! The traversal is ripgrep's, on all cores, with its filters off: they drop entries silently, and here every
//! skipped entry is reported with its reason. The rules are the [`FileFilter`]'s. No file is
//! opened, so a walk costs one stat per file and also detects changes.

use crate::error::WalkError;
use crate::filter::{FileDecision, FileFilter, FolderDecision, checked_root};
use crate::options::WalkOptions;
use crate::skip::SkipReason;
use crate::stamp::stamp;
use crate::tree::{WalkResult, WalkedFile};
use groma_core::{Locked, RelPath};
use ignore::{DirEntry, ParallelVisitor, ParallelVisitorBuilder, WalkBuilder, WalkState};
use std::path::Path;

/// Finds the files to index below `root`, and what is skipped and why.
pub(super) fn walk(root: &Path, options: &WalkOptions) -> Result<WalkResult, WalkError> {
    let filter = FileFilter::new(root, options)?;
    let root = root.canonicalize().map_err(|_| WalkError::Missing { root: root.into() })?;
    traverse(&root, filter)
}

/// Walks the folder of a filter.
fn traverse(root: &Path, filter: FileFilter) -> Result<WalkResult, WalkError> {
    let mut found = Locked::new(WalkResult::default());
    let mut builder = WalkBuilder::new(root);
    builder.standard_filters(false).follow_links(false);
    builder.build_parallel().visit(&mut WalkWorkers { root, filter, found: &found });
    // A project that was moved away meanwhile must not look like an empty one: its whole index would be dropped.
    checked_root(root)?;
    let mut walked = std::mem::take(found.get_mut());
    walked.files.sort_unstable_by(|a, b| a.path.cmp(&b.path));
    walked.skipped.sort_unstable();
    walked.folders.sort_unstable();
    walked.unindexed.sort_unstable_by(|a, b| a.path.cmp(&b.path));
    Ok(walked)
}

/// Creates a worker for each thread.
struct WalkWorkers<'a> {
    root: &'a Path,
    filter: FileFilter,
    found: &'a Locked<WalkResult>,
}

impl<'a> ParallelVisitorBuilder<'a> for WalkWorkers<'a> {
    fn build(&mut self) -> Box<dyn ParallelVisitor + 'a> {
        Box::new(WalkWorker {
            root: self.root,
            filter: self.filter.clone(),
            found: WalkResult::default(),
            all: self.found,
        })
    }
}

/// Processes the entries of one thread; merges its results when dropped.
struct WalkWorker<'a> {
    root: &'a Path,
    filter: FileFilter,
    found: WalkResult,
    all: &'a Locked<WalkResult>,
}

impl Drop for WalkWorker<'_> {
    fn drop(&mut self) {
        let mut all = self.all.lock();
        all.files.append(&mut self.found.files);
        all.skipped.append(&mut self.found.skipped);
        all.folders.append(&mut self.found.folders);
        all.linked.append(&mut self.found.linked);
        all.unindexed.append(&mut self.found.unindexed);
    }
}

impl ParallelVisitor for WalkWorker<'_> {
    fn visit(&mut self, entry: Result<DirEntry, ignore::Error>) -> WalkState {
        match entry {
            Ok(entry) if entry.depth() == 0 => WalkState::Continue,
            Ok(entry) => self.entry(&entry),
            Err(error) => {
                self.failure(error);
                WalkState::Continue
            }
        }
    }
}

impl WalkWorker<'_> {
    fn entry(&mut self, entry: &DirEntry) -> WalkState {
        let relative = entry.path().strip_prefix(self.root).unwrap_or(entry.path());
        let Ok(path) = RelPath::new(relative) else {
            self.skip(&relative.to_string_lossy(), SkipReason::NotUtf8Name, "");
            return WalkState::Skip;
        };
        if entry.file_type().is_some_and(|kind| kind.is_dir()) {
            let state = self.folder(&path);
            if !matches!(state, WalkState::Skip) {
                self.found.folders.push(relative.to_path_buf());
            }
            state
        } else {
            self.file(path, entry);
            WalkState::Continue
        }
    }

    fn folder(&mut self, path: &RelPath) -> WalkState {
        match self.filter.folder(path.as_str()) {
            FolderDecision::Included | FolderDecision::IncludedInsideSkipped => WalkState::Continue,
            FolderDecision::InsideSkipped => WalkState::Skip,
            FolderDecision::Skipped(reason) => {
                self.skip(path.as_str(), reason, "");
                WalkState::Skip
            }
            FolderDecision::PartiallyIncluded(reason) => {
                self.skip(path.as_str(), reason, "except what `include` names");
                WalkState::Continue
            }
        }
    }

    fn file(&mut self, path: RelPath, entry: &DirEntry) {
        match entry.metadata() {
            Ok(metadata) => match self.filter.file(path.as_str(), &metadata) {
                FileDecision::Included(stamp) => {
                    if has_hard_links(&metadata) {
                        self.found.linked.push(path.as_str().into());
                    }
                    self.found.files.push(WalkedFile { path, stamp });
                }
                FileDecision::Skipped(reason, detail) => {
                    self.skip(path.as_str(), reason, &detail);
                    if reason.may_be_text() {
                        let stamp = stamp(&metadata);
                        self.found.unindexed.push(WalkedFile { path, stamp });
                    }
                }
                FileDecision::InsideSkipped(_) => {}
            },
            Err(error) => self.failure(error),
        }
    }

    fn skip(&mut self, path: &str, reason: SkipReason, detail: &str) {
        self.found.skipped.push(reason.skip(path, detail));
    }

    /// Reports a folder that cannot be listed, or an entry that was deleted.
    fn failure(&mut self, error: ignore::Error) {
        let path = failed_path(&error).unwrap_or(self.root).to_owned();
        let relative = path.strip_prefix(self.root).unwrap_or(&path).to_string_lossy().into_owned();
        let (reason, detail) = match error.into_io_error() {
            Some(error) => (SkipReason::of_io(&error), error.to_string()),
            None => (SkipReason::Unreadable, String::new()),
        };
        self.skip(&relative, reason, &detail);
    }
}

/// Whether a file has other names, through which it can be written.
#[cfg(unix)]
fn has_hard_links(metadata: &std::fs::Metadata) -> bool {
    std::os::unix::fs::MetadataExt::nlink(metadata) > 1
}

#[cfg(not(unix))]
fn has_hard_links(_: &std::fs::Metadata) -> bool {
    false
}

fn failed_path(error: &ignore::Error) -> Option<&Path> {
    match error {
        ignore::Error::WithPath { path, .. } => Some(path),
        ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => {
            failed_path(err)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests;
