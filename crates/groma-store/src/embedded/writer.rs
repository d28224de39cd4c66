//! Writes a generation.

use super::build::SegmentBuilder;
use super::merge::{self, Candidate};
use super::missing_is_damage;
use super::segment::Segment;
use super::segment_store::{CommitStep, SegmentStore};
use super::sibling::{SiblingSource, Siblings};
use crate::matching::{check_vectors, never_stored};
use crate::random;
use groma_core::{
    CommitReport, Deadline, Generation, GenerationId, Heads, IndexedFile, Lease, Locked, Manifest,
    ManifestEntry, Publication, RefName, RelPath, SegmentId, SegmentInfo, StatCache, StoreError,
    StoredVersions, VersionKey, Writer,
};
use rustc_hash::FxHashSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long publishing waits for another process that reads or writes the ledger.
const PUBLISH_TIMEOUT: Duration = Duration::from_secs(10);

/// What a merge did: the segments that are not needed any more, and the one that holds what is left of them.
struct Merge {
    removed: Vec<SegmentId>,
    merged: Option<SegmentId>,
}

/// The versions that a generation can use.
struct Stored {
    /// The committed segments, oldest first.
    segments: Vec<Arc<Segment>>,
    siblings: Locked<Siblings>,
}

impl Stored {
    /// Takes the siblings with what was found in them; none are searched after that.
    fn take_siblings(&self) -> Siblings {
        std::mem::take(&mut self.siblings.lock())
    }
}

impl StoredVersions for Stored {
    fn contains(&self, key: &VersionKey) -> bool {
        self.segments.iter().any(|segment| segment.ordinal(key).is_some())
            || self.siblings.lock().has(key)
    }
}

pub(super) struct EmbeddedWriter {
    store: Arc<SegmentStore>,
    lease: Lease,
    started: Instant,
    /// What was committed at the start: its generations are the parents.
    heads: Arc<Heads>,
    /// Another pipeline made what is there, or a rebuild was asked for: the commit replaces all of it.
    replaces_all: bool,
    stored: Arc<Stored>,
    added: FxHashSet<VersionKey>,
    builder: SegmentBuilder,
    /// Segments that this writer made; a merged one is the last.
    segments: Vec<SegmentInfo>,
    committed: bool,
}

impl EmbeddedWriter {
    pub fn start(store: Arc<SegmentStore>, rebuild: bool) -> Result<Self, StoreError> {
        let lease = store.writer_lease()?;
        store.sweep()?;
        let pipeline = store.pipeline_text();
        let siblings =
            if rebuild { Siblings::default() } else { Siblings::open(&store.siblings, &pipeline) };
        let heads = store.heads()?;
        let replaces_all = rebuild || heads.pipeline != Some(pipeline);
        let mut segments = Vec::new();
        if !replaces_all {
            let ids: Vec<_> = heads.segments.iter().map(|segment| segment.id).collect();
            segments = store.segments(&ids).map_err(missing_is_damage)?;
        }
        Ok(Self {
            lease,
            started: Instant::now(),
            heads,
            replaces_all,
            stored: Arc::new(Stored { segments, siblings: Locked::new(siblings) }),
            added: FxHashSet::default(),
            builder: empty_segment(&store),
            segments: Vec::new(),
            committed: false,
            store,
        })
    }

    /// Records a segment that was written.
    fn wrote(&mut self, segment: SegmentInfo, step: CommitStep) {
        self.store.unmap(&segment.id);
        self.segments.push(segment);
        self.store.notify(step);
    }

    /// Links or copies the versions of a manifest that only siblings have.
    fn take_from_siblings(&mut self, manifest: &Manifest) -> Result<(), StoreError> {
        // From now on only what is stored here counts.
        for source in self.stored.take_siblings().sources(manifest) {
            if !self.link(&source)? {
                let SiblingSource { segment, wanted } = source;
                let blobs = &*self.store.ports.blobs;
                let copy = merge::merge(&[segment], |key| wanted.contains(key), blobs)?;
                self.added.extend(wanted);
                copy.into_iter().for_each(|one| self.wrote(one, CommitStep::SegmentWritten));
            }
        }
        Ok(())
    }

