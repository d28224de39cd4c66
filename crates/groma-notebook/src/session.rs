//! Sessions: the topics, calls and files of each client.

use groma_core::{Locked, Notebook, NotebookError, RelPath, SessionRecord};
use groma_secrets::redact;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::SystemTime;

/// Maximum number of topics per session; the oldest are dropped.
const MAX_TOPICS: usize = 100;

/// Maximum length of a topic, in characters.
pub(super) const MAX_TOPIC_LENGTH: usize = 200;

/// Maximum number of files per session.
pub(super) const MAX_FILES: usize = 1000;

/// One call of a client.
#[derive(Clone, Copy, Debug)]
pub struct Activity<'a> {
    /// Its connection.
    pub connection: &'a str,
    /// The tool it called.
    pub tool: &'a str,
    /// The query or question.
    pub topic: Option<&'a str>,
    /// The files it read.
    pub files: &'a [RelPath],
}

/// The sessions of one project.
pub(crate) struct Sessions {
    notebook: Option<Arc<dyn Notebook>>,
    /// Serialises read-modify-write of a session.
    writing: Locked<()>,
}

impl Sessions {
    pub fn new(notebook: Option<Arc<dyn Notebook>>) -> Self {
        Self { notebook, writing: Locked::default() }
    }

    /// Records a call in the session of its connection. A failure is returned as a note: a request must not fail for
    /// that.
    pub fn record(&self, activity: &Activity<'_>) -> Option<String> {
        let error = self.record_at(activity, SystemTime::now()).err()?;
        Some(format!("the session could not be recorded: {error}"))
    }

    fn record_at(&self, activity: &Activity<'_>, now: SystemTime) -> Result<(), NotebookError> {
        let Some(notebook) = &self.notebook else { return Ok(()) };
        let _writing = self.writing.lock();
        let mut session = match notebook.last_session(activity.connection)? {
            Some(session) if session.over(now).is_none() => session,
            last => next_session(activity.connection, last.as_ref(), now),
        };
        add(&mut session, activity, now);
        notebook.keep_session(&session)
    }

    /// Records that a client has disconnected.
    pub fn end(&self, connection: &str) -> Result<(), NotebookError> {
        let now = SystemTime::now();
        let Some(notebook) = &self.notebook else { return Ok(()) };
        let _writing = self.writing.lock();
        match notebook.last_session(connection)? {
            Some(session) if session.over(now).is_none() => {
                notebook.keep_session(&SessionRecord { ended: Some(now), ..session })
            }
            _ => Ok(()),
        }
    }

    /// The session of a connection that began at `started`; `None` once it has been idle for too long.
    pub fn current(
        &self,
        connection: &str,
        started: SystemTime,
    ) -> Result<Option<SessionRecord>, NotebookError> {
        let now = SystemTime::now();
        let last = self.last(connection)?;
        let session = last.unwrap_or_else(|| next_session(connection, None, started));
        Ok(Some(session).filter(|session| session.over(now).is_none()))
    }

    /// The newest sessions, newest first.
    pub fn newest(&self, limit: usize) -> Result<Vec<SessionRecord>, NotebookError> {
        self.notebook.as_ref().map_or(Ok(Vec::new()), |notebook| notebook.sessions(limit))
    }

    /// The last session of a connection.
    pub fn last(&self, connection: &str) -> Result<Option<SessionRecord>, NotebookError> {
        self.notebook.as_ref().map_or(Ok(None), |notebook| notebook.last_session(connection))
    }
}

/// The next session of a connection.
fn next_session(connection: &str, last: Option<&SessionRecord>, now: SystemTime) -> SessionRecord {
    let number = last.map_or(1, |last| {
        let number = last.id.rsplit_once('.').and_then(|(_, number)| number.parse::<u32>().ok());
        number.unwrap_or(1).saturating_add(1)
    });
    SessionRecord {
        id: if number == 1 { connection.to_string() } else { format!("{connection}.{number}") },
        connection: connection.to_string(),
        started: now,
        active: now,
        ended: None,
        topics: Vec::new(),
        files: BTreeMap::new(),
        calls: BTreeMap::new(),
    }
}

fn add(session: &mut SessionRecord, activity: &Activity<'_>, now: SystemTime) {
    session.active = now.max(session.active);
    *session.calls.entry(activity.tool.to_string()).or_default() += 1;
    if let Some(topic) = activity.topic {
        add_topic(session, topic);
    }
    for path in activity.files {
        if session.files.len() < MAX_FILES || session.files.contains_key(path) {
            *session.files.entry(path.clone()).or_default() += 1;
        }
    }
}

/// Adds a topic as the newest.
pub(super) fn add_topic(session: &mut SessionRecord, topic: &str) {
    let topic: String = redact(topic.trim()).chars().take(MAX_TOPIC_LENGTH).collect();
    session.topics.retain(|known| *known != topic);
    session.topics.push(topic);
    let surplus = session.topics.len().saturating_sub(MAX_TOPICS);
    session.topics.drain(..surplus);
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, UNIX_EPOCH};

    #[test]
    fn a_session_counts_what_was_done() {
        let now = UNIX_EPOCH + Duration::from_secs(1000);
        let mut session = next_session("c", None, now);
        let files = [RelPath::new("a.rs").unwrap()];
        let activity = Activity { connection: "c", tool: "read", topic: None, files: &files };
        add(&mut session, &activity, now);
        add(&mut session, &Activity { topic: Some("why"), ..activity }, now);
        add(&mut session, &Activity { topic: Some("how"), files: &[], ..activity }, now);
        add(&mut session, &Activity { topic: Some("why"), files: &[], ..activity }, now);
        assert_eq!(session.topics, ["how", "why"], "the newest last, each once");
        assert_eq!((session.calls["read"], session.files["a.rs"]), (4, 2));
        let secret = Activity { topic: Some("password: hunter2!"), ..activity };
        add(&mut session, &secret, now);
        assert_eq!(session.topics[2], "password: [REDACTED]");
        for number in 0..200 {
            let topic = format!("topic {number}");
            add(&mut session, &Activity { topic: Some(&topic), ..activity }, now);
        }
        assert_eq!(session.topics.len(), MAX_TOPICS);
    }

    #[test]
    fn sessions_of_one_connection_are_numbered() {
        let first = next_session("c", None, UNIX_EPOCH);
        let second = next_session("c", Some(&first), UNIX_EPOCH);
        let third = next_session("c", Some(&second), UNIX_EPOCH);
        assert_eq!([&*first.id, &*second.id, &*third.id], ["c", "c.2", "c.3"]);
    }
}
