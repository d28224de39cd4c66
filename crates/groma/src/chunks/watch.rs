//! Noticing that a folder's files have changed, once whoever writes them is done.
//!
//! The system tells of changes where it can. Looking now and then covers what it cannot tell: folders on a network,
//! and a folder that was removed and made again.

use super::load::files;
use notify::{RecommendedWatcher, RecursiveMode, Watcher};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Sender, channel};
use std::time::{Duration, SystemTime};

/// How long nothing may change before a change is taken for whole: an index run writes several files.
const QUIET: Duration = Duration::from_millis(500);

/// How often the folder is looked at when the system tells nothing.
const LOOK: Duration = Duration::from_secs(1);

/// What a stat tells of each chunk file: size, and time of the last change.
pub type Stamps = BTreeMap<PathBuf, Option<(u64, SystemTime)>>;

/// The chunk files of a folder as they are now.
pub fn stamps(folder: &Path) -> Stamps {
    let stamp = |path: &PathBuf| {
        let metadata = std::fs::metadata(path).ok()?;
        Some((metadata.len(), metadata.modified().ok()?))
    };
    files(folder).into_iter().map(|path| (path.clone(), stamp(&path))).collect()
}

/// Calls `changed` after every change of the folder's chunk files from what was `seen`, until it says that nobody
/// cares any more.
pub fn watch(folder: PathBuf, mut seen: Stamps, changed: impl Fn() -> bool + Send + 'static) {
    std::thread::spawn(move || {
        let (sender, events) = channel();
        let mut _watcher = watcher(&folder, &sender);
        loop {
            let _ = events.recv_timeout(LOOK);
            let mut now = stamps(&folder);
            if now == seen {
                continue;
            }
            loop {
                // Every event starts the wait anew.
                while events.recv_timeout(QUIET).is_ok() {}
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
            // The folder may be another one than before.
            _watcher = watcher(&folder, &sender);
        }
    });
}

fn watcher(folder: &Path, sender: &Sender<()>) -> Option<RecommendedWatcher> {
    let sender = sender.clone();
    let tell = move |event: notify::Result<notify::Event>| {
        // Reading the files is no change of them.
        if event.is_ok_and(|event| !event.kind.is_access()) {
            // Who no longer listens need not be told.
            let _ = sender.send(());
        }
    };
    let mut watcher = notify::recommended_watcher(tell).ok()?;
    watcher.watch(folder, RecursiveMode::NonRecursive).ok()?;
    Some(watcher)
}
