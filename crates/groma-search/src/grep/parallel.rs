//! Searches files on all cores.
//!
//! The order of the files is fixed and each worker takes the next one, so that the matches kept and the count do not
//! depend on thread timing.

use super::collector::{Collector, FirstMatches};
use super::file::FileSearcher;
use super::query::Query;
use super::sink::{MAX_COUNT, SinkOptions};
use groma_core::{Cancel, Locked, RelPath};
use groma_files::FileTree;
use groma_files::{WalkOptions, WalkedFile};
use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Files per worker below which another thread does not pay off.
const MIN_FILES_PER_THREAD: usize = 8;

/// A search over a list of files.
pub(super) struct ParallelSearch<'a> {
    pub tree: &'a dyn FileTree,
    pub options: &'a WalkOptions,
    pub query: &'a Query<'a>,
    /// The files to search, in the order of the answer.
    pub files: &'a [WalkedFile],
    pub cancel: &'a Cancel,
}

/// The result of a search.
#[derive(Debug, Default)]
pub(super) struct Outcome {
    pub first: FirstMatches,
    /// Number of matching lines; at least [`MAX_COUNT`] if there are more.
    pub total: usize,
    /// Number of files with a match.
    pub files: usize,
    /// Files that could not be read to their end, in order.
    pub failures: Vec<(RelPath, io::Error)>,
}

/// State shared by the workers.
struct Shared {
    next: AtomicUsize,
    /// The last file that can still contribute matches; in later files lines are only counted.
    last: AtomicUsize,
    total: AtomicUsize,
    files: AtomicUsize,
    collector: Locked<Collector>,
    failures: Locked<Vec<(RelPath, io::Error)>>,
}

impl ParallelSearch<'_> {
    pub fn run(&self) -> Outcome {
        let shared = Shared {
            next: AtomicUsize::new(0),
            last: AtomicUsize::new(usize::MAX),
            total: AtomicUsize::new(0),
            files: AtomicUsize::new(0),
            collector: Locked::new(Collector::new(self.query.request.limit)),
            failures: Locked::default(),
        };
        let cores = std::thread::available_parallelism().map_or(2, |count| count.get()).min(16);
        std::thread::scope(|scope| {
            for _ in 1..cores.min(self.files.len().div_ceil(MIN_FILES_PER_THREAD)) {
                scope.spawn(|| self.work(&shared));
            }
            self.work(&shared);
        });
        let mut failures = shared.failures.into_inner();
        failures.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        Outcome {
            first: shared.collector.into_inner().finish(),
            total: shared.total.into_inner(),
            files: shared.files.into_inner(),
            failures,
        }
    }

    /// Searches one file after the other, until none is left or no more results are needed.
    fn work(&self, shared: &Shared) {
        let mut searcher = FileSearcher::new(self.tree, self.options, self.query);
        loop {
            let index = shared.next.fetch_add(1, Ordering::Relaxed);
            let Some(file) = self.files.get(index) else { return };
            let only_count = index > shared.last.load(Ordering::Relaxed);
            let is_enough = shared.total.load(Ordering::Relaxed) >= MAX_COUNT;
            if self.cancel.is_cancelled() || only_count && is_enough {
                return;
            }
            let request = self.query.request;
            let options = SinkOptions {
                max_matches: if only_count { 0 } else { request.limit },
                before: request.before as usize,
                after: request.after as usize,
            };
            let (found, failure) = searcher.search(file, options);
            if let Some(error) = failure {
                let mut failures = shared.failures.lock();
                failures.push((file.path.clone(), error));
            }
            if found.count == 0 {
                continue;
            }
            shared.total.fetch_add(found.count, Ordering::Relaxed);
            shared.files.fetch_add(1, Ordering::Relaxed);
            if !found.matches.is_empty() {
                let mut collector = shared.collector.lock();
                if let Some(last) = collector.add(index, found) {
                    shared.last.store(last, Ordering::Relaxed);
                }
            }
        }
    }
}
