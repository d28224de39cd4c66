//! Compares the tree with a generation, and commits the difference as the next one.

use crate::error::IndexError;
use crate::index::{Index, unembedded};
use crate::pipeline::{Outcome, Pipeline};
use crate::refs;
use crate::report::{IndexReport, by_reason};
use crate::run::{Goal, Run};
use groma_core::{
    Generation, Manifest, ManifestEntry, Progress, RelPath, Snapshot, StageTimes, VersionKey,
    Writer,
};
use groma_files::{Changes, SourceTree, WalkResult, WalkedFile};
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Maximum number of files embedded by a remote embedder in one run, so that neither a search nor another writer waits
/// for long. The others are stored without vectors.
pub(crate) const MAX_REMOTE_FILES: usize = 64;

/// The tree compared with the newest generation.
pub(crate) struct Scan {
    changes: Changes,
    /// The walk; `None` for a commit, which needs none.
    walked: Option<WalkResult>,
    before: Option<Arc<dyn Snapshot>>,
    walk_time: Duration,
    /// Whether the vectors of the changed files are left to a later run.
    later: bool,
    /// Whether the ref has moved to another commit, even if all files are the same.
    moved: bool,
}

impl Scan {
    /// The generation it was compared with.
    pub fn generation(&self) -> Option<Generation> {
        self.before.as_ref().map(|snapshot| snapshot.info().generation)
    }

    /// The report of a run that has nothing to do.
    pub fn report_if_current(&self) -> Option<IndexReport> {
        if self.before.is_none() || !self.changes.is_empty() || self.moved {
            return None;
        }
        Some(IndexReport {
            generation: self.generation(),
            files: self.changes.unchanged.len(),
            unchanged: self.changes.unchanged.len(),
            without_vectors: self.changes.unembedded(),
            skipped: self.changes.skipped.len(),
            skip_reasons: by_reason(&self.changes.skipped),
            times: StageTimes { walk: self.walk_time, ..StageTimes::default() },
            ..IndexReport::default()
        })
    }
}

/// Compares the tree with an index, and writes what differs.
#[derive(Clone, Copy)]
pub(crate) struct Scanner<'a> {
    pub source: &'a SourceTree,
    pub index: &'a Index,
    pub run: &'a Run<'a>,
    /// The current goal; a run that repairs or falls back may change it.
    pub goal: Goal,
    /// Whether a fallback is used until this index has been built once.
    pub has_fallback: bool,
}

