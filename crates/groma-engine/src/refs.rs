//! What a ref means for a project's index.

use crate::engine::Engine;
use crate::git::Repository;
use groma_core::RefName;

/// What a caller's ref means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// The working tree, by the name it was asked for: this is what is indexed.
    Tree(String),
    /// A ref that is there and not checked out, with the object it points at. What indexes the files of another
    /// ref begins here.
    Other {
        /// As it was asked for.
        name: String,
        /// What it points at.
        target: String,
    },
    /// No branch or tag, nor the commit that is checked out.
    Unknown(String),
}

impl Meaning {
    /// The name.
    pub fn name(&self) -> &str {
        match self {
            Self::Tree(name) | Self::Other { name, .. } | Self::Unknown(name) => name,
        }
    }
}

impl Engine {
    /// What a ref means: the one given, else the branch that is checked out, else `live`. The checked-out branch,
    /// every ref at its commit, the commit itself, `HEAD` and `live` mean the working tree, changes included.
    pub fn meaning(&self, given: Option<&str>) -> Meaning {
        let repository = Repository::around(self.root());
        let head = repository.as_ref().map(Repository::head).unwrap_or_default();
        let here = head.branch.clone().unwrap_or_else(|| RefName::live().as_str().to_string());
        let Some(name) = given else { return Meaning::Tree(here) };
        let (name, target) = match name {
            "HEAD" | "@" => return Meaning::Tree(here),
            "live" => return Meaning::Tree(name.to_string()),
            _ if head.is_commit(name) => return Meaning::Tree(name.to_string()),
            _ => {
                let short = name.strip_prefix("refs/heads/").unwrap_or(name);
                (short, repository.and_then(|repository| repository.target(name)))
            }
        };
        let is_here =
            head.branch.as_deref() == Some(name) || target.is_some() && target == head.commit;
        match (is_here, target) {
            (true, _) => Meaning::Tree(name.to_string()),
            (false, Some(target)) => Meaning::Other { name: name.to_string(), target },
            (false, None) => Meaning::Unknown(name.to_string()),
        }
    }
}
