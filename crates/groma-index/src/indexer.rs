//! Brings the index of one ref up to date.
//!
//! [`Indexer::run`] is a state machine. Each state does one thing and yields an event; [`State::after`] is the table of
//! transitions, drawn in ARCHITECTURE.md:
//!
//! ```text
//! start -> Scan | Acquire (rebuild)
//! Scan     current -> Done | Scan (vectors left)    changed -> Acquire
//! Acquire  writer -> Write    superseded -> Rescan   cleared -> Done
//! Rescan   as Scan
//! Write    current -> Done | Scan (vectors left)    superseded -> Scan
//! any      damaged -> Repair -> Scan                 embedder unavailable -> FallBack -> Scan
//! ```

use crate::error::IndexError;
use crate::index::{Active, Index, unembedded};
use crate::report::IndexReport;
use crate::run::{Goal, Run};
use crate::scan::{MAX_REMOTE_FILES, Scan, Scanner};
use groma_core::{Generation, Progress, Snapshot, StoreError, StoreErrorKind, Writer};
use groma_files::{Mark, SourceTree, TreeChange};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// How often a run that waits for another writer tries again.
const RETRY_INTERVAL: Duration = Duration::from_millis(50);

/// How long clearing an index waits for a run that a background indexer may have just started.
const CLEAR_TIMEOUT: Duration = Duration::from_secs(2);

/// Brings the index of one ref up to date, or its fallback until the primary index has been built once.
pub struct Indexer {
    source: Arc<SourceTree>,
    primary: Index,
    fallback: Option<Index>,
    /// How many runs were finished.
    runs: AtomicU64,
}

/// The states of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// Walks the tree and compares it with the newest generation.
    Scan,
    /// Waits for the writer lease.
    Acquire,
    /// Compares again with the generation that another process committed meanwhile.
    Rescan,
    /// Indexes the changes and commits.
    Write,
    /// Deletes an index that cannot be read.
    Repair,
    /// Switches to the fallback because the embedder is unavailable.
    FallBack,
    /// The index is up to date.
    Done,
}

/// The outcome of a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    /// The index is up to date.
    Current,
    /// It is, except for vectors that this run is to make.
    VectorsLeft,
    /// It is not.
    Changed,
    /// The writer lease was acquired.
    Writer,
    /// Another process committed meanwhile.
    Superseded,
    /// Another process deleted the index meanwhile.
    Cleared,
    /// The index was deleted, or another one is to be used.
    Reset,
    /// The index cannot be read.
    Damaged,
    /// The embedder is unavailable, and there is a fallback.
    EmbedderUnavailable,
}

impl State {
    /// The table of transitions.
    pub(crate) fn after(self, event: Event) -> Option<Self> {
        use Event::*;
        match (self, event) {
            (Self::Scan | Self::Rescan | Self::Write, Current) => Some(Self::Done),
            (Self::Scan | Self::Rescan | Self::Write, VectorsLeft) => Some(Self::Scan),
            (Self::Scan | Self::Rescan, Changed) => Some(Self::Acquire),
            (Self::Acquire, Writer) => Some(Self::Write),
            (Self::Acquire, Superseded) => Some(Self::Rescan),
            (Self::Write, Superseded) => Some(Self::Scan),
            (Self::Acquire, Cleared) => Some(Self::Done),
            (Self::Repair | Self::FallBack, Reset) => Some(Self::Scan),
            (Self::Scan | Self::Acquire | Self::Rescan | Self::Write, Damaged) => {
                Some(Self::Repair)
            }
            (Self::Write, EmbedderUnavailable) => Some(Self::FallBack),
            _ => None,
        }
    }
}

impl Indexer {
    /// An indexer of the files of `source`.
    pub fn new(source: Arc<SourceTree>, primary: Index, fallback: Option<Index>) -> Self {
        Self { source, primary, fallback, runs: AtomicU64::new(0) }
    }

    /// The files.
    pub fn source(&self) -> &Arc<SourceTree> {
        &self.source
    }

