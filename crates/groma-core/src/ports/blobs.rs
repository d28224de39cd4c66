//! Where immutable bytes are.

use crate::{Deadline, SegmentId, SegmentInfo, StoreError};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The bytes of a segment, as a reader gets them.
#[derive(Clone, Debug)]
pub enum Blob {
    /// A file on the local disk, to be mapped.
    File(PathBuf),
    /// Bytes in memory.
    Memory(Arc<[u8]>),
}

/// The segments of one project, by their hash.
///
/// A segment is written once and never altered, so a name that exists is whole. An implementer writes to a temporary
/// name, makes the bytes durable and renames; readers get files on the local disk, which a remote implementation
/// fetches first, or bytes in memory. Deleting a segment must leave open and mapped copies readable.
pub trait Blobs: Send + Sync {
    /// Stores a segment that consists of these slices, one after the other, and names it by its hash. Storing the
    /// same bytes again changes nothing.
    fn put(&self, slices: &[&[u8]], deadline: Deadline) -> Result<SegmentInfo, StoreError>;

    /// Takes over a segment from a local file without copying, as a hard link. `None` where that is not possible.
    fn link(&self, id: &SegmentId, file: &Path) -> Option<SegmentInfo>;

    /// The segments, in the order of `ids`. A file that does not exist is an error only when it is opened.
    fn get(&self, ids: &[SegmentId], deadline: Deadline) -> Result<Vec<Blob>, StoreError>;

    /// Deletes every segment but these, and what unfinished writes left. Only the holder of the writer's lease may:
    /// others may be about to publish a segment.
    fn retain(&self, ids: &[SegmentId], deadline: Deadline) -> Result<(), StoreError>;
}
