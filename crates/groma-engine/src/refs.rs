//! Resolves refs, and provides the engine of each.
//!
//! The checked-out branch is the working tree; any other branch, tag or commit is read from git. Each ref has its own
//! engine, over the files of its commit and the same store, so every request works on a ref as on a working tree.

use crate::engine::Engine;
use crate::error::EngineError;
use groma_core::{IndexedRef, RefName};
use groma_files::{CommitInfo, CommitTree, Head, Objects, Repository};
use groma_index::Index;
use std::ops::Deref;
use std::sync::Arc;

/// The length of a SHA-1 object id in hex.
const SHA1_HEX_LENGTH: usize = 40;

/// Maximum number of parents followed for `HEAD~N`.
const MAX_PARENTS: usize = 10_000;

/// The result of resolving a ref.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ResolvedRef {
    /// The working tree, with the requested name.
    Tree(String),
    /// A branch, tag or commit, whose files are read from git.
    Commit(Target),
    /// Neither a branch, a tag nor a commit.
    Unknown {
        /// The requested name.
        name: String,
        /// Why, and what to do.
        reason: String,
    },
}

/// A branch, tag or commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// The requested name.
    pub name: String,
    /// The name it is indexed by: the full name of a branch or tag, or the id of a commit.
    pub full: RefName,
    /// The id of the object it points at, in hex: a commit or an annotated tag.
    pub object: String,
}

impl ResolvedRef {
    /// The name.
    pub fn name(&self) -> &str {
        match self {
            Self::Tree(name) | Self::Unknown { name, .. } => name,
            Self::Commit(target) => &target.name,
        }
    }
}

/// The engine of a ref.
pub enum RefEngine<'e> {
    /// The engine of the working tree.
    Own(&'e Engine),
    /// The engine of another ref.
    Other(Arc<Engine>),
}

impl Deref for RefEngine<'_> {
    type Target = Engine;

    fn deref(&self) -> &Engine {
        match self {
            Self::Own(engine) => engine,
            Self::Other(engine) => engine,
        }
    }
}

impl Engine {
    /// Resolves a ref: the one given, otherwise the checked-out branch, otherwise `live`. The checked-out branch,
    /// `HEAD` and `live` are the working tree, with its changes; a tag or a commit never is.
    pub fn resolve_ref(&self, given: Option<&str>) -> ResolvedRef {
        let live = || ResolvedRef::Tree(RefName::live().as_str().to_string());
        let repository = Repository::discover(self.root());
        match (repository, given) {
            (None, None | Some("HEAD" | "@")) | (_, Some("live")) => live(),
            (None, Some(name)) => unknown(
                name,
                "this is not a git repository: `live`, the working tree, is the only ref",
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
                self.resolve_in(&repository, &head, name)
            }
        }
    }

    fn resolve_in(&self, repository: &Repository, head: &Head, name: &str) -> ResolvedRef {
        let found = repository.find(name);
        let full = found.as_ref().map_or("", |(full, _)| full);
        let short = full.strip_prefix("refs/heads/").unwrap_or(name);
        let is_head = |branch: &str| [name, short].contains(&branch);
        if repository.has_worktree() && head.branch.as_deref().is_some_and(is_head) {
            return ResolvedRef::Tree(short.to_string());
        }
        let name = short.to_string();
        match found {
            Some((full, object)) => {
                ResolvedRef::Commit(Target { name, full: RefName::new(full), object })
            }
            None if !repository.has_worktree() && head.branch.as_deref() == Some(&name) => {
                ResolvedRef::Tree(RefName::live().as_str().to_string())
            }
            None => self.commit_named(repository, name),
        }
    }

    /// The commit of a revision: a ref or an id, with `~N` and `^N` after it.
    pub(crate) fn commit_of(
        &self,
        repository: &Repository,
        objects: &Arc<Objects>,
        revision: &str,
    ) -> Result<CommitInfo, String> {
        let (name, steps) = revision.split_at(revision.find(['~', '^']).unwrap_or(revision.len()));
        let object = match self.resolve_ref(Some(name)) {
            ResolvedRef::Tree(_) => repository.head().commit.ok_or("there is no commit yet")?,
            ResolvedRef::Commit(target) => target.object,
            ResolvedRef::Unknown { reason, .. } => return Err(reason),
        };
        let commit = objects.commit_of(&object).map_err(|error| error.to_string())?;
        let mut commit = commit.ok_or("names no commit; give a branch, tag or commit")?;
        let parents = parents(steps)
            .ok_or("is not understood; give a ref, with ~N or ^N after it, e.g. HEAD~1")?;
        for number in parents {
            let parent = objects.parent(commit.id, number).map_err(|error| error.to_string())?;
            commit = parent.ok_or("goes back further than the history")?;
        }
        Ok(commit)
    }

    /// Resolves a revision with parents, such as `main~3`.
    fn revision_named(&self, repository: &Repository, name: String) -> ResolvedRef {
        let objects = self.refs().objects(repository).map_err(|error| error.to_string());
        match objects.and_then(|objects| self.commit_of(repository, &objects, &name)) {
            Ok(commit) => {
                let object = commit.id.to_string();
                ResolvedRef::Commit(Target { name, full: RefName::new(&object), object })
            }
            Err(reason) => unknown(&name, &reason),
        }
    }

