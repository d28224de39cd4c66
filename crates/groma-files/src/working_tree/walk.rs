//! Finds the files of a project.
//!
//! The traversal is ripgrep's, on all cores, with its filters off: they drop entries silently, and here every
//! entry that is left out is reported with its reason. The rules are the [`FileFilter`]'s. No file is
//! opened, so a walk costs a stat for each file and can be the scan that finds what changed.

use crate::error::WalkError;
use crate::filter::{FileDecision, FileFilter, FolderDecision, checked_root};
use crate::options::WalkOptions;
use crate::skip::SkipReason;
use crate::stamp::stamp;
use crate::tree::{Walked, WalkedFile};
use groma_core::RelPath;
use ignore::{DirEntry, ParallelVisitor, ParallelVisitorBuilder, WalkBuilder, WalkState};
use std::path::Path;
use std::sync::Mutex;

/// Finds the files to index below `root`, and says what is left out and why.
pub(super) fn walk(root: &Path, options: &WalkOptions) -> Result<Walked, WalkError> {
    let filter = FileFilter::new(root, options)?;
    let root = root.canonicalize().map_err(|_| WalkError::Missing { root: root.into() })?;
    traverse(&root, filter)
}

/// Goes through the folder that a filter was made for.
fn traverse(root: &Path, filter: FileFilter) -> Result<Walked, WalkError> {
    let found = Mutex::new(Walked::default());
    let mut builder = WalkBuilder::new(root);
    builder.standard_filters(false).follow_links(false);
    builder.build_parallel().visit(&mut WalkWorkers { root, filter, found: &found });
    // A project that was moved away meanwhile must not look like an empty one: its whole index would be dropped.
    checked_root(root)?;
    let mut walked = found.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
    walked.files.sort_unstable_by(|a, b| a.path.cmp(&b.path));
    walked.skipped.sort_unstable();
    walked.folders.sort_unstable();
    walked.unindexed.sort_unstable_by(|a, b| a.path.cmp(&b.path));
    Ok(walked)
}

/// Makes a worker for each thread.
struct WalkWorkers<'a> {
    root: &'a Path,
    filter: FileFilter,
    found: &'a Mutex<Walked>,
}

impl<'a> ParallelVisitorBuilder<'a> for WalkWorkers<'a> {
    fn build(&mut self) -> Box<dyn ParallelVisitor + 'a> {
        Box::new(WalkWorker {
            root: self.root,
            filter: self.filter.clone(),
            found: Walked::default(),
            all: self.found,
        })
    }
}

/// Looks at the entries of one thread, and hands over what it found when it is done.
struct WalkWorker<'a> {
    root: &'a Path,
    filter: FileFilter,
    found: Walked,
    all: &'a Mutex<Walked>,
}

impl Drop for WalkWorker<'_> {
    fn drop(&mut self) {
        let mut all = self.all.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        all.files.append(&mut self.found.files);
        all.skipped.append(&mut self.found.skipped);
        all.folders.append(&mut self.found.folders);
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
                FileDecision::Included(stamp) => self.found.files.push(WalkedFile { path, stamp }),
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

    /// A folder that cannot be listed, or an entry that went away.
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
