//! The files of an index folder, as far as they can be judged without opening the index.

use std::fs;
use std::path::Path;

const DATABASE: &str = "index.db";
const SEGMENTS: &str = "segments";
const STAT_CACHE: &str = "stat-cache";

/// Whether the folder holds an index, in whatever state.
pub(crate) fn has_index(folder: &Path) -> bool {
    folder.join(DATABASE).exists()
}

/// Whether anything was ever committed to the index: opening one creates a database without segments.
pub(crate) fn has_segments(folder: &Path) -> bool {
    fs::read_dir(folder.join(SEGMENTS)).is_ok_and(|mut entries| entries.next().is_some())
}

/// Deletes the index files. The caller holds the writer's lock. Files that cannot be deleted stay, and are
/// overwritten by the next index.
pub(crate) fn remove_index(folder: &Path) {
    for suffix in ["-wal", "-shm", ""] {
        let _ = fs::remove_file(folder.join(format!("{DATABASE}{suffix}")));
    }
    for name in [SEGMENTS, STAT_CACHE] {
        let _ = fs::remove_dir_all(folder.join(name));
    }
}
