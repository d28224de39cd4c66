//! The indexes of the repository's other working trees, to take versions from.
//!
//! A version is made of its bytes, its path and the pipeline, so one that a neighbour has made is taken rather than
//! made again: with the whole part where most of it is wanted, under a second name of the same file, else as a copy.
//! A neighbour is only read, never repaired or brought up to date: whatever is wrong with it, it has nothing. What
//! else it knows (manifests, jobs) is about its own files.

use super::database::SCHEMA;
use super::merge::Candidate;
use super::part::Part;
use crate::sqlite::PATIENCE;
use groma_core::{Manifest, VersionKey};
use rusqlite::{Connection, OpenFlags, OptionalExtension};
use rustc_hash::{FxHashMap, FxHashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// All of them, and what was found in them.
#[derive(Default)]
pub(super) struct Siblings {
    open: Vec<Sibling>,
    /// Versions that one of them has, and the part of it that they are in.
    found: FxHashMap<VersionKey, Arc<Part>>,
}

impl Siblings {
    /// Those in `folders` that the same pipeline made.
    pub fn open(folders: &[PathBuf], pipeline: &str) -> Self {
        let open = folders.iter().filter_map(|folder| Sibling::open(folder, pipeline)).collect();
        Self { open, found: FxHashMap::default() }
    }

    /// Whether one of them has a version.
    pub fn has(&mut self, key: &VersionKey) -> bool {
        if self.found.contains_key(key) {
            return true;
        }
        let part = self.open.iter_mut().find_map(|one| one.part_with(key));
        part.is_some_and(|part| self.found.insert(*key, part).is_none())
    }

    /// The versions of a manifest that were found here.
    pub fn loans(self, manifest: &Manifest) -> Vec<Loan> {
        let mut loans: Vec<Loan> = Vec::new();
        for key in manifest.files.values().map(|entry| entry.key) {
            let Some(part) = self.found.get(&key) else { continue };
            match loans.iter_mut().find(|loan| Arc::ptr_eq(&loan.part, part)) {
                Some(loan) => drop(loan.wanted.insert(key)),
                None => {
                    loans.push(Loan { part: part.clone(), wanted: [key].into_iter().collect() });
                }
            }
        }
        loans
    }
}

/// A part of a sibling, and the versions in it that are wanted.
pub(super) struct Loan {
    pub part: Arc<Part>,
    pub wanted: FxHashSet<VersionKey>,
}

impl Loan {
    /// Gives the whole part another name. `None` where most of it is not wanted, or the file system cannot; else the
    /// versions in it, in order.
    pub fn link(&self, path: &Path) -> Option<Vec<VersionKey>> {
        let keys = |part: &Part| part.files().map(|file| file.key).collect::<Vec<_>>();
        if Candidate::new(self.part.clone(), |key| self.wanted.contains(key)).is_wasteful() {
            return None;
        }
        std::fs::hard_link(self.part.path(), path).ok()?;
        // By now the name can be that of another file: whoever makes a lost index anew counts from the start.
        let linked = Part::open(self.part.id, path).ok().map(|part| keys(&part));
        let linked = linked.filter(|linked| *linked == keys(&self.part));
        if linked.is_none() {
            let _ = std::fs::remove_file(path);
        }
        linked
    }
}

/// The index in another folder.
struct Sibling {
    connection: Connection,
    folder: PathBuf,
    /// Those that were looked at; `None` for one that cannot be used.
    parts: FxHashMap<u64, Option<Arc<Part>>>,
}

impl Sibling {
    /// The index in a folder, if the same pipeline made it.
    fn open(folder: &Path, pipeline: &str) -> Option<Self> {
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
    fn part_with(&mut self, key: &VersionKey) -> Option<Arc<Part>> {
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