    /// One of its indexes; the primary one if there is no fallback.
    pub fn get(&self, active: Active) -> &Index {
        match (active, &self.fallback) {
            (Active::Fallback, Some(fallback)) => fallback,
            _ => &self.primary,
        }
    }

    /// How many runs were finished.
    pub fn runs(&self) -> u64 {
        self.runs.load(Ordering::Relaxed)
    }

    /// The fallback.
    pub fn fallback(&self) -> Option<&Index> {
        self.fallback.as_ref()
    }

    /// The index to use: the fallback until the primary index has been built once. A damaged primary index exists, and
    /// is repaired.
    pub fn active(&self) -> Active {
        match self.fallback {
            Some(_) if matches!(self.primary.generation(), Ok(None)) => Active::Fallback,
            _ => Active::Primary,
        }
    }

    /// The newest generation of an index, if a run for `goal` would have nothing to do and that is known without a walk:
    /// the commit of the source is indexed, or the watcher has seen no change since the index was up to date.
    pub fn current(&self, active: Active, goal: Goal) -> Option<Arc<dyn Snapshot>> {
        let index = self.get(active);
        let is_watched = index.synced.is_unchanged(self.source.watcher());
        if !is_watched && self.source.commit().is_none() {
            return None;
        }
        // A damaged index is repaired by the run that follows.
        let snapshot = index.newest().ok()??;
        let manifest = snapshot.manifest();
        let is_indexed = || {
            manifest.commit.as_deref() == self.source.commit()
                && manifest.options_hash == self.source.options().hash()
        };
        let is_embedded = goal == Goal::Keywords
            || !index.is_remote()
            || !(1..=MAX_REMOTE_FILES).contains(&unembedded(manifest));
        ((is_watched || is_indexed()) && is_embedded).then_some(snapshot)
    }

    /// Whether the tree has changed since an index was up to date.
    pub fn changes(&self, active: Active) -> TreeChange {
        self.get(active).synced.changes(self.source.watcher())
    }

    /// Makes the next run walk the tree, whatever the watcher has seen.
    pub fn force_scan(&self, active: Active) {
        self.get(active).synced.reset();
    }

    /// Brings an index up to date.
    pub fn run(&self, run: &Run<'_>) -> Result<IndexReport, IndexError> {
        Machine::new(self, run).run(&mut |_| {})
    }

    /// Deletes an index that a query found to be damaged, and rebuilds it.
    pub fn repair(&self, reason: &str, run: &Run<'_>) -> Result<IndexReport, IndexError> {
        let mut machine = Machine::new(self, run);
        machine.damage = Some(reason.to_string());
        machine.run_from(State::Repair, &mut |_| {})
    }

    /// Deletes the index and its fallback: everything for the working tree, otherwise only this ref.
    pub fn clear(&self) -> Result<(), IndexError> {
        let (observer, cancel) = (&(), &groma_core::Cancel::default());
        let run = Run::new(Goal::Keywords, observer, cancel).waiting(CLEAR_TIMEOUT);
        for index in self.fallback.iter().chain([&self.primary]) {
            match self.source.commit() {
                None => clear(index, &run)?,
                Some(_) => {
                    index.close();
                    wait_for(&run, || index.store().forget(index.reference()).map(drop))?;
                }
            }
        }
        Ok(())
    }
}

/// Deletes an index once no other process writes to it.
fn clear(index: &Index, run: &Run<'_>) -> Result<(), IndexError> {
    wait_for(run, || {
        index.close();
        index.store().clear()
    })
}

/// Retries an operation that needs the writer lease while another process holds it.
fn wait_for<T>(
    run: &Run<'_>,
    attempt: impl Fn() -> Result<T, StoreError>,
) -> Result<T, IndexError> {
    let started = Instant::now();
    loop {
        match attempt() {
            Err(error) if error.is(StoreErrorKind::Busy) && started.elapsed() < run.wait => {
                if run.cancel.is_cancelled() {
                    return Err(IndexError::Cancelled);
                }
                run.observer.progress(Progress::Waiting);
                std::thread::sleep(RETRY_INTERVAL);
            }
            other => return Ok(other?),
        }
    }
}