    /// Hard-links a sibling's segment, unless most of it is unreferenced. Returns whether it did.
    fn link(&mut self, source: &SiblingSource) -> Result<bool, StoreError> {
        let keys: Vec<_> = source.segment.files().map(|file| file.key).collect();
        // No version is in two segments.
        if self.known(&keys)?.contains(&true) {
            return Ok(false);
        }
        let Some(linked) = source.link(&*self.store.ports.blobs) else { return Ok(false) };
        self.store.unmap(&linked.id);
        let opened = self.store.segments(&[linked.id]);
        if !opened.is_ok_and(|opened| opened.iter().all(|one| source.is_linked_as(one))) {
            // The next sweep removes it, unless the copy has the same name.
            self.store.unmap(&linked.id);
            return Ok(false);
        }
        self.added.extend(&keys);
        self.wrote(linked, CommitStep::SegmentWritten);
        Ok(true)
    }

    /// Writes the added versions as a segment.
    fn flush(&mut self) -> Result<(), StoreError> {
        if self.builder.is_empty() {
            return Ok(());
        }
        let builder = std::mem::replace(&mut self.builder, empty_segment(&self.store));
        let segment = builder.write(&*self.store.ports.blobs)?;
        self.wrote(segment, CommitStep::SegmentWritten);
        Ok(())
    }

    /// The segments that this writer made, mapped.
    fn own_segments(&self) -> Result<Vec<Arc<Segment>>, StoreError> {
        let ids: Vec<_> = self.segments.iter().map(|segment| segment.id).collect();
        self.store.segments(&ids).map_err(missing_is_damage)
    }

    /// Merges segments where that is due.
    fn merge(&mut self, reference: &RefName, manifest: &Manifest) -> Result<Merge, StoreError> {
        let elsewhere = if self.replaces_all {
            Arc::default()
        } else {
            self.store.referenced_besides(reference)?
        };
        let here: FxHashSet<VersionKey> = manifest.files.values().map(|entry| entry.key).collect();
        let referenced = |key: &VersionKey| here.contains(key) || elsewhere.contains(key);
        let all = self.stored.segments.iter().cloned().chain(self.own_segments()?);
        let candidates = all.map(|segment| Candidate::new(segment, referenced)).collect();
        let chosen = merge::choose(candidates);
        let mut merged = None;
        if !chosen.is_empty() {
            merged = merge::merge(&chosen, referenced, &*self.store.ports.blobs)?;
            merged.iter().for_each(|segment| self.store.unmap(&segment.id));
            self.segments.extend(merged);
            self.store.notify(CommitStep::Merged);
        }
        let merged = merged.map(|segment| segment.id);
        let removed = chosen.iter().map(|segment| segment.id);
        Ok(Merge { removed: removed.filter(|id| Some(*id) != merged).collect(), merged })
    }

    /// The manifest of the generation that this commit follows.
    fn before(&self, reference: &RefName) -> Result<Arc<Manifest>, StoreError> {
        match self.heads.of(reference).filter(|_| !self.replaces_all) {
            Some(head) => self.store.manifest(head),
            None => Ok(Arc::default()),
        }
    }

    /// Refuses a manifest with a version that is not stored. What the ref referenced before is stored.
    fn check(&self, before: &Manifest, manifest: &Manifest) -> Result<(), StoreError> {
        let is_new = |(path, entry): &(&RelPath, &ManifestEntry)| {
            before.files.get(*path).is_none_or(|before| before.key != entry.key)
        };
        let new: Vec<_> = manifest.files.iter().filter(is_new).collect();
        let keys: Vec<VersionKey> = new.iter().map(|(_, entry)| entry.key).collect();
        match new.iter().zip(self.known(&keys)?).find(|(_, known)| !known) {
            Some(((path, _), _)) => Err(never_stored(path)),
            None => Ok(()),
        }
    }

    /// The segments that hold versions of the manifest, without those that were replaced.
    fn segments_of(
        &self,
        manifest: &Manifest,
        removed: &[SegmentId],
    ) -> Result<Vec<SegmentId>, StoreError> {
        let kept = |segment: &Arc<Segment>| !removed.contains(&segment.id);
        let all: Vec<_> =
            self.stored.segments.iter().cloned().chain(self.own_segments()?).filter(kept).collect();
        let mut holds = vec![false; all.len()];
        for entry in manifest.files.values() {
            let holder = all.iter().position(|segment| segment.ordinal(&entry.key).is_some());
            holder.into_iter().for_each(|index| holds[index] = true);
        }
        let held = all.iter().zip(holds).filter(|(_, holds)| *holds);
        Ok(held.map(|(segment, _)| segment.id).collect())
    }

