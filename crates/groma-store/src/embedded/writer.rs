//! Making a generation.

use super::build::PartBuilder;
use super::database::Place;
use super::merge;
use super::part::Part;
use super::{CommitStep, EmbeddedStore, io_error, pipeline_text};
use groma_core::{
    CommitReport, IndexedFile, Manifest, RefName, StoreError, VersionKey, Writer,
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::fs::{File, TryLockError};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

/// The lock of the one writer. The operating system releases it when its holder ends, however it ends.
pub(super) fn lock(folder: &Path) -> Result<File, StoreError> {
    let path = folder.join("writer.lock");
    let file = File::options()
        .create(true)
        .truncate(false)
        .write(true)
        .open(&path)
        .map_err(|source| io_error(&path, source))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(StoreError::Busy),
        Err(TryLockError::Error(source)) => Err(io_error(&path, source)),
    }
}

/// A part written by this writer.
struct NewPart {
    id: u64,
    keys: Vec<VersionKey>,
}

pub(super) struct EmbeddedWriter<'s> {
    store: &'s EmbeddedStore,
    _lock: File,
    started: Instant,
    /// Another pipeline wrote what is there: the commit replaces all of it.
    fresh: bool,
    versions: FxHashMap<VersionKey, Place>,
    builder: PartBuilder,
    parts: Vec<NewPart>,
    next_id: u64,
    added: usize,
    committed: bool,
}

impl<'s> EmbeddedWriter<'s> {
    pub fn start(store: &'s EmbeddedStore) -> Result<Self, StoreError> {
        let lock = lock(&store.folder)?;
        store.sweep()?;
        let database = store.database();
        let fresh = database.pipeline()? != Some(pipeline_text(&store.pipeline));
        let versions = if fresh { FxHashMap::default() } else { database.versions()? };
        let next_id = database.part_ids()?.last().map_or(1, |id| id + 1);
        drop(database);
        Ok(Self {
            store,
            _lock: lock,
            started: Instant::now(),
            fresh,
            versions,
            builder: PartBuilder::default(),
            parts: Vec::new(),
            next_id,
            added: 0,
            committed: false,
        })
    }

    /// Writes what was collected as a part of its own.
    fn flush(&mut self) -> Result<(), StoreError> {
        if self.builder.is_empty() {
            return Ok(());
        }
        let id = self.next_id;
        self.next_id += 1;
        let keys = std::mem::take(&mut self.builder).write(&self.store.part_path(id))?;
        self.parts.push(NewPart { id, keys });
        self.store.tell(CommitStep::PartWritten);
        Ok(())
    }

    /// Merges parts where that is due. Gives the new part and the ids it replaces.
    fn merge(
        &mut self,
        in_use: &FxHashSet<VersionKey>,
    ) -> Result<(Option<NewPart>, Vec<u64>), StoreError> {
        let mut ids = if self.fresh { Vec::new() } else { self.store.database().part_ids()? };
        ids.extend(self.parts.iter().map(|part| part.id));
        let parts: Vec<Arc<Part>> =
            ids.iter().map(|id| self.store.part(*id)).collect::<Result<_, _>>()?;
        let live = |part: &Part| {
            (0..part.file_count)
                .map(|ordinal| part.file(ordinal))
                .filter(|file| in_use.contains(&file.key))
                .map(|file| file.doc_count)
                .sum()
        };
        let chosen = merge::choose(&parts, live);
        let replaced: Vec<u64> = chosen.iter().map(|part| part.id).collect();
        if chosen.is_empty() {
            return Ok((None, replaced));
        }
        let id = self.next_id;
        self.next_id += 1;
        let keys = merge::merge(&chosen, |key| in_use.contains(key), &self.store.part_path(id))?;
        self.store.tell(CommitStep::Merged);
        Ok((Some(NewPart { id, keys }), replaced))
    }
}

impl Writer for EmbeddedWriter<'_> {
    fn known(&self, keys: &[VersionKey]) -> Result<Vec<bool>, StoreError> {
        Ok(keys.iter().map(|key| self.versions.contains_key(key)).collect())
    }

    fn add(&mut self, files: Vec<IndexedFile>) -> Result<(), StoreError> {
        for file in files {
            let place = Place { part: self.next_id, ordinal: 0 };
            if self.versions.insert(file.key, place).is_none() {
                self.builder.add(&file);
                self.added += 1;
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
        self.flush()?;
        let mut in_use: FxHashSet<VersionKey> =
            manifest.files.values().map(|entry| entry.key).collect();
        if let Some(missing) = in_use.iter().find(|key| !self.versions.contains_key(*key)) {
            return Err(StoreError::Damaged(format!("version {missing:?} was never stored")));
        }
        if !self.fresh {
            in_use.extend(self.store.database().versions_in_use(reference)?);
        }
        let (merged, replaced) = self.merge(&in_use)?;
        let store = self.store;
        let mut database = store.database();
        let before = match database.reference(reference)? {
            Some(stored) if !self.fresh => database.manifest(stored.id)?.0,
            _ => Manifest::default(),
        };
        let generation = database.transact(|rows| {
            if self.fresh {
                rows.reset(&pipeline_text(&store.pipeline))?;
            }
            for part in &self.parts {
                rows.add_part(part.id, &part.keys)?;
            }
            if let Some(part) = &merged {
                rows.add_part(part.id, &part.keys)?;
            }
            replaced.iter().try_for_each(|id| rows.remove_part(*id))?;
            let duration = self.started.elapsed();
            let generation = rows.set_manifest(reference, &before, manifest, duration)?;
            store.tell(CommitStep::RowsWritten);
            Ok(generation)
        })?;
        drop(database);
        self.committed = true;
        store.tell(CommitStep::Committed);
        // What could not be swept now is swept by the next writer; the commit stands.
        let _ = store.sweep();
        store.tell(CommitStep::Swept);
        Ok(CommitReport { generation, versions: self.added })
    }
}

impl Drop for EmbeddedWriter<'_> {
    fn drop(&mut self) {
        if !self.committed {
            for part in &self.parts {
                let _ = std::fs::remove_file(self.store.part_path(part.id));
            }
        }
    }
}
