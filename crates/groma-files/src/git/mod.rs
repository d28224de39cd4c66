//! The git repository around a project: its refs, read from its plain files, and its objects.
//!
//! It resolves HEAD, branches, tags and remote branches. That happens on every request, so no object is read for it.
//! Every file is read up to a limit; a ref whose file is missing or malformed does not exist. Objects are read by
//! [`Objects`].

mod objects;

pub use objects::{CommitInfo, GitError, Objects};
pub(crate) use objects::{TreeEntry, TreeEntryKind};

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

/// Maximum bytes read of a loose ref, HEAD or `gitdir` file.
const MAX_REF_FILE: u64 = 16 << 10;

/// Maximum bytes read of `packed-refs`; half a million refs.
const MAX_PACKED_REFS: u64 = 64 << 20;

/// Maximum depth of symbolic refs.
const MAX_SYMREF_DEPTH: usize = 5;

/// Minimum length of an abbreviated commit id, as in git.
const MIN_ABBREVIATION: usize = 4;

/// A git repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repository {
    /// The git directory of this working tree, with its HEAD.
    git_dir: PathBuf,
    /// The git directory that all working trees share, with branches and tags.
    common_dir: PathBuf,
    /// The root of the working tree; the git directory of a bare repository.
    worktree_root: PathBuf,
}

/// HEAD.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Head {
    /// The branch; `None` if HEAD is detached.
    pub branch: Option<String>,
    /// The commit; `None` before the first one.
    pub commit: Option<String>,
}

impl Repository {
    /// The repository whose working tree contains `root`, or a bare one at `root`.
    pub fn discover(root: &Path) -> Option<Self> {
        root.ancestors().find_map(Self::at).or_else(|| Self::bare(root))
    }

    /// A bare repository.
    fn bare(root: &Path) -> Option<Self> {
        let is_there = |name: &str| root.join(name).is_dir();
        let is_bare = is_there("objects") && is_there("refs") && root.join("HEAD").is_file();
        is_bare.then(|| Self {
            git_dir: root.into(),
            common_dir: root.into(),
            worktree_root: root.into(),
        })
    }

    /// Whether it has a working tree, i.e. is not bare.
    pub fn has_worktree(&self) -> bool {
        self.git_dir != self.worktree_root
    }

    /// The path of `info/exclude`.
    pub fn excludes(&self) -> PathBuf {
        self.common_dir.join("info/exclude")
    }

    /// The folders of all its working trees that exist.
    pub fn worktrees(&self) -> Vec<PathBuf> {
        // In a linked working tree the path is relative.
        let Ok(common) = self.common_dir.canonicalize() else { return Vec::new() };
        let entries = fs::read_dir(common.join("worktrees")).into_iter().flatten().flatten();
        let linked = entries.filter_map(|entry| {
            let git_file = PathBuf::from(text(&entry.path().join("gitdir"))?);
            Some(git_file.parent()?.to_path_buf())
        });
        let main = common.parent().filter(|_| common.ends_with(".git"));
        let all = main.map(Path::to_path_buf).into_iter().chain(linked);
        all.filter_map(|tree| tree.canonicalize().ok()).filter(|tree| tree.is_dir()).collect()
    }

    /// The path of a folder relative to the working tree, with `/`.
    pub fn prefix_of(&self, root: &Path) -> Option<String> {
        let names = root.strip_prefix(&self.worktree_root).ok()?.iter().map(|name| name.to_str());
        Some(names.collect::<Option<Vec<_>>>()?.join("/"))
    }

    fn at(folder: &Path) -> Option<Self> {
        let dot_git = folder.join(".git");
        let git_dir = match fs::metadata(&dot_git).ok()? {
            found if found.is_dir() => dot_git,
            // A linked working tree or a submodule has a file with the path of its git directory.
            found if found.is_file() => {
                let named = folder.join(text(&dot_git)?.strip_prefix("gitdir:")?.trim());
                Some(named).filter(|git_dir| belongs_to(git_dir, folder))?
            }
            _ => return None,
        };
        let common_dir = text(&git_dir.join("commondir")).map(|path| git_dir.join(path));
        let common_dir = common_dir.unwrap_or_else(|| git_dir.clone());
        let repository = Self { git_dir, common_dir, worktree_root: folder.into() };
        repository.git_dir.join("HEAD").is_file().then_some(repository)
    }

