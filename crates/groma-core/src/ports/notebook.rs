//! The port a notebook implements: what was noted about a project while working on it.
//!
//! An index is derived from the files and may be deleted; a notebook is not and may not. So it has a port of its
//! own, and whatever forgets an index leaves it alone.

use crate::{Discovery, RelPath, SessionRecord};
use std::collections::BTreeMap;
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
    /// The newest commit that was read.
    pub tip: String,
    /// The version of what read it; another one reads all of it again.
    pub version: u32,
    /// How many commits were read.
    pub read: u64,
    /// The commits where reading resumes; none once all were read.
    pub rest: Vec<String>,
    /// What they state, the newest first.
    pub discoveries: Vec<Discovery>,
}

/// How far the record of a session was read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TranscriptMark {
    /// The name of the record.
    pub name: String,
    /// The session that it records.
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
    /// It cannot be read. It is never removed automatically: it holds original data.
    #[error(
        "{path} cannot be read ({reason}); `groma doctor --restore` restores it from its history"
    )]
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

/// One change of the recorded discoveries.
#[derive(Clone, Debug, PartialEq)]
pub enum NoteOperation {
    /// Adds a discovery; its id is new.
    Insert(Discovery),
    /// Replaces the discovery of the same id, for example by one that is superseded.
    Update(Discovery),
    /// Deletes a discovery by its id.
    Forget(String),
}

/// The recorded discoveries, as of one revision.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Notes {
    /// Identifies this state: any other has another revision.
    pub revision: u64,
    /// The discoveries, oldest first; of one date in order of id.
    pub discoveries: Vec<Discovery>,
    /// The ids of those that do not match their checksums: they are left out.
    pub damaged: Vec<String>,
}

/// What a check of a notebook found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NotebookHealth {
    /// How many notes are as they were written.
    pub notes: usize,
    /// How many changes the history has.
    pub changes: usize,
    /// The ids of notes that do not match their checksums or the history.
    pub altered: Vec<String>,
    /// The ids of notes that the history has and the notebook lost.
    pub missing: Vec<String>,
    /// What is wrong with the history.
    pub history_problem: Option<String>,
}

impl NotebookHealth {
    /// Whether nothing is wrong.
    pub fn is_sound(&self) -> bool {
        self.altered.is_empty() && self.missing.is_empty() && self.history_problem.is_none()
    }
}

/// How far the sources of derived discoveries were read. A cache: losing it costs reading them again.
pub trait SourceCursors: Send + Sync {
    /// The history that was stored last.
    fn history(&self) -> Result<Option<History>, NotebookError>;

    /// Replaces the stored history; `None` deletes it.
    fn keep_history(&self, history: Option<&History>) -> Result<(), NotebookError>;

    /// How far the transcript of this name was read.
    fn transcript(&self, name: &str) -> Result<Option<TranscriptMark>, NotebookError>;

    /// Records how far a transcript was read.
    fn keep_transcript(&self, mark: &TranscriptMark) -> Result<(), NotebookError>;
}

/// What was noted about one project. Several processes may write at once.
///
/// A notebook holds original data. An implementer must never lose what a call reported as kept, and must never delete
/// or replace a notebook that it cannot read. `apply` happens completely or not at all, and compares the revision in
/// the same transaction.
pub trait Notebook: SourceCursors {
    /// Records that files were read, all of them or none; one that is named twice counts twice.
    fn record_accesses(&self, at: SystemTime, paths: &[RelPath]) -> Result<(), NotebookError>;

    /// Every file that was ever read, ordered by path.
    fn accesses(&self) -> Result<Vec<Access>, NotebookError>;

    /// The recorded discoveries, with their revision.
    fn notes(&self) -> Result<Notes, NotebookError>;

    /// Applies operations to the notes of `revision`. `false`, and nothing is changed, if another change came first:
    /// read the notes and decide again.
    fn apply(&self, revision: u64, operations: &[NoteOperation]) -> Result<bool, NotebookError>;

    /// Keeps a session as it is now. The newest [`MAX_SESSIONS`] stay.
    fn keep_session(&self, session: &SessionRecord) -> Result<(), NotebookError>;

    /// The sessions that were active last, the latest first; of one time in order of id.
    fn sessions(&self, limit: usize) -> Result<Vec<SessionRecord>, NotebookError>;

    /// The session of a connection that was active last.
    fn last_session(&self, connection: &str) -> Result<Option<SessionRecord>, NotebookError>;

    /// Checks every note against its checksum and the history of changes.
    fn verify(&self) -> Result<NotebookHealth, NotebookError> {
        let Notes { discoveries, damaged, .. } = self.notes()?;
        Ok(NotebookHealth {
            notes: discoveries.len(),
            altered: damaged,
            ..NotebookHealth::default()
        })
    }

    /// Restores what is altered or missing from the history, and a notebook that cannot be read as a whole; returns how
    /// many notes were restored. A file that cannot be read is kept beside the new one.
    fn restore(&self) -> Result<usize, NotebookError> {
        Ok(0)
    }

    /// The recorded discoveries, oldest first; of one date in order of id.
    fn discoveries(&self) -> Result<Vec<Discovery>, NotebookError> {
        Ok(self.notes()?.discoveries)
    }

    /// Changes the discoveries with `edit`, which is called again if another change came first.
    fn change(&self, edit: &mut dyn FnMut(&mut Vec<Discovery>)) -> Result<(), NotebookError> {
        loop {
            let Notes { revision, discoveries, .. } = self.notes()?;
            let mut after = discoveries.clone();
            edit(&mut after);
            let operations = operations(&discoveries, &after);
            if operations.is_empty() || self.apply(revision, &operations)? {
                return Ok(());
            }
        }
    }
}

/// The operations that turn one list of discoveries into another.
fn operations(before: &[Discovery], after: &[Discovery]) -> Vec<NoteOperation> {
    let old: BTreeMap<&str, &Discovery> = before.iter().map(|one| (&*one.id, one)).collect();
    let new: BTreeMap<&str, &Discovery> = after.iter().map(|one| (&*one.id, one)).collect();
    let gone = old.keys().filter(|id| !new.contains_key(*id));
    let mut operations: Vec<_> = gone.map(|id| NoteOperation::Forget(id.to_string())).collect();
    for (id, one) in new {
        match old.get(id) {
            None => operations.push(NoteOperation::Insert(one.clone())),
            Some(known) if *known != one => operations.push(NoteOperation::Update(one.clone())),
            Some(_) => {}
        }
    }
    operations
}
