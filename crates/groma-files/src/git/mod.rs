//! The git repository around a project: its refs, read from its plain files, and its objects.
//!
//! Three questions are answered here: which branch is checked out, which commit that is, and what a name points at.
//! They are asked with every request, so no object is read for them. Every file is read up to a limit; one that is
//! missing or makes no sense is a ref that is not there. What a ref holds is the business of [`Objects`].

mod objects;

pub use objects::{CommitInfo, GitError, Objects};
pub(crate) use objects::{Item, ItemKind};

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

/// Longest file that holds one ref or path.
const LONGEST_FILE: u64 = 16 << 10;

/// Most of `packed-refs` that is read; half a million refs.
const LONGEST_LIST: u64 = 64 << 20;

/// How often a ref may point at another.
const DEEPEST: usize = 5;

/// The shortest part of a commit's name that may stand for it, as for git.
const SHORTEST_COMMIT: usize = 4;

/// A git repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repository {
    /// What belongs to this working tree: HEAD.
    own: PathBuf,
    /// What all working trees share: branches and tags.
    common: PathBuf,
    /// The folder that it is about: that of its working tree, or its own where it has none.
    top: PathBuf,
}

/// What is checked out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Head {
    /// The branch; `None` when a commit is checked out without one.
    pub branch: Option<String>,
    /// The commit; `None` before the first one.
    pub commit: Option<String>,
}

impl Repository {
    /// The repository whose working tree `root` is, or lies in.
    pub fn around(root: &Path) -> Option<Self> {
        root.ancestors().find_map(Self::at).or_else(|| Self::bare(root))
    }

    /// A repository without a working tree.
    fn bare(root: &Path) -> Option<Self> {
        let is_there = |name: &str| root.join(name).is_dir();
        let is_bare = is_there("objects") && is_there("refs") && root.join("HEAD").is_file();
        is_bare.then(|| Self { own: root.into(), common: root.into(), top: root.into() })
    }

    /// Whether files are checked out.
    pub fn has_tree(&self) -> bool {
        self.own != self.top
    }

    /// The file of what it excludes.
    pub fn excludes(&self) -> PathBuf {
        self.common.join("info/exclude")
    }

    /// The folders of all its working trees that are there.
    pub fn trees(&self) -> Vec<PathBuf> {
        // As it stands in a further working tree, it goes up from there.
        let Ok(common) = self.common.canonicalize() else { return Vec::new() };
        let entries = fs::read_dir(common.join("worktrees")).into_iter().flatten().flatten();
        let further = entries.filter_map(|entry| {
            let mark = PathBuf::from(text(&entry.path().join("gitdir"))?);
            Some(mark.parent()?.to_path_buf())
        });
        let main = common.parent().filter(|_| common.ends_with(".git"));
        let all = main.map(Path::to_path_buf).into_iter().chain(further);
        all.filter_map(|tree| tree.canonicalize().ok()).filter(|tree| tree.is_dir()).collect()
    }

    /// Where a folder lies in it, `/` between names.
    pub fn place(&self, root: &Path) -> Option<String> {
        let names = root.strip_prefix(&self.top).ok()?.iter().map(|name| name.to_str());
        Some(names.collect::<Option<Vec<_>>>()?.join("/"))
    }

    fn at(folder: &Path) -> Option<Self> {
        let mark = folder.join(".git");
        let own = match fs::metadata(&mark).ok()? {
            found if found.is_dir() => mark,
            // A further working tree, or a submodule, says where its repository is.
            found if found.is_file() => folder.join(text(&mark)?.strip_prefix("gitdir:")?.trim()),
            _ => return None,
        };
        let common = text(&own.join("commondir")).map(|path| own.join(path));
        let common = common.unwrap_or_else(|| own.clone());
        let repository = Self { own, common, top: folder.into() };
        repository.own.join("HEAD").is_file().then_some(repository)
    }

    /// Its folder, or that of the further working tree.
    pub fn folder(&self) -> &Path {
        &self.own
    }

    /// What is checked out.
    pub fn head(&self) -> Head {
        let Some(text) = text(&self.own.join("HEAD")) else { return Head::default() };
        match text.strip_prefix("ref:").map(str::trim) {
            Some(target) => Head {
                // Where refs are kept in a form that is not read here, HEAD names a branch that cannot be.
                branch: target
                    .strip_prefix("refs/heads/")
                    .filter(|name| is_name(name))
                    .map(str::to_string),
                commit: self.full(target, DEEPEST),
            },
            None => Head { branch: None, commit: is_object(&text).then_some(text) },
        }
    }

    /// The full name of a branch, tag or remote branch, by any of its names (`main`, `heads/main`,
    /// `refs/heads/main`), and what it points at. `None` when there is no such ref.
    pub fn find(&self, name: &str) -> Option<(String, String)> {
        let found = |full: String| Some((self.full(&full, DEEPEST)?, full));
        let found = match name.starts_with("refs/") {
            _ if !is_name(name) => None,
            true => found(name.into()),
            // The order is git's own.
            false => ["refs/", "refs/tags/", "refs/heads/", "refs/remotes/"]
                .iter()
                .find_map(|prefix| found(format!("{prefix}{name}"))),
        };
        found.map(|(target, full)| (full, target))
    }

    /// What a ref points at, by its full name.
    fn full(&self, name: &str, depth: usize) -> Option<String> {
        if !is_name(name) || depth == 0 {
            return None;
        }
        let loose =
            [&self.own, &self.common].into_iter().find_map(|folder| text(&folder.join(name)));
        match loose {
            Some(text) => match text.strip_prefix("ref:") {
                Some(target) => self.full(target.trim(), depth - 1),
                None => is_object(&text).then_some(text),
            },
            None => self.packed(name),
        }
    }

