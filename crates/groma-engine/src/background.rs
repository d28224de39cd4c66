//! The background indexer: keeps the index up to date between queries.
//!
//! Of all processes that serve a project one holds the lease of the background indexer: it indexes changes as they
//! happen, so that queries of any process need not wait. The others poll for the lease, and one of them acquires it
//! when its holder exits or dies. No query depends on it: each checks for changes itself.

use crate::engine::Engine;
use crate::error::{EngineError, ErrorKind};
use groma_core::{Cancel, Deadline, Lease, LeaseKind, Observer};
use groma_files::{TreeChange, Watcher};
use groma_index::{Goal, IndexReport, Run};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

/// How long no file may change before changes are indexed: saves often come in groups.
const DEBOUNCE: Duration = Duration::from_millis(100);

/// Changes that keep coming are indexed after this time anyway.
const MAX_DEBOUNCE: Duration = Duration::from_secs(2);

/// How often the holder checks whether it was stopped, and the others try to acquire the lease.
const LEASE_POLL: Duration = Duration::from_millis(500);

/// How often a tree is scanned that cannot be watched.
const SCAN_INTERVAL: Duration = Duration::from_secs(2);

/// A run is followed by a cooldown of this many times its length: a file that never stops changing must not cost a
/// core.
const COOLDOWN_FACTOR: u32 = 10;

/// Maximum cooldown.
const MAX_COOLDOWN: Duration = Duration::from_secs(10);

/// How long after a failure the next attempt begins.
const RETRY_DELAY: Duration = Duration::from_secs(5);

