//! Notebooks in a database file of their own, and in memory.
//!
//! The file is beside the index and independent of it, so that neither clearing nor rebuilding an index
//! touches it. Its tables are migrated and never created again.

use crate::sqlite::{BUSY_TIMEOUT, frozen, identity, milliseconds, retry_while_busy, time};
use crate::{history, notes, transcripts};
use groma_core::{
    Access, History, Locked, MAX_SESSIONS, NoteOperation, Notebook, NotebookError, Notes, RelPath,
    SessionRecord, SourceCursors, TranscriptMark,
};
use rusqlite::{Connection, ErrorCode, OptionalExtension, Transaction, TransactionBehavior};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The name of the notebook's file.
const FILE: &str = "notebook.db";

/// What makes each version of the tables from the one before, the first from nothing. A line that was released
/// never changes; another version is another line.
const MIGRATIONS: &[&str] = &[
    "
    create table access (
        path text primary key, count integer not null, first integer not null, last integer not null
    ) without rowid;
    ",
    notes::TABLES,
    history::TABLES,
    transcripts::TABLES,
    notes::REVISIONS,
];

/// The version of the tables that this program knows.
const VERSION: u32 = MIGRATIONS.len() as u32;

/// A notebook in a file, opened by the first call.
pub struct EmbeddedNotebook {
    path: PathBuf,
    open: Locked<Option<Open>>,
}

/// An open file.
struct Open {
    connection: Connection,
    identity: Option<u64>,
}

impl EmbeddedNotebook {
    /// The notebook in `folder`; the file is created by the first write.
    pub fn new(folder: &Path) -> Self {
        Self { path: folder.join(FILE), open: Locked::default() }
    }

    /// Runs `work` in one transaction over tables of this version. What it writes is on the disk when it returns.
    fn transact<T>(
        &self,
        work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>,
    ) -> Result<T, NotebookError> {
        self.transact_with(true, work)
    }

    /// As `transact`, without syncing: a power failure may lose the last transactions, a crash may not.
    fn transact_unsynced<T>(
        &self,
        work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>,
    ) -> Result<T, NotebookError> {
        self.transact_with(false, work)
    }

    fn transact_with<T>(
        &self,
        is_synced: bool,
        work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>,
    ) -> Result<T, NotebookError> {
        // A panic while the lock was held cannot have left a transaction open: it rolls back on drop.
        let mut held = self.open.lock();
        // A file that was removed or replaced meanwhile is not the one to write to.
        let kept = held.take().filter(|open| open.identity == identity(&self.path));
        let open = match kept {
            Some(open) => open,
            None => self.open()?,
        };
        let connection = &mut held.insert(open).connection;
        let run = || {
            connection.pragma_update(
                None,
                "synchronous",
                if is_synced { "full" } else { "normal" },
            )?;
            let transaction =
                connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let done = work(&transaction)?;
            transaction.commit()?;
            Ok(done)
        };
        run().map_err(|error| self.error(error))
    }

