//! Notebooks in a database file of their own, and in memory.
//!
//! The file is beside the index and independent of it, so that neither clearing nor rebuilding an index
//! touches it. Its tables are migrated and never created again.

use crate::journal::{Journal, Replay};
use crate::sqlite::{BUSY_TIMEOUT, frozen, identity, milliseconds, retry_while_busy, time};
use crate::{history, notes, random, transcripts};
use groma_core::{
    Access, Discovery, History, Locked, MAX_SESSIONS, NoteOperation, Notebook, NotebookError,
    NotebookHealth, Notes, RelPath, SessionRecord, SourceCursors, TranscriptMark,
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
    notes::CHECKSUMS,
];

/// Marks the file as a notebook of this program (`application_id` of SQLite): "GRMA".
const APPLICATION: i32 = 0x4752_4d41;

/// The version of the tables that this program knows.
const VERSION: u32 = MIGRATIONS.len() as u32;

/// A notebook in a file, opened by the first call.
pub struct EmbeddedNotebook {
    path: PathBuf,
    journal: Journal,
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
        Self { path: folder.join(FILE), journal: Journal::new(folder), open: Locked::default() }
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
        if !self.path.exists() && !self.journal.exists() {
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
        if !self.path.exists() {
            if self.journal.exists() {
                return Err(self.damaged("it is missing, though its history is there"));
            }
            self.create()?;
        }
        if std::fs::metadata(&self.path).is_ok_and(|found| found.len() == 0) {
            return Err(self.damaged("it is empty, and was created with tables in it"));
        }
        let mut connection = Connection::open(&self.path).map_err(|error| self.error(error))?;
        let version = retry_while_busy(|| {
            connection.busy_timeout(BUSY_TIMEOUT)?;
            if is_foreign(&connection)? {
                return Ok(None);
            }
            connection.pragma_update(None, "journal_mode", "wal")?;
            migrate(&mut connection).map(Some)
        });
        match version.map_err(|error| self.error(error))? {
            None => Err(self.damaged("it is a database of another program")),
            Some(version) if version > VERSION => {
                Err(NotebookError::Newer { path: self.path.clone() })
            }
            Some(_) => {
                self.begin_journal(&mut connection)?;
                Ok(Open { connection, identity: identity(&self.path) })
            }
        }
    }

    /// Creates the file with its tables under another name first, so that an empty one is always a damaged one.
    fn create(&self) -> Result<(), NotebookError> {
        let io = |path: &Path| {
            let path = path.to_path_buf();
            move |source| NotebookError::Io { path, source }
        };
        let folder = self.path.parent().unwrap_or(Path::new("."));
        crate::private::create_private_folders(folder).map_err(io(folder))?;
        // Several threads and processes may create it at once.
        let number = u64::from_le_bytes(
            *random::bytes().unwrap_or_default().first_chunk().unwrap_or(&[0; 8]),
        );
        let draft = self.path.with_extension(format!("db-new-{number:016x}"));
        let _ = std::fs::remove_file(&draft);
        let made = Connection::open(&draft).and_then(|mut connection| {
            connection.pragma_update(None, "journal_mode", "wal")?;
            migrate(&mut connection)?;
            connection.close().map_err(|(_, error)| error)
        });
        let linked = made.map_err(|error| self.error(error)).and_then(|()| {
            // Another process may have created it meanwhile: that one stays.
            std::fs::hard_link(&draft, &self.path)
                .or_else(|error| if self.path.exists() { Ok(()) } else { Err(error) })
                .or_else(|_| std::fs::rename(&draft, &self.path))
                .map_err(io(&self.path))
        });
        let _ = std::fs::remove_file(&draft);
        linked
    }

    /// Begins the history of a notebook that has none, with its notes as they are.
    fn begin_journal(&self, connection: &mut Connection) -> Result<(), NotebookError> {
        if self.journal.exists() {
            return Ok(());
        }
        let mut begin = || {
            let transaction =
                connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let notes = notes::notes(&transaction)?.discoveries;
            let operations: Vec<_> = notes.into_iter().map(NoteOperation::Insert).collect();
            self.append(&operations)
        };
        begin().map_err(|error| self.error(error))
    }

    /// Moves a damaged history away and begins another with the notes as they are.
    fn renew_journal(&self) -> Result<(), NotebookError> {
        self.journal.set_aside().map_err(|source| {
            let path = self.journal.path().to_path_buf();
            NotebookError::Io { path, source }
        })?;
        *self.open.lock() = None;
        self.open().map(drop)
    }

    /// Appends to the history, inside of the transaction that makes the changes.
    fn append(&self, operations: &[NoteOperation]) -> rusqlite::Result<()> {
        let failed = |error| rusqlite::Error::ToSqlConversionFailure(Box::new(error));
        self.journal.append(operations).map_err(failed)
    }

    fn replay(&self) -> Result<Replay, NotebookError> {
        let path = self.journal.path().to_path_buf();
        self.journal.replay().map_err(|source| NotebookError::Io { path, source })
    }

    fn damaged(&self, reason: &str) -> NotebookError {
        NotebookError::Damaged { path: self.path.clone(), reason: reason.into() }
    }

