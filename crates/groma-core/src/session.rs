//! Records of client sessions.

use crate::RelPath;
use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

/// A session idle for this long counts as ended.
const IDLE_TIMEOUT: Duration = Duration::from_secs(30 * 60);

/// A session: what one client asked and read, from when it connected until it disconnected or became idle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionRecord {
    /// Unique id.
    pub id: String,
    /// The connection it belongs to. A connection that was idle for a while has several.
    pub connection: String,
    /// When it began.
    pub started: SystemTime,
    /// When the last request came.
    pub active: SystemTime,
    /// When the client disconnected, if it did.
    pub ended: Option<SystemTime>,
    /// What was asked about, oldest first, each once.
    pub topics: Vec<String>,
    /// What was read, and how often.
    pub files: BTreeMap<RelPath, u64>,
    /// Which tools were called, and how often.
    pub calls: BTreeMap<String, u64>,
}

impl SessionRecord {
    /// When it ended, if it has: when the client disconnected, or at the last request before it became idle.
    pub fn over(&self, now: SystemTime) -> Option<SystemTime> {
        let is_idle = now.duration_since(self.active).is_ok_and(|idle| idle > IDLE_TIMEOUT);
        self.ended.or(is_idle.then_some(self.active))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::UNIX_EPOCH;

    #[test]
    fn a_session_ends_after_half_an_hour_without_requests() {
        let at = |minutes: u64| UNIX_EPOCH + Duration::from_secs(minutes * 60);
        let mut session = SessionRecord {
            id: "s".into(),
            connection: "c".into(),
            started: at(0),
            active: at(10),
            ended: None,
            topics: Vec::new(),
            files: BTreeMap::new(),
            calls: BTreeMap::new(),
        };
        assert_eq!(session.over(at(40)), None);
        assert_eq!(session.over(at(41)), Some(at(10)));
        session.ended = Some(at(12));
        assert_eq!(session.over(at(12)), Some(at(12)));
    }
}
