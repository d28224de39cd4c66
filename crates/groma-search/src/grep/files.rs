//! Which files a grep is about, and which of them have to be opened.

use super::query::Query;
use crate::error::SearchError;
use groma_core::{RelPath, SkippedFile, Snapshot, StoreError};
use groma_files::{Changes, Listing, SkipReason, SourceTree, WalkedFile};
use std::sync::Arc;

/// The files of one grep.
#[derive(Debug, Default)]
pub(super) struct Files {
    /// Those that have to be opened, in order of path.
    pub to_read: Vec<WalkedFile>,
    /// How many the answer is about.
    pub searched: usize,
    /// What the reader should know.
    pub notes: Vec<String>,
}

/// The tree as the index sees it.
struct Narrowed {
    changes: Arc<Changes>,
    /// Files whose indexed version may match, in order of path.
    candidates: Vec<RelPath>,
}

/// Lists the tree and leaves out the files that the index rules out.
pub(super) fn files_to_search(
    source: &SourceTree,
    newest: Result<Option<Arc<dyn Snapshot>>, StoreError>,
    query: &Query<'_>,
) -> Result<Files, SearchError> {
    let listing = source.listing()?;
    let mut files = Files::default();
    match newest.and_then(|newest| narrowed(source, newest, query, &listing)) {
        Ok(Some(narrowed)) => files.take_narrowed(query, &narrowed),
        Ok(None) => files.take(query, &listing.walked.files),
        Err(error) => {
            files.take(query, &listing.walked.files);
            files.notes.push(format!("{error}; every file was searched without the index"));
        }
    }
    files.take(query, &listing.walked.unindexed);
    files.to_read.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(files)
}

/// The files that the index leaves; `None` where there is no index or the pattern has no trigrams.
fn narrowed(
    source: &SourceTree,
    newest: Option<Arc<dyn Snapshot>>,
    query: &Query<'_>,
    listing: &Listing,
) -> Result<Option<Narrowed>, StoreError> {
    let Some(snapshot) = newest.filter(|_| !query.alternatives.is_empty()) else {
        return Ok(None);
    };
    let candidates = snapshot.candidates(&query.alternatives)?;
    Ok(Some(Narrowed { changes: source.differences(listing, &snapshot), candidates }))
}

impl Files {
    /// Files that are searched whatever the index says.
    fn take<'f>(&mut self, query: &Query<'_>, files: impl IntoIterator<Item = &'f WalkedFile>) {
        let before = self.to_read.len();
        let admitted = files.into_iter().filter(|file| query.admits(&file.path));
        self.to_read.extend(admitted.cloned());
        self.searched += self.to_read.len() - before;
    }

    fn take_narrowed(&mut self, query: &Query<'_>, narrowed: &Narrowed) {
        let Narrowed { changes, candidates } = narrowed;
        self.take(query, &changes.pending);
        let unfit: Vec<WalkedFile> = changes.skipped.iter().filter_map(unfit).collect();
        self.take(query, &unfit);
        let mut candidates = candidates.iter().peekable();
        for (path, entry) in &changes.unchanged {
            if !query.admits(path) {
                continue;
            }
            self.searched += 1;
            while candidates.next_if(|candidate| *candidate < path).is_some() {}
            if candidates.next_if(|candidate| *candidate == path).is_some() {
                self.to_read.push(WalkedFile { path: path.clone(), stamp: entry.stamp });
            }
        }
    }
}

/// A file that was read for the index and found unfit for it, which it need not be for this.
fn unfit(skipped: &SkippedFile) -> Option<WalkedFile> {
    let stamp = skipped.stamp?;
    let path = RelPath::new(&skipped.path).ok()?;
    (skipped.reason != SkipReason::Secret.as_str()).then_some(WalkedFile { path, stamp })
}
