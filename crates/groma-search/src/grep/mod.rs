//! Regular-expression search over lines: ripgrep's answer on the current tree, with the trigram index as a filter.
//!
//! A file that is unchanged since it was indexed is opened only if it contains the pattern's trigrams; every other file
//! is searched directly. So an answer never waits for an index run and is never older than the tree.
//!
//! The default set of files is ripgrep's: ignored files, hidden files (unless the settings include them), symbolic
//! links and binary files are skipped. Also skipped are secrets, vendored and generated folders, files that match
//! `exclude`, and tests if the settings exclude them. Single files that only the index skips (generated, minified, lock
//! files, too large) are searched.

mod collector;
mod file;
mod files;
mod parallel;
mod query;
pub mod request;
mod sink;
pub mod spans;
mod trigram_query;

use crate::error::SearchError;
use files::{Files, files_to_search};
use groma_core::{Cancel, Observer, Progress, Snapshot, StoreError};
use groma_files::SourceTree;
use parallel::{Outcome, ParallelSearch};
use query::Query;
use request::{GrepAnswer, GrepRequest};
use sink::{MAX_COUNT, MAX_LINE_LENGTH, MAX_TEXT};
use std::sync::Arc;
use std::time::Instant;

/// The matcher of a request, and alternatives of trigrams that a matching file contains; empty if any file may match.
pub(crate) fn trigrams_of(
    request: &GrepRequest,
) -> Result<(grep_regex::RegexMatcher, Vec<Vec<u32>>), SearchError> {
    let query = Query::new(request)?;
    Ok((query.matcher, query.trigrams))
}

/// Finds the lines of the current tree that match a pattern. Starts no index run; if `newest` cannot be read, every
/// file is searched.
pub fn grep(
    source: &SourceTree,
    newest: Result<Option<Arc<dyn Snapshot>>, StoreError>,
    request: &GrepRequest,
    observer: &dyn Observer,
    cancel: &Cancel,
) -> Result<GrepAnswer, SearchError> {
    let started = Instant::now();
    let query = Query::new(request)?;
    observer.progress(Progress::Walking);
    let files = files_to_search(source, newest, &query)?;
    let search = ParallelSearch {
        tree: source.tree(),
        options: source.options(),
        query: &query,
        files: &files.to_read,
        cancel,
    };
    let outcome = search.run();
    if cancel.is_cancelled() {
        return Err(SearchError::Cancelled);
    }
    let mut answer = answer(request, files, outcome);
    answer.duration = started.elapsed();
    Ok(answer)
}

fn answer(request: &GrepRequest, files: Files, outcome: Outcome) -> GrepAnswer {
    let notes = notes(request, &files, &outcome);
    let is_total_exact = outcome.total < MAX_COUNT;
    GrepAnswer {
        total: outcome.total.min(MAX_COUNT),
        is_total_exact,
        files_searched: files.searched,
        files_read: files.to_read.len(),
        files_matched: if is_total_exact { outcome.files } else { outcome.first.files },
        matches: outcome.first.matches,
        notes,
        ..GrepAnswer::default()
    }
}

fn notes(request: &GrepRequest, files: &Files, outcome: &Outcome) -> Vec<String> {
    let mut notes = files.notes.clone();
    if let Some((path, error)) = outcome.failures.first() {
        let count = outcome.failures.len();
        let files = if count == 1 { "1 file" } else { &*format!("{count} files") };
        notes.push(format!("{files} could not be read to the end, for example {path}: {error}"));
    }
    if outcome.first.is_truncated {
        notes.push(format!("lines longer than {} KiB are truncated", MAX_LINE_LENGTH >> 10));
    }
    if outcome.first.matches.len() < outcome.total.min(request.limit) {
        notes.push(format!("matches beyond {} MiB of text are omitted", MAX_TEXT >> 20));
    }
    notes
}
