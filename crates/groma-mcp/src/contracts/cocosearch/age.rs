//! How old an index is.
//!
//! CocoSearch warns of an index that was not written for a week, because its results may be outdated. Here every
//! search first brings the index up to date. The age is still reported as the contract defines it, from the last commit
//! before the search, together with what that search did: it indexed changes, found none, or is still indexing them.

use serde_json::{Value, json};
use std::time::{Duration, SystemTime};

/// What a search did to the index before it answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Since {
    /// Nothing had changed.
    Unchanged,
    /// Changes were indexed first.
    Refreshed,
    /// Changes are still being indexed.
    Behind,
}

/// From how many days on an index counts as stale.
const STALE: u64 = 7;

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// How old an index is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Age {
    /// Whole days since it was written.
    pub days: u64,
}

impl Age {
    /// The age of a commit; zero if the clock was set back.
    pub fn of(committed: SystemTime, now: SystemTime) -> Self {
        let age = now.duration_since(committed).unwrap_or_default();
        Self { days: age.as_secs() / DAY.as_secs() }
    }

    /// Whether the contract calls it stale.
    pub fn is_stale(self) -> bool {
        self.days >= STALE
    }

    /// The last entry of a search's answer.
    pub fn footer(self, since: Since) -> Option<Value> {
        let since = match since {
            Since::Unchanged => "no indexed file has changed since, so the results are current",
            Since::Refreshed => {
                "it was brought up to date before this search, so the results are current"
            }
            Since::Behind => "changed files are still being indexed: search again to see them",
        };
        self.is_stale().then(|| {
            json!({
                "type": "staleness_warning",
                "warning": "Index was stale",
                "message": format!("Index was last updated {} days ago; {since}", self.days),
                "staleness_days": self.days,
            })
        })
    }

    /// Warnings of the statistics; `changed` is the number of files changed since, if known.
    pub fn warnings(self, changed: Option<usize>) -> Vec<String> {
        if !self.is_stale() {
            return Vec::new();
        }
        let mut warnings = vec![format!("Index is stale ({} days since last update)", self.days)];
        warnings.extend(changed.map(|changed| match changed {
            0 => "No file has changed since: the index is current".to_string(),
            1 => "1 file has changed since: the next search indexes it first".to_string(),
            _ => format!("{changed} files have changed since: the next search indexes them first"),
        }));
        warnings
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn age(days: f64) -> Age {
        let now = SystemTime::UNIX_EPOCH + 100 * DAY;
        Age::of(now - DAY.mul_f64(days), now)
    }

    #[test]
    fn a_week_is_stale() {
        assert_eq!([0.0, 0.99, 1.0, 6.99, 7.0].map(|days| age(days).days), [0, 0, 1, 6, 7]);
        assert_eq!([6.99, 7.0].map(|days| age(days).is_stale()), [false, true]);
        let now = SystemTime::UNIX_EPOCH;
        assert_eq!(Age::of(now + DAY, now), Age { days: 0 });
    }

    #[test]
    fn the_footer_says_what_the_search_did() {
        assert_eq!(age(3.0).footer(Since::Unchanged), None);
        let refreshed = age(9.0).footer(Since::Refreshed).unwrap();
        assert_eq!(refreshed["type"], "staleness_warning");
        assert_eq!(refreshed["staleness_days"], 9);
        let message = |since| age(9.0).footer(since).unwrap()["message"].clone();
        let says = |since, what: &str| {
            let expected = format!("Index was last updated 9 days ago; {what}");
            assert_eq!(message(since), expected);
        };
        says(
            Since::Refreshed,
            "it was brought up to date before this search, so the results are current",
        );
        says(Since::Unchanged, "no indexed file has changed since, so the results are current");
        says(Since::Behind, "changed files are still being indexed: search again to see them");
    }

    #[test]
    fn warnings_say_what_changed() {
        assert!(age(6.0).warnings(Some(3)).is_empty());
        let stale = "Index is stale (9 days since last update)";
        assert_eq!(age(9.0).warnings(None), [stale]);
        assert_eq!(
            age(9.0).warnings(Some(3)),
            [stale, "3 files have changed since: the next search indexes them first"]
        );
        assert_eq!(
            age(9.0).warnings(Some(0)),
            [stale, "No file has changed since: the index is current"]
        );
    }
}
