//! Making a generation.

use super::build::SegmentBuilder;
use super::database::Rows;
use super::merge::{self, Candidate};
use super::sibling::{Loan, Siblings};
use super::{CommitStep, EmbeddedStore, make_folder, missing_is_damage, pipeline_text};
use crate::matching::{check_vectors, never_stored};
use groma_core::{
    CommitReport, Generation, IndexedFile, Lease, LeaseKind, Manifest, ManifestEntry, RefName,
    RelPath, StoreError, VersionKey, Writer,
};
use rustc_hash::FxHashSet;
use std::cell::RefCell;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

/// A segment written by this writer.
struct NewSegment {
    id: u64,
    keys: Vec<VersionKey>,
}

pub(super) struct EmbeddedWriter<'s> {
    store: &'s EmbeddedStore,
    _lease: Lease,
    started: Instant,
    /// Another pipeline wrote what is there, or it is not wanted any more: the commit replaces all of it.
    fresh: bool,
    added: FxHashSet<VersionKey>,
    siblings: RefCell<Siblings>,
    builder: SegmentBuilder,
    /// The merged segment is the last.
    segments: Vec<NewSegment>,
    next_id: u64,
    committed: bool,
}

impl<'s> EmbeddedWriter<'s> {
    pub fn start(store: &'s EmbeddedStore, anew: bool) -> Result<Self, StoreError> {
        let lease = store.leases.require(LeaseKind::Writer)?;
        make_folder(&store.folder)?;
        store.sweep()?;
        let pipeline = pipeline_text(&store.pipeline);
        let siblings =
            if anew { Siblings::default() } else { Siblings::open(&store.siblings, &pipeline) };
        let database = store.database()?;
        let fresh = anew || database.pipeline()? != Some(pipeline_text(&store.pipeline));
        let next_id = database.next_segment()?;
        drop(database);
        Ok(Self {
            store,
            _lease: lease,
            started: Instant::now(),
            fresh,
            added: FxHashSet::default(),
            siblings: RefCell::new(siblings),
            builder: empty_segment(store),
            segments: Vec::new(),
            next_id,
            committed: false,
        })
    }

    /// Writes a segment with `write` and remembers it.
    fn write_segment(
        &mut self,
        write: impl FnOnce(&Path) -> Result<Vec<VersionKey>, StoreError>,
    ) -> Result<(), StoreError> {
        let id = self.next_id;
        self.next_id += 1;
        // Remembered before it is written, so that half a segment is removed too.
        self.segments.push(NewSegment { id, keys: Vec::new() });
        let keys = write(&self.store.segment_path(id))?;
        if let Some(segment) = self.segments.last_mut() {
            segment.keys = keys;
        }
        Ok(())
    }

    /// Takes the versions of a manifest that only siblings have.
    fn borrow(&mut self, manifest: &Manifest) -> Result<(), StoreError> {
        // From now on only what is stored here counts.
        for loan in self.siblings.take().loans(manifest) {
            if !self.link(&loan)? {
                let Loan { segment, wanted } = loan;
                self.write_segment(|path| {
                    merge::merge(&[segment], |key| wanted.contains(key), path)
                })?;
                self.added.extend(wanted);
            }
            self.store.tell(CommitStep::SegmentWritten);
        }
        Ok(())
    }

    /// Takes a whole segment as it is, unless that is a waste. Whether it did.
    fn link(&mut self, loan: &Loan) -> Result<bool, StoreError> {
        let keys: Vec<_> = loan.segment.files().map(|file| file.key).collect();
        // No version is in two segments.
        if self.known(&keys)?.contains(&true) {
            return Ok(false);
        }
        let Some(keys) = loan.link(&self.store.segment_path(self.next_id)) else {
            return Ok(false);
        };
        self.added.extend(&keys);
        self.write_segment(|_| Ok(keys))?;
        Ok(true)
    }

    /// Writes what was collected as a segment of its own.
    fn flush(&mut self) -> Result<(), StoreError> {
        if self.builder.is_empty() {
            return Ok(());
        }
        let builder = std::mem::replace(&mut self.builder, empty_segment(self.store));
        self.write_segment(|path| builder.write(path))?;
        self.store.tell(CommitStep::SegmentWritten);
        Ok(())
    }

