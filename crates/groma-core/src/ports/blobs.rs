//! Where immutable bytes are.

use crate::{Deadline, SegmentId, SegmentInfo, StoreError};
use std::path::{Path, PathBuf};

/// The segments of one project, by their hash.
///
/// A segment is written once and never altered, so a name that exists is whole. An implementer writes to a temporary
/// name, makes the bytes durable and renames; readers get files on the local disk, which a remote implementation
/// fetches first. Deleting a segment must leave open and mapped copies readable.
pub trait Blobs: Send + Sync {
    /// Stores a segment that consists of these slices, one after the other, and names it by its hash. Storing the
    /// same bytes again changes nothing.
    fn put(&self, slices: &[&[u8]], deadline: Deadline) -> Result<SegmentInfo, StoreError>;

    /// Takes over a segment from a local file without copying, as a hard link. `None` where that is not possible.
    fn link(&self, id: &SegmentId, file: &Path) -> Option<SegmentInfo>;

    /// The local files of the segments, in the order of `ids`. A segment that does not exist is an error only when
    /// its file is opened.
    fn files(&self, ids: &[SegmentId], deadline: Deadline) -> Result<Vec<PathBuf>, StoreError>;

    /// Deletes every segment but these, and what unfinished writes left. Only the holder of the writer's lease may:
    /// others may be about to publish a segment.
    fn retain(&self, ids: &[SegmentId], deadline: Deadline) -> Result<(), StoreError>;
}
