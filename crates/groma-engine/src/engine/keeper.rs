//! Keeping the index up to date while nobody asks.
//!
//! Of all processes that serve a project one has the keeper's turn: it indexes what changes, so that queries, of
//! whichever process, find the work done. The others ask for the turn now and then, and one of them gets it when
//! its holder ends, however that ends. No query depends on it: each looks for changes itself.

use super::{Effort, Engine, IndexReport};
use crate::error::{EngineError, ErrorKind};
use crate::index::progress::{Cancel, Observer};
use crate::watch::{News, Watch};
use groma_core::{Role, StoreError, Turn};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

/// How long the tree must be quiet before its changes are indexed: who writes one file often writes another.
const QUIET: Duration = Duration::from_millis(100);

/// Changes that keep coming are indexed after this all the same.
const UNREST: Duration = Duration::from_secs(2);

/// How often a keeper looks whether it is still wanted, and the others ask for its turn.
const PATROL: Duration = Duration::from_millis(500);

/// How often a tree is looked at where nothing tells of changes.
const LOOK: Duration = Duration::from_secs(2);

/// A run is followed by a rest of so many times its length: a file that never stops changing must not cost a core.
const REST: u32 = 10;

/// No rest is longer than this.
const LONGEST_REST: Duration = Duration::from_secs(10);

/// How long after a failure the next attempt begins.
const PAUSE: Duration = Duration::from_secs(5);

/// What a keeper does, told as it happens.
pub enum Kept<'a> {
    /// Another process has the turn.
    Waiting,
    /// The turn is this process's.
    Watching,
    /// Changes were indexed.
    Indexed(&'a IndexReport),
    /// A check ended without publishing a generation: there was no index to update, or nothing in it changed.
    Unchanged,
    /// Something went wrong; it is tried again after a while.
    Failed(&'a EngineError),
}

impl Engine {
    /// Has the index kept up to date behind the queries of a shared engine, for as long as that lives. An index
    /// that was never made is none to keep. Asks no network.
    pub fn keep_behind(self: &Arc<Self>) {
        self.keep_behind_observed((), |_| {});
    }

    /// As `keep_behind`; reports what the background thread does.
    pub fn keep_behind_observed(
        self: &Arc<Self>,
        observer: impl Observer + Send + 'static,
        tell: impl Fn(Kept<'_>) + Send + 'static,
    ) {
        let engine = Arc::downgrade(self);
        let work = move || {
            let cancel = Cancel::default();
            let work = |engine: &Engine| keep_words(engine, &observer);
            let keeper = Keeper { engine, work: &work, tell: &tell, cancel: &cancel };
            while keeper.engine.strong_count() > 0 {
                // What is wrong is told to whoever asks.
                let _ = keeper.keep();
                std::thread::sleep(PAUSE);
            }
        };
        // Without a thread changes are indexed by the queries alone.
        let _ = std::thread::Builder::new().name("groma-keeper".into()).spawn(work);
    }

    /// Keeps the index up to date until `cancel` says so or the project is gone, vectors of services included.
    pub fn keep(
        self: &Arc<Self>,
        observer: &dyn Observer,
        tell: &dyn Fn(Kept<'_>),
        cancel: &Cancel,
    ) -> Result<(), EngineError> {
        let work = |engine: &Engine| engine.index(observer, cancel).map(Some);
        let keeper = Keeper { engine: Arc::downgrade(self), work: &work, tell, cancel };
        while !cancel.is_cancelled() {
            match keeper.keep() {
                Err(error) if error.kind() == ErrorKind::NotFound => return Err(error),
                Err(error) if !cancel.is_cancelled() => tell(Kept::Failed(&error)),
                _ => {}
            }
            keeper.rest(PAUSE);
        }
        Ok(())
    }
}

/// Brings up to date what is there, as much as is needed where no vectors are. `None` where nothing is.
fn keep_words(
    engine: &Engine,
    observer: &dyn Observer,
) -> Result<Option<IndexReport>, EngineError> {
    let engine = engine.answering();
    if engine.store().generation(engine.reference())?.is_none() && !engine.store().is_foreign()? {
        return Ok(None);
    }
    engine.freshen(Effort::Words, observer, &Cancel::default())?;
    Ok(Some(IndexReport::default()))
}

/// A keeper at work.
struct Keeper<'a> {
    engine: Weak<Engine>,
    /// Brings the index up to date; `None` where there is none to keep.
    work: &'a dyn Fn(&Engine) -> Result<Option<IndexReport>, EngineError>,
    tell: &'a dyn Fn(Kept<'_>),
    cancel: &'a Cancel,
}

impl Keeper<'_> {
    /// Keeps the index until the engine is gone, it is told to stop, or something goes wrong.
    fn keep(&self) -> Result<(), EngineError> {
        let Some(_turn) = self.wait_for_turn()? else { return Ok(()) };
        (self.tell)(Kept::Watching);
        // When the next run may begin.
        let mut next = Instant::now();
        while let Some(engine) = self.engine.upgrade().filter(|_| !self.cancel.is_cancelled()) {
            let watch = engine.answering().watching();
            match watch.news() {
                News::Nothing => {}
                _ if Instant::now() < next => {}
                news => next = Instant::now() + self.index(&engine, watch, news)?,
            }
            let wait = next.saturating_duration_since(Instant::now());
            let asleep = watch.sleeper();
            drop(engine);
            match wait.is_zero() {
                true => asleep.sleep(PATROL),
                false => self.rest(wait.min(PATROL)),
            }
        }
        Ok(())
    }

    /// The turn, once nobody else has it; `None` when it is not wanted any more.
    fn wait_for_turn(&self) -> Result<Option<Turn>, EngineError> {
        let mut is_told = false;
        while let Some(engine) = self.engine.upgrade().filter(|_| !self.cancel.is_cancelled()) {
            match engine.store().turn(Role::Keeper) {
                Err(StoreError::Busy) if is_told => {}
                Err(StoreError::Busy) => {
                    (self.tell)(Kept::Waiting);
                    is_told = true;
                }
                turn => return Ok(Some(turn?)),
            }
            drop(engine);
            self.rest(PATROL);
        }
        Ok(None)
    }

    /// Indexes what changed; how long to rest after that.
    fn index(&self, engine: &Engine, watch: &Watch, news: News) -> Result<Duration, EngineError> {
        if news == News::Changes {
            self.let_settle(watch);
        }
        let (started, before) = (Instant::now(), engine.store().generation(engine.reference())?);
        let Some(report) = (self.work)(engine)? else {
            (self.tell)(Kept::Unchanged);
            return Ok(PATROL);
        };
        if report.generation.is_some() && report.generation != before {
            (self.tell)(Kept::Indexed(&report));
        } else {
            (self.tell)(Kept::Unchanged);
        }
        let rest = (started.elapsed() * REST).min(LONGEST_REST);
        Ok(if news == News::Changes { rest } else { rest.max(LOOK) })
    }

    /// Waits until nothing has changed for a moment.
    fn let_settle(&self, watch: &Watch) {
        let started = Instant::now();
        let mut seen = watch.mark();
        while started.elapsed() < UNREST {
            std::thread::sleep(QUIET);
            let before = std::mem::replace(&mut seen, watch.mark());
            if before == seen || self.cancel.is_cancelled() {
                return;
            }
        }
    }

    /// Does nothing for a while, or until it is told to stop.
    fn rest(&self, time: Duration) {
        let started = Instant::now();
        while started.elapsed() < time && !self.cancel.is_cancelled() {
            let left = time.saturating_sub(started.elapsed());
            std::thread::sleep(left.min(Duration::from_millis(100)));
        }
    }
}