    /// Saves the stat data of the files. Without it the next run hashes them again, so a failure is no error.
    fn save_stats(&self, reference: &RefName, manifest: &Manifest) {
        let caches = &self.store.ports.stat_caches;
        if self.replaces_all {
            caches.remove(None);
        }
        let cache = Arc::new(StatCache::of(manifest));
        if *caches.load(reference) != *cache {
            let _ = caches.save(reference, &cache);
        }
    }

    /// Publishes the generation: compare-and-set on the parent.
    fn publish(
        &self,
        reference: &RefName,
        [before, manifest]: [&Manifest; 2],
        Merge { removed, merged }: &Merge,
    ) -> Result<Generation, StoreError> {
        let is_kept = |segment: &&SegmentInfo| !removed.contains(&segment.id);
        let added: Vec<SegmentInfo> = self.segments.iter().filter(is_kept).copied().collect();
        let publication = Publication {
            id: GenerationId::from_bytes(random::bytes()?),
            reference,
            parent: self.heads.of(reference).map(|head| head.info.generation.id),
            pipeline: &self.store.pipeline_text(),
            replaces_all: self.replaces_all,
            before,
            manifest,
            added: &added,
            removed,
            merged: *merged,
            segments: &self.segments_of(manifest, removed)?,
            lease: self.lease.token(),
            committed: (self.store.clock)(),
            duration: self.started.elapsed(),
            before_commit: &|| self.store.notify(CommitStep::RowsWritten),
        };
        self.store.ports.ledger.publish(&publication, Deadline::after(PUBLISH_TIMEOUT))
    }
}

fn empty_segment(store: &SegmentStore) -> SegmentBuilder {
    SegmentBuilder::new(store.pipeline.embedder.as_ref().map_or(0, |embedder| embedder.dimensions))
}

impl Writer for EmbeddedWriter {
    fn stored(&self) -> Arc<dyn StoredVersions> {
        self.stored.clone()
    }

    fn known(&self, keys: &[VersionKey]) -> Result<Vec<bool>, StoreError> {
        let is_known = |key: &VersionKey| self.added.contains(key) || self.stored.contains(key);
        Ok(keys.iter().map(is_known).collect())
    }

    fn add(&mut self, files: Vec<IndexedFile>) -> Result<(), StoreError> {
        files.iter().try_for_each(|file| check_vectors(&self.store.pipeline, file))?;
        let known = self.known(&files.iter().map(|file| file.key).collect::<Vec<_>>())?;
        for (file, known) in files.into_iter().zip(known) {
            if !known && self.added.insert(file.key) {
                self.builder.add(&file);
            }
            if self.builder.is_full() {
                self.flush()?;
            }
        }
        Ok(())
    }

    fn commit(
        mut self: Box<Self>,
        reference: &RefName,
        manifest: &Manifest,
    ) -> Result<CommitReport, StoreError> {
        let before = self.before(reference)?;
        self.take_from_siblings(manifest)?;
        self.check(&before, manifest)?;
        self.flush()?;
        let merge = self.merge(reference, manifest)?;
        // Stat data first: each entry is valid independently of a manifest, and a reader of the new generation finds it.
        self.save_stats(reference, manifest);
        let shared = Arc::new(manifest.without_stats());
        let generation = self.publish(reference, [&before, &shared], &merge)?;
        self.committed = true;
        self.store.keep_manifest(shared.id(), &shared);
        self.store.notify(CommitStep::Committed);
        // What cannot be swept now is swept by the next writer; the commit holds.
        let _ = self.store.sweep();
        self.store.notify(CommitStep::Swept);
        Ok(CommitReport { generation, versions: self.added.len() })
    }
}

impl Drop for EmbeddedWriter {
    fn drop(&mut self) {
        if !self.committed && !self.segments.is_empty() {
            // The lease is still held; what cannot be swept now is swept by the next writer.
            let _ = self.store.sweep();
        }
    }
}
