//! The commit point: which generation of a ref is the newest, and what it consists of.

use crate::{
    Deadline, Generation, GenerationId, GenerationInfo, LeaseToken, Manifest, RefName, StoreError,
    VersionKey,
};
use std::fmt;
use std::time::{Duration, SystemTime};

/// Identifies a segment: the BLAKE3 hash of its bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SegmentId([u8; 32]);

impl SegmentId {
    /// The id with these bytes.
    pub fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The bytes it is stored as.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

/// In hexadecimal, as files are named.
impl fmt::Display for SegmentId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for SegmentId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0[..6].iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// A segment as the ledger records it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SegmentInfo {
    /// Which one.
    pub id: SegmentId,
    /// How many bytes it has.
    pub bytes: u64,
}

/// The newest generation of a ref.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    /// The ref.
    pub reference: RefName,
    /// The generation, and when it was made.
    pub info: GenerationInfo,
    /// Its manifest.
    pub manifest: crate::ManifestId,
    /// The segments that hold the versions of the manifest.
    pub segments: Vec<SegmentId>,
    /// The commit that was indexed; `None` for a working tree.
    pub commit: Option<String>,
    /// Hash of the options that selected the files.
    pub options_hash: u64,
    /// How many files the manifest has.
    pub files: usize,
}

/// Everything that is committed, as of one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Heads {
    /// The pipeline that made it; `None` before the first commit.
    pub pipeline: Option<String>,
    /// The newest generation of each ref, ordered by name.
    pub heads: Vec<Head>,
    /// The segments of all refs, oldest first.
    pub segments: Vec<SegmentInfo>,
}

impl Heads {
    /// The newest generation of a ref.
    pub fn of(&self, reference: &RefName) -> Option<&Head> {
        self.heads.iter().find(|head| head.reference == *reference)
    }
}

/// A generation to be published.
pub struct Publication<'a> {
    /// Its identity, chosen by the writer, so that repeating a publication is harmless.
    pub id: GenerationId,
    /// The ref.
    pub reference: &'a RefName,
    /// The generation that it follows; `None` for the first of the ref.
    pub parent: Option<GenerationId>,
    /// The pipeline that made it.
    pub pipeline: &'a str,
    /// Drop all other refs and segments: the parent is of another pipeline, or a rebuild was asked for.
    pub replaces_all: bool,
    /// The parent's manifest, so that only differences need to be written; empty with `replaces_all`.
    pub before: &'a Manifest,
    /// The manifest.
    pub manifest: &'a Manifest,
    /// New segments, oldest first. Their bytes are stored already.
    pub added: &'a [SegmentInfo],
    /// Segments that no ref needs any more, or that `merged` replaces in all refs.
    pub removed: &'a [SegmentId],
    /// The added segment that holds the referenced versions of the removed ones.
    pub merged: Option<SegmentId>,
    /// The segments that hold the versions of the manifest.
    pub segments: &'a [SegmentId],
    /// The writer's lease. A ledger that knows about leases refuses one that was lost.
    pub lease: LeaseToken,
    /// When it is published.
    pub committed: SystemTime,
    /// How long it took to make.
    pub duration: Duration,
    /// Called when all rows are written and nothing is committed. Tests end the process here.
    pub before_commit: &'a dyn Fn(),
}

/// Where the commit point of one project is.
///
/// A ledger is small: rows about refs, manifests and segments, never the bytes of a segment. An implementer must
/// guarantee that `publish` happens completely or not at all, that it compares the parent's identity with the newest
/// generation in the same transaction and fails with [`Superseded`](crate::StoreErrorKind::Superseded) if they differ,
/// and that every call returns by its deadline. It must never number two generations alike within its lifetime, not
/// even after `clear`.
pub trait Ledger: Send + Sync {
    /// A number that changes, as seen from this process, whenever `heads` may have changed. Called for every query,
    /// so it must not cost a round trip: a local database compares its change counter, a remote ledger counts the
    /// notifications it received.
    fn change_counter(&self) -> Result<u64, StoreError>;

    /// All that is committed.
    fn heads(&self, deadline: Deadline) -> Result<Heads, StoreError>;

    /// The manifest of a head; `None` if the head was superseded meanwhile.
    fn manifest(&self, head: &Head, deadline: Deadline) -> Result<Option<Manifest>, StoreError>;

    /// The versions that the manifests of these refs reference, in any order.
    fn versions(
        &self,
        references: &[RefName],
        deadline: Deadline,
    ) -> Result<Vec<VersionKey>, StoreError>;

    /// Makes a generation the newest of its ref.
    fn publish(
        &self,
        publication: &Publication<'_>,
        deadline: Deadline,
    ) -> Result<Generation, StoreError>;

    /// Deletes a ref. Whether it existed.
    fn forget(&self, reference: &RefName, deadline: Deadline) -> Result<bool, StoreError>;

    /// Deletes everything, even if it is damaged. Generation numbers go on where they can be read.
    fn clear(&self, deadline: Deadline) -> Result<(), StoreError>;

    /// Checks everything that is stored.
    fn verify(&self) -> Result<(), StoreError>;

    /// How many bytes it uses.
    fn bytes(&self) -> Result<u64, StoreError>;
}
