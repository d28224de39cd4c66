//! Index runs: bringing the index up to date, making it anew, forgetting it.

use super::{Effort, Engine, IndexReport, PATIENCE};
use crate::error::EngineError;
use crate::index::progress::{Cancel, Observer, Progress};
use crate::update::{self, Freshness};
use groma_core::{Generation, StoreError, StoreErrorKind, Writer};
use std::sync::PoisonError;
use std::time::{Duration, Instant};

/// How long forgetting an index waits for a run on it, which a keeper may have just begun.
const BRIEFLY: Duration = Duration::from_secs(2);

impl Engine {
    /// Brings this engine's own index up to date before a query.
    pub(crate) fn freshen(
        &self,
        effort: Effort,
        observer: &dyn Observer,
        cancel: &Cancel,
    ) -> Result<Freshness, EngineError> {
        let effort = if self.is_remote() { effort } else { Effort::Words };
        match self.me.upgrade() {
            _ if self.is_commit_indexed()? && self.is_made(effort) => Ok(Freshness::default()),
            Some(_) if self.watch.is_quiet() && self.is_made(effort) => Ok(Freshness::default()),
            Some(me) => update::freshen(&me, effort, observer, cancel),
            None => Ok(self.update(effort, PATIENCE, observer, cancel)?.into()),
        }
    }

    /// Whether the index is of the very commit that the engine is about. A commit does not change.
    fn is_commit_indexed(&self) -> Result<bool, EngineError> {
        let Some(commit) = self.tree.commit() else { return Ok(false) };
        // What cannot be read is found, and repaired, by the run that follows.
        let newest = self.own_newest().unwrap_or(None);
        let rules = self.parts.walk.fingerprint();
        Ok(newest.is_some_and(|snapshot| {
            let manifest = snapshot.manifest();
            manifest.commit.as_deref() == Some(commit) && manifest.options_hash == rules
        }))
    }

    /// Brings the index up to date with the tree and makes all vectors that are missing, those of a new embedder
    /// included, however long that takes. Costs a stat a file when nothing has changed. Where the embedder cannot
    /// be reached, what answered before goes on answering.
    pub fn index(
        &self,
        observer: &dyn Observer,
        cancel: &Cancel,
    ) -> Result<IndexReport, EngineError> {
        self.index_within(PATIENCE, observer, cancel)
    }

    /// The same; waits no longer than `patience` for another run on the same project.
    pub fn index_within(
        &self,
        patience: Duration,
        observer: &dyn Observer,
        cancel: &Cancel,
    ) -> Result<IndexReport, EngineError> {
        self.completion.stop();
        let made = self.update(Effort::Whole, patience, observer, cancel);
        self.complete(made, patience, observer, cancel)
    }

    /// Brings this engine's own index up to date.
    pub(crate) fn update(
        &self,
        effort: Effort,
        patience: Duration,
        observer: &dyn Observer,
        cancel: &Cancel,
    ) -> Result<IndexReport, EngineError> {
        let mark = self.watch.mark();
        let report = match self.try_index(effort, patience, observer, cancel) {
            Err(EngineError::Store(error)) if error.is(StoreErrorKind::Damaged) => {
                self.remake(error.detail(), effort, observer, cancel)
            }
            other => other,
        }?;
        self.watch.settle(mark);
        Ok(report)
    }

    /// The index is derived: what cannot be read is made again, and the user is told.
    pub(crate) fn remake(
        &self,
        reason: &str,
        effort: Effort,
        observer: &dyn Observer,
        cancel: &Cancel,
    ) -> Result<IndexReport, EngineError> {
        self.forget_own()?;
        let (mut report, done) = match (&self.stand_in, effort) {
            (Some(other), Effort::Words | Effort::Quick) => (
                other.update(effort, PATIENCE, observer, cancel)?,
                "was forgotten; `groma index` rebuilds it",
            ),
            _ => (self.try_index(effort, PATIENCE, observer, cancel)?, "has been rebuilt"),
        };
        report.notes.push(format!("the index was damaged ({reason}) and {done}"));
        Ok(report)
    }

    /// Makes the index anew. The one that is there answers until that is done, and who stands in keeps theirs.
    pub fn rebuild(
        &self,
        observer: &dyn Observer,
        cancel: &Cancel,
    ) -> Result<IndexReport, EngineError> {
        self.rebuild_within(PATIENCE, observer, cancel)
    }

    /// The same; waits no longer than `patience` for another run on the same project.
    pub fn rebuild_within(
        &self,
        patience: Duration,
        observer: &dyn Observer,
        cancel: &Cancel,
    ) -> Result<IndexReport, EngineError> {
        self.completion.stop();
        let made = match self.make_anew(patience, observer, cancel) {
            // What cannot be read cannot be kept either.
            Err(EngineError::Store(error)) if error.is(StoreErrorKind::Damaged) => {
                self.forget_patiently(patience, observer, cancel)?;
                self.update(Effort::Whole, patience, observer, cancel)
            }
            made => made,
        };
        self.complete(made, patience, observer, cancel)
    }

