//! File accesses: which files were read, how often and when.

use groma_core::{Access, Locked, Notebook, NotebookError, RelPath};
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::Hasher;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

/// Days after which recency scores 0.
const MAX_RECENCY_DAYS: f64 = 30.0;

/// Accesses at which frequency scores 1.
const MAX_ACCESSES: f64 = 100.0;

/// How long the cached scores may lag behind the accesses that other processes record.
const MAX_AGE: Duration = Duration::from_secs(60);

/// The access score of each file, 0..1. Ages are in whole days, so that a query ranks the same all day. Empty if no
/// access was recorded.
#[derive(Debug, Default)]
pub struct Reads {
    /// The score of each file.
    pub scores: FxHashMap<RelPath, f32>,
    /// A hash of the scores; 0 if there are none.
    pub stamp: u64,
}

/// The accesses of one project.
pub(crate) struct Accesses {
    notebook: Option<Arc<dyn Notebook>>,
    reads: Locked<Option<(Instant, Arc<Reads>)>>,
}

impl Accesses {
    pub fn new(notebook: Option<Arc<dyn Notebook>>) -> Self {
        Self { notebook, reads: Locked::default() }
    }

    /// The access scores. If the notebook cannot be read they are empty: a search must not fail for that.
    pub fn reads(&self) -> Arc<Reads> {
        let mut cached = self.reads.lock();
        if let Some((_, reads)) = cached.as_ref().filter(|(at, _)| at.elapsed() < MAX_AGE) {
            return reads.clone();
        }
        let reads = Arc::new(Reads::new(self.all().unwrap_or_default(), SystemTime::now()));
        *cached = Some((Instant::now(), reads.clone()));
        reads
    }

    /// Records that files were read. A failure is returned as a note: a request must not fail for that.
    pub fn record(&self, paths: &[RelPath]) -> Option<String> {
        let notebook = self.notebook.as_ref().filter(|_| !paths.is_empty())?;
        let recorded = notebook.record_accesses(SystemTime::now(), paths);
        *self.reads.lock() = None;
        let error = recorded.err()?;
        Some(format!("file accesses could not be recorded: {error}"))
    }

    /// All recorded files, ordered by path; none without a notebook.
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

/// The access score of a file, 0..1, by recency and frequency.
pub fn access_score(access: &Access, now: SystemTime) -> f64 {
    // An access in the future means that the clock was set back.
    let age = now.duration_since(access.last).unwrap_or_default();
    score(age.as_secs_f64() / (24.0 * 3600.0), access.count)
}

fn score(days: f64, count: u64) -> f64 {
    0.6 * (1.0 - days / MAX_RECENCY_DAYS).max(0.0) + 0.4 * (count as f64 / MAX_ACCESSES).min(1.0)
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
