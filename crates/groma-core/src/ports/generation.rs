//! Refs and generations: what a commit to a store creates, and its identity.

use crate::EmbedderIdentity;
use std::fmt;
use std::time::SystemTime;

/// What an index depends on besides the files. An index of another pipeline is outdated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pipeline {
    /// The version of walking, parsing, chunking and tokenizing.
    pub version: u32,
    /// The model behind the vectors; `None` for an index without them.
    pub embedder: Option<EmbedderIdentity>,
}

/// A branch, tag or commit, or the working tree.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RefName(String);

impl RefName {
    /// A ref by its name.
    pub fn new(name: impl Into<String>) -> Self {
        Self(name.into())
    }

    /// The working tree.
    pub fn live() -> Self {
        Self("live".into())
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The short name of a branch or tag, without its `refs/..` prefix.
    pub fn short(&self) -> &str {
        let short = ["refs/heads/", "refs/tags/", "refs/remotes/"];
        short.iter().find_map(|start| self.0.strip_prefix(start)).unwrap_or(&self.0)
    }
}

/// Identifies a generation: 16 random bytes. Numbers are for people; after a failover or a restored backup two
/// different generations may have the same number, and never the same identity.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GenerationId([u8; 16]);

impl GenerationId {
    /// The identity of 16 random bytes.
    pub fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(bytes)
    }

    /// The bytes it is stored as.
    pub fn as_bytes(&self) -> &[u8; 16] {
        &self.0
    }
}

impl fmt::Debug for GenerationId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0[..6].iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// A commit to the store. Caches are keyed by it, identity included; later ones of a store have larger numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Generation {
    /// Its number, for display and order.
    pub number: u64,
    /// Its identity.
    pub id: GenerationId,
}

/// A generation with when it was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GenerationInfo {
    /// The generation.
    pub generation: Generation,
    /// When it was committed.
    pub committed: SystemTime,
    /// How long it took to make, in milliseconds.
    pub duration_ms: u64,
}

/// A ref that has a manifest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexedRef {
    /// The ref.
    pub name: RefName,
    /// The commit that was indexed; `None` for a working tree.
    pub commit: Option<String>,
    /// The generation that indexed it last.
    pub info: GenerationInfo,
    /// How many files it has.
    pub files: usize,
}

/// What a commit did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CommitReport {
    /// The new generation.
    pub generation: Generation,
    /// File versions written.
    pub versions: usize,
}
