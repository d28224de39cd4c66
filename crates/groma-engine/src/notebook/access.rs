//! What was noted about the project: which files were looked at, how often and when.

use crate::engine::Engine;
use crate::error::EngineError;
use groma_core::{Access, RelPath};
use std::time::SystemTime;

/// Days after which an access counts for nothing.
const FORGOTTEN: f64 = 30.0;

/// Accesses beyond which more count for nothing.
const OFTEN: f64 = 100.0;

impl Engine {
    /// Notes that files were looked at. It is never worth failing for: what went wrong is given as a note.
    pub fn record_access(&self, paths: &[RelPath]) -> Option<String> {
        let notebook = self.notebook().filter(|_| !paths.is_empty())?;
        let error = notebook.record_accesses(SystemTime::now(), paths).err()?;
        Some(format!("it could not be noted which files were looked at: {error}"))
    }

    /// Every file that was ever noted, in order of path; none without a notebook.
    pub fn accesses(&self) -> Result<Vec<Access>, EngineError> {
        Ok(self.notebook().map_or(Ok(Vec::new()), |notebook| notebook.accesses())?)
    }
}

/// How much a file matters, 0..1: by how long ago and how often it was looked at.
pub fn access_score(access: &Access, now: SystemTime) -> f64 {
    // A time in the future is a clock that was set back.
    let age = now.duration_since(access.last).unwrap_or_default();
    let days = age.as_secs_f64() / (24.0 * 3600.0);
    0.6 * (1.0 - days / FORGOTTEN).max(0.0) + 0.4 * (access.count as f64 / OFTEN).min(1.0)
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
