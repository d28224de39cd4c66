//! Detects changes to a tree without a stat of every file.
//!
//! Linux queues an event for each change in a watched folder before the call that made the change returns. So a
//! query need not process events as they come: it checks whether the queue is empty. If it is, the tree has not changed
//! since the last index run, and no walk is needed. The events themselves are not interpreted; any event means a walk.
//!
//! Where there are no such queues (other systems, network file systems, too many folders) every query walks. A
//! queue misses writes through a memory map, so it is trusted for a limited time only. One that overflowed has lost
//! events: it is dropped, and the next walk creates another.
//!
//! Written by hand because watcher libraries drain the queue on a thread of their own, and then a query cannot know
//! whether an event is still in flight.

use groma_core::Locked;
use std::path::{Path, PathBuf};
use std::sync::MutexGuard;
use std::time::{Duration, Instant};

/// How long an empty queue is trusted before a walk checks it.
const MAX_TRUST: Duration = Duration::from_secs(30);

/// Maximum number of folders to watch.
const MAX_FOLDERS: usize = 50_000;

/// A point in the sequence of changes to the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark(u64);

/// Whether the tree has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TreeChange {
    /// It has not.
    Unchanged,
    /// It has, or may have.
    Changed,
    /// The tree cannot be watched.
    Unknown,
}

/// Watches one tree.
#[derive(Default)]
pub struct Watcher {
    state: Locked<State>,
}

#[derive(Default)]
struct State {
    queue: Option<queue::Queue>,
    /// Watching failed, and would fail again.
    is_disabled: bool,
    /// Incremented by everything that may have changed the tree.
    changes: u64,
}

/// The mark up to which an index is up to date with the tree. Each index of a tree has its own.
#[derive(Default)]
pub struct SyncPoint(Locked<Option<(Mark, Instant)>>);

impl SyncPoint {
    /// Records that the index is up to date with `mark`.
    pub fn advance(&self, mark: Mark) {
        *self.0.lock() = Some((mark, Instant::now()));
    }

    /// Forgets the mark: the next run walks the tree.
    pub fn reset(&self) {
        *self.0.lock() = None;
    }

    /// Whether the tree is known not to have changed since.
    pub fn is_unchanged(&self, watcher: &Watcher) -> bool {
        self.0.lock().is_some_and(|(mark, at)| watcher.is_unchanged_since(mark, at))
    }

    /// Whether the tree has changed since.
    pub fn changes(&self, watcher: &Watcher) -> TreeChange {
        let synced = *self.0.lock();
        let mut state = watcher.lock();
        state.drain();
        let now = Mark(state.changes);
        match synced {
            _ if state.is_disabled => TreeChange::Unknown,
            Some((mark, _)) if mark == now && state.queue.is_some() => TreeChange::Unchanged,
            _ => TreeChange::Changed,
        }
    }
}

impl Watcher {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }

    /// The current mark. A walk that starts now sees everything before it.
    pub fn mark(&self) -> Mark {
        let mut state = self.lock();
        state.drain();
        Mark(state.changes)
    }

    /// Whether the tree has not changed since a walk that started at `mark`, at the time `at`.
    pub fn is_unchanged_since(&self, mark: Mark, at: Instant) -> bool {
        let mut state = self.lock();
        state.drain();
        state.is_unchanged_since(mark, at)
    }

    /// Stops watching permanently.
    pub fn disable(&self) {
        let mut state = self.lock();
        (state.queue, state.is_disabled) = (None, true);
    }

    /// Waits for the next change. It borrows nothing from the watcher.
    pub fn waiter(&self) -> ChangeWaiter {
        ChangeWaiter(queue::ChangeWaiter::of(self.lock().queue.as_ref()))
    }

    /// Watches the folders of a tree: the root, and those that a walk entered. `files` are watched by themselves, because
    /// what changes them is no event of a watched folder: a write through another name, git's own excludes.
    pub fn follow(&self, root: &Path, folders: &[PathBuf], files: &[PathBuf]) {
        let mut state = self.lock();
        state.is_disabled |= folders.len() + files.len() > MAX_FOLDERS;
        if state.is_disabled {
            state.queue = None;
            return;
        }
        if state.queue.is_none() {
            state.queue = queue::Queue::new(root);
        }
        let followed = match &mut state.queue {
            Some(queue) => queue.follow(root, folders, files),
            None => Err(()),
        };
        match followed {
            Ok(0) => {}
            // Changes in a folder between the walk and now were missed.
            Ok(_) => state.changes += 1,
            Err(()) => {
                state.queue = None;
                state.is_disabled = true;
            }
        }
    }
}