    /// Makes a generation of all files. That of a working tree takes the place of everything; that of a commit of
    /// its ref alone, and versions that are stored for others are left as they are.
    fn make_anew(
        &self,
        patience: Duration,
        observer: &dyn Observer,
        cancel: &Cancel,
    ) -> Result<IndexReport, EngineError> {
        let (started, mark) = (Instant::now(), self.watch.mark());
        let store = &self.parts.store;
        let writer = self.patiently(patience, observer, cancel, || match self.tree.commit() {
            None => store.replacing_writer(),
            Some(_) => store.writer(),
        })?;
        let scan = self.compare(Effort::Whole, observer, || Ok(None))?;
        let report = self.write(writer, scan, observer, cancel)?;
        self.watch.settle(mark);
        Ok(IndexReport { duration: started.elapsed(), ..report })
    }

    /// Forgets the index, and that of who stands in: all of it for the working tree's, else that of the ref.
    pub fn clear(&self) -> Result<(), EngineError> {
        self.completion.stop();
        self.stand_in.as_ref().map_or(Ok(()), |other| other.clear())?;
        if self.tree.commit().is_none() {
            return self.forget_patiently(BRIEFLY, &(), &Cancel::default());
        }
        *self.snapshot.lock().unwrap_or_else(PoisonError::into_inner) = None;
        let forget = || self.parts.store.forget(&self.reference).map(drop);
        self.patiently(BRIEFLY, &(), &Cancel::default(), forget)
    }

    /// Forgets the own index once nobody writes to it.
    fn forget_patiently(
        &self,
        patience: Duration,
        observer: &dyn Observer,
        cancel: &Cancel,
    ) -> Result<(), EngineError> {
        self.patiently(patience, observer, cancel, || match self.forget_own() {
            Err(EngineError::Store(error)) => Err(error),
            _ => Ok(()),
        })
    }

    fn forget_own(&self) -> Result<(), EngineError> {
        *self.snapshot.lock().unwrap_or_else(PoisonError::into_inner) = None;
        self.watch.unsettle();
        self.forget_history();
        Ok(self.parts.store.clear()?)
    }

    fn try_index(
        &self,
        effort: Effort,
        patience: Duration,
        observer: &dyn Observer,
        cancel: &Cancel,
    ) -> Result<IndexReport, EngineError> {
        let started = Instant::now();
        let mut scan = self.scan(effort, observer)?;
        let report = loop {
            if let Some(report) = scan.report_if_current() {
                break report;
            }
            let right = || self.writer_after(scan.generation());
            match self.patiently(patience, observer, cancel, right)? {
                Some(writer) => match self.write(writer, scan, observer, cancel) {
                    // Another writer published first: what is left to do is found by another scan.
                    Err(EngineError::Store(error)) if error.is(StoreErrorKind::Superseded) => {
                        scan = self.scan(effort, observer)?;
                    }
                    report => break report?,
                },
                // It was cleared: nobody but who asks for it has it made again.
                None if effort < Effort::Whole && self.own_newest()?.is_none() => {
                    break IndexReport::default();
                }
                None => scan = self.scan_again(scan, effort, observer)?,
            }
        };
        Ok(IndexReport { duration: started.elapsed(), ..report })
    }

    /// The right to write what follows a generation; `None` where another process has committed since. Nothing that it
    /// did is done again, or undone, and who finds it in time need not wait for its turn.
    fn writer_after(
        &self,
        generation: Option<Generation>,
    ) -> Result<Option<Box<dyn Writer>>, StoreError> {
        let store = &self.parts.store;
        let is_newest = || Ok(store.generation(&self.reference)? == generation);
        if !is_newest()? {
            return Ok(None);
        }
        let writer = store.writer()?;
        Ok(is_newest()?.then_some(writer))
    }

    /// What needs the right to write; waits while another process has it.
    fn patiently<T>(
        &self,
        patience: Duration,
        observer: &dyn Observer,
        cancel: &Cancel,
        attempt: impl Fn() -> Result<T, StoreError>,
    ) -> Result<T, EngineError> {
        let started = Instant::now();
        loop {
            match attempt() {
                Err(error) if error.is(StoreErrorKind::Busy) && started.elapsed() < patience => {
                    if cancel.is_cancelled() {
                        return Err(EngineError::Cancelled);
                    }
                    observer.progress(Progress::Waiting);
                    std::thread::sleep(Duration::from_millis(50));
                }
                other => return Ok(other?),
            }
        }
    }
}