    /// The git directory of this working tree.
    pub fn git_dir(&self) -> &Path {
        &self.git_dir
    }

    /// Reads HEAD.
    pub fn head(&self) -> Head {
        let Some(text) = text(&self.git_dir.join("HEAD")) else { return Head::default() };
        match text.strip_prefix("ref:").map(str::trim) {
            Some(target) => Head {
                // In a repository with reftable, which is not supported, HEAD names an invalid branch.
                branch: target
                    .strip_prefix("refs/heads/")
                    .filter(|name| is_name(name))
                    .map(str::to_string),
                commit: self.resolve(target, MAX_SYMREF_DEPTH),
            },
            None => Head { branch: None, commit: is_object(&text).then_some(text) },
        }
    }

    /// The full name of a branch, tag or remote branch, by any of its names (`main`, `heads/main`,
    /// `refs/heads/main`), and the object it points at. `None` if there is no such ref.
    pub fn find(&self, name: &str) -> Option<(String, String)> {
        let found = |full: String| Some((self.resolve(&full, MAX_SYMREF_DEPTH)?, full));
        let found = if !is_name(name) {
            None
        } else if name.starts_with("refs/") {
            found(name.into())
        } else {
            // The order is git's own.
            ["refs/", "refs/tags/", "refs/heads/", "refs/remotes/"]
                .iter()
                .find_map(|prefix| found(format!("{prefix}{name}")))
        };
        found.map(|(target, full)| (full, target))
    }

    /// The object a ref points at, by its full name.
    fn resolve(&self, name: &str, depth: usize) -> Option<String> {
        if !is_name(name) || depth == 0 {
            return None;
        }
        let loose = [&self.git_dir, &self.common_dir]
            .into_iter()
            .find_map(|folder| text(&folder.join(name)));
        match loose {
            Some(text) => match text.strip_prefix("ref:") {
                Some(target) => self.resolve(target.trim(), depth - 1),
                None => is_object(&text).then_some(text),
            },
            None => self.packed(name),
        }
    }

    /// The object of a ref in `packed-refs`, peeled if it is a tag.
    fn packed(&self, name: &str) -> Option<String> {
        let file = open_regular(&self.common_dir.join("packed-refs"))?;
        let mut lines = BufReader::new(file.take(MAX_PACKED_REFS)).lines().map_while(Result::ok);
        let found = lines.find_map(|line| {
            let (object, of) = line.split_once(' ')?;
            (of == name && is_object(object)).then(|| object.to_string())
        })?;
        let peeled = lines.next().and_then(|line| line.strip_prefix('^').map(str::to_string));
        Some(peeled.filter(|object| is_object(object)).unwrap_or(found))
    }
}

impl Head {
    /// Whether a name is the id of the commit, possibly abbreviated.
    pub fn is_commit(&self, name: &str) -> bool {
        let is_hex =
            name.len() >= MIN_ABBREVIATION && name.bytes().all(|byte| byte.is_ascii_hexdigit());
        is_hex
            && self
                .commit
                .as_ref()
                .is_some_and(|commit| commit.starts_with(&name.to_ascii_lowercase()))
    }
}

/// Whether the git directory that a folder's `.git` file names is that of this folder. The file comes with the folder's
/// content, so it could name any repository of the user: the directory of a linked working tree names the folder in
/// turn, and that of a submodule is in the repository around it.
fn belongs_to(git_dir: &Path, folder: &Path) -> bool {
    let Ok(canonical) = git_dir.canonicalize() else { return false };
    let names_folder = || {
        let back = git_dir.join(text(&git_dir.join("gitdir"))?).canonicalize().ok()?;
        Some(back == folder.join(".git").canonicalize().ok()?)
    };
    let around = || {
        let Ok(folder) = folder.canonicalize() else { return false };
        folder.ancestors().any(|outer| canonical.starts_with(outer.join(".git")))
    };
    names_folder() == Some(true) || around()
}

/// Whether a name is a valid ref name. It becomes part of a path, so it must not lead out of the repository.
fn is_name(name: &str) -> bool {
    let is_part =
        |part: &str| !part.is_empty() && !part.starts_with('.') && !part.ends_with(".lock");
    let is_char = |c: char| !c.is_control() && !" ~^:?*[\\".contains(c);
    name.len() <= 1024
        && !name.contains("..")
        && name.split('/').all(is_part)
        && name.chars().all(is_char)
}

