//! A store over a ledger and blobs: immutable segments, and the generations that consist of them.

use super::segment::Segment;
use super::snapshot::EmbeddedSnapshot;
use super::writer::EmbeddedWriter;
use super::{database, is_missing, missing_is_damage};
use groma_core::{
    Blobs, Deadline, Generation, GenerationId, Head, Heads, IndexedRef, JobLog, Lease, LeaseKind,
    Leases, Ledger, Locked, Manifest, ManifestId, Pipeline, PreviousIndex, RefName, SegmentId,
    Snapshot, StatCaches, StoreError, StoreErrorKind, StoreSize, VersionKey, Writer,
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::SystemTime;

/// A step of a commit, passed to [`EmbeddedStore::observe`](super::EmbeddedStore::observe). Tests end the process at
/// each of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommitStep {
    /// A segment was written.
    SegmentWritten,
    /// Small segments were merged into a new one.
    Merged,
    /// The transaction holds the new rows.
    RowsWritten,
    /// The transaction is committed.
    Committed,
    /// Unreferenced segment files were removed.
    Swept,
}

/// What a store is made of.
#[derive(Clone)]
pub struct Ports {
    /// The commit point.
    pub ledger: Arc<dyn Ledger>,
    /// The bytes of the segments.
    pub blobs: Arc<dyn Blobs>,
    /// Mutual exclusion of writers.
    pub leases: Arc<dyn Leases>,
    /// The history of jobs.
    pub job_log: Arc<dyn JobLog>,
    /// Stat data of the working trees.
    pub stat_caches: Arc<dyn StatCaches>,
}

/// The versions that all refs but one reference, and the generations for which that is known.
struct Elsewhere {
    besides: RefName,
    generations: Vec<GenerationId>,
    versions: Arc<FxHashSet<VersionKey>>,
}

/// An index of segments.
///
/// With the heads known, a query needs neither the ledger nor the blobs: the ledger's change counter shows whether
/// they are still the newest, and mapped segments are shared by all snapshots.
pub struct SegmentStore {
    pub(super) ports: Ports,
    pub(super) pipeline: Pipeline,
    /// The heads, with the change counter before they were read.
    heads: Locked<Option<(u64, Arc<Heads>)>>,
    /// The manifest that was read or published last, without stat data.
    manifest: Locked<Option<(ManifestId, Arc<Manifest>)>>,
    /// Segments that are mapped already, shared by all snapshots.
    segments: Locked<FxHashMap<SegmentId, Arc<Segment>>>,
    /// What refs other than the one that was written last reference.
    elsewhere: Locked<Option<Elsewhere>>,
    observer: Option<Box<dyn Fn(CommitStep) + Send + Sync>>,
    /// Folders with the indexes of the repository's other working trees.
    pub(super) siblings: Vec<PathBuf>,
    pub(super) clock: fn() -> SystemTime,
}

impl SegmentStore {
    /// A store for what `pipeline` makes.
    pub fn new(ports: Ports, pipeline: Pipeline) -> Self {
        Self {
            ports,
            pipeline,
            heads: Locked::default(),
            manifest: Locked::default(),
            segments: Locked::default(),
            elsewhere: Locked::default(),
            observer: None,
            siblings: Vec::new(),
            clock: SystemTime::now,
        }
    }

    pub(super) fn observe(&mut self, observer: impl Fn(CommitStep) + Send + Sync + 'static) {
        self.observer = Some(Box::new(observer));
    }

    pub(super) fn set_siblings(&mut self, siblings: Vec<PathBuf>) {
        self.siblings = siblings;
    }

    pub(super) fn set_clock(&mut self, clock: fn() -> SystemTime) {
        self.clock = clock;
    }

    pub(super) fn notify(&self, step: CommitStep) {
        if let Some(observer) = &self.observer {
            observer(step);
        }
    }

    /// What is committed, read again only after it may have changed.
    pub(super) fn heads(&self) -> Result<Arc<Heads>, StoreError> {
        let counter = self.ports.ledger.change_counter()?;
        let mut known = self.heads.lock();
        if let Some((of, heads)) = &*known
            && *of == counter
        {
            return Ok(heads.clone());
        }
        let heads = Arc::new(self.ports.ledger.heads(Deadline::default())?);
        *known = Some((counter, heads.clone()));
        Ok(heads)
    }

    /// The heads, if this pipeline made them.
    fn own_heads(&self) -> Result<Option<Arc<Heads>>, StoreError> {
        let heads = self.heads()?;
        Ok((heads.pipeline == Some(self.pipeline_text())).then_some(heads))
    }

    /// Identifies the pipeline in the ledger.
    pub(super) fn pipeline_text(&self) -> String {
        let embedder = self.pipeline.embedder.as_ref();
        let embedder = embedder.map_or("none".to_string(), ToString::to_string);
        format!("{}/{}/{embedder}", database::SCHEMA, self.pipeline.version)
    }

