//! Tells whether the tree has changed without looking at every file.
//!
//! Linux queues an event for each change in a watched folder before the call that made the change returns. So a
//! query need not follow events as they come: it looks whether the queue is empty. If it is, the tree is as it was
//! when the last index run looked at it, and the walk is spared. Nothing is learned from the events themselves;
//! whatever is in the queue means a walk.
//!
//! Where there are no such queues (other systems, network file systems, too many folders) every query walks. A
//! queue does not see what is written through a memory map, so it is not trusted for long. One that overflowed has
//! lost events: it is thrown away, and the walk that this means makes another.
//!
//! Written by hand because watcher libraries drain the queue on a thread of their own, and then a query cannot know
//! whether an event is still in flight.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How long an empty queue is believed before a walk checks it.
const TRUST: Duration = Duration::from_secs(30);

/// Maximum number of folders to watch.
const MAX_FOLDERS: usize = 50_000;

/// A point in the sequence of changes to the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark(u64);

/// What is known about changes to the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum News {
    /// There are none.
    Nothing,
    /// There are some, or may be.
    Changes,
    /// The tree cannot be watched.
    Unknown,
}

/// Watches one tree.
#[derive(Default)]
pub struct Watcher {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    queue: Option<queue::Queue>,
    /// Watching failed, and would fail again.
    is_off: bool,
    /// Grows with everything that may have changed the tree.
    changes: u64,
}

/// The mark up to which an index is known to hold the tree. Each index of a tree has its own.
#[derive(Default)]
pub struct Settled(Mutex<Option<(Mark, Instant)>>);

impl Settled {
    fn lock(&self) -> MutexGuard<'_, Option<(Mark, Instant)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The index holds everything up to `mark`.
    pub fn settle(&self, mark: Mark) {
        *self.lock() = Some((mark, Instant::now()));
    }

    /// Nothing is known any more.
    pub fn reset(&self) {
        *self.lock() = None;
    }

    /// Whether the tree has not changed since.
    pub fn is_quiet(&self, watcher: &Watcher) -> bool {
        self.lock().is_some_and(|(mark, at)| watcher.is_still(mark, at))
    }

    /// What has happened since.
    pub fn news(&self, watcher: &Watcher) -> News {
        let settled = *self.lock();
        let mut state = watcher.lock();
        state.drain();
        let now = Mark(state.changes);
        match settled {
            _ if state.is_off => News::Unknown,
            Some((mark, _)) if mark == now && state.queue.is_some() => News::Nothing,
            _ => News::Changes,
        }
    }
}

impl Watcher {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The present mark. A walk that begins now sees everything before it.
    pub fn mark(&self) -> Mark {
        let mut state = self.lock();
        state.drain();
        Mark(state.changes)
    }

    /// Whether the tree is still as a walk found it that began at `mark`, at the time `at`.
    pub fn is_still(&self, mark: Mark, at: Instant) -> bool {
        let mut state = self.lock();
        state.drain();
        state.is_still(mark, at)
    }

    /// Stops watching for good.
    pub fn turn_off(&self) {
        let mut state = self.lock();
        (state.queue, state.is_off) = (None, true);
    }

    /// Sleeps until the next change. It borrows nothing from the watcher.
    pub fn sleeper(&self) -> Sleeper {
        Sleeper(queue::Sleeper::of(self.lock().queue.as_ref()))
    }

    /// Watches the folders of a tree: the root, and those a walk went into.
    pub fn follow(&self, root: &Path, folders: &[PathBuf]) {
        let mut state = self.lock();
        state.is_off |= folders.len() > MAX_FOLDERS;
        if state.is_off {
            state.queue = None;
            return;
        }
        if state.queue.is_none() {
            state.queue = queue::Queue::new(root);
        }
        let followed = match &mut state.queue {
            Some(queue) => queue.follow(root, folders),
            None => Err(()),
        };
        match followed {
            Ok(0) => {}
            // What changed in a folder between the walk and now was not seen.
            Ok(_) => state.changes += 1,
            Err(()) => {
                state.queue = None;
                state.is_off = true;
            }
        }
    }
}

