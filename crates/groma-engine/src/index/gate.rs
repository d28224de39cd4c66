//! Which files of a project are indexed, and for each of the others why not.
//!
//! The walk asks the gate about every entry it meets; a watcher asks it about single paths. Both get the same
//! answer because both go through the same rules. The ignore files themselves are left to ripgrep's matcher,
//! which reads them folder by folder and knows their precedence.

use super::commit::Ignores;
use super::names::{self, Mark};
use super::skip::SkipReason;
use super::stamp::stamp;
use super::walk::{WalkError, WalkOptions};
use groma_core::{FileStamp, RelPath, SkippedFile};
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use ignore::{IncrementalIgnore, WalkBuilder};
use rustc_hash::FxHashMap;
use std::fs::{self, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The ignore files that are read in every folder.
pub(super) const IGNORE_FILES: [&str; 3] = [".gitignore", ".ignore", OWN_IGNORE_FILE];

/// Groma's own ignore file; it outranks the others.
const OWN_IGNORE_FILE: &str = ".gromaignore";

/// Decides about paths of one project. It remembers what it read of the ignore files, so make a new one when
/// they may have changed; a clone is cheap and serves another thread.
#[derive(Clone)]
pub struct Gate {
    ground: Ground,
    options: Arc<WalkOptions>,
    globs: Arc<Globs>,
    /// Folders seen so far, and why they are closed. Needed only where `include` can open what is below.
    closed: FxHashMap<String, Option<SkipReason>>,
}

/// Where the paths are.
#[derive(Clone)]
enum Ground {
    Folder { root: Arc<Path>, ignored: Box<IncrementalIgnore> },
    Commit(Ignores),
}

/// What is known of an entry without reading it.
pub(super) trait Entry {
    fn is_link(&self) -> bool;
    /// Whether it is a regular file.
    fn is_file(&self) -> bool;
    fn size(&self) -> u64;
    fn stamp(&self) -> FileStamp;
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

/// What is to be done with a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Folder {
    /// Look inside.
    Open,
    /// Leave it out.
    Closed(SkipReason),
    /// Leave it out, but look inside for what `include` names.
    Ajar(SkipReason),
    /// As [`Folder::Closed`], in a folder that was left out itself: there is nothing more to report.
    Beneath,
    /// As [`Folder::Ajar`], in a folder that was left out itself.
    AjarBeneath,
}

/// What is to be done with a file.
#[derive(Debug)]
pub(super) enum File {
    /// Index it.
    Kept(FileStamp),
    /// Leave it out.
    Skipped(SkipReason, String),
    /// Leave it out with the folder it is in, which was reported, or with all files of other languages.
    Beneath(SkipReason),
}

impl Gate {
    /// A gate for the project at `root`.
    pub fn new(root: &Path, options: &WalkOptions) -> Result<Self, WalkError> {
        let root = checked_root(root)?;
        let mut matchers = ignore_rules(&root, options).build_matchers();
        let ignored = Box::new(matchers.pop().expect("one matcher for one root"));
        Self::on(Ground::Folder { root: root.into(), ignored }, options)
    }

    /// A gate for the project in a commit.
    pub(super) fn of_commit(ignores: Ignores, options: &WalkOptions) -> Result<Self, WalkError> {
        Self::on(Ground::Commit(ignores), options)
    }

    fn on(ground: Ground, options: &WalkOptions) -> Result<Self, WalkError> {
        Ok(Self {
            ground,
            options: Arc::new(options.clone()),
            globs: Arc::new(Globs::new(options)?),
            closed: FxHashMap::default(),
        })
    }

    /// Whether one file is indexed: its stamp, or why it is left out.
    pub fn check(&mut self, path: &RelPath) -> Result<FileStamp, SkippedFile> {
        for (slash, _) in path.as_str().match_indices('/') {
            let folder = &path.as_str()[..slash];
            if self.ground.is_link(folder) {
                return Err(SkipReason::Symlink.skip(path.as_str(), folder));
            }
            match self.folder(folder) {
                Folder::Closed(reason) => return Err(reason.skip(path.as_str(), folder)),
                Folder::Beneath => {
                    let reason = self.closed_by(folder).unwrap_or(SkipReason::Excluded);
                    return Err(reason.skip(path.as_str(), folder));
                }
                Folder::Open | Folder::Ajar(_) | Folder::AjarBeneath => {}
            }
        }
        let entry = self.ground.look(path)?;
        match self.file(path.as_str(), &*entry) {
            File::Kept(stamp) => Ok(stamp),
            File::Skipped(reason, detail) => Err(reason.skip(path.as_str(), detail)),
            File::Beneath(reason) => Err(reason.skip(path.as_str(), path.folder())),
        }
    }

    /// The line of an ignore file that excludes a path, and where it stands: the last one counts. Reads the
    /// files anew, for the matcher does not tell.
    pub(crate) fn rule(&self, path: &RelPath) -> String {
        let mut rule = None;
        let ends = path.as_str().match_indices('/').map(|(slash, _)| slash);
        for folder in [0].into_iter().chain(ends).map(|end| &path.as_str()[..end]) {
            for name in IGNORE_FILES {
                let counts = self.options.gitignore || name != ".gitignore";
                let Some(lines) = counts.then(|| self.ground.lines(folder, name)).flatten() else {
                    continue;
                };
                let found = lines.matched_path_or_any_parents(self.ground.whole(path), false);
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
    pub(super) fn folder(&mut self, path: &str) -> Folder {
        let above = self.closed_by(parent(path));
        let own = self.folder_reason(path);
        let ajar = self.globs.leads_to_included(path)
            && !matches!(own, Some(SkipReason::VersionControl | SkipReason::Excluded));
        match (above, own, ajar) {
            (None, None, _) => Folder::Open,
            (None, Some(reason), false) => Folder::Closed(reason),
            (None, Some(reason), true) => Folder::Ajar(reason),
            (Some(_), _, true) => Folder::AjarBeneath,
            (Some(_), _, false) if self.globs.included(path, true) => Folder::AjarBeneath,
            (Some(_), _, false) => Folder::Beneath,
        }
    }

    /// Whether to index a file of a folder that is open or ajar.
    pub(super) fn file(&mut self, path: &str, entry: &dyn Entry) -> File {
        if self.is_foreign(path) {
            return File::Beneath(SkipReason::OtherLanguage);
        }
        let included = self.globs.included(path, false);
        if !included && let Some(reason) = self.closed_by(parent(path)) {
            return File::Beneath(reason);
        }
        if entry.is_link() {
            return File::Skipped(SkipReason::Symlink, format!("-> {}", self.ground.target(path)));
        }
        if !entry.is_file() {
            return File::Skipped(SkipReason::NotAFile, String::new());
        }
        if let Some(reason) = self.name_reason(path, included) {
            return File::Skipped(reason, String::new());
        }
        if entry.size() > self.options.max_file_size {
            return File::Skipped(SkipReason::TooLarge, format!("{} bytes", entry.size()));
        }
        File::Kept(entry.stamp())
    }

    /// Whether a file is of a language that the index is not about. Its name alone tells: no file is opened.
    fn is_foreign(&self, path: &str) -> bool {
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
        if names::is_version_control(name) {
            return Some(SkipReason::VersionControl);
        }
        if self.globs.excluded(path, false) {
            return Some(SkipReason::Excluded);
        }
        if names::is_secret(name) {
            return (!self.globs.names(path)).then_some(SkipReason::Secret);
        }
        if included {
            return None;
        }
        if name.starts_with('.') && !self.options.hidden {
            return Some(SkipReason::Hidden);
        }
        if self.ground.is_ignored(path, false, &self.options) {
            return Some(SkipReason::Ignored);
        }
        kind_reason(name, &self.options)
    }

    /// Why a folder is left out, whatever is above it.
    fn folder_reason(&mut self, path: &str) -> Option<SkipReason> {
        let name = file_name(path);
        if names::is_version_control(name) {
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
        if self.ground.is_ignored(path, true, &self.options) {
            return Some(SkipReason::Ignored);
        }
        if !self.options.vendored
            && (names::is_vendored_folder(name) || self.marked(path, names::vendored_marks(name)))
        {
            return Some(SkipReason::Vendored);
        }
        if !self.options.generated
            && (names::is_generated_folder(name) || self.marked(path, names::generated_marks(name)))
        {
            return Some(SkipReason::Generated);
        }
        if !self.options.tests && names::is_test_folder(name) {
            return Some(SkipReason::Test);
        }
        self.ground.is_blocked(path).then_some(SkipReason::Unreadable)
    }

    fn marked(&self, path: &str, marks: &[Mark]) -> bool {
        marks.iter().any(|mark| match mark {
            Mark::Inside(file) => self.ground.exists(path, file),
            Mark::Beside(file) => self.ground.exists(parent(path), file),
        })
    }

    /// Why a folder or one above it is left out. Without `include` the walk never enters such a folder.
    fn closed_by(&mut self, folder: &str) -> Option<SkipReason> {
        if folder.is_empty() || self.globs.nothing_included() {
            return None;
        }
        if let Some(known) = self.closed.get(folder) {
            return *known;
        }
        let reason = self.closed_by(parent(folder)).or_else(|| self.folder_reason(folder));
        self.closed.insert(folder.into(), reason);
        reason
    }
}

impl Ground {
    fn is_ignored(&mut self, path: &str, is_folder: bool, options: &WalkOptions) -> bool {
        match self {
            Self::Folder { ignored, .. } => ignored.matched(path, is_folder).is_ignore(),
            Self::Commit(ignores) => ignores.is_ignored(path, is_folder, options.gitignore),
        }
    }

    /// A path as the lines of ignore files know it.
    fn whole(&self, path: &RelPath) -> PathBuf {
        match self {
            Self::Folder { root, .. } => path.under(root),
            Self::Commit(_) => path.as_str().into(),
        }
    }

    fn look(&self, path: &RelPath) -> Result<Box<dyn Entry>, SkippedFile> {
        let skip = |reason: SkipReason, detail: String| reason.skip(path.as_str(), detail);
        match self {
            Self::Folder { root, .. } => fs::symlink_metadata(path.under(root))
                .map(|metadata| Box::new(metadata) as Box<dyn Entry>)
                .map_err(|error| skip(SkipReason::of_io(&error), error.to_string())),
            Self::Commit(ignores) => match ignores.look(path.as_str()) {
                Ok(Some(found)) => Ok(Box::new(found)),
                Ok(None) => Err(skip(SkipReason::Vanished, "not in the commit".into())),
                Err(error) => Err(skip(SkipReason::Unreadable, error.to_string())),
            },
        }
    }

    fn is_link(&self, path: &str) -> bool {
        match self {
            Self::Folder { root, .. } => is_symlink(&root.join(path)),
            Self::Commit(ignores) => {
                matches!(ignores.look(path), Ok(Some(found)) if found.is_link())
            }
        }
    }

    /// Where a link points.
    fn target(&self, path: &str) -> String {
        match self {
            Self::Folder { root, .. } => {
                fs::read_link(root.join(path)).unwrap_or_default().display().to_string()
            }
            Self::Commit(ignores) => ignores.target(path).unwrap_or_default(),
        }
    }

    fn exists(&self, folder: &str, name: &str) -> bool {
        match self {
            Self::Folder { root, .. } => root.join(folder).join(name).exists(),
            Self::Commit(ignores) => ignores.exists(folder, name),
        }
    }

    /// Whether an ignore file of the folder would block whoever opens it.
    fn is_blocked(&self, folder: &str) -> bool {
        match self {
            Self::Folder { root, .. } => blocking_ignore_file(&root.join(folder)).is_some(),
            Self::Commit(_) => false,
        }
    }

    /// The lines of an ignore file.
    fn lines(&self, folder: &str, name: &str) -> Option<Gitignore> {
        match self {
            Self::Folder { root, .. } => {
                let file = root.join(folder).join(name);
                let is_file = fs::metadata(&file).is_ok_and(|metadata| metadata.is_file());
                is_file.then(|| Gitignore::new(&file).0)
            }
            Self::Commit(ignores) => ignores.file(folder, name),
        }
    }
}

fn checked_root(given: &Path) -> Result<PathBuf, WalkError> {
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
    match blocking_ignore_file(&root) {
        Some(path) => Err(WalkError::IgnoreFile { path }),
        None => Ok(root),
    }
}

/// The globs of the options, compiled. They follow the rules of `.gitignore` lines.
pub(super) struct Globs {
    exclude: Gitignore,
    include: Gitignore,
    /// Folders that stand on the way to something that `include` names.
    way: Gitignore,
    /// The globs of `include` that name files rather than everything in a folder.
    naming: Gitignore,
}

impl Globs {
    pub(super) fn new(options: &WalkOptions) -> Result<Self, WalkError> {
        let include: Vec<&str> = options.include.iter().map(|glob| plain(glob)).collect();
        // `folder/**` means the folder too: otherwise it would be reported as left out.
        let folders = include
            .iter()
            .filter(|glob| !glob.starts_with('!'))
            .filter_map(|glob| glob.strip_suffix("/**"))
            .map(anchored);
        Ok(Self {
            exclude: compile(options.exclude.iter().map(|glob| plain(glob).to_owned()))?,
            include: compile(include.iter().map(|glob| glob.to_string()).chain(folders))?,
            way: compile(include.iter().flat_map(|glob| ways(glob)))?,
            naming: compile(include.iter().filter(|g| names_files(g)).map(|g| g.to_string()))?,
        })
    }

    fn nothing_included(&self) -> bool {
        self.include.is_empty()
    }

    fn excluded(&self, path: &str, is_folder: bool) -> bool {
        self.exclude.matched(path, is_folder).is_ignore()
    }

    pub(super) fn included(&self, path: &str, is_folder: bool) -> bool {
        !self.include.is_empty()
            && self.include.matched_path_or_any_parents(path, is_folder).is_ignore()
    }

    fn leads_to_included(&self, folder: &str) -> bool {
        self.way.matched(folder, true).is_ignore()
    }

    /// Whether `include` names this very file.
    pub(super) fn names(&self, path: &str) -> bool {
        self.naming.matched(path, false).is_ignore()
    }
}

fn compile(globs: impl Iterator<Item = String>) -> Result<Gitignore, WalkError> {
    let mut builder = GitignoreBuilder::new("");
    builder.allow_unclosed_class(false);
    for glob in globs {
        builder
            .add_line(None, &glob)
            .map_err(|source| WalkError::Glob { glob: glob.clone(), source })?;
    }
    builder.build().map_err(|source| WalkError::Glob { glob: String::new(), source })
}

/// A glob without the `./` that some people write in front.
fn plain(glob: &str) -> &str {
    let glob = glob.trim();
    glob.strip_prefix("./").unwrap_or(glob)
}

/// A glob that is counted from the root even if it has one component.
fn anchored(glob: &str) -> String {
    if glob.starts_with('/') || glob.starts_with("**/") {
        glob.to_owned()
    } else {
        format!("/{glob}")
    }
}

/// The folders on the way to what a glob names: `a/*/c.rs` gives `/a` and `/a/*`.
fn ways(glob: &str) -> Vec<String> {
    if glob.starts_with('!') {
        return Vec::new();
    }
    glob.match_indices('/')
        .map(|(slash, _)| &glob[..slash])
        .filter(|way| !way.is_empty() && !way.ends_with("**"))
        .map(anchored)
        .collect()
}

/// Whether a glob's last part has a name in it and not only wildcards.
fn names_files(glob: &str) -> bool {
    let last = file_name(glob);
    glob.starts_with('!') || last.contains(|c: char| c.is_alphanumeric())
}

fn ignore_rules(root: &Path, options: &WalkOptions) -> WalkBuilder {
    let mut builder = WalkBuilder::new(root);
    builder
        .hidden(false)
        .git_ignore(options.gitignore)
        .git_exclude(options.gitignore)
        .git_global(options.gitignore)
        // Inside a repository, its rules end where it ends. Elsewhere a .gitignore counts all the same.
        .require_git(is_in_repository(root))
        .current_dir(root)
        .add_custom_ignore_filename(OWN_IGNORE_FILE);
    builder
}

fn is_in_repository(root: &Path) -> bool {
    root.ancestors().any(|folder| folder.join(".git").exists() || folder.join(".jj").exists())
}

fn kind_reason(name: &str, options: &WalkOptions) -> Option<SkipReason> {
    if !options.minified && names::is_minified_file(name) {
        Some(SkipReason::Minified)
    } else if !options.generated && names::is_generated_file(name) {
        Some(SkipReason::Generated)
    } else if !options.lock_files && names::is_lock_file(name) {
        Some(SkipReason::LockFile)
    } else if names::is_binary_file(name) {
        Some(SkipReason::Binary)
    } else if !options.tests && names::is_test_file(name) {
        Some(SkipReason::Test)
    } else {
        None
    }
}

fn is_symlink(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_symlink())
}

/// An ignore file that is a pipe or a device: it would block whoever opens it.
fn blocking_ignore_file(folder: &Path) -> Option<PathBuf> {
    let mut paths = IGNORE_FILES.iter().map(|name| folder.join(name));
    paths.find(|path| {
        fs::metadata(path).is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir())
    })
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

pub(super) fn parent(path: &str) -> &str {
    path.rfind('/').map_or("", |slash| &path[..slash])
}