impl State {
    fn is_unchanged_since(&self, mark: Mark, at: Instant) -> bool {
        self.queue.is_some() && mark == Mark(self.changes) && at.elapsed() < MAX_TRUST
    }

    fn drain(&mut self) {
        match self.queue.as_mut().map(queue::Queue::drain) {
            None | Some(queue::Drained::Nothing) => {}
            Some(queue::Drained::Changes) => self.changes += 1,
            // The set of watched folders is no longer known; the next walk restores it.
            Some(queue::Drained::Overflow) => {
                self.changes += 1;
                self.queue = None;
            }
        }
    }
}

/// Waits until a watched tree changes.
pub struct ChangeWaiter(queue::ChangeWaiter);

impl ChangeWaiter {
    /// Waits for the next change, at most for `timeout`; for all of it if the tree cannot be watched.
    pub fn wait(&self, timeout: Duration) {
        self.0.wait(timeout);
    }
}

/// The queue of the operating system.
#[cfg(target_os = "linux")]
mod queue {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use rustix::fs::inotify::{self, CreateFlags, ReadFlags, Reader, WatchFlags};
    use rustix::io::Errno;
    use std::collections::HashSet;
    use std::mem::MaybeUninit;
    use std::os::fd::OwnedFd;
    use std::path::{Path, PathBuf};
    use std::time::Duration;

    /// What draining the queue found.
    pub enum Drained {
        Nothing,
        Changes,
        /// Folders were added, removed or moved, or events were lost.
        Overflow,
    }

    pub struct Queue {
        events: OwnedFd,
        watched: HashSet<PathBuf>,
    }

    /// Waits until a queue is not empty.
    pub struct ChangeWaiter(Option<OwnedFd>);

    impl ChangeWaiter {
        pub fn of(queue: Option<&Queue>) -> Self {
            Self(queue.and_then(|queue| queue.events.try_clone().ok()))
        }

        pub fn wait(&self, timeout: Duration) {
            let time = Timespec::try_from(timeout).ok();
            match &self.0 {
                // A spurious wake-up costs one extra check.
                Some(events) => {
                    let _ = poll(&mut [PollFd::new(events, PollFlags::IN)], time.as_ref());
                }
                None => std::thread::sleep(timeout),
            }
        }
    }

    /// Magic numbers of file systems that other machines can change without a local event: NFS, SMB (three kinds), 9P,
    /// FUSE, Ceph, AFS.
    const REMOTE: [u32; 8] = [
        0x6969,
        0xFF53_4D42,
        0xFE53_4D42,
        0x517B,
        0x0102_1997,
        0x6573_5546,
        0x00C3_6400,
        0x5346_414F,
    ];

    impl Queue {
        pub fn new(root: &Path) -> Option<Self> {
            let kind = rustix::fs::statfs(root).ok()?.f_type as u32;
            if REMOTE.contains(&kind) {
                return None;
            }
            let events = inotify::init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC).ok()?;
            Some(Self { events, watched: HashSet::new() })
        }

