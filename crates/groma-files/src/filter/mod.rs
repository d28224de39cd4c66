//! Decides which files of a project are indexed, and why the others are not.
//!
//! A walk applies the filter to every entry, reading a single file to one path; both apply the same rules. Ignore files
//! are handled by ripgrep's matcher, which reads them folder by folder and implements their precedence.

mod base;
mod folder;

pub(crate) use base::{Entry, FilterBase, IGNORE_FILES};
pub(crate) use folder::{MAX_IGNORE_FILE, checked_root, is_unusable};

use crate::error::WalkError;
use crate::file_names::{self, Marker};
use crate::globs::Globs;
use crate::options::WalkOptions;
use crate::path::{file_name, parent};
use crate::skip::SkipReason;
use folder::FolderBase;
use groma_core::{FileStamp, RelPath, SkippedFile};
use rustc_hash::FxHashMap;
use std::path::Path;
use std::sync::Arc;

/// The filter of one project. It caches ignore files, so create a new one when they may have changed; a clone is cheap
/// and serves another thread.
#[derive(Clone)]
pub struct FileFilter {
    base: Box<dyn FilterBase>,
    options: Arc<WalkOptions>,
    globs: Arc<Globs>,
    /// Folders seen so far, and why they are skipped. Needed only if `include` can select files below them.
    skipped: FxHashMap<String, Option<SkipReason>>,
}

/// The decision about a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FolderDecision {
    /// Walk it.
    Included,
    /// Skip it.
    Skipped(SkipReason),
    /// Skip it, but walk it for what `include` names.
    PartiallyIncluded(SkipReason),
    /// As [`FolderDecision::Skipped`], in a folder that is skipped itself: it is not reported again.
    InsideSkipped,
    /// As [`FolderDecision::PartiallyIncluded`], in a folder that is skipped itself.
    IncludedInsideSkipped,
}

/// The decision about a file.
#[derive(Debug)]
pub(crate) enum FileDecision {
    /// Index it.
    Included(FileStamp),
    /// Skip it.
    Skipped(SkipReason, String),
    /// Skip it without a report: its folder was reported, or its language is not indexed.
    InsideSkipped(SkipReason),
}

impl FileFilter {
    /// A filter for the project at `root`.
    pub fn new(root: &Path, options: &WalkOptions) -> Result<Self, WalkError> {
        Self::over(Box::new(FolderBase::new(root, options)?), options)
    }

    /// A filter over any base.
    pub(crate) fn over(
        base: Box<dyn FilterBase>,
        options: &WalkOptions,
    ) -> Result<Self, WalkError> {
        Ok(Self {
            base,
            options: Arc::new(options.clone()),
            globs: Arc::new(Globs::new(options)?),
            skipped: FxHashMap::default(),
        })
    }

    /// The stamp of a file that is indexed, or why it is skipped.
    pub fn check(&mut self, path: &RelPath) -> Result<FileStamp, SkippedFile> {
        for (slash, _) in path.as_str().match_indices('/') {
            let folder = &path.as_str()[..slash];
            if self.base.is_link(folder) {
                return Err(SkipReason::Symlink.skip(path.as_str(), folder));
            }
            match self.folder(folder) {
                FolderDecision::Skipped(reason) => return Err(reason.skip(path.as_str(), folder)),
                FolderDecision::InsideSkipped => {
                    let reason = self.skipped_by(folder).unwrap_or(SkipReason::Excluded);
                    return Err(reason.skip(path.as_str(), folder));
                }
                FolderDecision::Included
                | FolderDecision::PartiallyIncluded(_)
                | FolderDecision::IncludedInsideSkipped => {}
            }
        }
        let entry = self.base.entry(path)?;
        match self.file(path.as_str(), &*entry) {
            FileDecision::Included(stamp) => Ok(stamp),
            FileDecision::Skipped(reason, detail) => Err(reason.skip(path.as_str(), detail)),
            FileDecision::InsideSkipped(reason) => Err(reason.skip(path.as_str(), path.folder())),
        }
    }

    /// The line of an ignore file that excludes a path, and its location; the last one wins. Reads the files again,
    /// because the matcher does not report it.
    pub fn rule(&self, path: &RelPath) -> String {
        let mut rule = None;
        let ends = path.as_str().match_indices('/').map(|(slash, _)| slash);
        for folder in [0].into_iter().chain(ends).map(|end| &path.as_str()[..end]) {
            for name in IGNORE_FILES {
                let applies = self.options.gitignore || name != ".gitignore";
                let Some(lines) = applies.then(|| self.base.ignore_file(folder, name)).flatten()
                else {
                    continue;
                };
                let found = lines.matched_path_or_any_parents(self.base.ignore_path(path), false);
                if let ignore::Match::Ignore(glob) = found {
                    let location =
                        if folder.is_empty() { name.into() } else { format!("{folder}/{name}") };
                    rule = Some(format!("`{}` in {location}", glob.original()));
                }
            }
        }
        rule.unwrap_or_else(|| "git's own excludes".into())
    }

    /// Decides about a folder whose parents are all walked.
    pub(crate) fn folder(&mut self, path: &str) -> FolderDecision {
        let above = self.skipped_by(parent(path));
        let own = self.folder_reason(path);
        let is_partial = self.globs.leads_to_included(path)
            && !matches!(own, Some(SkipReason::VersionControl | SkipReason::Excluded));
        match (above, own, is_partial) {
            (None, None, _) => FolderDecision::Included,
            (None, Some(reason), false) => FolderDecision::Skipped(reason),
            (None, Some(reason), true) => FolderDecision::PartiallyIncluded(reason),
            (Some(_), _, true) => FolderDecision::IncludedInsideSkipped,
            (Some(_), _, false) if self.globs.included(path, true) => {
                FolderDecision::IncludedInsideSkipped
            }
            (Some(_), _, false) => FolderDecision::InsideSkipped,
        }
    }