    /// Merges segments where that is due. Gives the ids that the merged segment replaces.
    fn merge(&mut self, reference: &RefName, manifest: &Manifest) -> Result<Vec<u64>, StoreError> {
        let (mut ids, mut elsewhere) = (Vec::new(), Arc::default());
        if !self.fresh {
            ids = self.store.database()?.segment_ids()?;
            elsewhere = self.store.in_use_besides(reference)?;
        }
        let here: FxHashSet<VersionKey> = manifest.files.values().map(|entry| entry.key).collect();
        let in_use = |key: &VersionKey| here.contains(key) || elsewhere.contains(key);
        ids.extend(self.segments.iter().map(|segment| segment.id));
        let mut candidates = Vec::with_capacity(ids.len());
        for id in ids {
            let segment = self.store.segment(id).map_err(missing_is_damage)?;
            candidates.push(Candidate::new(segment, in_use));
        }
        let chosen = merge::choose(candidates);
        if !chosen.is_empty() {
            self.write_segment(|path| merge::merge(&chosen, in_use, path))?;
            self.store.tell(CommitStep::Merged);
        }
        Ok(chosen.iter().map(|segment| segment.id).collect())
    }

    /// The state of the ref that this commit follows.
    fn before(&self, reference: &RefName) -> Result<Manifest, StoreError> {
        if self.fresh {
            return Ok(Manifest::default());
        }
        let pipeline = pipeline_text(&self.store.pipeline);
        let stored = self.store.database()?.reference(reference, &pipeline)?;
        Ok(stored.map(|stored| stored.manifest).unwrap_or_default())
    }

    /// Refuses a manifest that names a version nobody stored. What the ref named before is stored.
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

    /// Writes the rows that make everything count.
    fn write_rows(
        &self,
        rows: &Rows<'_>,
        replaced: &[u64],
        reference: &RefName,
        [before, manifest]: [&Manifest; 2],
    ) -> Result<Generation, StoreError> {
        if self.fresh {
            rows.reset()?;
            rows.set_pipeline(&pipeline_text(&self.store.pipeline))?;
        }
        // A merged segment that has nothing in it was not written.
        for segment in self.segments.iter().filter(|segment| !segment.keys.is_empty()) {
            rows.add_segment(segment.id, &segment.keys)?;
        }
        replaced.iter().try_for_each(|id| rows.remove_segment(*id))?;
        rows.set_next_segment(self.next_id)?;
        let (now, took) = ((self.store.clock)(), self.started.elapsed());
        let generation = rows.set_manifest(reference, before, manifest, now, took)?;
        self.store.tell(CommitStep::RowsWritten);
        Ok(generation)
    }
}

fn empty_segment(store: &EmbeddedStore) -> SegmentBuilder {
    SegmentBuilder::new(store.pipeline.embedder.as_ref().map_or(0, |embedder| embedder.dimensions))
}

impl Writer for EmbeddedWriter<'_> {
    fn known(&self, keys: &[VersionKey]) -> Result<Vec<bool>, StoreError> {
        let mut known: Vec<bool> = keys.iter().map(|key| self.added.contains(key)).collect();
        if !self.fresh {
            let stored = self.store.database()?.stored(keys.iter())?;
            known.iter_mut().zip(stored).for_each(|(known, stored)| *known |= stored);
        }
        for (known, key) in known.iter_mut().zip(keys) {
            *known = *known || self.siblings.borrow_mut().has(key);
        }
        Ok(known)
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
        self.borrow(manifest)?;
        self.check(&before, manifest)?;
        self.flush()?;
        let replaced = self.merge(reference, manifest)?;
        let generation = self
            .store
            .database_to_write()?
            .transact(|rows| self.write_rows(rows, &replaced, reference, [&before, manifest]))?;
        self.committed = true;
        self.store.tell(CommitStep::Committed);
        // What could not be swept now is swept by the next writer; the commit stands.
        let _ = self.store.sweep();
        self.store.tell(CommitStep::Swept);
        Ok(CommitReport { generation, versions: self.added.len() })
    }
}

impl Drop for EmbeddedWriter<'_> {
    fn drop(&mut self) {
        if !self.committed {
            for segment in &self.segments {
                let _ = std::fs::remove_file(self.store.segment_path(segment.id));
            }
        }
    }
}