    /// Resolves a commit by its id, possibly abbreviated.
    fn commit_named(&self, repository: &Repository, name: String) -> ResolvedRef {
        if name.contains(['~', '^']) {
            return self.revision_named(repository, name);
        }
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
                ResolvedRef::Commit(Target { name, full: RefName::new(&object), object })
            }
            Ok([]) => unknown(&name, no_ref),
            Ok(_) => unknown(&name, "several commits have this prefix; give more of the id"),
            Err(error) => unknown(&name, &error.to_string()),
        }
    }

    /// The engine of a ref; without one, of the working tree.
    pub fn at(&self, given: Option<&str>) -> Result<RefEngine<'_>, EngineError> {
        match self.resolve_ref(given) {
            ResolvedRef::Tree(_) => Ok(RefEngine::Own(self)),
            ResolvedRef::Commit(target) => Ok(RefEngine::Other(self.other(&target)?)),
            ResolvedRef::Unknown { name, reason } => Err(EngineError::Ref { name, reason }),
        }
    }

    /// The engine of a branch, tag or commit. Like any engine it indexes the ref on the first request, and parses only
    /// file versions that are not stored yet.
    pub fn other(&self, target: &Target) -> Result<Arc<Engine>, EngineError> {
        if let Some(engine) = self.refs().find(&target.full, &target.object) {
            return Ok(engine);
        }
        let ref_error = |reason: String| EngineError::Ref { name: target.name.clone(), reason };
        let tree = Arc::new(self.tree_of(target).map_err(ref_error)?);
        let engine = Arc::new(self.sibling(target.full.clone(), tree));
        self.refs().insert(&target.full, &target.object, &engine);
        Ok(engine)
    }

    /// The files of a ref below the project's folder.
    pub(crate) fn tree_of(&self, target: &Target) -> Result<CommitTree, String> {
        let gone = || "the repository is gone".to_string();
        let repository = Repository::discover(self.root()).ok_or_else(gone)?;
        let objects = self.refs().objects(&repository).map_err(|error| error.to_string())?;
        if target.object.len() != SHA1_HEX_LENGTH {
            return Err("is in a SHA-256 repository, which cannot be read".to_string());
        }
        let commit = objects.commit_of(&target.object).map_err(|error| error.to_string())?;
        let commit = commit.ok_or("names no commit; give a branch, tag or commit")?;
        let prefix = repository.prefix_of(self.root()).ok_or_else(gone)?;
        let tree = CommitTree::open(objects, &commit, &prefix, Some(repository.excludes()));
        tree.map_err(|error| error.to_string())?
            .ok_or_else(|| format!("has no folder {prefix}; use a ref that has it"))
    }

    /// The indexed refs, including the working tree.
    pub fn indexed_refs(&self) -> Result<Vec<IndexedRef>, EngineError> {
        Ok(self.active().store().refs()?)
    }

    /// Deletes the index of a ref, even if it no longer exists in git; returns whether it was indexed. The working tree
    /// cannot be deleted this way.
    pub fn forget_ref(&self, name: &str) -> Result<bool, EngineError> {
        let full = match self.resolve_ref(Some(name)) {
            ResolvedRef::Commit(target) => Some(target.full),
            _ => None,
        };
        let matches = |one: &IndexedRef| match &full {
            Some(full) => one.name == *full,
            None => [one.name.as_str(), one.name.short()].contains(&name),
        };
        let forget = |index: &Index| {
            let mut known = index.store().refs()?.into_iter();
            let found = known.find(|one| one.commit.is_some() && matches(one));
            found.map_or(Ok(false), |one| index.store().forget(&one.name))
        };
        let own = forget(self.primary())?;
        let other = self.indexer().fallback().map_or(Ok(false), forget)?;
        Ok(own || other)
    }
}

/// Which parent each step of `~2^2` goes to; `None` if it is malformed or too far.
fn parents(mut steps: &str) -> Option<Vec<usize>> {
    let mut found = Vec::new();
    while !steps.is_empty() {
        let is_first_parent = steps.starts_with('~');
        let rest = steps.strip_prefix(['~', '^'])?;
        let (digits, rest) =
            rest.split_at(rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len()));
        let number = match digits {
            "" => 1,
            digits => digits.parse().ok().filter(|number| *number <= MAX_PARENTS)?,
        };
        if is_first_parent {
            found.extend(std::iter::repeat_n(1, number));
        } else {
            found.extend((number > 0).then_some(number));
        }
        if found.len() > MAX_PARENTS {
            return None;
        }
        steps = rest;
    }
    Some(found)
}

fn unknown(name: &str, reason: &str) -> ResolvedRef {
    ResolvedRef::Unknown { name: name.to_string(), reason: reason.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_to_parents_are_read() {
        assert_eq!(parents(""), Some(vec![]));
        assert_eq!(parents("~2^2^0^"), Some(vec![1, 1, 2, 1]));
        for text in ["~x", "~1é", "^{commit}", "~99999999999999999999", "~10000~10000"] {
            assert_eq!(parents(text), None, "{text}");
        }
    }
}
