//! The rows of a notebook: recorded discoveries, and sessions.

use crate::sqlite::{milliseconds, parsed, time};
use groma_core::{Discovery, Evidence, MAX_SESSIONS, NoteOperation, Notes, RelPath, SessionRecord};
use rusqlite::{OptionalExtension, Row, Transaction, params};
use std::collections::{BTreeMap, HashMap};

/// The tables, as the second version of a notebook adds them.
pub(crate) const TABLES: &str = "
    create table discovery (
        id text primary key, kind text not null, content text not null, module text, session text,
        date integer not null, confidence real not null
    ) without rowid;
    create table evidence (
        discovery text not null, position integer not null, origin text not null,
        place text not null, line integer not null, primary key (discovery, position)
    ) without rowid;
    create table session (
        id text primary key, connection text not null, started integer not null,
        active integer not null, ended integer
    ) without rowid;
    create index session_active on session (active);
    create index session_connection on session (connection, active);
    create table session_topic (
        session text not null, position integer not null, topic text not null,
        primary key (session, position)
    ) without rowid;
    create table session_file (
        session text not null, path text not null, count integer not null,
        primary key (session, path)
    ) without rowid;
    create table session_call (
        session text not null, tool text not null, count integer not null,
        primary key (session, tool)
    ) without rowid;
";

/// The columns that the fifth version of a notebook adds.
pub(crate) const REVISIONS: &str = "
    alter table discovery add column edited integer;
    alter table discovery add column superseded text;
";

/// The column that the sixth version of a notebook adds.
pub(crate) const CHECKSUMS: &str = "
    alter table discovery add column checksum text;
";

/// The recorded discoveries, oldest first. One that does not match its checksum costs itself only.
pub(crate) fn notes(transaction: &Transaction<'_>) -> rusqlite::Result<Notes> {
    let mut evidence = all_evidence(transaction)?;
    let sql =
        "select id, kind, content, module, session, date, confidence, edited, superseded, checksum
               from discovery order by date, id";
    let mut statement = transaction.prepare_cached(sql)?;
    let mut rows = statement.query([])?;
    let mut notes = Notes::default();
    while let Some(row) = rows.next()? {
        let id: String = row.get(0).unwrap_or_else(|_| "?".into());
        let found = discovery(row, evidence.remove(&id).unwrap_or_default());
        let sum: Option<String> = row.get(9).unwrap_or_default();
        match found.ok().filter(|one| sum.as_deref() == Some(&*checksum(one))) {
            Some(one) => notes.discoveries.push(one),
            None => notes.damaged.push(id),
        }
    }
    Ok(notes)
}

fn discovery(row: &Row<'_>, evidence: Vec<Evidence>) -> rusqlite::Result<Discovery> {
    Ok(Discovery {
        id: row.get(0)?,
        kind: parsed(row, 1)?,
        content: row.get(2)?,
        module: row.get(3)?,
        session: row.get(4)?,
        date: time(row.get(5)?),
        confidence: row.get(6)?,
        evidence,
        edited: row.get::<_, Option<i64>>(7)?.map(time),
        superseded: row.get(8)?,
    })
}

/// Gives a checksum to the notes of versions that had none.
pub(crate) fn add_checksums(transaction: &Transaction<'_>) -> rusqlite::Result<()> {
    let mut evidence = all_evidence(transaction)?;
    let sql = "select id, kind, content, module, session, date, confidence, edited, superseded
               from discovery where checksum is null";
    let mut statement = transaction.prepare(sql)?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let id: String = row.get(0)?;
        let one = discovery(row, evidence.remove(&id).unwrap_or_default())?;
        let sql = "update discovery set checksum = ?2 where id = ?1";
        transaction.execute(sql, params![id, checksum(&one)])?;
    }
    Ok(())
}