    /// What `packed-refs` says of a ref: the commit behind a tag, where it names one.
    fn packed(&self, name: &str) -> Option<String> {
        let file = File::open(self.common.join("packed-refs")).ok()?;
        let mut lines = BufReader::new(file.take(LONGEST_LIST)).lines().map_while(Result::ok);
        let found = lines.find_map(|line| {
            let (object, of) = line.split_once(' ')?;
            (of == name && is_object(object)).then(|| object.to_string())
        })?;
        let behind = lines.next().and_then(|line| line.strip_prefix('^').map(str::to_string));
        Some(behind.filter(|object| is_object(object)).unwrap_or(found))
    }
}

impl Head {
    /// Whether a name means the commit that is checked out: all of it, or enough of its beginning.
    pub fn is_commit(&self, name: &str) -> bool {
        let is_hex =
            name.len() >= SHORTEST_COMMIT && name.bytes().all(|byte| byte.is_ascii_hexdigit());
        is_hex
            && self
                .commit
                .as_ref()
                .is_some_and(|commit| commit.starts_with(&name.to_ascii_lowercase()))
    }
}

/// Whether a name can be a ref's. It becomes part of a path, so it must not lead out of the repository.
fn is_name(name: &str) -> bool {
    let is_part =
        |part: &str| !part.is_empty() && !part.starts_with('.') && !part.ends_with(".lock");
    let is_char = |c: char| !c.is_control() && !" ~^:?*[\\".contains(c);
    name.len() <= 1024
        && !name.contains("..")
        && name.split('/').all(is_part)
        && name.chars().all(is_char)
}

/// Whether a text names an object: SHA-1 or SHA-256, in hex.
fn is_object(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// The text of a small file, trimmed.
fn text(path: &Path) -> Option<String> {
    // Opening what is no file could wait for ever.
    if !fs::metadata(path).ok()?.is_file() {
        return None;
    }
    let mut text = String::new();
    File::open(path).ok()?.take(LONGEST_FILE).read_to_string(&mut text).ok()?;
    Some(text.trim().to_string())
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
        let head = Repository::around(&deep).unwrap().head();
        assert_eq!((head.branch.as_deref(), head.commit.as_deref()), (Some("main"), Some(A)));
        assert!(head.is_commit(A) && head.is_commit("AAAA") && !head.is_commit("aaa"));
        assert!(!head.is_commit("aab0") && !head.is_commit(&format!("{A}a")));
        write(folder.path(), ".git/HEAD", "ref: refs/heads/feat/new\n");
        let head = Repository::around(folder.path()).unwrap().head();
        assert_eq!(head, Head { branch: Some("feat/new".into()), commit: None }, "no commit yet");
        write(folder.path(), ".git/HEAD", B);
        let head = Repository::around(folder.path()).unwrap().head();
        assert_eq!(head, Head { branch: None, commit: Some(B.into()) });
    }

    #[test]
    fn refs_are_found_by_all_their_names() {
        let folder = repository();
        let repository = Repository::around(folder.path()).unwrap();
        let target = |name: &str| repository.find(name).map(|found| found.1).unwrap_or_default();
        assert_eq!(target("main"), A, "a file counts more than packed-refs");
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
    fn further_working_trees_have_a_head_of_their_own() {
        let folder = repository();
        let other = tempfile::tempdir().unwrap();
        let own = folder.path().join(".git/worktrees/other");
        write(other.path(), ".git", &format!("gitdir: {}\n", own.display()));
        assert_eq!(Repository::around(other.path()), None, "a working tree that was removed");
        write(&own, "HEAD", "ref: refs/heads/feat/x\n");
        write(&own, "commondir", "../..\n");
        let repository = Repository::around(other.path()).unwrap();
        assert_eq!(
            repository.head(),
            Head { branch: Some("feat/x".into()), commit: Some(B.into()) }
        );
        assert_eq!(repository.find("v1").map(|found| found.1).as_deref(), Some(C));
        write(folder.path(), "sub/.git", "gitdir: ../.git/modules/sub\n");
        write(folder.path(), ".git/modules/sub/HEAD", C);
        let module = Repository::around(&folder.path().join("sub")).unwrap();
        assert_eq!(module.head().commit.as_deref(), Some(C));
        assert_eq!(module.find("main"), None, "the refs around it are not its own");
    }

    #[test]
    fn what_makes_no_sense_is_not_there() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        assert_eq!(Repository::around(&root.join("none")), Repository::around(root));
        write(root, ".git/HEAD", "ref: refs/heads/../../../etc/passwd\n");
        let repository = Repository::around(root).unwrap();
        assert_eq!(repository.head(), Head::default());
        write(root, ".git/HEAD", "ref: refs/heads/.invalid\n");
        assert_eq!(repository.head(), Head::default(), "a table of refs");
        fs::write(root.join(".git/HEAD"), [0xff, 0xfe, 0]).unwrap();
        assert_eq!(repository.head(), Head::default());
        write(root, ".git/HEAD", "ref: refs/heads/a\n");
        write(root, ".git/refs/heads/a", "ref: refs/heads/b");
        write(root, ".git/refs/heads/b", "ref: refs/heads/a");
        assert_eq!(repository.find("a"), None, "a circle");
        write(root, ".git/packed-refs", "rubbish\n\nzz refs/heads/c\n");
        assert_eq!(repository.find("c"), None);
        write(root, ".git/refs/heads/d", &"e".repeat(1 << 20));
        assert_eq!(repository.find("d"), None);
    }
}