impl State {
    fn is_still(&self, mark: Mark, at: Instant) -> bool {
        self.queue.is_some() && mark == Mark(self.changes) && at.elapsed() < TRUST
    }

    fn drain(&mut self) {
        match self.queue.as_mut().map(queue::Queue::drain) {
            None | Some(queue::Found::Nothing) => {}
            Some(queue::Found::Changes) => self.changes += 1,
            // Which folders are watched is no longer known: the next walk tells.
            Some(queue::Found::Overflow) => {
                self.changes += 1;
                self.queue = None;
            }
        }
    }
}

/// Sleeps until a watched tree changes.
pub struct Sleeper(queue::Sleeper);

impl Sleeper {
    /// Sleeps until the next change, at most for `timeout`; for all of it where the tree cannot be watched.
    pub fn sleep(&self, timeout: Duration) {
        self.0.sleep(timeout);
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
    pub enum Found {
        Nothing,
        Changes,
        /// Folders were added, removed or moved, or events were lost.
        Overflow,
    }

    pub struct Queue {
        events: OwnedFd,
        folders: HashSet<PathBuf>,
    }

    /// Sleeps until there is something in a queue.
    pub struct Sleeper(Option<OwnedFd>);

    impl Sleeper {
        pub fn of(queue: Option<&Queue>) -> Self {
            Self(queue.and_then(|queue| queue.events.try_clone().ok()))
        }

        pub fn sleep(&self, longest: Duration) {
            let time = Timespec::try_from(longest).ok();
            match &self.0 {
                // A spurious wake-up costs one extra check.
                Some(events) => {
                    let _ = poll(&mut [PollFd::new(events, PollFlags::IN)], time.as_ref());
                }
                None => std::thread::sleep(longest),
            }
        }
    }

    /// File systems that others can change without this machine's knowing: NFS, SMB (three kinds), 9P, FUSE, Ceph, AFS.
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
            Some(Self { events, folders: HashSet::new() })
        }

        /// Watches what is not watched yet; says how many folders that were.
        pub fn follow(&mut self, root: &Path, folders: &[PathBuf]) -> Result<usize, ()> {
            let wanted = WatchFlags::MODIFY
                | WatchFlags::ATTRIB
                | WatchFlags::CLOSE_WRITE
                | WatchFlags::CREATE
                | WatchFlags::DELETE
                | WatchFlags::MOVE
                | WatchFlags::DELETE_SELF
                | WatchFlags::MOVE_SELF
                | WatchFlags::ONLYDIR
                | WatchFlags::DONT_FOLLOW;
            let mut added = 0;
            for folder in std::iter::once(&PathBuf::new()).chain(folders) {
                if self.folders.contains(folder) {
                    continue;
                }
                match inotify::add_watch(&self.events, root.join(folder), wanted) {
                    Ok(_) => self.folders.insert(folder.clone()),
                    // It went away; whoever removed it left an event above.
                    Err(Errno::NOENT | Errno::NOTDIR | Errno::ACCESS) => false,
                    Err(_) => return Err(()),
                };
                added += 1;
            }
            Ok(added)
        }

        pub fn drain(&mut self) -> Found {
            let mut buffer = [MaybeUninit::uninit(); 16 << 10];
            let mut reader = Reader::new(&self.events, &mut buffer);
            let mut found = Found::Nothing;
            loop {
                let overflow = ReadFlags::ISDIR
                    | ReadFlags::IGNORED
                    | ReadFlags::DELETE_SELF
                    | ReadFlags::MOVE_SELF
                    | ReadFlags::UNMOUNT
                    | ReadFlags::QUEUE_OVERFLOW;
                match reader.next() {
                    Ok(event) if event.events().intersects(overflow) => return Found::Overflow,
                    Ok(_) => found = Found::Changes,
                    Err(Errno::INTR) => {}
                    Err(Errno::AGAIN) => return found,
                    Err(_) => return Found::Overflow,
                }
            }
        }
    }
}

