//! Leases: work that at most one process does for a project at a time.

use crate::{Deadline, StoreError};
use std::any::Any;
use std::fmt;
use std::time::SystemTime;

/// What a lease is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LeaseKind {
    /// Writing a generation.
    Writer,
    /// Running a job.
    Job,
    /// Watching the tree and indexing changes in the background.
    BackgroundIndexer,
}

impl LeaseKind {
    /// Every kind.
    pub const ALL: [LeaseKind; 3] = [Self::Writer, Self::Job, Self::BackgroundIndexer];
}

/// Identifies one acquisition of a lease: random, so that after a failover two holders can never be confused, as
/// they could be by a counter.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct LeaseToken([u8; 16]);

impl LeaseToken {
    /// The token of 16 random bytes.
    pub fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(bytes)
    }

    /// The bytes it is stored as.
    pub fn as_bytes(&self) -> &[u8; 16] {
        &self.0
    }
}

impl fmt::Debug for LeaseToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0[..6].iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// A lease that was acquired. Dropping it releases it, and so does the end of its process, however it ends.
pub struct Lease {
    kind: LeaseKind,
    scope: String,
    token: LeaseToken,
    guard: Box<dyn Any + Send + Sync>,
}

impl Lease {
    /// A lease that lasts as long as `guard`, which an implementation releases on drop.
    pub fn new(
        kind: LeaseKind,
        scope: &str,
        token: LeaseToken,
        guard: impl Any + Send + Sync,
    ) -> Self {
        Self { kind, scope: scope.to_string(), token, guard: Box::new(guard) }
    }

    /// What it is for.
    pub fn kind(&self) -> LeaseKind {
        self.kind
    }

    /// What it is limited to; empty for the whole project.
    pub fn scope(&self) -> &str {
        &self.scope
    }

    /// Which acquisition this is.
    pub fn token(&self) -> LeaseToken {
        self.token
    }

    /// What the implementation gave to [`Lease::new`].
    pub fn guard(&self) -> &(dyn Any + Send + Sync) {
        &*self.guard
    }
}

impl fmt::Debug for Lease {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Lease({:?} {:?} {:?})", self.kind, self.scope, self.token)
    }
}

/// A process that holds a lease, as far as it is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeaseHolder {
    /// What the lease is for.
    pub kind: LeaseKind,
    /// Its process id; `None` if it recorded none or is just acquiring the lease.
    pub process: Option<u32>,
    /// Since when it holds the lease.
    pub since: Option<SystemTime>,
}

/// Mutual exclusion between the processes that work on one project.
///
/// A lease keeps two processes from doing the same work twice. Nothing else may depend on it: a process that was
/// suspended can come back believing that it still holds one. Correctness comes from publishing, which compares the
/// parent generation and fails with [`Superseded`](crate::StoreErrorKind::Superseded).
///
/// Required of an implementation: `acquire` hands out a new random token every time, and at most one lease of a kind
/// and scope exists at a time; a lease is released when it is dropped or its process dies. An implementation that
/// cannot see a process die gives leases a lifetime, measured by the clock of the server and never by that of a
/// client, and reports a lost one from `renew`. Leases of different kinds or scopes never exclude each other.
pub trait Leases: Send + Sync {
    /// Acquires a lease, or `None` if another holder has it until the deadline. An empty scope is the project.
    fn acquire(
        &self,
        kind: LeaseKind,
        scope: &str,
        deadline: Deadline,
    ) -> Result<Option<Lease>, StoreError>;

    /// Whether the lease is still held; extends its lifetime where it has one. After `false` the holder stops.
    fn renew(&self, lease: &Lease, deadline: Deadline) -> Result<bool, StoreError>;

    /// Gives a lease back and waits until that is known; dropping it does the same without waiting.
    fn release(&self, lease: Lease, deadline: Deadline) -> Result<(), StoreError> {
        let _ = deadline;
        drop(lease);
        Ok(())
    }

    /// The current holders of leases. For status displays: it may be out of date by the time it is read.
    fn holders(&self) -> Result<Vec<LeaseHolder>, StoreError>;

    /// The holder of a lease of this kind.
    fn holder(&self, kind: LeaseKind) -> Result<Option<LeaseHolder>, StoreError> {
        Ok(self.holders()?.into_iter().find(|holder| holder.kind == kind))
    }
}
