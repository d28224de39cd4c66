//! The index of another working tree of the same repository, to take versions from.
//!
//! A version is made of its bytes, its path and the pipeline, so one that a neighbour has made is copied rather than
//! made again. A neighbour is only read, never repaired or brought up to date: whatever is wrong with it, it has nothing.

use super::database::SCHEMA;
use super::part::Part;
use crate::sqlite::PATIENCE;
use groma_core::VersionKey;
use rusqlite::{Connection, OpenFlags, OptionalExtension};
use rustc_hash::FxHashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The index in another folder.
pub(super) struct Sibling {
    connection: Connection,
    folder: PathBuf,
    /// Those that were looked at; `None` for one that cannot be used.
    parts: FxHashMap<u64, Option<Arc<Part>>>,
}

impl Sibling {
    /// The index in a folder, if the same pipeline made it.
    pub fn open(folder: &Path, pipeline: &str) -> Option<Self> {
        let path = folder.join("index.db");
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection =
            path.is_file().then(|| Connection::open_with_flags(path, flags).ok()).flatten()?;
        connection.busy_timeout(PATIENCE).ok()?;
        let version: u32 =
            connection.pragma_query_value(None, "user_version", |row| row.get(0)).ok()?;
        let sql = "select value from meta where key = 'pipeline'";
        let is_ours = || connection.query_row(sql, [], |row| row.get::<_, String>(0));
        let usable = version == SCHEMA && is_ours().is_ok_and(|made| made == pipeline);
        usable.then(|| Self { connection, folder: folder.into(), parts: FxHashMap::default() })
    }

    /// The part that has a version. It stays readable, whatever the neighbour does with it.
    pub fn part_with(&mut self, key: &VersionKey) -> Option<Arc<Part>> {
        let sql = "select part from version where key = ?1";
        let mut statement = self.connection.prepare_cached(sql).ok()?;
        let id: Option<i64> =
            statement.query_row([key.as_bytes()], |row| row.get(0)).optional().ok()?;
        let id = id? as u64;
        let path = self.folder.join("parts").join(format!("{id:08}.part"));
        let open = || Part::open(id, &path).ok().filter(|part| part.verify().is_ok()).map(Arc::new);
        self.parts.entry(id).or_insert_with(open).clone()
    }
}
