//! The key of a file version.
//!
//! It is derived from the path and the blob id of the content. So the version of a file in a commit is known without
//! reading it, and equals that of the same content in a working tree or another ref.

use gix::ObjectId;
use gix::objs::Kind;
use groma_core::{RelPath, VersionKey};

/// The version of the code that turns bytes into rows. Raise it with any change to what is stored.
const CODE_VERSION: u32 = 10;

/// The version of everything that turns bytes into rows: the code and the grammars.
pub const PIPELINE_VERSION: u32 = {
    let grammars = groma_syntax::grammar_fingerprint();
    (grammars as u32 ^ (grammars >> 32) as u32).wrapping_add(CODE_VERSION)
};

/// The version of a file with these bytes.
pub fn of_bytes(path: &RelPath, bytes: &[u8]) -> VersionKey {
    match gix::objs::compute_hash(gix::hash::Kind::Sha1, Kind::Blob, bytes) {
        Ok(id) => of_blob(path, id),
        // SHA-1 collision detected; git rejects such a blob. Key it by its bytes instead.
        Err(_) => VersionKey::new(path, bytes, PIPELINE_VERSION),
    }
}

/// The version of a file with the content of a blob.
pub fn of_blob(path: &RelPath, id: ObjectId) -> VersionKey {
    VersionKey::new(path, id.as_bytes(), PIPELINE_VERSION)
}