/// A run in progress.
struct Machine<'a> {
    indexer: &'a Indexer,
    run: &'a Run<'a>,
    goal: Goal,
    active: Active,
    /// The walk sees everything before this mark.
    mark: Mark,
    scan: Option<Scan>,
    writer: Option<Box<dyn Writer>>,
    report: Option<IndexReport>,
    notes: Vec<String>,
    /// Why the index is being repaired.
    damage: Option<String>,
    is_repaired: bool,
}

impl<'a> Machine<'a> {
    fn new(indexer: &'a Indexer, run: &'a Run<'a>) -> Self {
        Self {
            indexer,
            run,
            goal: run.goal,
            active: run.index,
            mark: indexer.source.watcher().mark(),
            scan: None,
            writer: None,
            report: None,
            notes: Vec::new(),
            damage: None,
            is_repaired: false,
        }
    }

    fn run(&mut self, trace: &mut dyn FnMut(State)) -> Result<IndexReport, IndexError> {
        // A rebuild needs no generation to compare with, so it acquires the lease first, which can fail at once.
        let start = if self.goal == Goal::Rebuild { State::Acquire } else { State::Scan };
        self.run_from(start, trace)
    }

    fn run_from(
        &mut self,
        start: State,
        trace: &mut dyn FnMut(State),
    ) -> Result<IndexReport, IndexError> {
        let started = Instant::now();
        let mut state = start;
        while state != State::Done {
            trace(state);
            let event = match self.step(state) {
                Ok(event) => event,
                Err(error) => {
                    tracing::warn!(%error, ?state, "index run failed");
                    self.recover(error)?
                }
            };
            state = state.after(event).expect("every event has a transition");
        }
        trace(state);
        self.index().synced.advance(self.mark);
        let mut report = self.report.take().unwrap_or_default();
        report.notes.append(&mut self.notes);
        let duration = started.elapsed();
        self.indexer.runs.fetch_add(1, Ordering::Relaxed);
        tracing::info!(milliseconds = duration.as_millis() as u64, "index run finished");
        Ok(IndexReport { duration, ..report })
    }

