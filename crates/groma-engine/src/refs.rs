//! What a ref means, and the engine that answers for it.
//!
//! The working tree and what is checked out are one and the same; any other branch, tag or commit is read from git.
//! A ref has an engine of its own, over the files of its commit and over the same store, so whatever can be asked of a
//! working tree can be asked of a ref.

use crate::engine::Engine;
use crate::error::EngineError;
use groma_core::{IndexedRef, RefName};
use groma_files::{CommitTree, Head, Repository};
use groma_index::Index;
use std::ops::Deref;
use std::sync::Arc;

/// The length of a SHA-1 object id in hex.
const SHA1_HEX_LENGTH: usize = 40;

/// What a caller's ref means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// The working tree, by the name it was asked for.
    Tree(String),
    /// A branch, tag or commit, whose files are read from git.
    Commit(Target),
    /// No branch, tag or commit.
    Unknown {
        /// As it was asked for.
        name: String,
        /// Why, and what to do.
        reason: String,
    },
}

/// A branch, tag or commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// As it was asked for.
    pub name: String,
    /// The name under which it is indexed: the full name of a branch or tag, or that of a commit.
    pub full: RefName,
    /// The object it points at, in hex: a commit, or a tag that stands for one.
    pub object: String,
}

impl Meaning {
    /// The name.
    pub fn name(&self) -> &str {
        match self {
            Self::Tree(name) | Self::Unknown { name, .. } => name,
            Self::Commit(target) => &target.name,
        }
    }
}

/// The engine that answers for a ref.
pub enum View<'e> {
    /// The one that was asked: the working tree is meant.
    Own(&'e Engine),
    /// That of another ref.
    Other(Arc<Engine>),
}

impl Deref for View<'_> {
    type Target = Engine;

    fn deref(&self) -> &Engine {
        match self {
            Self::Own(engine) => engine,
            Self::Other(engine) => engine,
        }
    }
}

impl Engine {
    /// What a ref means: the one given, else the branch that is checked out, else `live`. The branch that is checked
    /// out, `HEAD` and `live` mean the working tree, changes included; a tag or a commit never does.
    pub fn meaning(&self, given: Option<&str>) -> Meaning {
        let live = || Meaning::Tree(RefName::live().as_str().to_string());
        let repository = Repository::discover(self.root());
        match (repository, given) {
            (None, None | Some("HEAD" | "@")) | (_, Some("live")) => live(),
            (None, Some(name)) => unknown(
                name,
                "this is no git repository: `live`, the working tree, is its only ref",
            ),
            (Some(repository), given) => {
                let head = repository.head();
                let name = match given {
                    None | Some("HEAD" | "@") => match &head.branch {
                        Some(branch) => branch.as_str(),
                        None => return live(),
                    },
                    Some(name) => name,
                };
                self.meaning_in(&repository, &head, name)
            }
        }
    }

    fn meaning_in(&self, repository: &Repository, head: &Head, name: &str) -> Meaning {
        let found = repository.find(name);
        let full = found.as_ref().map_or("", |(full, _)| full);
        let short = full.strip_prefix("refs/heads/").unwrap_or(name);
        let is_here = |branch: &str| [name, short].contains(&branch);
        if repository.has_worktree() && head.branch.as_deref().is_some_and(is_here) {
            return Meaning::Tree(short.to_string());
        }
        let name = short.to_string();
        match found {
            Some((full, object)) => {
                Meaning::Commit(Target { name, full: RefName::new(full), object })
            }
            None if !repository.has_worktree() && head.branch.as_deref() == Some(&name) => {
                Meaning::Tree(RefName::live().as_str().to_string())
            }
            None => self.commit_named(repository, name),
        }
    }

