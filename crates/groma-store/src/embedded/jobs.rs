//! The history of jobs, in a database of its own: an index that is cleared, or replaced because it is damaged, keeps it.

use super::ledger;
use super::ledger_error::convert;
use crate::job_log::MAX_JOBS;
use crate::sqlite::{BUSY_TIMEOUT, identity, retry_while_busy};
use groma_core::{
    JobLog, JobRecord, JobState, JobTask, Locked, RefName, StoreError, StoreErrorKind,
};
use rusqlite::types::Type;
use rusqlite::{Connection, Row, params};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The name of the database's file.
pub(super) const FILE: &str = "jobs.db";

/// Its numbers grow in the order in which jobs were started.
const TABLE: &str = "
    create table if not exists job (
        number integer primary key autoincrement, id text not null unique, task text not null,
        ref text not null, mode text not null, state text not null, changed_files integer,
        duration_ms integer, created integer not null, message text not null
    );
";

/// The job history of the index in a folder. Reading never creates the file.
pub(super) struct SqliteJobLog {
    folder: PathBuf,
    /// The connection, and the identity of the file that it is to.
    open: Locked<Option<(Connection, Option<u64>)>>,
}

impl SqliteJobLog {
    pub fn new(folder: &Path) -> Self {
        Self { folder: folder.to_path_buf(), open: Locked::default() }
    }

    fn path(&self) -> PathBuf {
        self.folder.join(FILE)
    }

    /// Runs `work` on the database, which is opened again if another process replaced it.
    fn run<T>(&self, work: impl Fn(&Connection) -> rusqlite::Result<T>) -> Result<T, StoreError> {
        let path = self.path();
        let failed = |error| convert(&path, error);
        let mut open = self.open.lock();
        if open.as_ref().is_none_or(|(_, known)| *known != identity(&path)) {
            *open = None;
            let connection = self.connect().map_err(failed)?;
            *open = Some((connection, identity(&path)));
        }
        let (connection, _) = open.as_ref().expect("it was opened");
        work(connection).map_err(failed)
    }

    fn connect(&self) -> rusqlite::Result<Connection> {
        let path = self.path();
        let is_new = !path.exists();
        let connection = Connection::open(&path)?;
        connection.busy_timeout(BUSY_TIMEOUT)?;
        retry_while_busy(|| connection.execute_batch(TABLE))?;
        if is_new {
            // Without them only the history is shorter.
            let _ = import(&connection, &self.folder.join(ledger::FILE));
        }
        Ok(connection)
    }

    /// Deletes a history that cannot be read: jobs are worth more than the record of earlier ones.
    fn discard(&self) {
        *self.open.lock() = None;
        let _ = std::fs::remove_file(self.path());
    }
}

/// Takes over the jobs that earlier versions recorded in the ledger.
fn import(connection: &Connection, ledger: &Path) -> rusqlite::Result<()> {
    if !ledger.exists() {
        return Ok(());
    }
    connection.execute("attach database ?1 as ledger", [ledger.to_string_lossy()])?;
    let copied = connection.execute_batch(
        "insert or ignore into job
         (id, task, ref, mode, state, changed_files, duration_ms, created, message)
         select id, task, ref, mode, state, changed_files, duration_ms, created, message
         from ledger.job order by number",
    );
    connection.execute_batch("detach database ledger")?;
    copied
}

impl JobLog for SqliteJobLog {
    fn record(&self, job: &JobRecord) -> Result<(), StoreError> {
        std::fs::create_dir_all(&self.folder)
            .map_err(|source| super::io_error(&self.folder, source))?;
        let recorded = self.run(|connection| record(connection, job));
        match recorded {
            Err(error) if error.is(StoreErrorKind::Damaged) => {
                self.discard();
                self.run(|connection| record(connection, job))
            }
            other => other,
        }
    }

    fn jobs(&self, limit: usize) -> Result<Vec<JobRecord>, StoreError> {
        if !self.path().exists() {
            return Ok(Vec::new());
        }
        let found = self.run(|connection| {
            let mut statement = connection.prepare_cached(
                "select id, task, ref, mode, state, changed_files, duration_ms, created, message
                 from job order by number desc limit ?1",
            )?;
            let rows = statement.query_map([limit.min(MAX_JOBS) as i64], job)?;
            rows.collect()
        });
        match found {
            Err(error) if error.is(StoreErrorKind::Damaged) => Ok(Vec::new()),
            other => other,
        }
    }
}