    /// Segments, mapped at first use.
    pub(super) fn segments(&self, ids: &[SegmentId]) -> Result<Vec<Arc<Segment>>, StoreError> {
        let mut mapped = self.segments.lock();
        let missing: Vec<_> = ids.iter().filter(|id| !mapped.contains_key(id)).copied().collect();
        if !missing.is_empty() {
            let blobs = self.ports.blobs.get(&missing, Deadline::default())?;
            for (id, blob) in missing.iter().zip(blobs) {
                mapped.insert(*id, Arc::new(Segment::open(*id, &blob)?));
            }
        }
        Ok(ids.iter().filter_map(|id| mapped.get(id).cloned()).collect())
    }

    /// Forgets the mapping of a segment whose file was written again.
    pub(super) fn unmap(&self, id: &SegmentId) {
        self.segments.lock().remove(id);
    }

    /// Makes sure that no mapped segment in use was truncated or overwritten meanwhile.
    fn check_mapped(&self, referenced: &[SegmentId]) -> Result<(), StoreError> {
        let segments = self.segments.lock();
        referenced
            .iter()
            .filter_map(|id| segments.get(id))
            .try_for_each(|segment| segment.check_unaltered())
    }

    /// The versions that refs other than `besides` reference; cached for repeated commits to one ref.
    pub(super) fn referenced_besides(
        &self,
        besides: &RefName,
    ) -> Result<Arc<FxHashSet<VersionKey>>, StoreError> {
        let heads = self.heads()?;
        let others = || heads.heads.iter().filter(|head| head.reference != *besides);
        let generations: Vec<_> = others().map(|head| head.info.generation.id).collect();
        let mut elsewhere = self.elsewhere.lock();
        if let Some(known) = &*elsewhere
            && (&known.besides, &known.generations) == (besides, &generations)
        {
            return Ok(known.versions.clone());
        }
        let names: Vec<_> = others().map(|head| head.reference.clone()).collect();
        let versions = Arc::new(self.versions(&names)?);
        let besides = besides.clone();
        *elsewhere = Some(Elsewhere { besides, generations, versions: versions.clone() });
        Ok(versions)
    }

    fn versions(&self, references: &[RefName]) -> Result<FxHashSet<VersionKey>, StoreError> {
        if references.is_empty() {
            return Ok(FxHashSet::default());
        }
        let versions = self.ports.ledger.versions(references, Deadline::default())?;
        Ok(versions.into_iter().collect())
    }

    /// The manifest of a head, without stat data.
    pub(super) fn manifest(&self, head: &Head) -> Result<Arc<Manifest>, StoreError> {
        if let Some((id, manifest)) = &*self.manifest.lock()
            && *id == head.manifest
        {
            return Ok(manifest.clone());
        }
        let manifest = self.ports.ledger.manifest(head, Deadline::default())?;
        let manifest = Arc::new(manifest.ok_or_else(StoreError::superseded)?);
        self.keep_manifest(head.manifest, &manifest);
        Ok(manifest)
    }

    /// Keeps a manifest for the next snapshot or commit.
    pub(super) fn keep_manifest(&self, id: ManifestId, manifest: &Arc<Manifest>) {
        *self.manifest.lock() = Some((id, manifest.clone()));
    }

    /// Removes segments that no row references. Only the holder of the writer's lease may.
    pub(super) fn sweep(&self) -> Result<(), StoreError> {
        let heads = self.heads()?;
        let referenced: Vec<SegmentId> = heads.segments.iter().map(|segment| segment.id).collect();
        self.ports.blobs.retain(&referenced, Deadline::default())?;
        self.segments.lock().retain(|id, _| referenced.contains(id));
        Ok(())
    }

    /// The writer's lease, or an error if another process holds it.
    pub(super) fn writer_lease(&self) -> Result<Lease, StoreError> {
        let lease = self.ports.leases.acquire(LeaseKind::Writer, "", Deadline::now())?;
        lease.ok_or_else(StoreError::busy)
    }

    /// Opens the newest generation of a ref that a pipeline made.
    fn snapshot_of(
        &self,
        reference: &RefName,
        pipeline: &str,
    ) -> Result<Option<Arc<dyn Snapshot>>, StoreError> {
        let open = || -> Result<Option<Arc<dyn Snapshot>>, StoreError> {
            let heads = self.heads()?;
            let head = heads.of(reference).filter(|_| heads.pipeline.as_deref() == Some(pipeline));
            let Some(head) = head else { return Ok(None) };
            let stats = self.ports.stat_caches.load(reference);
            let manifest = Manifest::clone(&*self.manifest(head)?).with_stats(&stats);
            let segments = self.segments(&head.segments)?;
            let snapshot = EmbeddedSnapshot::new(head.info.clone(), manifest, segments)?;
            Ok(Some(Arc::new(snapshot)))
        };
        // Another process may merge segments between reading the rows and mapping the files; the rows name the
        // files that exist now, so read them again.
        for _ in 0..5 {
            match open() {
                Err(error) if is_missing(&error) || error.is(StoreErrorKind::Superseded) => {
                    *self.heads.lock() = None;
                }
                other => return other,
            }
        }
        open().map_err(|error| match error.kind() {
            // Others publish faster than this process can read.
            StoreErrorKind::Superseded => StoreError::busy(),
            _ => missing_is_damage(error),
        })
    }

