//! Which files were read, how often and when.

use groma_core::{Access, Notebook, NotebookError, RelPath};
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::Hasher;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

/// Days after which an access counts for nothing.
const FORGOTTEN: f64 = 30.0;

/// Accesses beyond which more count for nothing.
const OFTEN: f64 = 100.0;

/// How long what other processes record may be missed.
const MAX_AGE: Duration = Duration::from_secs(60);

/// How much each file that was read matters, 0..1, by whole days: within a day the same question has the same
/// answer. Empty where nothing was recorded.
#[derive(Debug, Default)]
pub struct Reads {
    /// The score of each file.
    pub scores: FxHashMap<RelPath, f32>,
    /// A hash of the scores; 0 where there are none.
    pub stamp: u64,
}

/// The accesses of one project.
pub(crate) struct Accesses {
    notebook: Option<Arc<dyn Notebook>>,
    reads: Mutex<Option<(Instant, Arc<Reads>)>>,
}

impl Accesses {
    pub fn new(notebook: Option<Arc<dyn Notebook>>) -> Self {
        Self { notebook, reads: Mutex::default() }
    }

    /// How much files matter that were read before. A notebook that cannot be read does not fail the search.
    pub fn reads(&self) -> Arc<Reads> {
        let mut held = self.reads.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, reads)) = held.as_ref().filter(|(at, _)| at.elapsed() < MAX_AGE) {
            return reads.clone();
        }
        let reads = Arc::new(Reads::new(self.all().unwrap_or_default(), SystemTime::now()));
        *held = Some((Instant::now(), reads.clone()));
        reads
    }

    /// Records that files were read. A failure is returned as a note: it is not worth failing a request for.
    pub fn record(&self, paths: &[RelPath]) -> Option<String> {
        let notebook = self.notebook.as_ref().filter(|_| !paths.is_empty())?;
        let recorded = notebook.record_accesses(SystemTime::now(), paths);
        *self.reads.lock().unwrap_or_else(PoisonError::into_inner) = None;
        let error = recorded.err()?;
        Some(format!("it could not be noted which files were looked at: {error}"))
    }

    /// Every file that was ever recorded, in order of path; none without a notebook.
    pub fn all(&self) -> Result<Vec<Access>, NotebookError> {
        self.notebook.as_ref().map_or(Ok(Vec::new()), |notebook| notebook.accesses())
    }
}

impl Reads {
    fn new(accesses: Vec<Access>, now: SystemTime) -> Self {
        let mut hasher = FxHasher::default();
        let mut reads = Self::default();
        for access in accesses {
            let age = now.duration_since(access.last).unwrap_or_default();
            let days = age.as_secs() / (24 * 3600);
            let score = score(days as f64, access.count) as f32;
            if score > 0.0 {
                hasher.write(access.path.as_str().as_bytes());
                hasher.write_u32(score.to_bits());
                reads.scores.insert(access.path, score);
            }
        }
        reads.stamp = if reads.scores.is_empty() { 0 } else { hasher.finish() };
        reads
    }
}

/// How much a file matters, 0..1: by how long ago and how often it was looked at.
pub fn access_score(access: &Access, now: SystemTime) -> f64 {
    // A time in the future is a clock that was set back.
    let age = now.duration_since(access.last).unwrap_or_default();
    score(age.as_secs_f64() / (24.0 * 3600.0), access.count)
}

fn score(days: f64, count: u64) -> f64 {
    0.6 * (1.0 - days / FORGOTTEN).max(0.0) + 0.4 * (count as f64 / OFTEN).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, UNIX_EPOCH};

    #[test]
    fn new_and_frequent_matters() {
        let day = Duration::from_secs(24 * 3600);
        let now = UNIX_EPOCH + 1000 * day;
        let score = |days: u32, count: u64| {
            let last = now - days * day;
            let path = RelPath::new("a").unwrap();
            access_score(&Access { path, count, first: last, last }, now)
        };
        let is = |a: f64, b: f64| (a - b).abs() < 1e-9;
        assert!(is(score(0, 100), 1.0));
        assert!(is(score(0, 1), 0.604));
        assert!(is(score(15, 50), 0.5));
        assert!(is(score(30, 0), 0.0));
        assert!(is(score(900, 5000), 0.4));
        let path = RelPath::new("a").unwrap();
        let ahead = Access { path, count: 0, first: now, last: now + day };
        assert!(is(access_score(&ahead, now), 0.6));
    }
}