    /// Reads, if there is a file: reading creates none, and works in a read-only folder.
    fn read<T: Default>(
        &self,
        work: impl Fn(&Transaction<'_>) -> rusqlite::Result<T>,
    ) -> Result<T, NotebookError> {
        if !self.path.exists() {
            return Ok(T::default());
        }
        self.transact(&work).or_else(|error| match error {
            NotebookError::Io { .. } => self.read_frozen(work).ok_or(error),
            error => Err(error),
        })
    }

    fn read_frozen<T>(&self, work: impl Fn(&Transaction<'_>) -> rusqlite::Result<T>) -> Option<T> {
        let mut connection = frozen(&self.path)?;
        let transaction = connection.transaction().ok()?;
        let is_ours = version(&transaction).is_ok_and(|version| version == VERSION);
        work(&transaction).ok().filter(|_| is_ours)
    }

    fn open(&self) -> Result<Open, NotebookError> {
        if let Some(folder) = self.path.parent() {
            std::fs::create_dir_all(folder)
                .map_err(|source| NotebookError::Io { path: folder.to_path_buf(), source })?;
        }
        let mut connection = Connection::open(&self.path).map_err(|error| self.error(error))?;
        let version = retry_while_busy(|| {
            connection.busy_timeout(BUSY_TIMEOUT)?;
            connection.pragma_update(None, "journal_mode", "wal")?;
            migrate(&mut connection)
        });
        match version.map_err(|error| self.error(error))? {
            version if version > VERSION => Err(NotebookError::Newer { path: self.path.clone() }),
            _ => Ok(Open { connection, identity: identity(&self.path) }),
        }
    }

    /// SQLite's errors, by what can be done about them.
    fn error(&self, error: rusqlite::Error) -> NotebookError {
        use ErrorCode::*;
        let path = self.path.clone();
        match error.sqlite_error_code() {
            Some(DatabaseCorrupt | NotADatabase | TypeMismatch | Unknown) => {
                NotebookError::Damaged { path, reason: error.to_string() }
            }
            Some(CannotOpen | ReadOnly | PermissionDenied | SystemIoFailure | DiskFull) => {
                NotebookError::Io { path, source: std::io::Error::other(error) }
            }
            _ => NotebookError::Database(Box::new(error)),
        }
    }
}

/// The version of the tables; 0 where there are none yet.
fn version(transaction: &Transaction<'_>) -> rusqlite::Result<u32> {
    let found = transaction.query_row("select version from schema", [], |row| row.get(0));
    Ok(found.optional()?.unwrap_or(0))
}

/// Migrates the tables and returns their version; those of a later program stay as they are.
fn migrate(connection: &mut Connection) -> rusqlite::Result<u32> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    transaction.execute_batch("create table if not exists schema (version integer not null)")?;
    let found = version(&transaction)?;
    if found >= VERSION {
        return Ok(found);
    }
    for migration in &MIGRATIONS[found as usize..] {
        transaction.execute_batch(migration)?;
    }
    transaction.execute("delete from schema", [])?;
    transaction.execute("insert into schema (version) values (?1)", [VERSION])?;
    transaction.commit()?;
    Ok(VERSION)
}

impl SourceCursors for EmbeddedNotebook {
    fn history(&self) -> Result<Option<History>, NotebookError> {
        self.read(history::read)
    }

    fn keep_history(&self, history: Option<&History>) -> Result<(), NotebookError> {
        if history.is_none() && !self.path.exists() {
            return Ok(());
        }
        self.transact_unsynced(|transaction| history::keep(transaction, history))
    }

    fn transcript(&self, name: &str) -> Result<Option<TranscriptMark>, NotebookError> {
        self.read(|transaction| transcripts::read(transaction, name))
    }

    fn keep_transcript(&self, mark: &TranscriptMark) -> Result<(), NotebookError> {
        self.transact(|transaction| transcripts::keep(transaction, mark))
    }
}

impl Notebook for EmbeddedNotebook {
    fn record_accesses(&self, at: SystemTime, paths: &[RelPath]) -> Result<(), NotebookError> {
        let at = milliseconds(at);
        self.transact_unsynced(|transaction| {
            let mut statement = transaction.prepare_cached(
                "insert into access (path, count, first, last) values (?1, 1, ?2, ?2)
                 on conflict (path) do update set count = count + 1,
                     first = min(first, excluded.first), last = max(last, excluded.last)",
            )?;
            for path in paths {
                statement.execute((path.as_str(), at))?;
            }
            Ok(())
        })
    }

    fn accesses(&self) -> Result<Vec<Access>, NotebookError> {
        if !self.path.exists() {
            return Ok(Vec::new());
        }
        let rows = self.transact(|transaction| {
            let sql = "select path, count, first, last from access order by path";
            let mut statement = transaction.prepare_cached(sql)?;
            let rows = statement.query_map([], |row| {
                let path: String = row.get(0)?;
                Ok((path, row.get::<_, i64>(1)?, row.get::<_, i64>(2)?, row.get::<_, i64>(3)?))
            })?;
            rows.collect::<rusqlite::Result<Vec<_>>>()
        })?;
        rows.into_iter()
            .map(|(path, count, first, last)| {
                let damaged = |error: groma_core::PathError| NotebookError::Damaged {
                    path: self.path.clone(),
                    reason: error.to_string(),
                };
                let path = RelPath::new(&path).map_err(damaged)?;
                let (first, last) = (time(first), time(last));
                Ok(Access { path, count: count.max(0) as u64, first, last })
            })
            .collect()
    }

    fn notes(&self) -> Result<Notes, NotebookError> {
        let discoveries = self.read(notes::discoveries)?;
        Ok(Notes { revision: notes::revision(&discoveries), discoveries })
    }

