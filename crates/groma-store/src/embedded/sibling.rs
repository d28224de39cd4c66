//! The indexes of the repository's other working trees, as sources of versions.
//!
//! A version is identified by its bytes, its path and the pipeline, so one that a sibling has is taken instead of
//! parsed again: with the whole segment as a hard link where most of it is wanted, else as a copy. A sibling is only
//! read, never repaired or updated: one that cannot be read is ignored.

use super::blobs::FolderBlobs;
use super::database::SCHEMA;
use super::ledger::FILE;
use super::merge::Candidate;
use super::segment::Segment;
use crate::sqlite::BUSY_TIMEOUT;
use groma_core::{Blobs, Deadline, Manifest, SegmentId, SegmentInfo, VersionKey};
use rusqlite::{Connection, OpenFlags};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::OnceCell;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// All siblings, and the versions found in them.
#[derive(Default)]
pub(super) struct Siblings {
    open: Vec<Sibling>,
    /// Versions found in a sibling, and its segment that holds them.
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
        let segment = self.open.iter().find_map(|one| one.segment_with(key));
        segment.is_some_and(|segment| self.found.insert(*key, segment).is_none())
    }

    /// The versions of a manifest that were found, by segment.
    pub fn sources(self, manifest: &Manifest) -> Vec<SiblingSource> {
        let mut sources: Vec<SiblingSource> = Vec::new();
        for key in manifest.files.values().map(|entry| entry.key) {
            let Some(segment) = self.found.get(&key) else { continue };
            match sources.iter_mut().find(|source| Arc::ptr_eq(&source.segment, segment)) {
                Some(source) => drop(source.wanted.insert(key)),
                None => {
                    sources.push(SiblingSource {
                        segment: segment.clone(),
                        wanted: [key].into_iter().collect(),
                    });
                }
            }
        }
        sources
    }
}

/// A segment of a sibling, and the versions in it that are wanted.
pub(super) struct SiblingSource {
    pub segment: Arc<Segment>,
    pub wanted: FxHashSet<VersionKey>,
}

impl SiblingSource {
    /// Hard-links the segment. `None` if most of it is not wanted, or the file system has no hard links.
    pub fn link(&self, blobs: &dyn Blobs) -> Option<SegmentInfo> {
        if Candidate::new(self.segment.clone(), |key| self.wanted.contains(key)).is_wasteful() {
            return None;
        }
        blobs.link(&self.segment.id, self.segment.path()?)
    }

    /// Whether a linked segment is the one that was verified: its file may have been altered since.
    pub fn is_linked_as(&self, linked: &Segment) -> bool {
        let keys = |segment: &Segment| segment.files().map(|file| file.key).collect::<Vec<_>>();
        keys(linked) == keys(&self.segment)
    }
}

/// The index in another folder.
struct Sibling {
    folder: PathBuf,
    segments: Vec<SiblingSegment>,
}

/// A segment of a sibling, opened and verified at first use; `None` if it cannot be used.
struct SiblingSegment {
    id: SegmentId,
    opened: OnceCell<Option<Arc<Segment>>>,
    is_sound: OnceCell<bool>,
}

impl Sibling {
    /// The index in a folder, if the same pipeline made it.
    fn open(folder: &Path, pipeline: &str) -> Option<Self> {
        let path = folder.join(FILE);
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection =
            path.is_file().then(|| Connection::open_with_flags(path, flags).ok()).flatten()?;
        connection.busy_timeout(BUSY_TIMEOUT).ok()?;
        let version: u32 =
            connection.pragma_query_value(None, "user_version", |row| row.get(0)).ok()?;
        let sql = "select value from meta where key = 'pipeline'";
        let is_ours = || connection.query_row(sql, [], |row| row.get::<_, String>(0));
        if version != SCHEMA || !is_ours().is_ok_and(|made| made == pipeline) {
            return None;
        }
        let mut statement = connection.prepare("select id from segment order by number").ok()?;
        let ids = statement.query_map([], |row| Ok(SegmentId::from_bytes(row.get(0)?))).ok()?;
        let segment =
            |id| SiblingSegment { id, opened: OnceCell::new(), is_sound: OnceCell::new() };
        let segments = ids.collect::<rusqlite::Result<Vec<_>>>().ok()?.into_iter().map(segment);
        Some(Self { folder: folder.into(), segments: segments.collect() })
    }

    /// The segment that has a version. It stays readable, whatever the sibling does with it.
    fn segment_with(&self, key: &VersionKey) -> Option<Arc<Segment>> {
        self.segments.iter().find_map(|segment| segment.with(&self.folder, key))
    }
}

impl SiblingSegment {
    fn with(&self, folder: &Path, key: &VersionKey) -> Option<Arc<Segment>> {
        let open = || {
            let blobs = FolderBlobs::new(folder).get(&[self.id], Deadline::default()).ok()?;
            Segment::open(self.id, blobs.first()?).ok().map(Arc::new)
        };
        let segment = self.opened.get_or_init(open).as_ref()?;
        segment.ordinal(key)?;
        self.is_sound.get_or_init(|| segment.verify().is_ok()).then(|| segment.clone())
    }
}
