//! Detects changes of a folder's files after they have been completely written.
//!
//! File system notifications are complemented by polling, for network folders and folders that were deleted and
//! recreated.

use super::load::files;
use notify::{RecommendedWatcher, RecursiveMode, Watcher};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Sender, channel};
use std::time::{Duration, SystemTime};

/// How long the folder must be unchanged before it is reloaded: an index run writes several files.
pub const DEBOUNCE: Duration = Duration::from_millis(500);

/// How often the folder is scanned without a notification.
const SCAN_INTERVAL: Duration = Duration::from_secs(1);

/// Size and modification time of each chunk file.
pub type Stamps = BTreeMap<PathBuf, Option<(u64, SystemTime)>>;

/// The current state of a folder's chunk files.
pub fn stamps(folder: &Path) -> Stamps {
    let stamp = |path: &PathBuf| {
        let metadata = std::fs::metadata(path).ok()?;
        Some((metadata.len(), metadata.modified().ok()?))
    };
    files(folder).into_iter().map(|path| (path.clone(), stamp(&path))).collect()
}

/// Calls `changed` after every change of the folder's chunk files from `seen`, until it returns `false`. A change is
/// over when there was none for as long as `debounce`.
pub fn watch(
    folder: PathBuf,
    mut seen: Stamps,
    debounce: Duration,
    changed: impl Fn() -> bool + Send + 'static,
) {
    std::thread::spawn(move || {
        let (sender, events) = channel();
        let mut _watcher = watcher(&folder, &sender);
        loop {
            let _ = events.recv_timeout(SCAN_INTERVAL);
            let mut now = stamps(&folder);
            if now == seen {
                continue;
            }
            loop {
                // Every event restarts the wait.
                while events.recv_timeout(debounce).is_ok() {}
                let later = stamps(&folder);
                if later == now {
                    break;
                }
                now = later;
            }
            if !changed() {
                return;
            }
            seen = now;
            // The folder may have been recreated.
            _watcher = watcher(&folder, &sender);
        }
    });
}

fn watcher(folder: &Path, sender: &Sender<()>) -> Option<RecommendedWatcher> {
    let sender = sender.clone();
    let notify_change = move |event: notify::Result<notify::Event>| {
        // Reading is not a change.
        if event.is_ok_and(|event| !event.kind.is_access()) {
            // Fails only if the watching thread has ended.
            let _ = sender.send(());
        }
    };
    let mut watcher = notify::recommended_watcher(notify_change).ok()?;
    watcher.watch(folder, RecursiveMode::NonRecursive).ok()?;
    Some(watcher)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::RecvTimeoutError;
    use std::time::Instant;

    /// Reached only by a test that fails.
    const TIMEOUT: Duration = Duration::from_secs(60);

    fn put(folder: &Path, text: &str) {
        std::fs::write(folder.join("draft"), text).unwrap();
        std::fs::rename(folder.join("draft"), folder.join("code-data.json")).unwrap();
    }

    #[test]
    fn changes_are_reported_after_the_debounce() {
        let folder = tempfile::tempdir().unwrap();
        put(folder.path(), "0");
        let (sender, reports) = channel();
        let root = folder.path().to_path_buf();
        watch(root.clone(), stamps(&root), DEBOUNCE, move || {
            sender.send(std::fs::read_to_string(root.join("code-data.json")).unwrap()).is_ok()
        });
        // While writes are less than the debounce apart, nothing is reported. On a slow machine they may be further
        // apart.
        let (mut longest_gap, mut last_write) = (Duration::ZERO, Instant::now());
        for number in 1..5 {
            let write = Instant::now();
            put(folder.path(), &"x".repeat(number));
            longest_gap = longest_gap.max(last_write.elapsed());
            last_write = write;
            let reported = reports.recv_timeout(DEBOUNCE / 2);
            longest_gap = longest_gap.max(last_write.elapsed());
            let is_quiet = reported == Err(RecvTimeoutError::Timeout);
            assert!(is_quiet || longest_gap >= DEBOUNCE, "{reported:?} after {longest_gap:?}");
        }
        let written = Instant::now();
        put(folder.path(), "last");
        while reports.recv_timeout(TIMEOUT).unwrap() != "last" {}
        assert!(written.elapsed() >= DEBOUNCE, "{:?}", written.elapsed());
        // Later changes are seen, too.
        put(folder.path(), "again");
        while reports.recv_timeout(TIMEOUT).unwrap() != "again" {}
    }
}
