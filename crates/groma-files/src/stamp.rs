//! What a stat tells of a file.
//!
//! Size and time of change miss a file that was restored with its old time (`cp -p`, a clock set back), so the time
//! that the system keeps for itself and the file's number count too, where there are any.

use groma_core::FileStamp;
use std::fs::Metadata;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Changes younger than this can hide behind a stamp: some file systems keep times in steps of two seconds.
const RACY: Duration = Duration::from_secs(2);

/// What a stat tells of a file.
pub fn stamp(metadata: &Metadata) -> FileStamp {
    let modified = metadata.modified().unwrap_or(UNIX_EPOCH);
    let racy = match (SystemTime::now().duration_since(modified), inode_change(metadata)) {
        (Ok(age), _) => age <= RACY,
        // A time to come says nothing about when it was set.
        (Err(_), Some(changed)) => is_young(changed),
        (Err(_), None) => true,
    };
    FileStamp {
        size: metadata.len(),
        modified: nanoseconds(modified),
        state: inode_change(metadata).map_or(0, |changed| mixed(changed, inode(metadata))),
        racy,
    }
}

fn nanoseconds(time: SystemTime) -> i64 {
    match time.duration_since(UNIX_EPOCH) {
        Ok(after) => i64::try_from(after.as_nanos()).unwrap_or(i64::MAX),
        Err(before) => i64::try_from(before.duration().as_nanos()).map_or(i64::MIN, |n| -n),
    }
}

/// Whether a moment, in nanoseconds since 1970, is a moment ago or to come.
fn is_young(nanoseconds: i64) -> bool {
    let moment = UNIX_EPOCH + Duration::from_nanos(nanoseconds.max(0) as u64);
    SystemTime::now().duration_since(moment).map_or(true, |age| age <= RACY)
}

/// One number for two.
fn mixed(changed: i64, inode: u64) -> u64 {
    (changed as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ inode.rotate_left(32)
}

/// When the system last changed anything about the file.
#[cfg(unix)]
fn inode_change(metadata: &Metadata) -> Option<i64> {
    use std::os::unix::fs::MetadataExt;
    Some(metadata.ctime().saturating_mul(1_000_000_000).saturating_add(metadata.ctime_nsec()))
}

#[cfg(unix)]
fn inode(metadata: &Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::ino(metadata)
}

#[cfg(not(unix))]
fn inode_change(_: &Metadata) -> Option<i64> {
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

    /// Writes, and sets the time of change as `cp -p` would.
    fn restored(path: &std::path::Path, text: &str, time: SystemTime) -> FileStamp {
        fs::write(path, text).unwrap();
        File::options().write(true).open(path).unwrap().set_modified(time).unwrap();
        stamp(&fs::metadata(path).unwrap())
    }

    #[test]
    fn a_restored_time_does_not_hide_a_change() {
        let folder = tempfile::tempdir().unwrap();
        let (a, b) = (folder.path().join("a"), folder.path().join("b"));
        let old = UNIX_EPOCH + Duration::from_secs(1_000_000);
        let before = restored(&a, "one", old);
        assert!(before.vouches_for(&stamp(&fs::metadata(&a).unwrap())));
        // Times go in steps of a few milliseconds.
        std::thread::sleep(Duration::from_millis(50));
        let after = restored(&a, "two", old);
        assert_eq!((before.size, before.modified), (after.size, after.modified));
        assert!(!before.vouches_for(&after), "written in place");
        restored(&b, "six", old);
        fs::rename(&b, &a).unwrap();
        assert!(!after.vouches_for(&stamp(&fs::metadata(&a).unwrap())), "replaced");
    }

    #[test]
    fn a_time_to_come_is_judged_by_when_it_was_set() {
        let now = nanoseconds(SystemTime::now());
        assert!(is_young(now) && is_young(now + 3_600_000_000_000) && !is_young(1));
    }
}
