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
const DEBOUNCE: Duration = Duration::from_millis(500);

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

/// Calls `changed` after every change of the folder's chunk files from `seen`, until it returns `false`.
pub fn watch(folder: PathBuf, mut seen: Stamps, changed: impl Fn() -> bool + Send + 'static) {
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
                while events.recv_timeout(DEBOUNCE).is_ok() {}
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
