//! What is kept of the time somebody worked in a project.

use crate::RelPath;
use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

/// Who does nothing for so long has stopped working.
const IDLE: Duration = Duration::from_secs(30 * 60);

/// A session: what one client asked and read, from when it connected until it left or fell silent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionRecord {
    /// A name unlike any other's.
    pub id: String,
    /// The connection it belongs to. A connection that falls silent and speaks again has more than one.
    pub connection: String,
    /// When it began.
    pub started: SystemTime,
    /// When something was last asked.
    pub active: SystemTime,
    /// When the client left, if it did.
    pub ended: Option<SystemTime>,
    /// What was asked about, oldest first, each once.
    pub topics: Vec<String>,
    /// What was read, and how often.
    pub files: BTreeMap<RelPath, u64>,
    /// Which tools were called, and how often.
    pub calls: BTreeMap<String, u64>,
}

impl SessionRecord {
    /// When it was over, if it is over now: when the client left, or when it did the last thing before it fell silent.
    pub fn over(&self, now: SystemTime) -> Option<SystemTime> {
        let silent = now.duration_since(self.active).is_ok_and(|silence| silence > IDLE);
        self.ended.or(silent.then_some(self.active))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::UNIX_EPOCH;

    #[test]
    fn silence_ends_a_session_after_half_an_hour() {
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
