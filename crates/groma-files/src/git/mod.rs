//! The git repository around a project: its refs, read from its plain files, and its objects.
//!
//! It resolves HEAD, branches, tags and remote branches. That happens on every request, so no object is read for it.
//! Every file is read up to a limit; a ref whose file is missing or malformed does not exist. Objects are read by
//! [`Objects`].

mod hazard;
mod location;
mod objects;

pub(crate) use hazard::hazard;
pub(crate) use location::unusable_for_ignores;
pub use objects::{CommitInfo, GitError, Objects, open_repository};
pub(crate) use objects::{TreeEntry, TreeEntryKind};

use crate::beneath::{Beneath, Links};
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

    fn at(folder: &Path) -> Option<Self> {
        let [git_dir, common_dir] = location::git_dirs(folder)?;
        Some(Self { git_dir, common_dir, worktree_root: folder.into() })
    }

    /// A bare repository.
    fn bare(root: &Path) -> Option<Self> {
        location::is_bare(root).then(|| Self {
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
            let git_file = PathBuf::from(text(&entry.path(), "gitdir")?);
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

    /// The git directory of this working tree.
    pub fn git_dir(&self) -> &Path {
        &self.git_dir
    }

    /// Reads HEAD.
    pub fn head(&self) -> Head {
        let Some(text) = text(&self.git_dir, "HEAD") else { return Head::default() };
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
        let loose =
            [&self.git_dir, &self.common_dir].into_iter().find_map(|folder| text(folder, name));
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
        let file = open_beneath(&self.common_dir, "packed-refs")?;
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

/// The text of a small file in a folder, trimmed.
fn text(folder: &Path, name: &str) -> Option<String> {
    let mut text = String::new();
    open_beneath(folder, name)?.take(MAX_REF_FILE).read_to_string(&mut text).ok()?;
    Some(text.trim().to_string())
}

/// Opens a regular file of a folder; `None` for anything else. Old versions of git have HEAD as a link.
fn open_beneath(folder: &Path, name: &str) -> Option<File> {
    Beneath::new(folder, Links::Inside).regular(name).ok()?
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
            assert_eq!(hazard(&git_dir), None);
            let pipe = git_dir.join(name);
            fs::create_dir_all(pipe.parent().unwrap()).unwrap();
            let _ = fs::remove_file(&pipe);
            assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
            assert!(hazard(&git_dir).unwrap().starts_with(&*pipe.to_string_lossy()), "{name}");
            assert!(Objects::open(&git_dir).is_err(), "{name}");
            if let Some(repository) = Repository::discover(folder.path()) {
                assert_eq!(repository.find("no-such-ref"), None, "{name}");
            }
        }
    }

    /// A git directory that comes with a folder must not lead to another repository of the user.
    #[cfg(unix)]
    #[test]
    fn a_crafted_git_directory_does_not_lead_out() {
        use std::os::unix::fs::symlink;
        let private = repository();
        let theirs = |name: &str| private.path().join(".git").join(name);
        fs::create_dir_all(theirs("objects")).unwrap();
        let found = |root: &Path| {
            let repository = Repository::discover(root)?;
            repository
                .find("v1")
                .or_else(|| Objects::open(repository.git_dir()).ok().map(|_| Default::default()))
        };
        let whole = |root: &Path| {
            write(root, ".git/HEAD", "ref: refs/heads/main\n");
            fs::create_dir_all(root.join(".git/objects/info")).unwrap();
            fs::create_dir_all(root.join(".git/refs")).unwrap();
        };
        type Craft<'a> = (&'a str, &'a dyn Fn(&Path));
        let crafts: [Craft<'_>; 7] = [
            ("a link to it", &|root| symlink(theirs(""), root.join(".git")).unwrap()),
            ("commondir", &|root| {
                whole(root);
                write(root, ".git/commondir", &theirs("").display().to_string());
            }),
            ("commondir of a file", &|root| {
                write(root, ".git", "gitdir: store");
                write(root, "store/gitdir", "../.git");
                write(root, "store/HEAD", A);
                write(root, "store/commondir", &theirs("").display().to_string());
            }),
            ("alternates", &|root| {
                whole(root);
                let text = theirs("objects").display().to_string();
                write(root, ".git/objects/info/alternates", &text);
            }),
            ("packed-refs", &|root| {
                whole(root);
                symlink(theirs("packed-refs"), root.join(".git/packed-refs")).unwrap();
            }),
            ("objects", &|root| {
                whole(root);
                fs::remove_dir_all(root.join(".git/objects")).unwrap();
                symlink(theirs("objects"), root.join(".git/objects")).unwrap();
            }),
            ("a bare one", &|root| {
                for name in ["HEAD", "objects", "refs"] {
                    symlink(theirs(name), root.join(name)).unwrap();
                }
            }),
        ];
        for (name, craft) in crafts {
            let folder = tempfile::tempdir().unwrap();
            craft(folder.path());
            assert_eq!(found(folder.path()), None, "{name}");
        }
        let sound = tempfile::tempdir().unwrap();
        whole(sound.path());
        symlink("/nonexistent", sound.path().join(".git/hooks")).unwrap();
        assert!(hazard(&sound.path().join(".git")).is_none());
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
