//! The indexes of the repository's other working trees, to take versions from.
//!
//! A version is made of its bytes, its path and the pipeline, so one that a neighbour has made is taken rather than
//! made again: with the whole segment where most of it is wanted, under a second name of the same file, else as a copy.
//! A neighbour is only read, never repaired or brought up to date: whatever is wrong with it, it has nothing. What
//! else it knows (manifests, jobs) is about its own files.

use super::database::SCHEMA;
use super::merge::Candidate;
use super::segment::Segment;
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
    /// Versions that one of them has, and the segment of it that they are in.
    found: FxHashMap<VersionKey, Arc<Segment>>,
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
        let segment = self.open.iter_mut().find_map(|one| one.segment_with(key));
        segment.is_some_and(|segment| self.found.insert(*key, segment).is_none())
    }

    /// The versions of a manifest that were found here.
    pub fn loans(self, manifest: &Manifest) -> Vec<Loan> {
        let mut loans: Vec<Loan> = Vec::new();
        for key in manifest.files.values().map(|entry| entry.key) {
            let Some(segment) = self.found.get(&key) else { continue };
            match loans.iter_mut().find(|loan| Arc::ptr_eq(&loan.segment, segment)) {
                Some(loan) => drop(loan.wanted.insert(key)),
                None => {
                    loans.push(Loan {
                        segment: segment.clone(),
                        wanted: [key].into_iter().collect(),
                    });
                }
            }
        }
        loans
    }
}

/// A segment of a sibling, and the versions in it that are wanted.
pub(super) struct Loan {
    pub segment: Arc<Segment>,
    pub wanted: FxHashSet<VersionKey>,
}

impl Loan {
    /// Gives the whole segment another name. `None` where most of it is not wanted, or the file system cannot; else the
    /// versions in it, in order.
    pub fn link(&self, path: &Path) -> Option<Vec<VersionKey>> {
        let keys = |segment: &Segment| segment.files().map(|file| file.key).collect::<Vec<_>>();
        if Candidate::new(self.segment.clone(), |key| self.wanted.contains(key)).is_wasteful() {
            return None;
        }
        std::fs::hard_link(self.segment.path(), path).ok()?;
        // By now the name can be that of another file: whoever makes a lost index anew counts from the start.
        let linked = Segment::open(self.segment.id, path).ok().map(|segment| keys(&segment));
        let linked = linked.filter(|linked| *linked == keys(&self.segment));
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
    segments: FxHashMap<u64, Option<Arc<Segment>>>,
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
        usable.then(|| Self { connection, folder: folder.into(), segments: FxHashMap::default() })
    }

    /// The segment that has a version. It stays readable, whatever the neighbour does with it.
    fn segment_with(&mut self, key: &VersionKey) -> Option<Arc<Segment>> {
        let sql = "select segment from version where key = ?1";
        let mut statement = self.connection.prepare_cached(sql).ok()?;
        let id: Option<i64> =
            statement.query_row([key.as_bytes()], |row| row.get(0)).optional().ok()?;
        let id = id? as u64;
        let path = self.folder.join("segments").join(format!("{id:08}.segment"));
        let open = || {
            Segment::open(id, &path).ok().filter(|segment| segment.verify().is_ok()).map(Arc::new)
        };
        self.segments.entry(id).or_insert_with(open).clone()
    }
}