    fn apply(&self, revision: u64, operations: &[NoteOperation]) -> Result<bool, NotebookError> {
        self.transact(|transaction| {
            if notes::revision(&notes::discoveries(transaction)?) != revision {
                return Ok(false);
            }
            notes::apply(transaction, operations)?;
            Ok(true)
        })
    }

    fn keep_session(&self, session: &SessionRecord) -> Result<(), NotebookError> {
        self.transact_unsynced(|transaction| notes::keep_session(transaction, session))
    }

    fn sessions(&self, limit: usize) -> Result<Vec<SessionRecord>, NotebookError> {
        self.read(|transaction| notes::sessions(transaction, limit))
    }

    fn last_session(&self, connection: &str) -> Result<Option<SessionRecord>, NotebookError> {
        self.read(|transaction| notes::last_session(transaction, connection))
    }
}

/// A notebook in memory.
#[derive(Default)]
pub struct MemoryNotebook {
    accesses: Locked<BTreeMap<RelPath, Access>>,
    notes: Locked<Notes>,
    sessions: Locked<Vec<SessionRecord>>,
    history: Locked<Option<History>>,
    transcripts: Locked<BTreeMap<String, TranscriptMark>>,
}

impl SourceCursors for MemoryNotebook {
    fn history(&self) -> Result<Option<History>, NotebookError> {
        Ok(self.history.lock().clone())
    }

    fn keep_history(&self, history: Option<&History>) -> Result<(), NotebookError> {
        *self.history.lock() = history.cloned();
        Ok(())
    }

    fn transcript(&self, name: &str) -> Result<Option<TranscriptMark>, NotebookError> {
        Ok(self.transcripts.lock().get(name).cloned())
    }

    fn keep_transcript(&self, mark: &TranscriptMark) -> Result<(), NotebookError> {
        let mut marks = self.transcripts.lock();
        marks.insert(mark.name.clone(), mark.clone());
        Ok(())
    }
}

impl Notebook for MemoryNotebook {
    fn record_accesses(&self, at: SystemTime, paths: &[RelPath]) -> Result<(), NotebookError> {
        let mut accesses = self.accesses.lock();
        for path in paths {
            let access = accesses.entry(path.clone()).or_insert_with(|| Access {
                path: path.clone(),
                count: 0,
                first: at,
                last: at,
            });
            access.count += 1;
            access.first = access.first.min(at);
            access.last = access.last.max(at);
        }
        Ok(())
    }

    fn accesses(&self) -> Result<Vec<Access>, NotebookError> {
        let accesses = self.accesses.lock();
        Ok(accesses.values().cloned().collect())
    }

    fn notes(&self) -> Result<Notes, NotebookError> {
        Ok(self.notes.lock().clone())
    }

    fn apply(&self, revision: u64, operations: &[NoteOperation]) -> Result<bool, NotebookError> {
        let mut notes = self.notes.lock();
        if notes.revision != revision {
            return Ok(false);
        }
        notes.revision += 1;
        let discoveries = &mut notes.discoveries;
        for operation in operations {
            let id = match operation {
                NoteOperation::Insert(one) | NoteOperation::Update(one) => &one.id,
                NoteOperation::Forget(id) => id,
            };
            discoveries.retain(|known| known.id != *id);
            if let NoteOperation::Insert(one) | NoteOperation::Update(one) = operation {
                discoveries.push(one.clone());
            }
        }
        discoveries.sort_by(|a, b| (a.date, &a.id).cmp(&(b.date, &b.id)));
        Ok(true)
    }

    fn keep_session(&self, session: &SessionRecord) -> Result<(), NotebookError> {
        let mut sessions = self.sessions.lock();
        sessions.retain(|known| known.id != session.id);
        sessions.push(session.clone());
        sessions.sort_by(|a, b| b.active.cmp(&a.active).then_with(|| a.id.cmp(&b.id)));
        sessions.truncate(MAX_SESSIONS);
        Ok(())
    }

    fn sessions(&self, limit: usize) -> Result<Vec<SessionRecord>, NotebookError> {
        let sessions = self.sessions.lock();
        Ok(sessions.iter().take(limit).cloned().collect())
    }

    fn last_session(&self, connection: &str) -> Result<Option<SessionRecord>, NotebookError> {
        let sessions = self.sessions.lock();
        Ok(sessions.iter().find(|session| session.connection == connection).cloned())
    }
}
