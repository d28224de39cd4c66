//! Selects the files that a grep covers, and those it has to open.

use super::query::Query;
use crate::error::SearchError;
use groma_core::{RelPath, SkippedFile, Snapshot, StoreError};
use groma_files::{Changes, Listing, SkipReason, SourceTree, WalkedFile};
use std::sync::Arc;

/// The files of one grep.
#[derive(Debug, Default)]
pub(super) struct Files {
    /// The files to open, in path order.
    pub to_read: Vec<WalkedFile>,
    /// How many files the answer covers.
    pub searched: usize,
    /// Notes for the answer.
    pub notes: Vec<String>,
}

/// What the index knows about the listed files.
struct Narrowed {
    changes: Arc<Changes>,
    /// Files whose indexed version may match, in path order.
    candidates: Vec<RelPath>,
}

/// Lists the tree and drops the files that the index rules out.
pub(super) fn files_to_search(
    source: &SourceTree,
    newest: Result<Option<Arc<dyn Snapshot>>, StoreError>,
    query: &Query<'_>,
) -> Result<Files, SearchError> {
    let listing = source.listing()?;
    let mut files = Files::default();
    match newest.and_then(|newest| narrow(source, newest, query, &listing)) {
        Ok(Some(narrowed)) => files.add_candidates(query, &narrowed),
        Ok(None) => files.add(query, &listing.walked.files),
        Err(error) => {
            files.add(query, &listing.walked.files);
            files.notes.push(format!("{error}; every file was searched without the index"));
        }
    }
    files.add(query, &listing.walked.unindexed);
    files.to_read.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(files)
}

/// Asks the index for candidates; `None` without an index or if the pattern has no trigrams.
fn narrow(
    source: &SourceTree,
    newest: Option<Arc<dyn Snapshot>>,
    query: &Query<'_>,
    listing: &Listing,
) -> Result<Option<Narrowed>, StoreError> {
    let Some(snapshot) = newest.filter(|_| !query.trigrams.is_empty()) else {
        return Ok(None);
    };
    let candidates = snapshot.candidates(&query.trigrams)?;
    Ok(Some(Narrowed { changes: source.differences(listing, &snapshot), candidates }))
}

impl Files {
    /// Adds files that must be opened.
    fn add<'f>(&mut self, query: &Query<'_>, files: impl IntoIterator<Item = &'f WalkedFile>) {
        let before = self.to_read.len();
        let admitted = files.into_iter().filter(|file| query.admits(&file.path));
        self.to_read.extend(admitted.cloned());
        self.searched += self.to_read.len() - before;
    }

    /// Adds changed files, and unchanged files that may match.
    fn add_candidates(&mut self, query: &Query<'_>, narrowed: &Narrowed) {
        let Narrowed { changes, candidates } = narrowed;
        self.add(query, &changes.pending);
        let skipped: Vec<WalkedFile> = changes.skipped.iter().filter_map(searchable).collect();
        self.add(query, &skipped);
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

/// A file that the index skipped because of its content, which grep searches all the same; secrets excepted.
fn searchable(skipped: &SkippedFile) -> Option<WalkedFile> {
    let stamp = skipped.stamp?;
    let path = RelPath::new(&skipped.path).ok()?;
    (skipped.reason != SkipReason::Secret.as_str()).then_some(WalkedFile { path, stamp })
}
