//! The ports of a store in memory: nothing is written to a disk, and everything is gone with the process.

use super::io_error;
use groma_core::{
    Blob, Blobs, Deadline, Generation, GenerationInfo, Head, Heads, Ledger, Locked, Manifest,
    Publication, RefName, SegmentId, SegmentInfo, StatCache, StatCaches, StoreError, VersionKey,
};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::Path;
use std::sync::Arc;

/// A ledger in memory.
#[derive(Default)]
pub(super) struct MemoryLedger(Locked<Committed>);

/// All that is committed.
#[derive(Clone, Default)]
struct Committed {
    pipeline: Option<String>,
    refs: BTreeMap<RefName, (Head, Arc<Manifest>)>,
    /// Oldest first.
    segments: Vec<SegmentInfo>,
    /// Generations so far, forgotten ones included.
    generations: u64,
    changes: u64,
}

impl Committed {
    /// What remains after everything is deleted: numbers that must not be used again.
    fn emptied(&self) -> Self {
        Self { generations: self.generations, changes: self.changes, ..Self::default() }
    }

    /// Adds the new segments, and replaces removed ones by the merged one in every ref.
    fn replace_segments(&mut self, publication: &Publication<'_>) {
        for added in publication.added {
            if !self.segments.iter().any(|known| known.id == added.id) {
                self.segments.push(*added);
            }
        }
        let removed = |id: &SegmentId| publication.removed.contains(id);
        self.segments.retain(|segment| !removed(&segment.id));
        for (head, _) in self.refs.values_mut() {
            let before = head.segments.len();
            head.segments.retain(|id| !removed(id));
            let is_shorter = head.segments.len() < before;
            head.segments.extend(publication.merged.filter(|_| is_shorter));
        }
    }

    fn set_head(&mut self, publication: &Publication<'_>) -> Generation {
        self.generations += 1;
        let generation = Generation { number: self.generations, id: publication.id };
        let manifest = publication.manifest;
        let head = Head {
            reference: publication.reference.clone(),
            info: GenerationInfo {
                generation,
                committed: publication.committed,
                duration_ms: publication.duration.as_millis() as u64,
            },
            manifest: manifest.id(),
            segments: publication.segments.to_vec(),
            commit: manifest.commit.clone(),
            options_hash: manifest.options_hash,
            files: manifest.files.len(),
        };
        let manifest = Arc::new(manifest.clone());
        self.refs.insert(publication.reference.clone(), (head, manifest));
        generation
    }
}

impl Ledger for MemoryLedger {
    fn change_counter(&self) -> Result<u64, StoreError> {
        Ok(self.0.lock().changes)
    }

    fn heads(&self, _: Deadline) -> Result<Heads, StoreError> {
        let committed = self.0.lock();
        Ok(Heads {
            pipeline: committed.pipeline.clone(),
            heads: committed.refs.values().map(|(head, _)| head.clone()).collect(),
            segments: committed.segments.clone(),
        })
    }

    fn manifest(&self, head: &Head, _: Deadline) -> Result<Option<Manifest>, StoreError> {
        let committed = self.0.lock();
        let newest = committed.refs.get(&head.reference);
        let newest = newest.filter(|(newest, _)| newest.info.generation == head.info.generation);
        Ok(newest.map(|(_, manifest)| Manifest::clone(manifest)))
    }

    fn versions(&self, references: &[RefName], _: Deadline) -> Result<Vec<VersionKey>, StoreError> {
        let committed = self.0.lock();
        let manifests = references.iter().filter_map(|name| committed.refs.get(name));
        let entries = manifests.flat_map(|(_, manifest)| manifest.files.values());
        Ok(entries.map(|entry| entry.key).collect())
    }

    fn publish(
        &self,
        publication: &Publication<'_>,
        _: Deadline,
    ) -> Result<Generation, StoreError> {
        let mut committed = self.0.lock();
        let newest = committed.refs.get(publication.reference);
        if newest.map(|(head, _)| head.info.generation.id) != publication.parent {
            return Err(StoreError::superseded());
        }
        let mut next =
            if publication.replaces_all { committed.emptied() } else { committed.clone() };
        next.pipeline = Some(publication.pipeline.to_string());
        next.replace_segments(publication);
        let generation = next.set_head(publication);
        next.changes += 1;
        (publication.before_commit)();
        *committed = next;
        Ok(generation)
    }

    fn forget(&self, reference: &RefName, _: Deadline) -> Result<bool, StoreError> {
        let mut committed = self.0.lock();
        committed.changes += 1;
        Ok(committed.refs.remove(reference).is_some())
    }

    fn clear(&self, _: Deadline) -> Result<(), StoreError> {
        let mut committed = self.0.lock();
        committed.changes += 1;
        *committed = committed.emptied();
        Ok(())
    }

    fn verify(&self) -> Result<(), StoreError> {
        Ok(())
    }

    /// Manifests are small beside the segments, and are not counted.
    fn bytes(&self) -> Result<u64, StoreError> {
        Ok(0)
    }
}

/// Segments in memory.
#[derive(Default)]
pub(super) struct MemoryBlobs(Locked<FxHashMap<SegmentId, Arc<[u8]>>>);

impl Blobs for MemoryBlobs {
    fn put(&self, slices: &[&[u8]], _: Deadline) -> Result<SegmentInfo, StoreError> {
        let bytes: Arc<[u8]> = slices.concat().into();
        let id = SegmentId::from_bytes(*blake3::hash(&bytes).as_bytes());
        let info = SegmentInfo { id, bytes: bytes.len() as u64 };
        self.0.lock().insert(id, bytes);
        Ok(info)
    }

    fn link(&self, _: &SegmentId, _: &Path) -> Option<SegmentInfo> {
        None
    }

    fn get(&self, ids: &[SegmentId], _: Deadline) -> Result<Vec<Blob>, StoreError> {
        let blobs = self.0.lock();
        let missing =
            |id: &SegmentId| io_error(id.to_string().as_ref(), ErrorKind::NotFound.into());
        let blob =
            |id: &SegmentId| Ok(Blob::Memory(blobs.get(id).ok_or_else(|| missing(id))?.clone()));
        ids.iter().map(blob).collect()
    }

    fn retain(&self, ids: &[SegmentId], _: Deadline) -> Result<(), StoreError> {
        self.0.lock().retain(|id, _| ids.contains(id));
        Ok(())
    }
}

/// Stat data in memory.
#[derive(Default)]
pub(super) struct MemoryStatCaches(Locked<FxHashMap<RefName, Arc<StatCache>>>);

impl StatCaches for MemoryStatCaches {
    fn load(&self, reference: &RefName) -> Arc<StatCache> {
        self.0.lock().get(reference).cloned().unwrap_or_default()
    }

    fn save(&self, reference: &RefName, cache: &Arc<StatCache>) -> Result<(), StoreError> {
        self.0.lock().insert(reference.clone(), cache.clone());
        Ok(())
    }

    fn remove(&self, reference: Option<&RefName>) {
        match reference {
            Some(reference) => drop(self.0.lock().remove(reference)),
            None => self.0.lock().clear(),
        }
    }
}