    /// A commit by its name, or by enough of its beginning.
    fn commit_named(&self, repository: &Repository, name: String) -> Meaning {
        let is_hex = name.bytes().all(|byte| byte.is_ascii_hexdigit());
        let no_ref =
            "no branch, tag or commit of this repository; `git branch -a` and `git tag` list them";
        if !is_hex || !(4..=40).contains(&name.len()) {
            return unknown(&name, no_ref);
        }
        let commits = self
            .refs()
            .objects(repository)
            .and_then(|objects| objects.commits(&name.to_ascii_lowercase()));
        match commits.as_deref() {
            Ok([commit]) => {
                let object = commit.id.to_string();
                Meaning::Commit(Target { name, full: RefName::new(&object), object })
            }
            Ok([]) => unknown(&name, no_ref),
            Ok(_) => unknown(&name, "several commits are named so; give more of the name"),
            Err(error) => unknown(&name, &error.to_string()),
        }
    }

    /// The engine that answers for a ref; without one, for what is checked out.
    pub fn at(&self, given: Option<&str>) -> Result<View<'_>, EngineError> {
        match self.meaning(given) {
            Meaning::Tree(_) => Ok(View::Own(self)),
            Meaning::Commit(target) => Ok(View::Other(self.other(&target)?)),
            Meaning::Unknown { name, reason } => Err(EngineError::Ref { name, reason }),
        }
    }

    /// The engine of a branch, tag or commit. It answers as any engine does: what is not indexed of the ref is when
    /// it is asked, and only what was never seen is parsed.
    pub fn other(&self, target: &Target) -> Result<Arc<Engine>, EngineError> {
        if let Some(engine) = self.refs().find(&target.full, &target.object) {
            return Ok(engine);
        }
        let wrong = |reason: String| EngineError::Ref { name: target.name.clone(), reason };
        let tree = Arc::new(self.tree_of(target).map_err(wrong)?);
        let engine = Arc::new(self.sibling(target.full.clone(), tree));
        self.refs().insert(&target.full, &target.object, &engine);
        Ok(engine)
    }

    /// The files of a ref in the project's folder.
    fn tree_of(&self, target: &Target) -> Result<CommitTree, String> {
        let gone = || "the repository is gone".to_string();
        let repository = Repository::discover(self.root()).ok_or_else(gone)?;
        let objects = self.refs().objects(&repository).map_err(|error| error.to_string())?;
        if target.object.len() != SHA1_HEX_LENGTH {
            return Err("is in a SHA-256 repository, which cannot be read".to_string());
        }
        let commit = objects.commit_of(&target.object).map_err(|error| error.to_string())?;
        let commit = commit.ok_or("names no commit; give a branch, tag or commit")?;
        let place = repository.prefix_of(self.root()).ok_or_else(gone)?;
        let tree = CommitTree::open(objects, &commit, &place, Some(repository.excludes()));
        tree.map_err(|error| error.to_string())?
            .ok_or_else(|| format!("has no folder {place}; ask for a ref that has"))
    }

    /// The refs that are indexed, the working tree among them.
    pub fn indexed_refs(&self) -> Result<Vec<IndexedRef>, EngineError> {
        Ok(self.active().store().refs()?)
    }

    /// Forgets a ref by its name, even if git does not know it any more; whether it was indexed. The working tree
    /// is not forgotten like that.
    pub fn forget_ref(&self, name: &str) -> Result<bool, EngineError> {
        let full = match self.meaning(Some(name)) {
            Meaning::Commit(target) => Some(target.full),
            _ => None,
        };
        let is_meant = |one: &IndexedRef| match &full {
            Some(full) => one.name == *full,
            None => [one.name.as_str(), one.name.short()].contains(&name),
        };
        let forget = |index: &Index| {
            let mut known = index.store().refs()?.into_iter();
            let found = known.find(|one| one.commit.is_some() && is_meant(one));
            found.map_or(Ok(false), |one| index.store().forget(&one.name))
        };
        let own = forget(self.primary())?;
        let other = self.indexer().fallback().map_or(Ok(false), forget)?;
        Ok(own || other)
    }
}

fn unknown(name: &str, reason: &str) -> Meaning {
    Meaning::Unknown { name: name.to_string(), reason: reason.to_string() }
}
