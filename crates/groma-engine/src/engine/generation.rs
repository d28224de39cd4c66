//! Making a generation of what changed in the tree.

use super::report::by_reason;
use super::{Effort, Engine, IndexReport};
use crate::error::EngineError;
use crate::index::change::Changes;
use crate::index::pipeline::{Outcome, Pipeline};
use crate::index::progress::{Cancel, Observer, Progress, StageTimes};
use groma_core::{Generation, Manifest, RefName, Snapshot, Writer};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The tree beside the newest generation.
pub(super) struct Scan {
    changes: Changes,
    before: Option<Arc<dyn Snapshot>>,
    walk_time: Duration,
    /// The vectors of the files that changed must wait.
    later: bool,
}

impl Scan {
    pub fn generation(&self) -> Option<Generation> {
        self.before.as_ref().map(|snapshot| snapshot.info().generation)
    }

    /// What there is to report when there is nothing to do.
    pub fn report_if_current(&self) -> Option<IndexReport> {
        if self.before.is_none() || !self.changes.is_empty() {
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
        let walked = self.walk()?;
        if self.me.strong_count() > 0 {
            self.watch.follow(&self.parts.root, &walked.folders);
        }
        let walk_time = started.elapsed();
        let before = before()?;
        let old = before.as_ref().map(|snapshot| snapshot.manifest());
        let mut changes = self.changes(&walked, old.unwrap_or(&Manifest::default()));
        let later = match (effort, &before) {
            (Effort::Whole, None) => false,
            _ => self.leave_for_later(effort, &mut changes),
        };
        Ok(Scan { changes, before, walk_time, later })
    }

    /// Makes a generation of the changes.
    pub(super) fn write(
        &self,
        mut writer: Box<dyn Writer + '_>,
        scan: Scan,
        observer: &dyn Observer,
        cancel: &Cancel,
    ) -> Result<IndexReport, EngineError> {
        let Scan { changes, before, walk_time, later } = scan;
        let pipeline = Pipeline {
            root: &self.parts.root,
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
        manifest.rules = self.parts.walk.fingerprint();
        let mut report = report(&changes, outcome, &manifest, &old);
        report.times.walk = walk_time;
        if let Some(snapshot) = before.filter(|_| manifest == old) {
            // Files were read again and found as they were.
            report.generation = Some(snapshot.info().generation);
            return Ok(report);
        }
        let commit = Instant::now();
        report.generation = Some(writer.commit(&RefName::live(), &manifest)?.generation);
        report.times.store += commit.elapsed();
        Ok(report)
    }
}

/// What there is to tell of a run that turns the manifest `old` into `new`.
fn report(changes: &Changes, outcome: Outcome, new: &Manifest, old: &Manifest) -> IndexReport {
    let mut report = IndexReport {
        files: new.files.len(),
        removed: old.files.keys().filter(|path| !new.files.contains_key(*path)).count(),
        unchanged: changes.unchanged.len(),
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
    for (path, entry) in &outcome.entries {
        match old.files.get(path) {
            None => report.added += 1,
            Some(known) if known.key.whole() != entry.key.whole() => report.updated += 1,
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
    manifest.files.values().filter(|entry| entry.key.is_bare()).count()
}