/// No queue: every query walks.
#[cfg(not(target_os = "linux"))]
mod queue {
    use std::path::{Path, PathBuf};

    pub enum Found {
        Nothing,
        Changes,
        Overflow,
    }

    pub enum Queue {}

    pub struct Sleeper;

    impl Sleeper {
        pub fn of(_: Option<&Queue>) -> Self {
            Self
        }

        pub fn sleep(&self, longest: std::time::Duration) {
            std::thread::sleep(longest);
        }
    }

    impl Queue {
        pub fn new(_: &Path) -> Option<Self> {
            None
        }

        pub fn follow(&mut self, _: &Path, _: &[PathBuf]) -> Result<usize, ()> {
            match *self {}
        }

        pub fn drain(&mut self) -> Found {
            match *self {}
        }
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use std::fs;

    /// A watcher and an index that is settled with it.
    struct Watched {
        watcher: Watcher,
        settled: Settled,
    }

    impl Watched {
        fn is_quiet(&self) -> bool {
            self.settled.is_quiet(&self.watcher)
        }

        fn walk(&self, root: &Path, folders: &[PathBuf]) {
            let mark = self.watcher.mark();
            self.watcher.follow(root, folders);
            self.settled.settle(mark);
        }
    }

    fn watched(root: &Path, folders: &[&str]) -> Watched {
        let watch = Watched { watcher: Watcher::default(), settled: Settled::default() };
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
        assert!(watch.is_quiet());
        for round in 0..1000 {
            fs::write(tree.path().join("src/a.rs"), round.to_string()).unwrap();
            assert!(!watch.is_quiet(), "round {round}");
            watch.settled.settle(watch.watcher.mark());
            assert!(watch.is_quiet());
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
            assert!(watch.is_quiet(), "before {name}");
            change();
            assert!(!watch.is_quiet(), "after {name}");
        }
    }

    #[test]
    fn a_queue_that_overflowed_is_made_anew() {
        let most = fs::read_to_string("/proc/sys/fs/inotify/max_queued_events").unwrap();
        let most: usize = most.trim().parse().unwrap();
        let tree = tempfile::tempdir().unwrap();
        let watch = watched(tree.path(), &[]);
        let path = |name: &str| tree.path().join(name);
        fs::write(path("a"), "").unwrap();
        // Events that are like the one before are not queued, so two names take turns; each leaves two.
        for round in 0..=most / 2 {
            let (from, to) = if round % 2 == 0 { ("a", "b") } else { ("b", "a") };
            fs::rename(path(from), path(to)).unwrap();
        }
        assert!(!watch.is_quiet());
        assert!(watch.watcher.lock().queue.is_none(), "events were lost");
        assert_eq!(watch.settled.news(&watch.watcher), News::Changes);
        for _ in 0..2 {
            watch.walk(tree.path(), &[]);
        }
        assert!(watch.is_quiet());
        fs::write(path("c"), "").unwrap();
        assert!(!watch.is_quiet());
    }

    #[test]
    fn a_folder_that_was_replaced_is_watched_again() {
        let tree = tempfile::tempdir().unwrap();
        let folder = tree.path().join("src");
        fs::create_dir(&folder).unwrap();
        let watch = watched(tree.path(), &["src"]);
        fs::remove_dir(&folder).unwrap();
        fs::create_dir(&folder).unwrap();
        assert!(!watch.is_quiet());
        for _ in 0..2 {
            watch.walk(tree.path(), &["src".into()]);
        }
        assert!(watch.is_quiet());
        fs::write(folder.join("new.rs"), "").unwrap();
        assert!(!watch.is_quiet());
    }
}