        /// Watches further folders and files; returns how many were added.
        pub fn follow(
            &mut self,
            root: &Path,
            folders: &[PathBuf],
            files: &[PathBuf],
        ) -> Result<usize, ()> {
            let wanted = WatchFlags::MODIFY
                | WatchFlags::ATTRIB
                | WatchFlags::CLOSE_WRITE
                | WatchFlags::CREATE
                | WatchFlags::DELETE
                | WatchFlags::MOVE
                | WatchFlags::DELETE_SELF
                | WatchFlags::MOVE_SELF
                | WatchFlags::DONT_FOLLOW;
            let mut added = 0;
            let itself = PathBuf::new();
            let folders = std::iter::once(&itself).chain(folders);
            let folders = folders.map(|folder| (folder, wanted | WatchFlags::ONLYDIR));
            for (path, flags) in folders.chain(files.iter().map(|file| (file, wanted))) {
                if self.watched.contains(path) {
                    continue;
                }
                match inotify::add_watch(&self.events, root.join(path), flags) {
                    Ok(_) => self.watched.insert(path.clone()),
                    // It was removed, which queued an event for its parent.
                    Err(Errno::NOENT | Errno::NOTDIR | Errno::ACCESS) => false,
                    Err(_) => return Err(()),
                };
                added += 1;
            }
            Ok(added)
        }

        pub fn drain(&mut self) -> Drained {
            let mut buffer = [MaybeUninit::uninit(); 16 << 10];
            let mut reader = Reader::new(&self.events, &mut buffer);
            let mut found = Drained::Nothing;
            loop {
                let overflow = ReadFlags::ISDIR
                    | ReadFlags::IGNORED
                    | ReadFlags::DELETE_SELF
                    | ReadFlags::MOVE_SELF
                    | ReadFlags::UNMOUNT
                    | ReadFlags::QUEUE_OVERFLOW;
                match reader.next() {
                    Ok(event) if event.events().intersects(overflow) => return Drained::Overflow,
                    Ok(_) => found = Drained::Changes,
                    Err(Errno::INTR) => {}
                    Err(Errno::AGAIN) => return found,
                    Err(_) => return Drained::Overflow,
                }
            }
        }
    }
}

/// No queue: every query walks.
#[cfg(not(target_os = "linux"))]
mod queue {
    use std::path::{Path, PathBuf};

    pub enum Drained {
        Nothing,
        Changes,
        Overflow,
    }

    pub enum Queue {}

    pub struct ChangeWaiter;

    impl ChangeWaiter {
        pub fn of(_: Option<&Queue>) -> Self {
            Self
        }

        pub fn wait(&self, timeout: std::time::Duration) {
            std::thread::sleep(timeout);
        }
    }

    impl Queue {
        pub fn new(_: &Path) -> Option<Self> {
            None
        }

        pub fn follow(&mut self, _: &Path, _: &[PathBuf], _: &[PathBuf]) -> Result<usize, ()> {
            match *self {}
        }

        pub fn drain(&mut self) -> Drained {
            match *self {}
        }
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use std::fs;

    /// A watcher and the sync point of an index.
    struct Watched {
        watcher: Watcher,
        synced: SyncPoint,
    }

    impl Watched {
        fn is_unchanged(&self) -> bool {
            self.synced.is_unchanged(&self.watcher)
        }

        fn walk(&self, root: &Path, folders: &[PathBuf]) {
            let mark = self.watcher.mark();
            self.watcher.follow(root, folders, &[]);
            self.synced.advance(mark);
        }
    }

    fn watched(root: &Path, folders: &[&str]) -> Watched {
        let watch = Watched { watcher: Watcher::default(), synced: SyncPoint::default() };
        let folders: Vec<PathBuf> = folders.iter().map(PathBuf::from).collect();
        // The first walk finds the folders, the second sees what happened before they were watched.
        for _ in 0..2 {
            watch.walk(root, &folders);
        }
        watch
    }

    #[test]
    fn a_change_is_known_at_once() {
        let tree = tempfile::tempdir().unwrap();
        fs::create_dir(tree.path().join("src")).unwrap();
        fs::write(tree.path().join("src/a.rs"), "1").unwrap();
        let watch = watched(tree.path(), &["src"]);
        assert!(watch.is_unchanged());
        for round in 0..1000 {
            fs::write(tree.path().join("src/a.rs"), round.to_string()).unwrap();
            assert!(!watch.is_unchanged(), "round {round}");
            watch.synced.advance(watch.watcher.mark());
            assert!(watch.is_unchanged());
        }
    }

