//! Stamps: the stat data that detects changed files.
//!
//! Size and mtime miss a file that was restored with its old mtime (`cp -p`, a clock set back), so ctime and the inode
//! number are compared, too, on platforms that have them.

use groma_core::FileStamp;
use std::fs::Metadata;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// A file modified within this time may change again without its mtime changing: FAT has a resolution of two seconds.
const RACY_WINDOW: Duration = Duration::from_secs(2);

/// The stamp of a file.
pub fn stamp(metadata: &Metadata) -> FileStamp {
    let modified = metadata.modified().unwrap_or(UNIX_EPOCH);
    let racy = match (SystemTime::now().duration_since(modified), ctime(metadata)) {
        (Ok(age), _) => age <= RACY_WINDOW,
        // An mtime in the future does not tell when it was set; the ctime does.
        (Err(_), Some(ctime)) => is_recent(ctime),
        (Err(_), None) => true,
    };
    FileStamp {
        size: metadata.len(),
        modified: nanoseconds(modified),
        state: ctime(metadata).map_or(0, |ctime| hash(ctime, inode(metadata))),
        racy,
    }
}

fn nanoseconds(time: SystemTime) -> i64 {
    match time.duration_since(UNIX_EPOCH) {
        Ok(after) => i64::try_from(after.as_nanos()).unwrap_or(i64::MAX),
        Err(before) => i64::try_from(before.duration().as_nanos()).map_or(i64::MIN, |n| -n),
    }
}

/// Whether a time, in nanoseconds since 1970, is within the racy window or in the future.
fn is_recent(nanoseconds: i64) -> bool {
    let moment = UNIX_EPOCH + Duration::from_nanos(nanoseconds.max(0) as u64);
    SystemTime::now().duration_since(moment).map_or(true, |age| age <= RACY_WINDOW)
}

/// A hash of ctime and inode.
fn hash(ctime: i64, inode: u64) -> u64 {
    (ctime as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ inode.rotate_left(32)
}

/// The ctime in nanoseconds since 1970.
#[cfg(unix)]
fn ctime(metadata: &Metadata) -> Option<i64> {
    use std::os::unix::fs::MetadataExt;
    Some(metadata.ctime().saturating_mul(1_000_000_000).saturating_add(metadata.ctime_nsec()))
}

#[cfg(unix)]
fn inode(metadata: &Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::ino(metadata)
}

#[cfg(not(unix))]
fn ctime(_: &Metadata) -> Option<i64> {
    None
}

#[cfg(not(unix))]
fn inode(_: &Metadata) -> u64 {
    0
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::fs::{self, File};

    /// Writes, and sets the mtime as `cp -p` would.
    fn restored(path: &std::path::Path, text: &str, time: SystemTime) -> FileStamp {
        fs::write(path, text).unwrap();
        File::options().write(true).open(path).unwrap().set_modified(time).unwrap();
        stamp(&fs::metadata(path).unwrap())
    }

    #[test]
    fn a_restored_mtime_does_not_hide_a_change() {
        let folder = tempfile::tempdir().unwrap();
        let (a, b) = (folder.path().join("a"), folder.path().join("b"));
        let old = UNIX_EPOCH + Duration::from_secs(1_000_000);
        let before = restored(&a, "one", old);
        assert!(before.proves_unchanged(&stamp(&fs::metadata(&a).unwrap())));
        // File times have a resolution of a few milliseconds.
        std::thread::sleep(Duration::from_millis(50));
        let after = restored(&a, "two", old);
        assert_eq!((before.size, before.modified), (after.size, after.modified));
        assert!(!before.proves_unchanged(&after), "written in place");
        restored(&b, "six", old);
        fs::rename(&b, &a).unwrap();
        assert!(!after.proves_unchanged(&stamp(&fs::metadata(&a).unwrap())), "replaced");
    }

    #[test]
    fn a_future_mtime_is_racy_by_its_ctime() {
        let now = nanoseconds(SystemTime::now());
        assert!(is_recent(now) && is_recent(now + 3_600_000_000_000) && !is_recent(1));
    }
}
