//! The files of an index folder, as far as they can be judged without opening the index.

use std::fs;
use std::path::Path;

const DATABASE: &str = "index.db";
const SEGMENTS: &str = "segments";

/// The segments of versions before they were named by their hash.
const OLD_SEGMENTS: &str = "parts";

const STAT_CACHE: &str = "stat-cache";

/// Whether the folder holds an index, in whatever state.
pub(crate) fn has_index(folder: &Path) -> bool {
    folder.join(DATABASE).exists()
}

/// Whether anything was ever committed to the index: opening one creates a database without segments.
pub(crate) fn has_segments(folder: &Path) -> bool {
    let is_filled =
        |name| fs::read_dir(folder.join(name)).is_ok_and(|mut entries| entries.next().is_some());
    is_filled(SEGMENTS) || is_filled(OLD_SEGMENTS)
}

/// Deletes the index files. The caller holds the writer's lease. Files that cannot be deleted stay, and are
/// overwritten by the next index.
pub(crate) fn remove_index(folder: &Path) {
    for suffix in ["-wal", "-shm", ""] {
        let _ = fs::remove_file(folder.join(format!("{DATABASE}{suffix}")));
    }
    let _ = fs::remove_file(folder.join(super::jobs::FILE));
    for name in [SEGMENTS, OLD_SEGMENTS, STAT_CACHE] {
        let _ = fs::remove_dir_all(folder.join(name));
    }
}

/// Deletes the segments that an earlier version left beside `segments`: no generation of this schema names them.
pub(super) fn remove_old_segments(segments: &Path) {
    let _ = fs::remove_dir_all(segments.with_file_name(OLD_SEGMENTS));
}
