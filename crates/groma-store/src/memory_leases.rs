//! Leases inside one process.

use crate::random;
use groma_core::{Deadline, Lease, LeaseHolder, LeaseKind, LeaseToken, Leases, Locked, StoreError};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

const POLL: Duration = Duration::from_millis(1);

/// A held lease: its kind, its scope and when it was acquired.
type Held = Locked<Vec<(LeaseKind, String, SystemTime)>>;

/// Leases between the threads of one process.
#[derive(Default)]
pub(crate) struct MemoryLeases {
    held: Arc<Held>,
}

/// Removes the lease from the list when it is dropped.
struct Guard {
    held: Arc<Held>,
    kind: LeaseKind,
    scope: String,
}

impl Drop for Guard {
    fn drop(&mut self) {
        let mut held = self.held.lock();
        held.retain(|(kind, scope, _)| (*kind, scope) != (self.kind, &self.scope));
    }
}

impl MemoryLeases {
    /// Acquires a lease for the whole project, or fails as busy.
    pub fn require(&self, kind: LeaseKind) -> Result<Lease, StoreError> {
        self.acquire(kind, "", Deadline::now())?.ok_or_else(StoreError::busy)
    }

    fn try_hold(&self, kind: LeaseKind, scope: &str) -> Option<Guard> {
        let mut held = self.held.lock();
        if held.iter().any(|(of, here, _)| (*of, here.as_str()) == (kind, scope)) {
            return None;
        }
        held.push((kind, scope.to_string(), SystemTime::now()));
        Some(Guard { held: self.held.clone(), kind, scope: scope.to_string() })
    }
}

impl Leases for MemoryLeases {
    fn acquire(
        &self,
        kind: LeaseKind,
        scope: &str,
        deadline: Deadline,
    ) -> Result<Option<Lease>, StoreError> {
        loop {
            if let Some(guard) = self.try_hold(kind, scope) {
                let token = LeaseToken::from_bytes(random::bytes()?);
                return Ok(Some(Lease::new(kind, scope, token, guard)));
            }
            if deadline.has_passed() {
                return Ok(None);
            }
            std::thread::sleep(POLL);
        }
    }

    /// A lease of a thread is held until it is dropped.
    fn renew(&self, lease: &Lease, _: Deadline) -> Result<bool, StoreError> {
        Ok(lease.guard().is::<Guard>())
    }

    fn holders(&self) -> Result<Vec<LeaseHolder>, StoreError> {
        let held = self.held.lock();
        let holder = |(kind, _, since): &(LeaseKind, String, SystemTime)| LeaseHolder {
            kind: *kind,
            process: Some(std::process::id()),
            since: Some(*since),
        };
        Ok(held.iter().filter(|(_, scope, _)| scope.is_empty()).map(holder).collect())
    }
}
