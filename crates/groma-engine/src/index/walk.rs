//! Finds the files of a project.
//!
//! The traversal is ripgrep's, on all cores, with its filters off: they drop entries silently, and here every
//! entry that is left out is reported with its reason. What the rules are is the [`Gate`]'s business. No file is
//! opened, so a walk costs a stat for each file and can be the scan that finds what changed.

use super::gate::{File, Folder, Gate, Globs};
use super::skip::SkipReason;
use super::stamp::stamp;
use crate::git::GitError;
use groma_core::{FileStamp, RelPath, SkippedFile};
use ignore::{DirEntry, ParallelVisitor, ParallelVisitorBuilder, WalkBuilder, WalkState};
use rustc_hash::FxHasher;
use std::hash::Hasher;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// What to index beyond the defaults, and what not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WalkOptions {
    /// Globs, as in a .gitignore, of files to index whatever rule would leave them out. Secrets come in only by
    /// a glob that names the file; size and `exclude` still count.
    pub include: Vec<String>,
    /// Globs, as in a .gitignore, of files to leave out.
    pub exclude: Vec<String>,
    /// Index files and folders whose name begins with a dot.
    pub hidden: bool,
    /// Index copies of other people's code.
    pub vendored: bool,
    /// Index what programs wrote.
    pub generated: bool,
    /// Index lists of resolved dependencies.
    pub lock_files: bool,
    /// Index minified code.
    pub minified: bool,
    /// Honour .gitignore files and git's other excludes. `.ignore` and `.gromaignore` always count.
    pub gitignore: bool,
    /// Index tests.
    pub tests: bool,
    /// Canonical names of the only languages to index, whatever `include` says; all when empty. Files of others
    /// are no concern of the index and are not reported.
    pub languages: Vec<String>,
    /// Leave out files with more bytes than this.
    pub max_file_size: u64,
}

impl Default for WalkOptions {
    fn default() -> Self {
        Self {
            include: Vec::new(),
            exclude: Vec::new(),
            hidden: false,
            vendored: false,
            generated: false,
            lock_files: false,
            minified: false,
            gitignore: true,
            tests: true,
            languages: Vec::new(),
            max_file_size: 1_000_000,
        }
    }
}

impl WalkOptions {
    /// A number that other options would not have.
    pub(crate) fn fingerprint(&self) -> u64 {
        let mut hasher = FxHasher::default();
        hasher.write(format!("{self:?}").as_bytes());
        hasher.finish()
    }

    /// Whether all globs are globs.
    pub fn check(&self) -> Result<(), WalkError> {
        Globs::new(self).map(drop)
    }
}

/// A file that is to be indexed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WalkedFile {
    /// Where it is.
    pub path: RelPath,
    /// What a stat tells of it.
    pub stamp: FileStamp,
}

/// What a walk found, all lists in order of path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Walked {
    /// The files to index.
    pub files: Vec<WalkedFile>,
    /// What is left out. A folder stands for everything in it.
    pub skipped: Vec<SkippedFile>,
    /// The folders it went into, below the root.
    pub folders: Vec<PathBuf>,
    /// Those of the files left out that are text for all their names tell: generated, minified, lock files, and
    /// such as are too large.
    pub unindexed: Vec<WalkedFile>,
}

/// Why a project could not be walked at all.
#[derive(Debug, thiserror::Error)]
pub enum WalkError {
    /// There is nothing at the root.
    #[error("{} does not exist; give the path of the project's folder", .root.display())]
    Missing {
        /// The root asked for.
        root: PathBuf,
    },
    /// The root is something else.
    #[error("{} is not a folder; give the folder that contains it", .root.display())]
    NotAFolder {
        /// The root asked for.
        root: PathBuf,
    },
    /// The root cannot be listed.
    #[error("{} cannot be read; check its permissions", .root.display())]
    Unreadable {
        /// The root asked for.
        root: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// An ignore file of the root would block whoever opens it.
    #[error("{} is not a regular file; remove it", .path.display())]
    IgnoreFile {
        /// Which one.
        path: PathBuf,
    },
    /// A commit has more entries than anybody wrote.
    #[error("commit {commit} has more than {most} entries; it is not indexed")]
    Endless {
        /// Which one.
        commit: String,
        /// How many there may be.
        most: usize,
    },
    /// A commit cannot be read.
    #[error(transparent)]
    Git(#[from] GitError),
    /// `include` or `exclude` holds something that is no glob.
    #[error("`{glob}` is not a glob; correct it in `include` or `exclude`")]
    Glob {
        /// As written.
        glob: String,
        /// What is wrong with it.
        #[source]
        source: ignore::Error,
    },
}

/// Finds the files to index below `root`, and says what is left out and why.
pub fn walk(root: &Path, options: &WalkOptions) -> Result<Walked, WalkError> {
    let gate = Gate::new(root, options)?;
    let root = root.canonicalize().map_err(|_| WalkError::Missing { root: root.into() })?;
    let found = Mutex::new(Walked::default());
    let mut builder = WalkBuilder::new(&root);
    builder.standard_filters(false).follow_links(false);
    builder.build_parallel().visit(&mut Scouts { root: &root, gate, found: &found });
    let mut walked = found.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
    walked.files.sort_unstable_by(|a, b| a.path.cmp(&b.path));
    walked.skipped.sort_unstable();
    walked.folders.sort_unstable();
    walked.unindexed.sort_unstable_by(|a, b| a.path.cmp(&b.path));
    Ok(walked)
}

/// Makes a scout for each thread.
struct Scouts<'a> {
    root: &'a Path,
    gate: Gate,
    found: &'a Mutex<Walked>,
}

impl<'a> ParallelVisitorBuilder<'a> for Scouts<'a> {
    fn build(&mut self) -> Box<dyn ParallelVisitor + 'a> {
        Box::new(Scout {
            root: self.root,
            gate: self.gate.clone(),
            found: Walked::default(),
            all: self.found,
        })
    }
}

/// Looks at the entries of one thread, and hands over what it found when it is done.
struct Scout<'a> {
    root: &'a Path,
    gate: Gate,
    found: Walked,
    all: &'a Mutex<Walked>,
}

impl Drop for Scout<'_> {
    fn drop(&mut self) {
        let mut all = self.all.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        all.files.append(&mut self.found.files);
        all.skipped.append(&mut self.found.skipped);
        all.folders.append(&mut self.found.folders);
        all.unindexed.append(&mut self.found.unindexed);
    }
}

impl ParallelVisitor for Scout<'_> {
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

impl Scout<'_> {
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
        match self.gate.folder(path.as_str()) {
            Folder::Open | Folder::AjarBeneath => WalkState::Continue,
            Folder::Beneath => WalkState::Skip,
            Folder::Closed(reason) => {
                self.skip(path.as_str(), reason, "");
                WalkState::Skip
            }
            Folder::Ajar(reason) => {
                self.skip(path.as_str(), reason, "except what `include` names");
                WalkState::Continue
            }
        }
    }

    fn file(&mut self, path: RelPath, entry: &DirEntry) {
        match entry.metadata() {
            Ok(metadata) => match self.gate.file(path.as_str(), &metadata) {
                File::Kept(stamp) => self.found.files.push(WalkedFile { path, stamp }),
                File::Skipped(reason, detail) => {
                    self.skip(path.as_str(), reason, &detail);
                    if reason.may_be_text() {
                        let stamp = stamp(&metadata);
                        self.found.unindexed.push(WalkedFile { path, stamp });
                    }
                }
                File::Beneath(_) => {}
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
