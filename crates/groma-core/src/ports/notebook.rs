//! The port a notebook implements: what was noted about a project while working on it.
//!
//! An index is derived from the files and may be deleted; a notebook is not and may not. So it has a port of its
//! own, and whatever forgets an index leaves it alone.

use crate::{Discovery, RelPath, SessionRecord};
use std::path::PathBuf;
use std::time::SystemTime;

/// How many sessions are kept.
pub const MAX_SESSIONS: usize = 1000;

/// How often and when a file was looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Access {
    /// The file.
    pub path: RelPath,
    /// How often.
    pub count: u64,
    /// When for the first time.
    pub first: SystemTime,
    /// When for the last time.
    pub last: SystemTime,
}

/// What the commits of a history state. It is derived: kept only so that no commit is read twice.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct History {
    /// The commit up to which it goes.
    pub tip: String,
    /// The version of what read it; another one reads all of it again.
    pub version: u32,
    /// How many commits were read.
    pub read: u64,
    /// The commits from which reading goes on; none once all were read.
    pub rest: Vec<String>,
    /// What they state, the newest first.
    pub discoveries: Vec<Discovery>,
}

/// How far the record of a session was read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TranscriptMark {
    /// The name of the record.
    pub name: String,
    /// The session it tells of.
    pub session: String,
    /// How many bytes were read.
    pub bytes: u64,
    /// How many lines these are.
    pub lines: u64,
    /// What these bytes hash to.
    pub digest: String,
}

/// Why a notebook did not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum NotebookError {
    /// A later version of the program made it.
    #[error("{path} was made by a later version of this program; use that one")]
    Newer {
        /// The notebook's file.
        path: PathBuf,
    },
    /// It cannot be read. It is never removed by itself: what it holds is nowhere else.
    #[error("{path} cannot be read ({reason}); move it away to start another")]
    Damaged {
        /// The notebook's file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// It could not be opened or written.
    #[error("cannot access {path}")]
    Io {
        /// Which file.
        path: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// The database under it failed.
    #[error("the notebook's database failed")]
    Database(#[source] Box<dyn std::error::Error + Send + Sync>),
}

/// What was noted about one project. Several processes may write at once.
pub trait Notebook: Send + Sync {
    /// Notes that files were looked at, all of them or none; one that is named twice counts twice.
    fn record_accesses(&self, at: SystemTime, paths: &[RelPath]) -> Result<(), NotebookError>;

    /// Every file that was ever looked at, in order of path.
    fn accesses(&self) -> Result<Vec<Access>, NotebookError>;

    /// Everything that was told, oldest first; of one date in order of id.
    fn discoveries(&self) -> Result<Vec<Discovery>, NotebookError>;

    /// Changes what was told: `change` is given all of it once, and what it leaves is kept. No other change comes
    /// in between, and a change that fails leaves everything as it was.
    fn change(&self, change: &mut dyn FnMut(&mut Vec<Discovery>)) -> Result<(), NotebookError>;

    /// The history that was kept last.
    fn history(&self) -> Result<Option<History>, NotebookError>;

    /// Keeps a history in place of the last one, or none.
    fn keep_history(&self, history: Option<&History>) -> Result<(), NotebookError>;

    /// How far the record of this name was read.
    fn transcript(&self, name: &str) -> Result<Option<TranscriptMark>, NotebookError>;

    /// Notes how far a record was read.
    fn keep_transcript(&self, mark: &TranscriptMark) -> Result<(), NotebookError>;

    /// Keeps a session as it is now. The newest [`MAX_SESSIONS`] stay.
    fn keep_session(&self, session: &SessionRecord) -> Result<(), NotebookError>;

    /// The sessions that were active last, the latest first; of one time in order of id.
    fn sessions(&self, limit: usize) -> Result<Vec<SessionRecord>, NotebookError>;

    /// The session of a connection that was active last.
    fn last_session(&self, connection: &str) -> Result<Option<SessionRecord>, NotebookError>;
}