/// Whether a text is an object id: SHA-1 or SHA-256, in hex.
fn is_object(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// The text of a small file, trimmed.
fn text(path: &Path) -> Option<String> {
    let mut text = String::new();
    open_regular(path)?.take(MAX_REF_FILE).read_to_string(&mut text).ok()?;
    Some(text.trim().to_string())
}

/// Opens a regular file; `None` for anything else, without waiting for the other end of a pipe.
fn open_regular(path: &Path) -> Option<File> {
    let mut options = File::options();
    options.read(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, libc::O_NONBLOCK);
    let file = options.open(path).ok()?;
    file.metadata().is_ok_and(|metadata| metadata.is_file()).then_some(file)
}

/// A file of a git directory that is a pipe, a socket or a device, which would block whatever library reads it.
pub(crate) fn blocking_file(git_dir: &Path) -> Option<PathBuf> {
    let common = text(&git_dir.join("commondir")).map(|path| git_dir.join(path));
    let objects = common.as_deref().unwrap_or(git_dir).join("objects");
    let fan_out = fs::read_dir(&objects).into_iter().flatten().flatten().map(|entry| entry.path());
    [git_dir.to_path_buf(), git_dir.join("info"), objects.join("info/commit-graphs")]
        .into_iter()
        .chain(common.iter().flat_map(|common| [common.clone(), common.join("info")]))
        .chain([objects.clone()])
        .chain(fan_out)
        .find_map(|folder| blocking_entry(&folder))
}

/// An entry of a folder that is neither a regular file nor a folder; links count by their target.
fn blocking_entry(folder: &Path) -> Option<PathBuf> {
    let is_blocking = |entry: &fs::DirEntry| {
        let Ok(kind) = entry.file_type() else { return false };
        let followed = || fs::metadata(entry.path()).map(|found| found.file_type());
        let kind = if kind.is_symlink() { followed() } else { Ok(kind) };
        kind.is_ok_and(|kind| !kind.is_file() && !kind.is_dir())
    };
    let mut entries = fs::read_dir(folder).ok()?.flatten();
    entries.find(is_blocking).map(|entry| entry.path())
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: &str = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
    const B: &str = "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb";
    const C: &str = "cccccccccccccccccccccccccccccccccccccccc";

    fn write(root: &Path, path: &str, text: &str) {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// A repository on `main`, with a tag, a remote and packed refs.
    fn repository() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        write(root, ".git/HEAD", "ref: refs/heads/main\n");
        write(root, ".git/refs/heads/main", &format!("{A}\n"));
        write(root, ".git/refs/heads/feat/x", &format!("{B}\n"));
        write(root, ".git/refs/remotes/origin/HEAD", "ref: refs/remotes/origin/main\n");
        let packed = format!(
            "# pack-refs with: peeled fully-peeled sorted\n{B} refs/heads/main\n{C} refs/remotes/origin/main\n\
             {B} refs/tags/v1\n^{C}\n{B} refs/tags/v2\n"
        );
        write(root, ".git/packed-refs", &packed);
        folder
    }

    #[test]
    fn the_branch_and_its_commit_are_read() {
        let folder = repository();
        let deep = folder.path().join("src/net");
        fs::create_dir_all(&deep).unwrap();
        let head = Repository::discover(&deep).unwrap().head();
        assert_eq!((head.branch.as_deref(), head.commit.as_deref()), (Some("main"), Some(A)));
        assert!(head.is_commit(A) && head.is_commit("AAAA") && !head.is_commit("aaa"));
        assert!(!head.is_commit("aab0") && !head.is_commit(&format!("{A}a")));
        write(folder.path(), ".git/HEAD", "ref: refs/heads/feat/new\n");
        let head = Repository::discover(folder.path()).unwrap().head();
        assert_eq!(head, Head { branch: Some("feat/new".into()), commit: None }, "no commit yet");
        write(folder.path(), ".git/HEAD", B);
        let head = Repository::discover(folder.path()).unwrap().head();
        assert_eq!(head, Head { branch: None, commit: Some(B.into()) });
    }

    #[test]
    fn refs_are_found_by_all_their_names() {
        let folder = repository();
        let repository = Repository::discover(folder.path()).unwrap();
        let target = |name: &str| repository.find(name).map(|found| found.1).unwrap_or_default();
        assert_eq!(target("main"), A, "a loose ref wins over packed-refs");
        for name in ["feat/x", "heads/feat/x", "refs/heads/feat/x"] {
            assert_eq!(repository.find(name), Some(("refs/heads/feat/x".into(), B.into())));
        }
        assert_eq!((target("v1"), target("v2")), (C.into(), B.into()), "the commit behind the tag");
        assert_eq!((target("origin/main"), target("origin/HEAD")), (C.into(), C.into()));
        for name in
            ["", "feat", "none", "../HEAD", "/etc/passwd", "main~1", "a b", "main.lock", "."]
        {
            assert_eq!(target(name), "", "{name}");
        }
    }

    #[test]
    fn linked_working_trees_have_their_own_head() {
        let folder = repository();
        let other = tempfile::tempdir().unwrap();
        let own = folder.path().join(".git/worktrees/other");
        write(other.path(), ".git", &format!("gitdir: {}\n", own.display()));
        assert_eq!(Repository::discover(other.path()), None, "a working tree that was removed");
        write(&own, "HEAD", "ref: refs/heads/feat/x\n");
        write(&own, "commondir", "../..\n");
        assert_eq!(Repository::discover(other.path()), None, "another folder's repository");
        write(&own, "gitdir", &format!("{}\n", other.path().join(".git").display()));
        let repository = Repository::discover(other.path()).unwrap();
        assert_eq!(
            repository.head(),
            Head { branch: Some("feat/x".into()), commit: Some(B.into()) }
        );
        assert_eq!(repository.find("v1").map(|found| found.1).as_deref(), Some(C));
        write(folder.path(), "sub/.git", "gitdir: ../.git/modules/sub\n");
        write(folder.path(), ".git/modules/sub/HEAD", C);
        let module = Repository::discover(&folder.path().join("sub")).unwrap();
        assert_eq!(module.head().commit.as_deref(), Some(C));
        assert_eq!(module.find("main"), None, "the refs around it are not its own");
    }

    #[cfg(unix)]
    #[test]
    fn pipes_do_not_block() {
        let names = ["HEAD", "packed-refs", "config", "shallow", "info/exclude"];
        for name in names.into_iter().chain(["objects/info/alternates", "objects/aa/bb"]) {
            let folder = repository();
            let git_dir = folder.path().join(".git");
            assert!(blocking_file(&git_dir).is_none());
            let pipe = git_dir.join(name);
            fs::create_dir_all(pipe.parent().unwrap()).unwrap();
            let _ = fs::remove_file(&pipe);
            assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
            assert_eq!(blocking_file(&git_dir), Some(pipe.clone()), "{name}");
            assert!(Objects::open(&git_dir).is_err(), "{name}");
            if let Some(repository) = Repository::discover(folder.path()) {
                assert_eq!(repository.find("no-such-ref"), None, "{name}");
            }
        }
    }

    #[test]
    fn malformed_refs_do_not_exist() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        assert_eq!(Repository::discover(&root.join("none")), Repository::discover(root));
        write(root, ".git/HEAD", "ref: refs/heads/../../../etc/passwd\n");
        let repository = Repository::discover(root).unwrap();
        assert_eq!(repository.head(), Head::default());
        write(root, ".git/HEAD", "ref: refs/heads/.invalid\n");
        assert_eq!(repository.head(), Head::default(), "reftable");
        fs::write(root.join(".git/HEAD"), [0xff, 0xfe, 0]).unwrap();
        assert_eq!(repository.head(), Head::default());
        write(root, ".git/HEAD", "ref: refs/heads/a\n");
        write(root, ".git/refs/heads/a", "ref: refs/heads/b");
        write(root, ".git/refs/heads/b", "ref: refs/heads/a");
        assert_eq!(repository.find("a"), None, "a cycle");
        write(root, ".git/packed-refs", "rubbish\n\nzz refs/heads/c\n");
        assert_eq!(repository.find("c"), None);
        write(root, ".git/refs/heads/d", &"e".repeat(1 << 20));
        assert_eq!(repository.find("d"), None);
    }
}
