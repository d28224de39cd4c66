//! The rows that say how far records of sessions were read.

use groma_core::TranscriptMark;
use rusqlite::{OptionalExtension, Transaction, params};

/// The table, as the fourth version of a notebook adds it.
pub(crate) const TABLES: &str = "
    create table transcript (
        name text primary key, session text not null, bytes integer not null,
        lines integer not null, digest text not null
    ) without rowid;
";

/// How far a record was read.
pub(crate) fn read(
    transaction: &Transaction<'_>,
    name: &str,
) -> rusqlite::Result<Option<TranscriptMark>> {
    let sql = "select name, session, bytes, lines, digest from transcript where name = ?1";
    let mut statement = transaction.prepare_cached(sql)?;
    let mark = statement.query_row([name], |row| {
        Ok(TranscriptMark {
            name: row.get(0)?,
            session: row.get(1)?,
            bytes: row.get::<_, i64>(2)?.max(0) as u64,
            lines: row.get::<_, i64>(3)?.max(0) as u64,
            digest: row.get(4)?,
        })
    });
    mark.optional()
}

/// Notes how far a record was read.
pub(crate) fn keep(transaction: &Transaction<'_>, mark: &TranscriptMark) -> rusqlite::Result<()> {
    transaction.execute(
        "insert or replace into transcript (name, session, bytes, lines, digest)
         values (?1, ?2, ?3, ?4, ?5)",
        params![mark.name, mark.session, mark.bytes as i64, mark.lines as i64, mark.digest],
    )?;
    Ok(())
}