    /// Moves a file that cannot be read away, with what belongs to it.
    fn set_aside(&self) -> Result<(), NotebookError> {
        *self.open.lock() = None;
        let name = format!("damaged-{}", milliseconds(SystemTime::now()));
        for suffix in ["", "-wal", "-shm"] {
            let from = self.path.with_extension(format!("db{suffix}"));
            let to = self.path.with_extension(format!("db-{name}{suffix}"));
            if from.exists() {
                std::fs::rename(&from, &to)
                    .map_err(|source| NotebookError::Io { path: from.clone(), source })?;
            }
        }
        Ok(())
    }

    /// SQLite's errors, by what can be done about them.
    fn error(&self, error: rusqlite::Error) -> NotebookError {
        use ErrorCode::*;
        let path = self.path.clone();
        let error = match error {
            rusqlite::Error::ToSqlConversionFailure(cause) => match cause.downcast() {
                Ok(source) => {
                    let path = self.journal.path().to_path_buf();
                    return NotebookError::Io { path, source: *source };
                }
                Err(cause) => rusqlite::Error::ToSqlConversionFailure(cause),
            },
            error => error,
        };
        match error.sqlite_error_code() {
            Some(DatabaseCorrupt | NotADatabase | TypeMismatch | Unknown) => {
                NotebookError::Damaged { path, reason: error.to_string() }
            }
            Some(
                code @ (CannotOpen | ReadOnly | PermissionDenied | SystemIoFailure | DiskFull),
            ) => NotebookError::Io { path, source: std::io::Error::other(words(code)) },
            _ => NotebookError::Database(Box::new(error)),
        }
    }
}

/// What an error code of SQLite means, in words.
fn words(code: ErrorCode) -> &'static str {
    match code {
        ErrorCode::CannotOpen => {
            "it cannot be opened; does the folder exist, and may it be written?"
        }
        ErrorCode::ReadOnly => "it is read-only",
        ErrorCode::PermissionDenied => "permission denied",
        ErrorCode::DiskFull => "the disk is full; free some space and try again",
        _ => "the disk could not be read or written; is it full?",
    }
}

/// Whether a database has tables, and none of them is ours.
fn is_foreign(connection: &Connection) -> rusqlite::Result<bool> {
    let id: i32 = connection.pragma_query_value(None, "application_id", |row| row.get(0))?;
    let count = |sql| connection.query_row(sql, [], |row| row.get::<_, i64>(0));
    // Notebooks of earlier versions have no id, but the table of their version.
    let own = count("select count(*) from sqlite_master where name in ('schema', 'access')")?;
    let tables = count("select count(*) from sqlite_master where type = 'table'")?;
    Ok(id != APPLICATION && (id != 0 || own < 2 && tables > 0))
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
    notes::add_checksums(&transaction)?;
    transaction.pragma_update(None, "application_id", APPLICATION)?;
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
        let notes = self.read(notes::notes)?;
        // Also that of a notebook without a file.
        Ok(Notes { revision: notes::revision(&notes), ..notes })
    }

    fn apply(&self, revision: u64, operations: &[NoteOperation]) -> Result<bool, NotebookError> {
        self.transact(|transaction| {
            if notes::revision(&notes::notes(transaction)?) != revision {
                return Ok(false);
            }
            notes::apply(transaction, operations)?;
            self.append(operations)?;
            Ok(true)
        })
    }

    fn verify(&self) -> Result<NotebookHealth, NotebookError> {
        if !self.path.exists() && !self.journal.exists() {
            return Ok(NotebookHealth::default());
        }
        let replay = self.replay()?;
        let Notes { discoveries, damaged, .. } = self.read(|transaction| {
            let check: String =
                transaction.query_row("pragma quick_check(1)", [], |row| row.get(0))?;
            if check != "ok" {
                return Err(rusqlite::Error::SqliteFailure(
                    rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_CORRUPT),
                    Some(check),
                ));
            }
            notes::notes(transaction)
        })?;
        let known: BTreeMap<&str, &Discovery> =
            discoveries.iter().map(|one| (&*one.id, one)).collect();
        // A note with the right checksum is believed if its history is damaged.
        let differs = |one: &&Discovery| {
            if replay.problem.is_some() {
                return false;
            }
            let recorded = replay.notes.get(&one.id);
            recorded.is_some_and(|note| notes::checksum(note) != notes::checksum(one))
        };
        let mut altered = damaged;
        altered.extend(discoveries.iter().filter(differs).map(|one| one.id.clone()));
        let missing =
            replay.notes.keys().filter(|id| !known.contains_key(&***id) && !altered.contains(id));
        Ok(NotebookHealth {
            notes: discoveries.len(),
            changes: replay.changes,
            missing: missing.cloned().collect(),
            altered,
            history_problem: replay.problem,
        })
    }

    fn restore(&self) -> Result<usize, NotebookError> {
        let health = match self.verify() {
            Ok(health) => health,
            Err(NotebookError::Damaged { .. }) => {
                self.set_aside()?;
                self.create()?;
                self.verify()?
            }
            Err(error) => return Err(error),
        };
        let mut notes = self.replay()?.notes;
        let lost: Vec<Discovery> = health
            .altered
            .iter()
            .chain(&health.missing)
            .filter_map(|id| notes.remove(id))
            .collect();
        self.transact(|transaction| {
            let operations: Vec<_> = lost.iter().cloned().map(NoteOperation::Update).collect();
            notes::apply(transaction, &operations)
        })?;
        if health.history_problem.is_some() {
            self.renew_journal()?;
        }
        Ok(lost.len())
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
