//! Searches files on all cores.
//!
//! The order of files is fixed and workers take the next one each, so that what is kept and counted does not
//! depend on who was faster.

use super::file::FileSearcher;
use super::keep::{Keep, Kept};
use super::lines::{MOST_COUNTED, Wanted};
use super::query::Query;
use groma_core::Cancel;
use groma_core::RelPath;
use groma_files::FileTree;
use groma_files::{WalkOptions, WalkedFile};
use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// So few files are not worth a second thread.
const WORTH_A_THREAD: usize = 8;

/// What workers need.
pub(super) struct Run<'a> {
    pub tree: &'a dyn FileTree,
    pub options: &'a WalkOptions,
    pub query: &'a Query<'a>,
    /// The files to search, in the order of the answer.
    pub files: &'a [WalkedFile],
    pub cancel: &'a Cancel,
}

/// What a run gave.
#[derive(Debug, Default)]
pub(super) struct Outcome {
    pub kept: Kept,
    /// Lines that match; at least [`MOST_COUNTED`] if there are more.
    pub total: usize,
    /// Files with a match.
    pub files: usize,
    /// Files that could not be read to their end, in order.
    pub failures: Vec<(RelPath, io::Error)>,
}

/// What workers share.
struct Board {
    next: AtomicUsize,
    /// The last file that can still be part of the answer; in those after it lines are only counted.
    last: AtomicUsize,
    total: AtomicUsize,
    files: AtomicUsize,
    keep: Mutex<Keep>,
    failures: Mutex<Vec<(RelPath, io::Error)>>,
}

impl Run<'_> {
    pub fn run(&self) -> Outcome {
        let board = Board {
            next: AtomicUsize::new(0),
            last: AtomicUsize::new(usize::MAX),
            total: AtomicUsize::new(0),
            files: AtomicUsize::new(0),
            keep: Mutex::new(Keep::new(self.query.request.limit)),
            failures: Mutex::default(),
        };
        let cores = std::thread::available_parallelism().map_or(2, |count| count.get()).min(16);
        std::thread::scope(|scope| {
            for _ in 1..cores.min(self.files.len().div_ceil(WORTH_A_THREAD)) {
                scope.spawn(|| self.work(&board));
            }
            self.work(&board);
        });
        let mut failures = board.failures.into_inner().unwrap_or_else(PoisonError::into_inner);
        failures.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        Outcome {
            kept: board.keep.into_inner().unwrap_or_else(PoisonError::into_inner).finish(),
            total: board.total.into_inner(),
            files: board.files.into_inner(),
            failures,
        }
    }

    /// Takes one file after the other, until there is none or nobody wants to know more.
    fn work(&self, board: &Board) {
        let mut searcher = FileSearcher::new(self.tree, self.options, self.query);
        loop {
            let place = board.next.fetch_add(1, Ordering::Relaxed);
            let Some(file) = self.files.get(place) else { return };
            let is_counted_only = place > board.last.load(Ordering::Relaxed);
            let is_enough = board.total.load(Ordering::Relaxed) >= MOST_COUNTED;
            if self.cancel.is_cancelled() || is_counted_only && is_enough {
                return;
            }
            let request = self.query.request;
            let wanted = Wanted {
                matches: if is_counted_only { 0 } else { request.limit },
                before: request.before as usize,
                after: request.after as usize,
            };
            let (found, failure) = searcher.search(file, wanted);
            if let Some(error) = failure {
                let mut failures = board.failures.lock().unwrap_or_else(PoisonError::into_inner);
                failures.push((file.path.clone(), error));
            }
            if found.count == 0 {
                continue;
            }
            board.total.fetch_add(found.count, Ordering::Relaxed);
            board.files.fetch_add(1, Ordering::Relaxed);
            if !found.matches.is_empty() {
                let mut keep = board.keep.lock().unwrap_or_else(PoisonError::into_inner);
                if let Some(last) = keep.add(place, found) {
                    board.last.store(last, Ordering::Relaxed);
                }
            }
        }
    }
}