impl Scanner<'_> {
    /// Walks the tree and compares it with a generation. `before` is called after the walk.
    pub fn scan(
        &self,
        before: impl FnOnce() -> Result<Option<Arc<dyn Snapshot>>, IndexError>,
    ) -> Result<Scan, IndexError> {
        let started = Instant::now();
        self.run.observer.progress(Progress::Walking);
        let walked = match self.source.commit() {
            None => Some(self.source.walk_and_watch()?),
            Some(_) => None,
        };
        let scan = self.compare(walked, before()?)?;
        Ok(Scan { walk_time: started.elapsed(), ..scan })
    }

    /// Compares again after another process has committed. If that generation covers the walk, there is hardly anything
    /// to do; otherwise the tree may have changed meanwhile, and is walked again.
    pub fn rescan(&self, scan: Scan) -> Result<Scan, IndexError> {
        let again = self.compare(scan.walked, self.index.newest()?)?;
        if again.changes.match_stats_of(manifest_of(again.before.as_ref())) && !again.moved {
            return Ok(Scan { walk_time: scan.walk_time, ..again });
        }
        self.scan(|| Ok(self.index.newest()?))
    }

    fn compare(
        &self,
        walked: Option<WalkResult>,
        before: Option<Arc<dyn Snapshot>>,
    ) -> Result<Scan, IndexError> {
        let manifest = manifest_of(before.as_ref());
        let mut changes = match &walked {
            Some(walked) => {
                let mut changes = self.source.changes(walked, manifest);
                self.keep_unchanged_racy(&mut changes, manifest);
                changes
            }
            None => self.changes_of_commit(manifest)?,
        };
        // Queries do not wait for a parse that has hit a limit before.
        if self.goal >= Goal::Complete {
            changes.requeue_provisional();
        }
        let later = match &before {
            None if self.goal >= Goal::Complete => false,
            _ => self.defer_vectors(&mut changes),
        };
        let moved = manifest.commit.as_deref() != self.source.commit();
        Ok(Scan { changes, walked, before, walk_time: Duration::ZERO, later, moved })
    }

    /// Moves files with racy stamps to `unchanged` if their content is that of the index. Those whose stamp is no
    /// longer racy are indexed again, so that it proves them unchanged.
    fn keep_unchanged_racy(&self, changes: &mut Changes, before: &Manifest) {
        if before.options_hash != self.source.options().hash() {
            return;
        }
        let is_unchanged = |file: &mut WalkedFile| {
            let is_indexed = before.files.contains_key(&file.path);
            file.stamp.racy && is_indexed && self.source.is_indexed_version(file, before)
        };
        let unchanged = changes.pending.extract_if(.., is_unchanged);
        changes
            .unchanged
            .extend(unchanged.map(|file| (file.path.clone(), before.files[&file.path])));
    }

    /// The changes between the commit and the indexed commit of the ref; none if they are the same.
    fn changes_of_commit(&self, before: &Manifest) -> Result<Changes, IndexError> {
        let options = self.source.options().hash();
        if self.source.commit() == before.commit.as_deref() && before.options_hash == options {
            return Ok(Changes::none(before));
        }
        let tree = self.source.tree();
        let mut changes = self.source.changes(&self.source.walk()?, before);
        let keys: Vec<_> = changes.pending.iter().map(|file| tree.key(&file.path)).collect();
        let candidates: Vec<_> =
            keys.iter().flatten().flat_map(|key| [*key, key.unembedded()]).collect();
        let referenced = self.index.store().referenced_versions(options, &candidates)?;
        let known: FxHashSet<_> = candidates
            .into_iter()
            .zip(referenced)
            .filter(|(_, is)| *is)
            .map(|(key, _)| key)
            .collect();
        let stored =
            |key: VersionKey| [key, key.unembedded()].into_iter().find(|key| known.contains(key));
        for (file, key) in std::mem::take(&mut changes.pending).into_iter().zip(keys) {
            match key.and_then(stored) {
                Some(key) => {
                    changes.unchanged.push((file.path, ManifestEntry { key, stamp: file.stamp }));
                }
                None => changes.pending.push(file),
            }
        }
        Ok(changes)
    }

    /// Decides which files are embedded now: unembedded ones are re-queued if the goal allows for it. Returns whether
    /// the vectors of the changed files are deferred.
    fn defer_vectors(&self, changes: &mut Changes) -> bool {
        let Some(embedder) = self.index.embedder() else { return false };
        let (changed, unembedded) = (changes.pending.len(), changes.unembedded());
        if embedder.remote().is_none() {
            changes.requeue_unembedded(unembedded);
            return false;
        }
        let is_waiting = changed + unembedded > 0;
        if self.goal == Goal::Keywords
            || (self.goal == Goal::Quick && is_waiting && !embedder.is_ready())
        {
            return true;
        }
        if self.goal >= Goal::Complete || changed + unembedded <= MAX_REMOTE_FILES {
            changes.requeue_unembedded(MAX_REMOTE_FILES.saturating_sub(changed));
        }
        changed > MAX_REMOTE_FILES
    }

    /// Re-queues versions that were stored at scan time and have been dropped since, with another ref.
    fn requeue_dropped(
        &self,
        changes: &mut Changes,
        before: &Manifest,
        writer: &dyn Writer,
    ) -> Result<(), IndexError> {
        let is_from_other_ref = |path: &RelPath, entry: &ManifestEntry| {
            before.files.get(path).is_none_or(|known| known.key != entry.key)
        };
        if self.source.commit().is_none()
            || !changes.unchanged.iter().any(|(path, entry)| is_from_other_ref(path, entry))
        {
            return Ok(());
        }
        let keys: Vec<_> = changes.unchanged.iter().map(|(_, entry)| entry.key).collect();
        let mut known = writer.known(&keys)?.into_iter();
        let lost = changes.unchanged.extract_if(.., |_| !known.next().unwrap_or(true));
        let requeued = lost.map(|(path, entry)| WalkedFile { path, stamp: entry.stamp });
        changes.pending.extend(requeued);
        Ok(())
    }

    /// Indexes the changes and commits them as a generation.
    pub fn write(
        &self,
        mut writer: Box<dyn Writer>,
        scan: Scan,
    ) -> Result<IndexReport, IndexError> {
        let Scan { mut changes, before, walk_time, later, .. } = scan;
        self.requeue_dropped(&mut changes, manifest_of(before.as_ref()), &*writer)?;
        let pipeline = Pipeline {
            tree: self.source.tree(),
            options: self.source.options(),
            embedder: self.index.embedder().map(|embedder| &**embedder),
            later,
            before: before.as_deref().filter(|_| self.goal != Goal::Rebuild),
            observer: self.run.observer,
            cancel: self.run.cancel,
        };
        let mut outcome = pipeline.run(&changes.pending, &mut *writer)?;
        // The fallback has vectors of all files, so committing without them would be worse. The vectors made so far are
        // in the embedder's cache.
        let prefers_fallback = self.has_fallback && before.is_none();
        if let Some(error) = outcome.missing.unavailable.take_if(|_| prefers_fallback) {
            return Err(error.into());
        }
        self.run.observer.progress(Progress::Committing);
        let old = before.as_ref().map(|snapshot| snapshot.manifest().clone()).unwrap_or_default();
        let mut manifest = manifest(&changes, &mut outcome);
        manifest.options_hash = self.source.options().hash();
        manifest.commit = self.source.commit().map(str::to_string);
        let mut report = report(outcome, &manifest, &old);
        report.times.walk = walk_time;
        if let Some(snapshot) = before.filter(|_| manifest == old) {
            // Files were read again and are unchanged.
            report.generation = Some(snapshot.info().generation);
            return Ok(report);
        }
        let commit = Instant::now();
        let reference = self.index.reference();
        report.generation = Some(writer.commit(reference, &manifest)?.generation);
        if self.source.commit().is_some() {
            refs::prune(self.source.root(), &**self.index.store(), reference);
        }
        report.times.store += commit.elapsed();
        Ok(report)
    }
}