    /// Decides about a file of a folder that is walked.
    pub(crate) fn file(&mut self, path: &str, entry: &dyn Entry) -> FileDecision {
        if self.is_other_language(path) {
            return FileDecision::InsideSkipped(SkipReason::OtherLanguage);
        }
        let included = self.globs.included(path, false);
        if !included && let Some(reason) = self.skipped_by(parent(path)) {
            return FileDecision::InsideSkipped(reason);
        }
        if entry.is_link() {
            return FileDecision::Skipped(
                SkipReason::Symlink,
                format!("-> {}", self.base.target(path)),
            );
        }
        if !entry.is_file() {
            return FileDecision::Skipped(SkipReason::NotAFile, String::new());
        }
        if let Some(reason) = self.name_reason(path, included) {
            return FileDecision::Skipped(reason, String::new());
        }
        if entry.size() > self.options.max_file_size {
            return FileDecision::Skipped(SkipReason::TooLarge, format!("{} bytes", entry.size()));
        }
        FileDecision::Included(entry.stamp())
    }

    /// Whether the language of a file, by its name, is not indexed.
    fn is_other_language(&self, path: &str) -> bool {
        let wanted = &self.options.languages;
        let language = |path: RelPath| groma_syntax::detect(&path, b"").name;
        !wanted.is_empty()
            && !RelPath::new(path)
                .map(language)
                .is_ok_and(|found| wanted.iter().any(|one| one == found))
    }

    /// Why a file is skipped by its name or the ignore files.
    fn name_reason(&mut self, path: &str, included: bool) -> Option<SkipReason> {
        let name = file_name(path);
        if file_names::is_version_control(name) {
            return Some(SkipReason::VersionControl);
        }
        if self.globs.excluded(path, false) {
            return Some(SkipReason::Excluded);
        }
        let is_client_config =
            RelPath::new(path).is_ok_and(|one| file_names::is_client_config(&one));
        if file_names::is_secret(name) || is_client_config {
            return (!self.globs.names(path)).then_some(SkipReason::Secret);
        }
        if included {
            return None;
        }
        if is_left_hidden(name, &self.options) {
            return Some(SkipReason::Hidden);
        }
        if self.base.is_ignored(path, false, &self.options) {
            return Some(SkipReason::Ignored);
        }
        kind_reason(name, &self.options)
    }

    /// Why a folder is skipped by itself.
    fn folder_reason(&mut self, path: &str) -> Option<SkipReason> {
        let name = file_name(path);
        if file_names::is_version_control(name) {
            return Some(SkipReason::VersionControl);
        }
        if self.globs.excluded(path, true) {
            return Some(SkipReason::Excluded);
        }
        if self.globs.included(path, true) {
            return None;
        }
        if is_left_hidden(name, &self.options) {
            return Some(SkipReason::Hidden);
        }
        if self.base.is_ignored(path, true, &self.options) {
            return Some(SkipReason::Ignored);
        }
        if !self.options.vendored
            && (file_names::is_vendored_folder(name)
                || self.has_marker(path, file_names::vendored_markers(name)))
        {
            return Some(SkipReason::Vendored);
        }
        if !self.options.generated
            && (file_names::is_generated_folder(name)
                || self.has_marker(path, file_names::generated_markers(name)))
        {
            return Some(SkipReason::Generated);
        }
        if !self.options.tests && file_names::is_test_folder(name) {
            return Some(SkipReason::Test);
        }
        self.base.has_unusable_ignore_file(path).then_some(SkipReason::Unreadable)
    }

    fn has_marker(&self, path: &str, markers: &[Marker]) -> bool {
        markers.iter().any(|marker| match marker {
            Marker::Inside(file) => self.base.exists(path, file),
            Marker::Beside(file) => self.base.exists(parent(path), file),
        })
    }

    /// Why a folder or one of its parents is skipped. Without `include` the walk never enters such a folder.
    fn skipped_by(&mut self, folder: &str) -> Option<SkipReason> {
        if folder.is_empty() || self.globs.nothing_included() {
            return None;
        }
        if let Some(known) = self.skipped.get(folder) {
            return *known;
        }
        let reason = self.skipped_by(parent(folder)).or_else(|| self.folder_reason(folder));
        self.skipped.insert(folder.into(), reason);
        reason
    }
}

/// Whether a file or folder is left out because its name begins with a dot.
fn is_left_hidden(name: &str, options: &WalkOptions) -> bool {
    name.starts_with('.') && !options.hidden && !file_names::is_shared_hidden(name)
}

fn kind_reason(name: &str, options: &WalkOptions) -> Option<SkipReason> {
    if !options.minified && file_names::is_minified_file(name) {
        Some(SkipReason::Minified)
    } else if !options.generated && file_names::is_generated_file(name) {
        Some(SkipReason::Generated)
    } else if !options.lock_files && file_names::is_lock_file(name) {
        Some(SkipReason::LockFile)
    } else if file_names::is_binary_file(name) {
        Some(SkipReason::Binary)
    } else if !options.tests && file_names::is_test_file(name) {
        Some(SkipReason::Test)
    } else {
        None
    }
}