    #[test]
    fn reading_is_no_change_and_every_kind_of_change_is_one() {
        let tree = tempfile::tempdir().unwrap();
        let path = |name: &str| tree.path().join(name);
        fs::write(path("a"), "1").unwrap();
        let changes: [(&str, &dyn Fn()); 6] = [
            ("new file", &|| fs::write(path("b"), "").unwrap()),
            ("rename over", &|| fs::rename(path("b"), path("a")).unwrap()),
            ("removal", &|| fs::remove_file(path("a")).unwrap()),
            ("folder", &|| fs::create_dir(path("d")).unwrap()),
            ("folder moved", &|| fs::rename(path("d"), path("e")).unwrap()),
            ("permissions", &|| {
                fs::write(path("c"), "").unwrap();
                let readonly = std::os::unix::fs::PermissionsExt::from_mode(0o400);
                fs::set_permissions(path("c"), readonly).unwrap();
            }),
        ];
        for (name, change) in changes {
            let watch = watched(tree.path(), &[]);
            let _ = fs::read(path("a"));
            assert!(watch.is_unchanged(), "before {name}");
            change();
            assert!(!watch.is_unchanged(), "after {name}");
        }
    }

    #[test]
    fn a_write_through_another_name_is_a_change() {
        let (tree, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let other = outside.path().join("other");
        fs::write(&other, "1").unwrap();
        fs::hard_link(&other, tree.path().join("a")).unwrap();
        let watch = Watched { watcher: Watcher::default(), synced: SyncPoint::default() };
        for _ in 0..2 {
            let mark = watch.watcher.mark();
            watch.watcher.follow(tree.path(), &[], &["a".into()]);
            watch.synced.advance(mark);
        }
        assert!(watch.is_unchanged());
        fs::write(&other, "2").unwrap();
        assert!(!watch.is_unchanged());
    }

    #[test]
    fn a_queue_that_overflowed_is_recreated() {
        let limit = fs::read_to_string("/proc/sys/fs/inotify/max_queued_events").unwrap();
        let limit: usize = limit.trim().parse().unwrap();
        let tree = tempfile::tempdir().unwrap();
        let watch = watched(tree.path(), &[]);
        let path = |name: &str| tree.path().join(name);
        fs::write(path("a"), "").unwrap();
        // Equal consecutive events are coalesced, so the names alternate; each rename queues two events.
        for round in 0..=limit / 2 {
            let (from, to) = if round % 2 == 0 { ("a", "b") } else { ("b", "a") };
            fs::rename(path(from), path(to)).unwrap();
        }
        assert!(!watch.is_unchanged());
        assert!(watch.watcher.lock().queue.is_none(), "events were lost");
        assert_eq!(watch.synced.changes(&watch.watcher), TreeChange::Changed);
        for _ in 0..2 {
            watch.walk(tree.path(), &[]);
        }
        assert!(watch.is_unchanged());
        fs::write(path("c"), "").unwrap();
        assert!(!watch.is_unchanged());
    }

    #[test]
    fn a_folder_that_was_replaced_is_watched_again() {
        let tree = tempfile::tempdir().unwrap();
        let folder = tree.path().join("src");
        fs::create_dir(&folder).unwrap();
        let watch = watched(tree.path(), &["src"]);
        fs::remove_dir(&folder).unwrap();
        fs::create_dir(&folder).unwrap();
        assert!(!watch.is_unchanged());
        for _ in 0..2 {
            watch.walk(tree.path(), &["src".into()]);
        }
        assert!(watch.is_unchanged());
        fs::write(folder.join("new.rs"), "").unwrap();
        assert!(!watch.is_unchanged());
    }
}
