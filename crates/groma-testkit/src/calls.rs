//! Counting, and delaying, the calls that a store makes to what may be far away: ledger, blobs and leases.

use groma_core::{
    Blob, Blobs, Deadline, Generation, Head, Heads, Lease, LeaseHolder, LeaseKind, Leases, Ledger,
    Manifest, Publication, RefName, SegmentId, SegmentInfo, StoreError, VersionKey,
};
use groma_store::Ports;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::SeqCst};
use std::time::Duration;

/// Bytes of a segment that are transferred with one call.
const FRAME: u64 = 4 << 20;

/// The calls so far.
#[derive(Debug, Default)]
pub struct Calls {
    ledger: AtomicUsize,
    blobs: AtomicUsize,
    leases: AtomicUsize,
    delay_ms: AtomicU64,
}

impl Calls {
    /// Calls to the ledger. Its change counter is local and does not count.
    pub fn ledger(&self) -> usize {
        self.ledger.load(SeqCst)
    }

    /// Calls to the blobs: one for each 4 MiB of a segment that is stored, else one.
    pub fn blobs(&self) -> usize {
        self.blobs.load(SeqCst)
    }

    /// Calls to the leases.
    pub fn leases(&self) -> usize {
        self.leases.load(SeqCst)
    }

    /// All calls.
    pub fn total(&self) -> usize {
        self.ledger() + self.blobs() + self.leases()
    }

    /// How many calls `work` makes.
    pub fn of<T>(&self, work: impl FnOnce() -> T) -> usize {
        let before = self.total();
        work();
        self.total() - before
    }

    /// Delays every further call.
    pub fn set_delay(&self, delay: Duration) {
        self.delay_ms.store(delay.as_millis() as u64, SeqCst);
    }

    /// Counts, and delays, the calls through these ports.
    pub fn count(self: &Arc<Self>, ports: Ports) -> Ports {
        Ports {
            ledger: Arc::new(Counted { port: ports.ledger, calls: self.clone() }),
            blobs: Arc::new(Counted { port: ports.blobs, calls: self.clone() }),
            leases: Arc::new(Counted { port: ports.leases, calls: self.clone() }),
            ..ports
        }
    }

    fn add(&self, counter: &AtomicUsize, calls: usize) {
        counter.fetch_add(calls, SeqCst);
        match self.delay_ms.load(SeqCst) {
            0 => {}
            delay => std::thread::sleep(Duration::from_millis(delay)),
        }
    }
}

/// A port with its calls counted.
struct Counted<P: ?Sized> {
    port: Arc<P>,
    calls: Arc<Calls>,
}

impl Counted<dyn Ledger> {
    fn ledger(&self) -> &dyn Ledger {
        self.calls.add(&self.calls.ledger, 1);
        &*self.port
    }
}

impl Ledger for Counted<dyn Ledger> {
    fn change_counter(&self) -> Result<u64, StoreError> {
        self.port.change_counter()
    }

    fn heads(&self, deadline: Deadline) -> Result<Heads, StoreError> {
        self.ledger().heads(deadline)
    }

    fn manifest(&self, head: &Head, deadline: Deadline) -> Result<Option<Manifest>, StoreError> {
        self.ledger().manifest(head, deadline)
    }

    fn versions(
        &self,
        references: &[RefName],
        deadline: Deadline,
    ) -> Result<Vec<VersionKey>, StoreError> {
        self.ledger().versions(references, deadline)
    }

    fn publish(
        &self,
        publication: &Publication<'_>,
        deadline: Deadline,
    ) -> Result<Generation, StoreError> {
        self.ledger().publish(publication, deadline)
    }

    fn forget(&self, reference: &RefName, deadline: Deadline) -> Result<bool, StoreError> {
        self.ledger().forget(reference, deadline)
    }

    fn clear(&self, deadline: Deadline) -> Result<(), StoreError> {
        self.ledger().clear(deadline)
    }

    fn verify(&self) -> Result<(), StoreError> {
        self.ledger().verify()
    }

    fn bytes(&self) -> Result<u64, StoreError> {
        self.ledger().bytes()
    }
}

impl Counted<dyn Blobs> {
    fn blobs(&self, calls: usize) -> &dyn Blobs {
        self.calls.add(&self.calls.blobs, calls);
        &*self.port
    }
}

impl Blobs for Counted<dyn Blobs> {
    fn put(&self, slices: &[&[u8]], deadline: Deadline) -> Result<SegmentInfo, StoreError> {
        let bytes: u64 = slices.iter().map(|slice| slice.len() as u64).sum();
        self.blobs(bytes.div_ceil(FRAME) as usize).put(slices, deadline)
    }

    fn link(&self, id: &SegmentId, file: &Path) -> Option<SegmentInfo> {
        self.blobs(1).link(id, file)
    }

    fn get(&self, ids: &[SegmentId], deadline: Deadline) -> Result<Vec<Blob>, StoreError> {
        self.blobs(1).get(ids, deadline)
    }

    fn retain(&self, ids: &[SegmentId], deadline: Deadline) -> Result<(), StoreError> {
        self.blobs(1).retain(ids, deadline)
    }
}

impl Counted<dyn Leases> {
    fn leases(&self) -> &dyn Leases {
        self.calls.add(&self.calls.leases, 1);
        &*self.port
    }
}

impl Leases for Counted<dyn Leases> {
    fn acquire(
        &self,
        kind: LeaseKind,
        scope: &str,
        deadline: Deadline,
    ) -> Result<Option<Lease>, StoreError> {
        self.leases().acquire(kind, scope, deadline)
    }

    fn renew(&self, lease: &Lease, deadline: Deadline) -> Result<bool, StoreError> {
        self.leases().renew(lease, deadline)
    }

    fn holders(&self) -> Result<Vec<LeaseHolder>, StoreError> {
        self.leases().holders()
    }
}