/// An event of the background indexer.
pub enum BackgroundEvent<'a> {
    /// Another process holds the lease.
    Waiting,
    /// This process holds the lease.
    Watching,
    /// Changes were indexed.
    Indexed(&'a IndexReport),
    /// A check ended without publishing a generation: there was no index to update, or nothing in it changed.
    Unchanged,
    /// A run failed; it is tried again after a while.
    Failed(&'a EngineError),
}

impl Engine {
    /// Keeps the index of a shared engine up to date on a background thread until the engine is dropped. Does not
    /// create an index, and uses no network.
    pub fn index_in_background(self: &Arc<Self>) {
        self.index_in_background_observed((), |_| {});
    }

    /// As `index_in_background`, with events and the progress of each run.
    pub fn index_in_background_observed(
        self: &Arc<Self>,
        observer: impl Observer + Send + 'static,
        notify: impl Fn(BackgroundEvent<'_>) + Send + 'static,
    ) {
        let engine = Arc::downgrade(self);
        let work = move || {
            let cancel = Cancel::default();
            let work = |engine: &Engine| update_keywords(engine, &observer);
            let indexer =
                BackgroundIndexer { engine, work: &work, notify: &notify, cancel: &cancel };
            while indexer.engine.strong_count() > 0 {
                // The next query indexes the changes, or reports the same failure.
                if let Err(error) = indexer.run() {
                    tracing::debug!(%error, "the background indexer failed and tries again");
                }
                std::thread::sleep(RETRY_DELAY);
            }
        };
        // If no thread can be started, queries index changes themselves.
        let _ = std::thread::Builder::new().name("groma-background".into()).spawn(work);
    }

    /// Keeps the index up to date, vectors of remote embedders included, until it is cancelled or the project is gone.
    pub fn index_continuously(
        self: &Arc<Self>,
        observer: &dyn Observer,
        notify: &dyn Fn(BackgroundEvent<'_>),
        cancel: &Cancel,
    ) -> Result<(), EngineError> {
        let work = |engine: &Engine| engine.index(observer, cancel).map(Some);
        let indexer =
            BackgroundIndexer { engine: Arc::downgrade(self), work: &work, notify, cancel };
        while !cancel.is_cancelled() {
            match indexer.run() {
                Err(error) if error.kind() == ErrorKind::NotFound => return Err(error),
                Err(error) if !cancel.is_cancelled() => notify(BackgroundEvent::Failed(&error)),
                _ => {}
            }
            indexer.pause(RETRY_DELAY);
        }
        Ok(())
    }
}

/// Updates an existing index, without vectors of a remote embedder. `None` if there is none.
fn update_keywords(
    engine: &Engine,
    observer: &dyn Observer,
) -> Result<Option<IndexReport>, EngineError> {
    let active = engine.indexer().active();
    let index = engine.indexer().get(active);
    if index.generation()?.is_none() && !index.store().is_outdated()? {
        return Ok(None);
    }
    engine.freshen(&Run::new(Goal::Keywords, observer, &Cancel::default()).on(active))?;
    Ok(Some(IndexReport::default()))
}

/// A running background indexer.
struct BackgroundIndexer<'a> {
    engine: Weak<Engine>,
    /// Brings the index up to date; `None` if there is none.
    work: &'a dyn Fn(&Engine) -> Result<Option<IndexReport>, EngineError>,
    notify: &'a dyn Fn(BackgroundEvent<'_>),
    cancel: &'a Cancel,
}

impl BackgroundIndexer<'_> {
    /// Keeps the index up to date until the engine is dropped, it is cancelled, or a run fails.
    fn run(&self) -> Result<(), EngineError> {
        let Some(_lease) = self.acquire()? else { return Ok(()) };
        (self.notify)(BackgroundEvent::Watching);
        // When the next run may begin.
        let mut next = Instant::now();
        while let Some(engine) = self.engine.upgrade().filter(|_| !self.cancel.is_cancelled()) {
            let watcher = engine.source().watcher();
            match engine.indexer().changes(engine.indexer().active()) {
                TreeChange::Unchanged => {}
                _ if Instant::now() < next => {}
                change => next = Instant::now() + self.index(&engine, change)?,
            }
            let wait = next.saturating_duration_since(Instant::now());
            let waiter = watcher.waiter();
            drop(engine);
            if wait.is_zero() {
                waiter.wait(LEASE_POLL);
            } else {
                self.pause(wait.min(LEASE_POLL));
            }
        }
        Ok(())
    }

    /// Waits for the lease; `None` if it was cancelled or the engine was dropped.
    fn acquire(&self) -> Result<Option<Lease>, EngineError> {
        let mut is_waiting = false;
        while let Some(engine) = self.engine.upgrade().filter(|_| !self.cancel.is_cancelled()) {
            let leases = engine.primary().store().leases();
            match leases.acquire(LeaseKind::BackgroundIndexer, "", Deadline::now())? {
                None if is_waiting => {}
                None => {
                    (self.notify)(BackgroundEvent::Waiting);
                    is_waiting = true;
                }
                lease => return Ok(lease),
            }
            drop(engine);
            self.pause(LEASE_POLL);
        }
        Ok(None)
    }

    /// Indexes changes; returns the cooldown.
    fn index(&self, engine: &Engine, change: TreeChange) -> Result<Duration, EngineError> {
        if change == TreeChange::Changed {
            self.debounce(engine.source().watcher());
        }
        let (started, before) = (Instant::now(), engine.primary().generation()?);
        let Some(report) = (self.work)(engine)? else {
            (self.notify)(BackgroundEvent::Unchanged);
            return Ok(LEASE_POLL);
        };
        if report.generation.is_some() && report.generation != before {
            (self.notify)(BackgroundEvent::Indexed(&report));
        } else {
            (self.notify)(BackgroundEvent::Unchanged);
        }
        let cooldown = (started.elapsed() * COOLDOWN_FACTOR).min(MAX_COOLDOWN);
        Ok(if change == TreeChange::Changed { cooldown } else { cooldown.max(SCAN_INTERVAL) })
    }

    /// Waits until no file has changed for [`DEBOUNCE`].
    fn debounce(&self, watcher: &Watcher) {
        let started = Instant::now();
        let mut seen = watcher.mark();
        while started.elapsed() < MAX_DEBOUNCE {
            std::thread::sleep(DEBOUNCE);
            let before = std::mem::replace(&mut seen, watcher.mark());
            if before == seen || self.cancel.is_cancelled() {
                return;
            }
        }
    }

    /// Sleeps, but no longer than until it is cancelled.
    fn pause(&self, time: Duration) {
        let started = Instant::now();
        while started.elapsed() < time && !self.cancel.is_cancelled() {
            let left = time.saturating_sub(started.elapsed());
            std::thread::sleep(left.min(Duration::from_millis(100)));
        }
    }
}