/// A hash of everything that a note says.
pub(crate) fn checksum(one: &Discovery) -> String {
    let mut hasher = blake3::Hasher::new();
    let mut field = |text: &str| {
        hasher.update(&(text.len() as u64).to_le_bytes());
        hasher.update(text.as_bytes());
    };
    for text in [&*one.id, one.kind.as_str(), &*one.content] {
        field(text);
    }
    for text in [&one.module, &one.session, &one.superseded] {
        field(text.as_deref().map_or("-", |_| "+"));
        field(text.as_deref().unwrap_or_default());
    }
    field(&milliseconds(one.date).to_string());
    field(&one.confidence.to_bits().to_string());
    field(&one.edited.map_or(String::new(), |time| milliseconds(time).to_string()));
    for evidence in &one.evidence {
        field(evidence.origin.as_str());
        field(&evidence.place);
        field(&evidence.line.to_string());
    }
    hasher.finalize().to_hex()[..32].to_string()
}

fn all_evidence(transaction: &Transaction<'_>) -> rusqlite::Result<HashMap<String, Vec<Evidence>>> {
    let sql = "select discovery, origin, place, line from evidence order by discovery, position";
    let mut statement = transaction.prepare_cached(sql)?;
    let mut rows = statement.query([])?;
    let mut found: HashMap<String, Vec<Evidence>> = HashMap::new();
    while let Some(row) = rows.next()? {
        // A row that cannot be read is missed by the checksum of its note.
        let evidence = || -> rusqlite::Result<(String, Evidence)> {
            let origin = parsed(row, 1)?;
            Ok((row.get(0)?, Evidence { origin, place: row.get(2)?, line: row.get(3)? }))
        };
        if let Ok((note, evidence)) = evidence() {
            found.entry(note).or_default().push(evidence);
        }
    }
    Ok(found)
}

/// Identifies a state of the notes: a hash of all of it.
pub(crate) fn revision(notes: &Notes) -> u64 {
    let mut hasher = blake3::Hasher::new();
    for sum in notes.discoveries.iter().map(checksum).chain(notes.damaged.iter().cloned()) {
        hasher.update(&(sum.len() as u64).to_le_bytes());
        hasher.update(sum.as_bytes());
    }
    let hash = hasher.finalize();
    u64::from_le_bytes(hash.as_bytes()[..8].try_into().expect("eight bytes"))
}

/// Applies operations, one after the other.
pub(crate) fn apply(
    transaction: &Transaction<'_>,
    operations: &[NoteOperation],
) -> rusqlite::Result<()> {
    for operation in operations {
        let id = match operation {
            NoteOperation::Insert(one) | NoteOperation::Update(one) => &one.id,
            NoteOperation::Forget(id) => id,
        };
        transaction.execute("delete from discovery where id = ?1", [id])?;
        transaction.execute("delete from evidence where discovery = ?1", [id])?;
        if let NoteOperation::Insert(one) | NoteOperation::Update(one) = operation {
            write(transaction, one)?;
        }
    }
    Ok(())
}

/// A note as it is read again: times in milliseconds.
fn stored(one: &Discovery) -> Discovery {
    let rounded = |at| time(milliseconds(at));
    Discovery { date: rounded(one.date), edited: one.edited.map(rounded), ..one.clone() }
}

fn write(transaction: &Transaction<'_>, one: &Discovery) -> rusqlite::Result<()> {
    transaction.execute(
        "insert into discovery
             (id, kind, content, module, session, date, confidence, edited, superseded, checksum)
         values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
        params![
            one.id,
            one.kind.as_str(),
            one.content,
            one.module,
            one.session,
            milliseconds(one.date),
            one.confidence,
            one.edited.map(milliseconds),
            one.superseded,
            checksum(&stored(one))
        ],
    )?;
    let mut statement = transaction.prepare_cached(
        "insert into evidence (discovery, position, origin, place, line)
         values (?1, ?2, ?3, ?4, ?5)",
    )?;
    for (position, evidence) in (0i64..).zip(&one.evidence) {
        let Evidence { origin, place, line } = evidence;
        statement.execute(params![one.id, position, origin.as_str(), place, line])?;
    }
    Ok(())
}

