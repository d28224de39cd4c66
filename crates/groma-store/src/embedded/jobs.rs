//! The history of jobs, in a table of its own that `clear` leaves alone.

use super::database::Database;
use crate::job_log::MAX_JOBS;
use groma_core::{JobRecord, JobState, JobTask, RefName, StoreError};
use rusqlite::types::Type;
use rusqlite::{Connection, Row, params};
use std::str::FromStr;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Its numbers grow in the order in which jobs were started.
pub(super) const TABLE: &str = "
    create table if not exists job (
        number integer primary key autoincrement, id text not null unique, task text not null,
        ref text not null, mode text not null, state text not null, changed_files integer,
        duration_ms integer, created integer not null, message text not null
    );
";

impl Database {
    /// Records a job, or its present state.
    pub fn record_job(&self, job: &JobRecord) -> Result<(), StoreError> {
        let created = job.created.duration_since(UNIX_EPOCH).unwrap_or_default();
        self.run(|connection| {
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
        })
    }

    /// The jobs started last, newest first.
    pub fn jobs(&self, limit: usize) -> Result<Vec<JobRecord>, StoreError> {
        self.run(|connection| {
            let mut statement = connection.prepare_cached(
                "select id, task, ref, mode, state, changed_files, duration_ms, created, message
                 from job order by number desc limit ?1",
            )?;
            let rows = statement.query_map([limit.min(MAX_JOBS) as i64], job)?;
            rows.collect()
        })
    }
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