    pub(super) fn verify(&self) -> Result<(), StoreError> {
        self.ports.ledger.verify()?;
        let heads = self.heads()?;
        let ids: Vec<_> = heads.segments.iter().map(|segment| segment.id).collect();
        let segments = self.segments(&ids).map_err(missing_is_damage)?;
        segments.iter().try_for_each(|segment| segment.verify())?;
        let pipeline = heads.pipeline.as_deref().unwrap_or_default();
        let opened = |head: &Head| self.snapshot_of(&head.reference, pipeline).map(drop);
        heads.heads.iter().try_for_each(opened)
    }
}

/// What [`Store`](groma_core::Store) asks for; a writer shares the store, so that it need not be borrowed.
impl SegmentStore {
    pub(super) fn snapshot(
        &self,
        reference: &RefName,
    ) -> Result<Option<Arc<dyn Snapshot>>, StoreError> {
        self.snapshot_of(reference, &self.pipeline_text())
    }

    pub(super) fn generation(&self, name: &RefName) -> Result<Option<Generation>, StoreError> {
        let Some(heads) = self.own_heads()? else { return Ok(None) };
        let Some(head) = heads.of(name) else { return Ok(None) };
        self.check_mapped(&head.segments)?;
        Ok(Some(head.info.generation))
    }

    pub(super) fn refs(&self) -> Result<Vec<IndexedRef>, StoreError> {
        let indexed = |head: &Head| IndexedRef {
            name: head.reference.clone(),
            commit: head.commit.clone(),
            info: head.info.clone(),
            files: head.files,
        };
        let heads = self.own_heads()?;
        Ok(heads.map_or_else(Vec::new, |heads| heads.heads.iter().map(indexed).collect()))
    }

    pub(super) fn referenced_versions(
        &self,
        options_hash: u64,
        keys: &[VersionKey],
    ) -> Result<Vec<bool>, StoreError> {
        let heads = self.own_heads()?.unwrap_or_default();
        let alike = heads.heads.iter().filter(|head| head.options_hash == options_hash);
        let names: Vec<_> = alike.map(|head| head.reference.clone()).collect();
        let referenced = self.versions(&names)?;
        Ok(keys.iter().map(|key| referenced.contains(key)).collect())
    }

    pub(super) fn forget(&self, reference: &RefName) -> Result<bool, StoreError> {
        let _lease = self.writer_lease()?;
        self.ports.stat_caches.remove(Some(reference));
        self.ports.ledger.forget(reference, Deadline::default())
    }

    pub(super) fn writer(self: &Arc<Self>) -> Result<Box<dyn Writer>, StoreError> {
        Ok(Box::new(EmbeddedWriter::start(self.clone(), false)?))
    }

    pub(super) fn replacing_writer(self: &Arc<Self>) -> Result<Box<dyn Writer>, StoreError> {
        // What is kept of a database must be sound.
        self.ports.ledger.verify()?;
        Ok(Box::new(EmbeddedWriter::start(self.clone(), true)?))
    }

    pub(super) fn clear(&self) -> Result<(), StoreError> {
        let _lease = self.writer_lease()?;
        self.ports.ledger.clear(Deadline::default())?;
        self.ports.stat_caches.remove(None);
        self.sweep()
    }

    pub(super) fn size(&self) -> Result<StoreSize, StoreError> {
        let heads = self.heads()?;
        let bytes: u64 = heads.segments.iter().map(|segment| segment.bytes).sum();
        let segments = heads.segments.len() as u64;
        Ok(StoreSize { bytes: bytes + self.ports.ledger.bytes()?, segments })
    }

    pub(super) fn is_outdated(&self) -> Result<bool, StoreError> {
        let heads = self.heads()?;
        let own = heads.pipeline.as_ref().is_none_or(|made| *made == self.pipeline_text());
        Ok(!own && !heads.heads.is_empty())
    }

    pub(super) fn previous_index(
        &self,
        reference: &RefName,
    ) -> Result<Option<PreviousIndex>, StoreError> {
        let own = self.pipeline_text();
        let made = self.heads()?.pipeline.clone().filter(|made| *made != own);
        let Some(made) = made else { return Ok(None) };
        let same_embedder = embedder_text(&made) == embedder_text(&own);
        let snapshot = self.snapshot_of(reference, &made)?;
        Ok(snapshot.map(|snapshot| PreviousIndex { snapshot, same_embedder }))
    }

    pub(super) fn leases(&self) -> &dyn Leases {
        &*self.ports.leases
    }

    pub(super) fn job_log(&self) -> &dyn JobLog {
        &*self.ports.job_log
    }
}

/// The embedder in the text of a pipeline.
fn embedder_text(pipeline: &str) -> Option<&str> {
    pipeline.splitn(3, '/').nth(2)
}