/// The manifest of a generation; an empty one for `None`.
fn manifest_of(before: Option<&Arc<dyn Snapshot>>) -> &Manifest {
    static NONE: Manifest =
        Manifest { files: BTreeMap::new(), skipped: Vec::new(), options_hash: 0, commit: None };
    before.map_or(&NONE, |snapshot| snapshot.manifest())
}

/// The report of a run that turns the manifest `old` into `new`.
fn report(outcome: Outcome, new: &Manifest, old: &Manifest) -> IndexReport {
    let mut report = IndexReport {
        files: new.files.len(),
        removed: old.files.keys().filter(|path| !new.files.contains_key(*path)).count(),
        skipped: new.skipped.len(),
        skip_reasons: by_reason(&new.skipped),
        parsed: outcome.parsed,
        chunks: outcome.chunks,
        symbols: outcome.symbols,
        vectors: outcome.vectors,
        bytes: outcome.bytes,
        times: outcome.times,
        without_vectors: unembedded(new),
        embedder_error: outcome.missing.unavailable.map(|error| error.to_string()),
        parse_failures: outcome.parse_failures,
        ..IndexReport::default()
    };
    for (path, entry) in &new.files {
        match old.files.get(path) {
            None => report.added += 1,
            Some(known) if known.key.unmarked() != entry.key.unmarked() => report.updated += 1,
            Some(_) => report.unchanged += 1,
        }
    }
    if let Some((chunks, error)) = outcome.missing.refused {
        report.notes.push(format!("{error}: {chunks} chunks are found by keywords only"));
    }
    report.parse_failures.sort_by(|a, b| a.path.cmp(&b.path));
    report
}

/// The manifest to commit.
fn manifest(changes: &Changes, outcome: &mut Outcome) -> Manifest {
    let mut manifest = Manifest { skipped: changes.skipped.clone(), ..Manifest::default() };
    manifest.files.extend(changes.unchanged.iter().cloned());
    manifest.files.extend(outcome.entries.iter().cloned());
    manifest.skipped.append(&mut outcome.skipped);
    manifest.skipped.sort();
    manifest.skipped.dedup();
    manifest
}