/// Stores a session, replacing its last state.
pub(crate) fn keep_session(
    transaction: &Transaction<'_>,
    session: &SessionRecord,
) -> rusqlite::Result<()> {
    transaction.execute(
        "insert or replace into session (id, connection, started, active, ended)
         values (?1, ?2, ?3, ?4, ?5)",
        params![
            session.id,
            session.connection,
            milliseconds(session.started),
            milliseconds(session.active),
            session.ended.map(milliseconds)
        ],
    )?;
    forget_details(transaction, &session.id)?;
    for (position, topic) in (0i64..).zip(&session.topics) {
        let sql = "insert into session_topic (session, position, topic) values (?1, ?2, ?3)";
        transaction.prepare_cached(sql)?.execute(params![session.id, position, topic])?;
    }
    for (path, count) in &session.files {
        let sql = "insert into session_file (session, path, count) values (?1, ?2, ?3)";
        transaction.prepare_cached(sql)?.execute(params![
            session.id,
            path.as_str(),
            *count as i64
        ])?;
    }
    for (tool, count) in &session.calls {
        let sql = "insert into session_call (session, tool, count) values (?1, ?2, ?3)";
        transaction.prepare_cached(sql)?.execute(params![session.id, tool, *count as i64])?;
    }
    forget_old(transaction)
}

/// Deletes all but the newest sessions.
fn forget_old(transaction: &Transaction<'_>) -> rusqlite::Result<()> {
    let sql = "select id from session order by active desc, id limit -1 offset ?1";
    let mut statement = transaction.prepare_cached(sql)?;
    let old: Vec<String> = statement
        .query_map([MAX_SESSIONS as i64], |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    for id in old {
        forget_details(transaction, &id)?;
        transaction.execute("delete from session where id = ?1", [id])?;
    }
    Ok(())
}

fn forget_details(transaction: &Transaction<'_>, id: &str) -> rusqlite::Result<()> {
    for table in ["session_topic", "session_file", "session_call"] {
        transaction
            .prepare_cached(&format!("delete from {table} where session = ?1"))?
            .execute([id])?;
    }
    Ok(())
}

/// The sessions that were active last.
pub(crate) fn sessions(
    transaction: &Transaction<'_>,
    limit: usize,
) -> rusqlite::Result<Vec<SessionRecord>> {
    let sql = "select id, connection, started, active, ended from session
               order by active desc, id limit ?1";
    let mut statement = transaction.prepare_cached(sql)?;
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let rows: Vec<SessionRecord> =
        statement.query_map([limit], session)?.collect::<rusqlite::Result<_>>()?;
    rows.into_iter().map(|session| whole(transaction, session)).collect()
}

/// The session of a connection that was active last.
pub(crate) fn last_session(
    transaction: &Transaction<'_>,
    connection: &str,
) -> rusqlite::Result<Option<SessionRecord>> {
    let sql = "select id, connection, started, active, ended from session
               where connection = ?1 order by active desc, id limit 1";
    let found = transaction.prepare_cached(sql)?.query_row([connection], session).optional()?;
    found.map(|session| whole(transaction, session)).transpose()
}

fn session(row: &Row<'_>) -> rusqlite::Result<SessionRecord> {
    Ok(SessionRecord {
        id: row.get(0)?,
        connection: row.get(1)?,
        started: time(row.get(2)?),
        active: time(row.get(3)?),
        ended: row.get::<_, Option<i64>>(4)?.map(time),
        topics: Vec::new(),
        files: BTreeMap::new(),
        calls: BTreeMap::new(),
    })
}

/// A session with its topics, files and calls.
fn whole(
    transaction: &Transaction<'_>,
    mut session: SessionRecord,
) -> rusqlite::Result<SessionRecord> {
    let sql = "select topic from session_topic where session = ?1 order by position";
    let mut statement = transaction.prepare_cached(sql)?;
    session.topics =
        statement.query_map([&session.id], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
    let sql = "select path, count from session_file where session = ?1";
    let files = counts(transaction, sql, &session.id)?;
    // A path that cannot be one was never written by us.
    session.files = files
        .into_iter()
        .filter_map(|(path, count)| Some((RelPath::new(path).ok()?, count)))
        .collect();
    let sql = "select tool, count from session_call where session = ?1";
    session.calls = counts(transaction, sql, &session.id)?.into_iter().collect();
    Ok(session)
}

fn counts(
    transaction: &Transaction<'_>,
    sql: &str,
    session: &str,
) -> rusqlite::Result<Vec<(String, u64)>> {
    let mut statement = transaction.prepare_cached(sql)?;
    let rows = statement
        .query_map([session], |row| Ok((row.get(0)?, row.get::<_, i64>(1)?.max(0) as u64)))?;
    rows.collect()
}
