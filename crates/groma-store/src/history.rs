//! The rows of a history: what commits state, kept so that they are read once.

use crate::sqlite::{milliseconds, parsed, time};
use groma_core::{Discovery, Evidence, History, Origin};
use rusqlite::{OptionalExtension, Transaction, params};

/// The tables, as the third version of a notebook adds them.
pub(crate) const TABLES: &str = "
    create table history (
        tip text not null, version integer not null, commits integer not null, rest text not null
    );
    create table history_discovery (
        position integer primary key, id text not null, kind text not null, content text not null,
        module text, date integer not null, confidence real not null, hash text not null
    );
";

/// The history that was stored last.
pub(crate) fn read(transaction: &Transaction<'_>) -> rusqlite::Result<Option<History>> {
    let sql = "select tip, version, commits, rest from history";
    let kept = transaction.prepare_cached(sql)?.query_row([], |row| {
        let rest: String = row.get(3)?;
        Ok(History {
            tip: row.get(0)?,
            version: row.get(1)?,
            read: row.get::<_, i64>(2)?.max(0) as u64,
            rest: rest.split_whitespace().map(str::to_string).collect(),
            discoveries: Vec::new(),
        })
    });
    let Some(mut history) = kept.optional()? else { return Ok(None) };
    let sql = "select id, kind, content, module, date, confidence, hash from history_discovery
               order by position";
    let mut statement = transaction.prepare_cached(sql)?;
    let rows = statement.query_map([], |row| {
        let evidence = Evidence { origin: Origin::Commit, place: row.get(6)?, line: 0 };
        Ok(Discovery {
            id: row.get(0)?,
            kind: parsed(row, 1)?,
            content: row.get(2)?,
            module: row.get(3)?,
            session: None,
            date: time(row.get(4)?),
            confidence: row.get(5)?,
            evidence: vec![evidence],
            edited: None,
            superseded: None,
        })
    })?;
    history.discoveries = rows.collect::<rusqlite::Result<_>>()?;
    Ok(Some(history))
}

/// Replaces the stored history; `None` deletes it.
pub(crate) fn keep(
    transaction: &Transaction<'_>,
    history: Option<&History>,
) -> rusqlite::Result<()> {
    transaction.execute("delete from history", [])?;
    transaction.execute("delete from history_discovery", [])?;
    let Some(history) = history else { return Ok(()) };
    transaction.execute(
        "insert into history (tip, version, commits, rest) values (?1, ?2, ?3, ?4)",
        params![history.tip, history.version, history.read as i64, history.rest.join(" ")],
    )?;
    let mut statement = transaction.prepare_cached(
        "insert into history_discovery
             (position, id, kind, content, module, date, confidence, hash)
         values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
    )?;
    for (position, one) in (0i64..).zip(&history.discoveries) {
        let hash = one.evidence.first().map_or("", |evidence| &*evidence.place);
        statement.execute(params![
            position,
            one.id,
            one.kind.as_str(),
            one.content,
            one.module,
            milliseconds(one.date),
            one.confidence,
            hash
        ])?;
    }
    Ok(())
}
