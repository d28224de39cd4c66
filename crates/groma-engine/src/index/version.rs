//! The key of a file version.
//!
//! What stands for the bytes in it is git's name for them. So the version of a file in a commit is known without
//! reading it, and it is the same one as that of a working tree, or of another ref.

use super::pipeline::PIPELINE_VERSION;
use gix::ObjectId;
use gix::objs::Kind;
use groma_core::{RelPath, VersionKey};

/// The version that bytes are at a path.
pub(crate) fn of_bytes(path: &RelPath, bytes: &[u8]) -> VersionKey {
    match gix::objs::compute_hash(gix::hash::Kind::Sha1, Kind::Blob, bytes) {
        Ok(id) => of_blob(path, id),
        // Made to have the name of others: git would not take them either. Here they are told apart all the same.
        Err(_) => VersionKey::new(path, bytes, PIPELINE_VERSION),
    }
}

/// The version that git's bytes of a name are at a path.
pub(crate) fn of_blob(path: &RelPath, id: ObjectId) -> VersionKey {
    VersionKey::new(path, id.as_bytes(), PIPELINE_VERSION)
}
