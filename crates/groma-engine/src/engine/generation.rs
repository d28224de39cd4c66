//! Making a generation of what changed in the tree.

use super::report::by_reason;
use super::{Effort, Engine, IndexReport};
use crate::error::EngineError;
use crate::index::change::Changes;
use crate::index::pipeline::{Outcome, Pipeline};
use crate::index::progress::{Cancel, Observer, Progress, StageTimes};
use crate::index::walk::{Walked, WalkedFile};
use groma_core::{Generation, Manifest, ManifestEntry, RelPath, Snapshot, VersionKey, Writer};
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The tree beside the newest generation.
pub(super) struct Scan {
    changes: Changes,
    /// What the walk found; none of a commit, which needs no walk.
    walked: Option<Walked>,
    before: Option<Arc<dyn Snapshot>>,
    walk_time: Duration,
    /// The vectors of the files that changed must wait.
    later: bool,
    /// The ref is at another commit than the generation, even if all files are as they were.
    moved: bool,
}

impl Scan {
    pub fn generation(&self) -> Option<Generation> {
        self.before.as_ref().map(|snapshot| snapshot.info().generation)
    }

    /// What there is to report when there is nothing to do.
    pub fn report_if_current(&self) -> Option<IndexReport> {
        if self.before.is_none() || !self.changes.is_empty() || self.moved {
            return None;
        }
        Some(IndexReport {
            generation: self.generation(),
            files: self.changes.unchanged.len(),
            unchanged: self.changes.unchanged.len(),
            without_vectors: self.changes.bare(),
            skipped: self.changes.skipped.len(),
            skip_reasons: by_reason(&self.changes.skipped),
            times: StageTimes { walk: self.walk_time, ..StageTimes::default() },
            ..IndexReport::default()
        })
    }
}

impl Engine {
    /// Compares the tree with the newest generation.
    pub(super) fn scan(
        &self,
        effort: Effort,
        observer: &dyn Observer,
    ) -> Result<Scan, EngineError> {
        self.compare(effort, observer, || self.own_newest())
    }

    /// Walks the tree and compares it with a generation.
    pub(super) fn compare(
        &self,
        effort: Effort,
        observer: &dyn Observer,
        before: impl FnOnce() -> Result<Option<Arc<dyn Snapshot>>, EngineError>,
    ) -> Result<Scan, EngineError> {
        let started = Instant::now();
        observer.progress(Progress::Walking);
        let mut walked = None;
        if self.tree.commit().is_none() {
            let found = walked.insert(self.walk()?);
            if self.is_shared() {
                self.watch.follow(&self.parts.root, &found.folders);
            }
        }
        let scan = self.compare_walked(effort, walked, before()?)?;
        Ok(Scan { walk_time: started.elapsed(), ..scan })
    }

    /// Compares what a walk found with a generation.
    fn compare_walked(
        &self,
        effort: Effort,
        walked: Option<Walked>,
        before: Option<Arc<dyn Snapshot>>,
    ) -> Result<Scan, EngineError> {
        let mut changes = match &walked {
            Some(walked) => {
                let mut changes = self.changes(walked, manifest_of(&before));
                self.make_sure(&mut changes, manifest_of(&before));
                changes
            }
            None => self.changes_of_commit(manifest_of(&before))?,
        };
        let later = match (effort, &before) {
            (Effort::Whole, None) => false,
            _ => self.leave_for_later(effort, &mut changes),
        };
        let moved = manifest_of(&before).commit.as_deref() != self.tree.commit();
        Ok(Scan { changes, walked, before, walk_time: Duration::ZERO, later, moved })
    }

    /// Leaves out what was saved a moment ago and is as it was indexed in that moment. What a stamp can vouch for by now is
    /// indexed again instead, so that it does.
    fn make_sure(&self, changes: &mut Changes, before: &Manifest) {
        if before.options_hash != self.parts.walk.fingerprint() {
            return;
        }
        let is_sure = |file: &mut WalkedFile| {
            let is_indexed = before.files.contains_key(&file.path);
            file.stamp.racy && is_indexed && self.is_as_indexed(file, before)
        };
        let sure = changes.pending.extract_if(.., is_sure);
        changes.unchanged.extend(sure.map(|file| (file.path.clone(), before.files[&file.path])));
    }

    /// Looks again after another process has committed. Where that has all that the walk found there is hardly anything to
    /// do; else the tree may have changed under both, and is walked once more.
    pub(super) fn scan_again(
        &self,
        scan: Scan,
        effort: Effort,
        observer: &dyn Observer,
    ) -> Result<Scan, EngineError> {
        let again = self.compare_walked(effort, scan.walked, self.own_newest()?)?;
        match again.changes.are_like(manifest_of(&again.before)) && !again.moved {
            true => Ok(Scan { walk_time: scan.walk_time, ..again }),
            false => self.scan(effort, observer),
        }
    }