    fn index(&self) -> &'a Index {
        self.indexer.get(self.active)
    }

    fn scanner(&self) -> Scanner<'a> {
        Scanner {
            source: &self.indexer.source,
            index: self.index(),
            run: self.run,
            goal: self.goal,
            has_fallback: self.active == Active::Primary && self.indexer.fallback.is_some(),
        }
    }

    fn step(&mut self, state: State) -> Result<Event, IndexError> {
        match state {
            State::Scan => {
                self.mark = self.indexer.source.watcher().mark();
                let index = self.index();
                let scan = self.scanner().scan(|| Ok(index.newest()?))?;
                Ok(self.scanned(scan))
            }
            State::Rescan => {
                let scan = self.scan.take().expect("a rescan follows a scan");
                let scan = self.scanner().rescan(scan)?;
                Ok(self.scanned(scan))
            }
            State::Acquire if self.goal == Goal::Rebuild => self.acquire_for_rebuild(),
            State::Acquire => self.acquire(),
            State::Write => self.write(),
            State::Repair => self.repair(),
            State::FallBack => {
                (self.active, self.goal) = (Active::Fallback, Goal::Complete);
                Ok(Event::Reset)
            }
            State::Done => Ok(Event::Current),
        }
    }

    fn scanned(&mut self, scan: Scan) -> Event {
        match scan.report_if_current() {
            Some(report) => self.reported(report),
            None => {
                self.scan = Some(scan);
                Event::Changed
            }
        }
    }

    /// Acquires the writer lease for the successor of the generation that was scanned. If another process committed
    /// meanwhile, its work is neither repeated nor overwritten.
    fn acquire(&mut self) -> Result<Event, IndexError> {
        let index = self.index();
        let scanned = self.scan.as_ref().and_then(Scan::generation);
        let writer = wait_for(self.run, || writer_after(index, scanned))?;
        let is_acquired = writer.is_some();
        self.writer = writer;
        // A cleared index is rebuilt only by an explicit run.
        Ok(if is_acquired {
            Event::Writer
        } else if self.goal < Goal::Complete && index.newest()?.is_none() {
            Event::Cleared
        } else {
            Event::Superseded
        })
    }

    /// Acquires the writer lease to replace everything, or only the ref for a commit, and scans the tree as if nothing
    /// were indexed. Versions stored for other refs are kept.
    fn acquire_for_rebuild(&mut self) -> Result<Event, IndexError> {
        let store = self.index().store();
        let writer = wait_for(self.run, || match self.indexer.source.commit() {
            None => store.replacing_writer(),
            Some(_) => store.writer(),
        })?;
        self.writer = Some(writer);
        self.scan = Some(self.scanner().scan(|| Ok(None))?);
        Ok(Event::Writer)
    }

    fn write(&mut self) -> Result<Event, IndexError> {
        let writer = self.writer.take().expect("a writer was acquired");
        let scan = self.scan.take().expect("a scan precedes writing");
        let report = self.scanner().write(writer, scan)?;
        Ok(self.reported(report))
    }

    /// Adds the report of a scan or a commit. A run for all vectors continues while each round makes some.
    fn reported(&mut self, report: IndexReport) -> Event {
        let missing = report.without_vectors;
        let can_embed = missing > 0 && report.embedder_error.is_none();
        let is_progress = match &mut self.report {
            Some(before) => {
                let is_progress = missing < before.without_vectors;
                before.add(report);
                is_progress
            }
            None => {
                self.report = Some(report);
                true
            }
        };
        if self.goal >= Goal::Complete && can_embed && is_progress {
            self.goal = Goal::Complete;
            return Event::VectorsLeft;
        }
        Event::Current
    }

    /// Deletes a damaged index, which is derived data, so that it is rebuilt; the report contains a note.
    fn repair(&mut self) -> Result<Event, IndexError> {
        clear(self.index(), self.run)?;
        self.is_repaired = true;
        let outcome = if self.goal < Goal::Complete && self.indexer.fallback.is_some() {
            self.active = Active::Fallback;
            "was deleted; `groma index` rebuilds it"
        } else {
            "has been rebuilt"
        };
        if let Some(reason) = self.damage.take().filter(|_| self.goal != Goal::Rebuild) {
            self.notes.push(format!("the index was damaged ({reason}) and {outcome}"));
        }
        self.goal = self.goal.min(Goal::Complete);
        Ok(Event::Reset)
    }

    /// The event of an error that the run can recover from.
    fn recover(&mut self, error: IndexError) -> Result<Event, IndexError> {
        (self.scan, self.writer) = (None, None);
        let can_fall_back = self.active == Active::Primary
            && self.goal >= Goal::Complete
            && self.indexer.fallback.is_some();
        match error {
            IndexError::Store(error) if error.is(StoreErrorKind::Damaged) && !self.is_repaired => {
                self.damage = Some(error.detail().to_string());
                Ok(Event::Damaged)
            }
            // A lease may be lost without notice; the store refuses to commit over another generation.
            IndexError::Store(error) if error.is(StoreErrorKind::Superseded) => {
                Ok(Event::Superseded)
            }
            IndexError::Embed(error) if can_fall_back => {
                self.notes.push(error.to_string());
                Ok(Event::EmbedderUnavailable)
            }
            error => Err(error),
        }
    }
}

/// The writer, if `generation` is still the newest. Checked before waiting for the lease, too.
fn writer_after(
    index: &Index,
    generation: Option<Generation>,
) -> Result<Option<Box<dyn Writer>>, StoreError> {
    let is_newest = || Ok(index.generation()? == generation);
    if !is_newest()? {
        return Ok(None);
    }
    let writer = index.store().writer()?;
    Ok(is_newest()?.then_some(writer))
}

#[cfg(test)]
mod tests;