fn record(connection: &Connection, job: &JobRecord) -> rusqlite::Result<()> {
    let created = job.created.duration_since(UNIX_EPOCH).unwrap_or_default();
    connection.execute(
        "insert into job
         (id, task, ref, mode, state, changed_files, duration_ms, created, message)
         values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
         on conflict (id) do update
         set state = ?5, changed_files = ?6, duration_ms = ?7, message = ?9",
        params![
            job.id,
            job.task.as_str(),
            job.reference.as_str(),
            job.mode.as_str(),
            job.state.as_str(),
            job.changed_files.map(|files| files as i64),
            job.duration_ms.map(|time| time as i64),
            created.as_millis() as i64,
            job.message,
        ],
    )?;
    forget_old(connection)
}

fn forget_old(connection: &Connection) -> rusqlite::Result<()> {
    let sql = "delete from job where number not in
               (select number from job order by number desc limit ?1)";
    connection.execute(sql, [MAX_JOBS as i64]).map(drop)
}

fn job(row: &Row<'_>) -> rusqlite::Result<JobRecord> {
    let number = |at| row.get::<_, Option<i64>>(at).map(|number| number.map(|n| n.max(0) as u64));
    Ok(JobRecord {
        id: row.get(0)?,
        task: task(row, 1)?,
        reference: RefName::new(row.get::<_, String>(2)?),
        mode: word(row, 3)?,
        state: state(row, 4)?,
        changed_files: number(5)?,
        duration_ms: number(6)?,
        created: moment(row.get(7)?),
        message: row.get(8)?,
    })
}

/// What a job was asked to do. Job logs outlive the versions of the program: earlier ones wrote other words.
fn task(row: &Row<'_>, at: usize) -> rusqlite::Result<JobTask> {
    match row.get_ref(at)?.as_str() {
        Ok("sync") => Ok(JobTask::Update),
        _ => word(row, at),
    }
}

/// A job's state, in the words of any version as well.
fn state(row: &Row<'_>, at: usize) -> rusqlite::Result<JobState> {
    match row.get_ref(at)?.as_str() {
        Ok("validating") => Ok(JobState::Committing),
        Ok("published") => Ok(JobState::Succeeded),
        Ok("rolled_back") => Ok(JobState::Cancelled),
        _ => word(row, at),
    }
}

/// A name of an enum; any other is damage.
fn word<T: FromStr<Err = String>>(row: &Row<'_>, at: usize) -> rusqlite::Result<T> {
    let wrong =
        |reason: String| rusqlite::Error::FromSqlConversionFailure(at, Type::Text, reason.into());
    row.get::<_, String>(at)?.parse().map_err(wrong)
}

fn moment(milliseconds: i64) -> SystemTime {
    let since = Duration::from_millis(milliseconds.max(0) as u64);
    UNIX_EPOCH.checked_add(since).unwrap_or(UNIX_EPOCH)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_earlier_versions_wrote_are_read() {
        let connection = rusqlite::Connection::open_in_memory().unwrap();
        let asked = |word: &str| {
            let sql = format!("select '{word}'");
            connection.query_row(&sql, [], |row| task(row, 0))
        };
        assert_eq!(asked("sync").unwrap(), JobTask::Update);
        assert_eq!(asked("update").unwrap(), JobTask::Update);
        assert_eq!(asked("index").unwrap(), JobTask::Index);
        assert!(asked("other").is_err());
        let read = |word: &str| {
            let sql = format!("select '{word}'");
            connection.query_row(&sql, [], |row| state(row, 0))
        };
        assert_eq!(read("validating").unwrap(), JobState::Committing);
        assert_eq!(read("published").unwrap(), JobState::Succeeded);
        assert_eq!(read("rolled_back").unwrap(), JobState::Cancelled);
        assert_eq!(read("succeeded").unwrap(), JobState::Succeeded);
        assert!(read("other").is_err());
    }
}