    /// What differs between the commit and what was indexed of the ref before. The same commit is the same files.
    fn changes_of_commit(&self, before: &Manifest) -> Result<Changes, EngineError> {
        let rules = self.parts.walk.fingerprint();
        if self.tree.commit() == before.commit.as_deref() && before.options_hash == rules {
            return Ok(Changes::none(before));
        }
        let mut changes = self.changes(&self.walk()?, before);
        let keys: Vec<_> = changes.pending.iter().map(|file| self.tree.key(&file.path)).collect();
        let asked: Vec<_> =
            keys.iter().flatten().flat_map(|key| [*key, key.unembedded()]).collect();
        let named = self.parts.store.referenced_versions(rules, &asked)?;
        let known: FxHashSet<_> =
            asked.into_iter().zip(named).filter(|(_, named)| *named).map(|(key, _)| key).collect();
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

    /// Has read again what was stored when the tree was compared and is not any more: another ref was forgotten or
    /// moved on since.
    fn reread_lost(
        &self,
        changes: &mut Changes,
        before: &Manifest,
        writer: &dyn Writer,
    ) -> Result<(), EngineError> {
        let is_others = |path: &RelPath, entry: &ManifestEntry| {
            before.files.get(path).is_none_or(|known| known.key != entry.key)
        };
        if self.tree.commit().is_none()
            || !changes.unchanged.iter().any(|(path, entry)| is_others(path, entry))
        {
            return Ok(());
        }
        let keys: Vec<_> = changes.unchanged.iter().map(|(_, entry)| entry.key).collect();
        let mut known = writer.known(&keys)?.into_iter();
        let lost = changes.unchanged.extract_if(.., |_| !known.next().unwrap_or(true));
        let again = lost.map(|(path, entry)| WalkedFile { path, stamp: entry.stamp });
        changes.pending.extend(again);
        Ok(())
    }

    /// Makes a generation of the changes.
    pub(super) fn write(
        &self,
        mut writer: Box<dyn Writer>,
        scan: Scan,
        observer: &dyn Observer,
        cancel: &Cancel,
    ) -> Result<IndexReport, EngineError> {
        let Scan { mut changes, before, walk_time, later, .. } = scan;
        self.reread_lost(&mut changes, manifest_of(&before), &*writer)?;
        let pipeline = Pipeline {
            tree: &*self.tree,
            options: &self.parts.walk,
            embedder: self.parts.embedder.as_deref(),
            later,
            observer,
            cancel,
        };
        let mut outcome = pipeline.run(&changes.pending, &mut *writer)?;
        // Whoever stands in has vectors of all files. What was made so far is in the embedder's cache.
        let in_vain = self.stand_in.is_some() && before.is_none();
        if let Some(error) = outcome.missing.unavailable.take_if(|_| in_vain) {
            return Err(error.into());
        }
        observer.progress(Progress::Committing);
        let old = before.as_ref().map(|snapshot| snapshot.manifest().clone()).unwrap_or_default();
        let mut manifest = manifest(&changes, &mut outcome);
        manifest.options_hash = self.parts.walk.fingerprint();
        manifest.commit = self.tree.commit().map(str::to_string);
        let mut report = report(outcome, &manifest, &old);
        report.times.walk = walk_time;
        if let Some(snapshot) = before.filter(|_| manifest == old) {
            // Files were read again and found as they were.
            report.generation = Some(snapshot.info().generation);
            return Ok(report);
        }
        let commit = Instant::now();
        report.generation = Some(writer.commit(&self.reference, &manifest)?.generation);
        if self.tree.commit().is_some() {
            self.prune_refs();
        }
        report.times.store += commit.elapsed();
        Ok(report)
    }
}

/// The files of a generation; none where there is none.
fn manifest_of(before: &Option<Arc<dyn Snapshot>>) -> &Manifest {
    static NONE: Manifest =
        Manifest { files: BTreeMap::new(), skipped: Vec::new(), options_hash: 0, commit: None };
    before.as_ref().map_or(&NONE, |snapshot| snapshot.manifest())
}

/// What there is to tell of a run that turns the manifest `old` into `new`.
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
        without_vectors: bare(new),
        embedder_error: outcome.missing.unavailable.map(|error| error.to_string()),
        trouble: outcome.trouble,
        ..IndexReport::default()
    };
    for (path, entry) in &new.files {
        match old.files.get(path) {
            None => report.added += 1,
            Some(known) if known.key.embedded() != entry.key.embedded() => report.updated += 1,
            Some(_) => report.unchanged += 1,
        }
    }
    if let Some((chunks, error)) = outcome.missing.refused {
        report.notes.push(format!("{error}: {chunks} chunks are found by keywords only"));
    }
    report.trouble.sort_by(|a, b| a.path.cmp(&b.path));
    report
}

/// The tree as it will be committed.
fn manifest(changes: &Changes, outcome: &mut Outcome) -> Manifest {
    let mut manifest = Manifest { skipped: changes.skipped.clone(), ..Manifest::default() };
    manifest.files.extend(changes.unchanged.iter().cloned());
    manifest.files.extend(outcome.entries.iter().cloned());
    manifest.skipped.append(&mut outcome.skipped);
    manifest.skipped.sort();
    manifest.skipped.dedup();
    manifest
}

/// How many files lack their vectors.
pub(crate) fn bare(manifest: &Manifest) -> usize {
    manifest.files.values().filter(|entry| entry.key.is_unembedded()).count()
}
