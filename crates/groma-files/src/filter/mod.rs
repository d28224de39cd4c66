//! Which files of a project are indexed, and for each of the others why not.
//!
//! The walk asks the filter about every entry it meets; reading a single file asks it about one path. Both get the
//! same answer because both apply the same rules. Ignore files are left to ripgrep's matcher, which reads them folder
//! by folder and knows their precedence.

mod base;
mod folder;

pub(crate) use base::{Entry, FilterBase, IGNORE_FILES};
pub(crate) use folder::checked_root;

use crate::error::WalkError;
use crate::globs::Globs;
use crate::name_rules::{self, Mark};
use crate::options::WalkOptions;
use crate::path::{file_name, parent};
use crate::skip::SkipReason;
use folder::FolderBase;
use groma_core::{FileStamp, RelPath, SkippedFile};
use rustc_hash::FxHashMap;
use std::path::Path;
use std::sync::Arc;

/// Decides about paths of one project. It remembers what it read of the ignore files, so make a new one when
/// they may have changed; a clone is cheap and serves another thread.
#[derive(Clone)]
pub struct FileFilter {
    base: Box<dyn FilterBase>,
    options: Arc<WalkOptions>,
    globs: Arc<Globs>,
    /// Folders seen so far, and why they are skipped. Needed only where `include` can open what is below.
    skipped: FxHashMap<String, Option<SkipReason>>,
}

/// What is to be done with a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FolderDecision {
    /// Look inside.
    Included,
    /// Leave it out.
    Skipped(SkipReason),
    /// Leave it out, but look inside for what `include` names.
    PartiallyIncluded(SkipReason),
    /// As [`FolderDecision::Skipped`], in a folder that was left out itself: there is nothing more to report.
    InsideSkipped,
    /// As [`FolderDecision::PartiallyIncluded`], in a folder that was left out itself.
    IncludedInsideSkipped,
}

/// What is to be done with a file.
#[derive(Debug)]
pub(crate) enum FileDecision {
    /// Index it.
    Included(FileStamp),
    /// Leave it out.
    Skipped(SkipReason, String),
    /// Leave it out with the folder it is in, which was reported, or with all files of other languages.
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

    /// Whether one file is indexed: its stamp, or why it is left out.
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

    /// The line of an ignore file that excludes a path, and where it stands: the last one counts. Reads the
    /// files anew, for the matcher does not tell.
    pub fn rule(&self, path: &RelPath) -> String {
        let mut rule = None;
        let ends = path.as_str().match_indices('/').map(|(slash, _)| slash);
        for folder in [0].into_iter().chain(ends).map(|end| &path.as_str()[..end]) {
            for name in IGNORE_FILES {
                let counts = self.options.gitignore || name != ".gitignore";
                let Some(lines) = counts.then(|| self.base.ignore_file(folder, name)).flatten()
                else {
                    continue;
                };
                let found = lines.matched_path_or_any_parents(self.base.ignore_path(path), false);
                if let ignore::Match::Ignore(glob) = found {
                    let place =
                        if folder.is_empty() { name.into() } else { format!("{folder}/{name}") };
                    rule = Some(format!("`{}` in {place}", glob.original()));
                }
            }
        }
        rule.unwrap_or_else(|| "git's own excludes".into())
    }

    /// Whether to look into a folder whose parents are all open or ajar.
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

    /// Whether to index a file of a folder that is open or ajar.
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

    /// Whether a file is of a language that the index is not about. Its name alone tells: no file is opened.
    fn is_other_language(&self, path: &str) -> bool {
        let wanted = &self.options.languages;
        let language = |path: RelPath| groma_syntax::detect(&path, b"").name;
        !wanted.is_empty()
            && !RelPath::new(path)
                .map(language)
                .is_ok_and(|found| wanted.iter().any(|one| one == found))
    }

    /// Why the name or the ignore files keep a file out.
    fn name_reason(&mut self, path: &str, included: bool) -> Option<SkipReason> {
        let name = file_name(path);
        if name_rules::is_version_control(name) {
            return Some(SkipReason::VersionControl);
        }
        if self.globs.excluded(path, false) {
            return Some(SkipReason::Excluded);
        }
        if name_rules::is_secret(name) {
            return (!self.globs.names(path)).then_some(SkipReason::Secret);
        }
        if included {
            return None;
        }
        if name.starts_with('.') && !self.options.hidden {
            return Some(SkipReason::Hidden);
        }
        if self.base.is_ignored(path, false, &self.options) {
            return Some(SkipReason::Ignored);
        }
        kind_reason(name, &self.options)
    }

    /// Why a folder is left out, whatever is above it.
    fn folder_reason(&mut self, path: &str) -> Option<SkipReason> {
        let name = file_name(path);
        if name_rules::is_version_control(name) {
            return Some(SkipReason::VersionControl);
        }
        if self.globs.excluded(path, true) {
            return Some(SkipReason::Excluded);
        }
        if self.globs.included(path, true) {
            return None;
        }
        if name.starts_with('.') && !self.options.hidden {
            return Some(SkipReason::Hidden);
        }
        if self.base.is_ignored(path, true, &self.options) {
            return Some(SkipReason::Ignored);
        }
        if !self.options.vendored
            && (name_rules::is_vendored_folder(name)
                || self.marked(path, name_rules::vendored_marks(name)))
        {
            return Some(SkipReason::Vendored);
        }
        if !self.options.generated
            && (name_rules::is_generated_folder(name)
                || self.marked(path, name_rules::generated_marks(name)))
        {
            return Some(SkipReason::Generated);
        }
        if !self.options.tests && name_rules::is_test_folder(name) {
            return Some(SkipReason::Test);
        }
        self.base.has_blocking_ignore_file(path).then_some(SkipReason::Unreadable)
    }

    fn marked(&self, path: &str, marks: &[Mark]) -> bool {
        marks.iter().any(|mark| match mark {
            Mark::Inside(file) => self.base.exists(path, file),
            Mark::Beside(file) => self.base.exists(parent(path), file),
        })
    }

    /// Why a folder or one above it is left out. Without `include` the walk never enters such a folder.
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

fn kind_reason(name: &str, options: &WalkOptions) -> Option<SkipReason> {
    if !options.minified && name_rules::is_minified_file(name) {
        Some(SkipReason::Minified)
    } else if !options.generated && name_rules::is_generated_file(name) {
        Some(SkipReason::Generated)
    } else if !options.lock_files && name_rules::is_lock_file(name) {
        Some(SkipReason::LockFile)
    } else if name_rules::is_binary_file(name) {
        Some(SkipReason::Binary)
    } else if !options.tests && name_rules::is_test_file(name) {
        Some(SkipReason::Test)
    } else {
        None
    }
}
