//! Stat data in files beside the index, one for each ref.
//!
//! ```text
//! magic, number of entries
//! one entry a file: length of the path, path, flags, size, mtime, ctime and inode hash, version key
//! the checksum of everything above
//! ```

use super::sections::checksum;
use super::{io_error, u64_at};
use crate::random;
use groma_core::{
    CachedStat, FileStamp, Locked, RefName, RelPath, StatCache, StatCaches, StoreError, VersionKey,
};
use rustc_hash::FxHashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

const MAGIC: &[u8; 8] = b"GROMAST1";
const RACY: u8 = 1;
const SKIPPED: u8 = 2;
/// Bytes of an entry besides its path.
const FIXED: usize = 4 + 1 + 8 + 8 + 8 + 16;

/// Identifies the content of a file without reading it.
type Identity = (u64, Option<SystemTime>, Option<u64>);

/// The stat data of an index in a folder.
pub struct FileStatCaches {
    folder: PathBuf,
    /// What was read or written last, by ref.
    known: Locked<FxHashMap<RefName, (Identity, Arc<StatCache>)>>,
}

impl FileStatCaches {
    /// The stat data of the index in `folder`. Nothing is opened yet.
    pub fn new(folder: &Path) -> Self {
        Self { folder: folder.join("stat-cache"), known: Locked::default() }
    }

    fn path(&self, reference: &RefName) -> PathBuf {
        let hash = blake3::hash(reference.as_str().as_bytes());
        self.folder.join(&hash.to_hex()[..16])
    }

    fn write(&self, path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
        crate::private::create_private_folders(&self.folder)
            .map_err(|source| io_error(&self.folder, source))?;
        let token = u128::from_le_bytes(random::bytes()?);
        let temporary = self.folder.join(format!("{token:032x}.temporary"));
        // Not synced: what a power cut destroys has a wrong checksum.
        let write =
            || std::fs::write(&temporary, bytes).and_then(|()| std::fs::rename(&temporary, path));
        write().map_err(|source| {
            let _ = std::fs::remove_file(&temporary);
            io_error(path, source)
        })
    }

    fn remember(&self, reference: &RefName, identity: Identity, cache: &Arc<StatCache>) {
        let mut known = self.known.lock();
        known.insert(reference.clone(), (identity, cache.clone()));
    }
}

impl StatCaches for FileStatCaches {
    fn load(&self, reference: &RefName) -> Arc<StatCache> {
        let path = self.path(reference);
        let Some(identity) = identity(&path) else { return Arc::default() };
        let known = self.known.lock();
        if let Some((of, cache)) = known.get(reference)
            && *of == identity
        {
            return cache.clone();
        }
        drop(known);
        let read = std::fs::read(&path).ok().and_then(|bytes| decode(&bytes));
        let cache = Arc::new(read.unwrap_or_default());
        self.remember(reference, identity, &cache);
        cache
    }

    fn save(&self, reference: &RefName, cache: &Arc<StatCache>) -> Result<(), StoreError> {
        let path = self.path(reference);
        self.write(&path, &encode(cache))?;
        if let Some(identity) = identity(&path) {
            self.remember(reference, identity, cache);
        }
        Ok(())
    }

    fn remove(&self, reference: Option<&RefName>) {
        // A file that stays is harmless: it names versions that are not stored any more.
        let _ = match reference {
            Some(reference) => std::fs::remove_file(self.path(reference)),
            None => std::fs::remove_dir_all(&self.folder),
        };
    }
}

fn identity(path: &Path) -> Option<Identity> {
    let metadata = std::fs::metadata(path).ok()?;
    Some((metadata.len(), metadata.modified().ok(), crate::sqlite::identity(path)))
}

fn encode(cache: &StatCache) -> Vec<u8> {
    let mut out = Vec::with_capacity(24 + cache.files.len() * (FIXED + 40));
    out.extend_from_slice(MAGIC);
    out.extend((cache.files.len() as u64).to_le_bytes());
    for (path, CachedStat { stamp, key }) in &cache.files {
        out.extend((path.as_str().len() as u32).to_le_bytes());
        out.extend_from_slice(path.as_str().as_bytes());
        out.push((u8::from(stamp.racy) * RACY) | (u8::from(key.is_none()) * SKIPPED));
        out.extend(stamp.size.to_le_bytes());
        out.extend(stamp.modified.to_le_bytes());
        out.extend(stamp.state.to_le_bytes());
        out.extend_from_slice(key.map_or([0; 16], |key| *key.as_bytes()).as_slice());
    }
    out.extend(checksum(&out).to_le_bytes());
    out
}

/// Reads stat data; `None` if it is damaged.
fn decode(bytes: &[u8]) -> Option<StatCache> {
    let (content, sum) = bytes.split_at_checked(bytes.len().checked_sub(8)?)?;
    if checksum(content) != u64_at(sum, 0) || content.get(..8)? != MAGIC {
        return None;
    }
    let mut rest = content.get(16..)?;
    let mut files = Vec::new();
    while !rest.is_empty() {
        let length = u32::from_le_bytes(*rest.first_chunk()?) as usize;
        let (entry, after) = rest.split_at_checked(FIXED + length)?;
        rest = after;
        let path = RelPath::new(std::str::from_utf8(&entry[4..4 + length]).ok()?).ok()?;
        let fixed = &entry[4 + length..];
        let stamp = FileStamp {
            size: u64_at(fixed, 1),
            modified: u64_at(fixed, 9) as i64,
            state: u64_at(fixed, 17),
            racy: fixed[0] & RACY != 0,
        };
        let key = VersionKey::from_bytes(fixed[25..41].try_into().ok()?);
        let key = (fixed[0] & SKIPPED == 0).then_some(key);
        files.push((path, CachedStat { stamp, key }));
    }
    Some(StatCache { files: files.into_iter().collect() })
}
