//! Searching lines by pattern: ripgrep's answer on the tree as it is now, with the index to tell where not to look.
//!
//! Files that are as they were when they were indexed are opened only if they hold the trigrams of the pattern;
//! all others are searched directly. So an answer never waits for an index and is never older than the tree.
//!
//! Searched is what ripgrep would search by default: what the ignore files exclude, hidden files (unless the
//! settings want them), links and binary files are left out. Left out besides are secrets, vendored and generated
//! folders, what `exclude` names, and tests where the settings do not want them. Single files that only the
//! index leaves out (generated, minified, lock files, too large) are searched.

mod file;
mod files;
mod keep;
mod lines;
mod narrow;
mod query;
pub mod request;
mod run;
pub mod spans;

use crate::error::SearchError;
use files::{Files, files_to_search};
use groma_core::{Cancel, Observer, Progress, Snapshot, StoreError};
use groma_files::SourceTree;
use lines::{LONGEST_LINE, MOST_COUNTED, MOST_TEXT};
use query::Query;
use request::{GrepAnswer, GrepRequest};
use run::{Outcome, Run};
use std::sync::Arc;
use std::time::Instant;

/// The lines that match a pattern, on the tree as it is now. Nothing is indexed for it; where `newest` cannot be read,
/// every file is searched.
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
    let run = Run {
        tree: source.tree(),
        options: source.options(),
        query: &query,
        files: &files.to_read,
        cancel,
    };
    let outcome = run.run();
    if cancel.is_cancelled() {
        return Err(SearchError::Cancelled);
    }
    let mut answer = answer(request, files, outcome);
    answer.duration = started.elapsed();
    Ok(answer)
}

fn answer(request: &GrepRequest, files: Files, outcome: Outcome) -> GrepAnswer {
    let notes = notes(request, &files, &outcome);
    let is_total_exact = outcome.total < MOST_COUNTED;
    GrepAnswer {
        total: outcome.total.min(MOST_COUNTED),
        is_total_exact,
        files_searched: files.searched,
        files_read: files.to_read.len(),
        files_matched: if is_total_exact { outcome.files } else { outcome.kept.files },
        matches: outcome.kept.matches,
        notes,
        ..GrepAnswer::default()
    }
}

fn notes(request: &GrepRequest, files: &Files, outcome: &Outcome) -> Vec<String> {
    let mut notes = files.notes.clone();
    if let Some((path, error)) = outcome.failures.first() {
        let count = outcome.failures.len();
        let files = if count == 1 { "1 file" } else { &*format!("{count} files") };
        notes.push(format!("{files} could not be searched to the end, such as {path}: {error}"));
    }
    if outcome.kept.is_cut {
        notes.push(format!("lines longer than {} KiB are cut", LONGEST_LINE >> 10));
    }
    if outcome.kept.matches.len() < outcome.total.min(request.limit) {
        notes.push(format!("lines beyond {} MiB of text are left out", MOST_TEXT >> 20));
    }
    notes
}
