//! A git repository whose commits are written one by one.

use gix::ObjectId;
use gix::objs::tree::{Entry, EntryKind};
use gix::objs::{Commit, Tree};
use std::fs;
use std::path::Path;

/// A repository on the branch `main`, without the user's configuration.
pub struct Commits {
    repository: gix::Repository,
}

impl Commits {
    /// An empty repository in a folder.
    pub fn new(root: &Path) -> Self {
        gix::init(root).expect("a repository can be made");
        fs::write(root.join(".git/HEAD"), "ref: refs/heads/main\n").expect("HEAD can be written");
        let options = gix::open::Options::isolated();
        Self { repository: gix::open_opts(root, options).expect("it can be opened") }
    }

    /// Writes a commit with an empty tree on top of the current one; returns its hash.
    pub fn add(&self, second: i64, message: &str) -> String {
        self.add_with(second, message, "")
    }

    /// Writes a commit whose only file is `folder/file`; without a folder it has none.
    pub fn add_with(&self, second: i64, message: &str, folder: &str) -> String {
        let parents = self.head().into_iter().collect();
        self.write(second, message, folder, parents)
    }

    /// Writes a merge of what is checked out with another commit.
    pub fn merge(&self, second: i64, message: &str, other: &str) -> String {
        let other = ObjectId::from_hex(other.as_bytes()).expect("a hash");
        let parents = self.head().into_iter().chain([other]).collect();
        self.write(second, message, "", parents)
    }

    /// Moves the branch to another commit.
    pub fn reset(&self, hash: &str) {
        let heads = self.repository.git_dir().join("refs/heads");
        fs::create_dir_all(&heads).expect("a folder for branches");
        fs::write(heads.join("main"), hash).expect("a branch can be written");
    }

    fn head(&self) -> Option<ObjectId> {
        let text = fs::read_to_string(self.repository.git_dir().join("refs/heads/main")).ok()?;
        ObjectId::from_hex(text.trim().as_bytes()).ok()
    }

    fn write(&self, second: i64, message: &str, folder: &str, parents: Vec<ObjectId>) -> String {
        let person = gix::actor::Signature {
            name: "Ann".into(),
            email: "ann@example.com".into(),
            time: gix::date::Time::new(second, 0),
        };
        let commit = Commit {
            tree: self.tree(folder, message),
            parents: parents.into(),
            author: person.clone(),
            committer: person,
            encoding: None,
            message: message.into(),
            extra_headers: Vec::new(),
        };
        let hash = self.repository.write_object(&commit).expect("a commit").to_string();
        self.reset(&hash);
        hash
    }

    fn tree(&self, folder: &str, text: &str) -> ObjectId {
        let tree = |entries| {
            let written = self.repository.write_object(&Tree { entries }).expect("a tree");
            written.detach()
        };
        if folder.is_empty() {
            return tree(Vec::new());
        }
        let oid = self.repository.write_blob(text.as_bytes()).expect("a blob").detach();
        let file = Entry { mode: EntryKind::Blob.into(), filename: "file".into(), oid };
        let oid = tree(vec![file]);
        tree(vec![Entry { mode: EntryKind::Tree.into(), filename: folder.into(), oid }])
    }
}
