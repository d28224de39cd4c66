//! The engine of one project.

use crate::cache::AnswerCache;
use crate::error::EngineError;
use crate::index::change::Changes;
use crate::index::pipeline::{Outcome, PIPELINE_VERSION, ParseTrouble, Pipeline};
use crate::index::progress::{Cancel, Observer, Progress, StageTimes};
use crate::index::walk::{WalkOptions, Walked, walk};
use crate::index::{source, stamp};
use crate::notebook::NoteCaches;
use crate::outline::ImportCache;
use crate::query::plan::plan;
use crate::query::ranking::Ranking;
use crate::query::request::{SearchAnswer, SearchMode, SearchRequest};
use crate::query::{Analysis, Asked, search};
use crate::update::{self, Freshness, PATIENCE as PATIENCE_WITH_CHANGES, Updates};
use crate::watch::Watch;
use groma_core::{
    Embedder, EmbedderIdentity, Generation, GenerationInfo, Manifest, Notebook, RefName, RelPath,
    SkippedFile, Snapshot, Store, StoreError, TextRole, Vector, VersionKey, Writer,
};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};

mod completion;
mod vectors;

use completion::Completion;
pub(crate) use vectors::Effort;

/// Longest question, in characters.
const LONGEST_QUERY: usize = 10_000;

/// Most hits one search gives.
pub const MOST_HITS: usize = 1000;

/// How long a request waits for another process that is indexing the same project.
pub(crate) const PATIENCE: Duration = Duration::from_secs(120);

/// What an engine is made of.
pub struct Parts {
    /// The project's root folder.
    pub root: PathBuf,
    /// Where the index lives.
    pub store: Box<dyn Store>,
    /// What is noted about the project; `None` notes nothing.
    pub notebook: Option<Box<dyn Notebook>>,
    /// The model behind the vectors; `None` for an index without them.
    pub embedder: Option<Box<dyn Embedder>>,
    /// Which files are indexed.
    pub walk: WalkOptions,
    /// The numbers behind ranking.
    pub ranking: Ranking,
}

/// The engine of one project.
pub struct Engine {
    parts: Parts,
    stand_in: Option<Arc<Engine>>,
    note: Option<String>,
    completion: Completion,
    snapshot: Mutex<Option<Arc<dyn Snapshot>>>,
    cache: AnswerCache,
    imports: ImportCache,
    notes: NoteCaches,
    updates: Updates,
    patience: Duration,
    watch: Watch,
    /// The engine itself, where it is shared: an index run that outlives a query needs to hold it.
    me: Weak<Engine>,
}

/// What an index run did.
#[derive(Clone, Debug, Default)]
pub struct IndexReport {
    /// The generation that is now newest.
    pub generation: Option<Generation>,
    /// Files in the index.
    pub files: usize,
    /// Files that were new.
    pub added: usize,
    /// Files that had changed.
    pub updated: usize,
    /// Files that were gone.
    pub removed: usize,
    /// Files that were as before.
    pub unchanged: usize,
    /// File versions parsed (others were stored already).
    pub parsed: usize,
    /// Chunks made.
    pub chunks: usize,
    /// Symbols found in the files that were parsed.
    pub symbols: usize,
    /// Chunks of them that have a vector.
    pub vectors: usize,
    /// Bytes read and parsed.
    pub bytes: u64,
    /// Files whose vectors have yet to be made.
    pub without_vectors: usize,
    /// Why this run could not make them.
    pub embedder_error: Option<String>,
    /// Files left out.
    pub skipped: usize,
    /// How many of them for which reason, by its short name.
    pub skip_reasons: BTreeMap<String, usize>,
    /// Files that could not be parsed whole.
    pub trouble: Vec<ParseTrouble>,
    /// Time by stage.
    pub times: StageTimes,
    /// Time in all.
    pub duration: Duration,
    /// What the reader should know.
    pub notes: Vec<String>,
}

impl Engine {
    /// An engine. Nothing is read before the first request.
    pub fn new(parts: Parts) -> Self {
        Self {
            parts,
            stand_in: None,
            note: None,
            completion: Completion::default(),
            snapshot: Mutex::default(),
            cache: AnswerCache::default(),
            imports: ImportCache::default(),
            notes: NoteCaches::default(),
            updates: Updates::default(),
            patience: PATIENCE_WITH_CHANGES,
            watch: Watch::default(),
            me: Weak::new(),
        }
    }

    /// An engine that many threads ask at once. Changes are indexed behind its queries, which wait for them, but
    /// no longer than `patience` where an older generation can answer.
    pub fn shared(parts: Parts, patience: Option<Duration>) -> Arc<Self> {
        Self::new(parts).into_shared(patience)
    }

    /// Makes it one that many threads ask at once, as [`Engine::shared`] does. Who stands in for it is shared by
    /// itself, or else indexes changes in the queries.
    pub fn into_shared(self, patience: Option<Duration>) -> Arc<Self> {
        Arc::new_cyclic(|me| Self {
            me: me.clone(),
            patience: patience.unwrap_or(PATIENCE_WITH_CHANGES),
            ..self
        })
    }

    pub(crate) fn updates(&self) -> &Updates {
        &self.updates
    }

    pub(crate) fn patience(&self) -> Duration {
        self.patience
    }

    pub(crate) fn watching(&self) -> &Watch {
        &self.watch
    }

    /// Brings this engine's own index up to date before a query.
    pub(crate) fn freshen(
        &self,
        effort: Effort,
        observer: &dyn Observer,
        cancel: &Cancel,
    ) -> Result<Freshness, EngineError> {
        let effort = if self.is_remote() { effort } else { Effort::Words };
        match self.me.upgrade() {
            Some(_) if self.watch.is_quiet() && self.is_made(effort)? => Ok(Freshness::default()),
            Some(me) => update::freshen(&me, effort, observer, cancel),
            None => Ok(self.update(effort, PATIENCE, observer, cancel)?.into()),
        }
    }

    /// The project's root folder.
    pub fn root(&self) -> &Path {
        &self.parts.root
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
        self.complete(patience, observer, cancel)
    }

    /// Brings the index that answers up to date, as much as is needed where no vectors are: it asks no network.
    pub(crate) fn refresh(
        &self,
        observer: &dyn Observer,
        cancel: &Cancel,
    ) -> Result<IndexReport, EngineError> {
        self.answering().update(Effort::Words, PATIENCE, observer, cancel)
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
            Err(EngineError::Store(StoreError::Damaged(reason))) => {
                self.remake(&reason, effort, observer, cancel)
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

    /// Forgets the index and makes it anew. Who stands in keeps theirs.
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
        self.patiently(patience, observer, cancel, || match self.forget_own() {
            Err(EngineError::Store(error)) => Err(error),
            _ => Ok(()),
        })?;
        self.complete(patience, observer, cancel)
    }

    /// Forgets the index, and that of who stands in.
    pub fn clear(&self) -> Result<(), EngineError> {
        self.completion.stop();
        self.stand_in.as_ref().map_or(Ok(()), |other| other.clear())?;
        self.forget_own()
    }

    fn forget_own(&self) -> Result<(), EngineError> {
        *self.snapshot.lock().unwrap_or_else(PoisonError::into_inner) = None;
        self.watch.unsettle();
        Ok(self.parts.store.clear()?)
    }

    /// What a walk finds, without reading or changing anything.
    pub fn walk(&self) -> Result<Walked, EngineError> {
        Ok(walk(&self.parts.root, &self.parts.walk)?)
    }

    /// Answers a question, on the tree as it is now.
    pub fn search(
        &self,
        request: &SearchRequest,
        observer: &dyn Observer,
        cancel: &Cancel,
    ) -> Result<SearchAnswer, EngineError> {
        validate(request)?;
        let effort = match request.mode {
            SearchMode::Keyword => Effort::Words,
            SearchMode::Hybrid | SearchMode::Vector => Effort::Quick,
        };
        let first = self.answering();
        // Asked first, one behind a network tells whether files that changed can be embedded now.
        let asked = first.is_remote().then(|| first.question(request));
        let (mut answer, freshness) = self.fresh(effort, observer, cancel, |engine| {
            let asked = asked.clone().filter(|_| std::ptr::eq(engine, first));
            let question = || asked.unwrap_or_else(|| engine.question(request));
            let (answer, outdated) = engine.cached_or_answer(request, question)?;
            Ok((answer, outdated.len()))
        })?;
        answer.notes.splice(0..0, freshness.notes);
        answer.is_behind = freshness.is_behind;
        if effort > Effort::Words {
            self.complete_behind();
        }
        Ok(answer)
    }

    /// Answers a question from the newest generation, without looking for changes first. Files that have changed
    /// since are left out, so the answer is never one from the cache.
    pub fn search_indexed(&self, request: &SearchRequest) -> Result<SearchAnswer, EngineError> {
        validate(request)?;
        let engine = self.answering();
        Ok(engine.answer(request, engine.question(request))?.0)
    }

    fn cached_or_answer(
        &self,
        request: &SearchRequest,
        question: impl FnOnce() -> Question,
    ) -> Result<(SearchAnswer, Vec<RelPath>), EngineError> {
        // Who asks for an explanation wants the times of this run.
        if !request.explain
            && let Some(snapshot) = self.own_newest()?
            && let Some(answer) = self.cache.find(snapshot.info().generation, request)
        {
            return Ok((answer, Vec::new()));
        }
        let (answer, outdated) = self.answer(request, question())?;
        // An embedder that failed may be back for the next question.
        if outdated.is_empty() && answer.embed_failure.is_none() && !request.explain {
            self.cache.keep(request, &answer);
        }
        Ok((answer, outdated))
    }

    fn answer(
        &self,
        request: &SearchRequest,
        question: Question,
    ) -> Result<(SearchAnswer, Vec<RelPath>), EngineError> {
        let Some(snapshot) = self.own_newest()? else {
            return Err(EngineError::invalid("project", "is not indexed; run `groma index` first"));
        };
        let started = Instant::now();
        let mut request = request.clone();
        let plan = plan(&request.query);
        let planned = started.elapsed();
        if question.vector.is_none() && request.mode == SearchMode::Vector {
            request.mode = SearchMode::Keyword;
        }
        // Half of what is retrieved may be overviews, which stand in for nothing.
        let depth = self.parts.ranking.depth.max(2 * request.limit);
        let found = search(&Asked {
            snapshot: &*snapshot,
            request: &request,
            plan: &plan,
            ranking: &Ranking { depth, ..self.parts.ranking },
            vector: question.vector.as_ref(),
            text: &|path, key| self.current_text(snapshot.manifest(), path, key),
        })?;
        let analysis = found.analysis.map(|analysis| Analysis {
            mode: if question.vector.is_none() { SearchMode::Keyword } else { request.mode },
            plan_time: planned,
            embed_time: question.time,
            total_time: started.elapsed() + question.time,
            ..analysis
        });
        let answer = SearchAnswer {
            plan,
            hits: found.hits,
            candidates: found.candidates,
            matching: found.matching,
            stages: found.stages,
            analysis,
            generation: snapshot.info(),
            cached: false,
            is_behind: false,
            embed_failure: question.failure,
            notes: question.notes,
        };
        Ok((answer, found.outdated))
    }

    /// What the embedder makes of a request, or why it makes nothing of it.
    pub(crate) fn question(&self, request: &SearchRequest) -> Question {
        let started = Instant::now();
        let mut question = Question::default();
        let mut say = |why: &str| {
            question.notes.push(format!("{why}: answered by keywords and symbols"));
        };
        match &self.parts.embedder {
            _ if request.mode == SearchMode::Keyword => {}
            None => say("embeddings are off"),
            Some(embedder) => match embedder.embed(TextRole::Query, &[&request.query]) {
                Ok(vectors) => question.vector = vectors.into_iter().next(),
                Err(error) => {
                    say(&error.to_string());
                    question.failure = Some(error.to_string());
                }
            },
        }
        question.time = started.elapsed();
        question
    }

    /// The text of a file, if it is still the version that was indexed. A stamp that vouches for the file
    /// spares reading it twice: once to hash and once to show.
    pub(crate) fn current_text(
        &self,
        manifest: &Manifest,
        path: &RelPath,
        key: &VersionKey,
    ) -> Option<String> {
        self.current_bytes(manifest, path, key).and_then(source::text_again)
    }

    /// The same as it is on disk.
    pub(crate) fn current_bytes(
        &self,
        manifest: &Manifest,
        path: &RelPath,
        key: &VersionKey,
    ) -> Option<Vec<u8>> {
        let (bytes, stamp) = source::load(&self.parts.root, path, &self.parts.walk).ok()?;
        let entry = manifest.files.get(path)?;
        let vouched = entry.key == *key && entry.stamp.vouches_for(&stamp);
        let same = vouched || VersionKey::new(path, &bytes, PIPELINE_VERSION) == key.whole();
        same.then_some(bytes)
    }

    /// Whether a file is still the version that was indexed.
    pub(crate) fn is_current(&self, manifest: &Manifest, path: &RelPath) -> bool {
        let Some(entry) = manifest.files.get(path) else { return false };
        let found = std::fs::symlink_metadata(path.under(&self.parts.root));
        let vouched = |metadata: &std::fs::Metadata| {
            metadata.is_file() && entry.stamp.vouches_for(&stamp(metadata))
        };
        found.is_ok_and(|metadata| vouched(&metadata))
            || self.current_text(manifest, path, &entry.key).is_some()
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
        if let Some(report) = scan.report_if_current() {
            return Ok(IndexReport { duration: started.elapsed(), ..report });
        }
        let writer = self.patiently(patience, observer, cancel, || self.parts.store.writer())?;
        // Another process may have committed since the scan; nothing it did is done again, or undone.
        if self.parts.store.generation()? != scan.generation() {
            scan = self.scan(effort, observer)?;
            if let Some(report) = scan.report_if_current() {
                return Ok(IndexReport { duration: started.elapsed(), ..report });
            }
        }
        let report = self.write(writer, scan, observer, cancel)?;
        Ok(IndexReport { duration: started.elapsed(), ..report })
    }

    /// Compares the tree with the newest generation.
    fn scan(&self, effort: Effort, observer: &dyn Observer) -> Result<Scan, EngineError> {
        let started = Instant::now();
        observer.progress(Progress::Walking);
        let walked = self.walk()?;
        if self.me.strong_count() > 0 {
            self.watch.follow(&self.parts.root, &walked.folders);
        }
        let walk_time = started.elapsed();
        let before = self.own_newest()?;
        let old = before.as_ref().map(|snapshot| snapshot.manifest());
        let mut changes = self.changes(&walked, old.unwrap_or(&Manifest::default()));
        let later = match (effort, &before) {
            (Effort::Whole, None) => false,
            _ => self.leave_for_later(effort, &mut changes),
        };
        Ok(Scan { changes, before, walk_time, later })
    }

    pub(crate) fn changes(&self, walked: &Walked, before: &Manifest) -> Changes {
        Changes::between(walked, before, self.parts.walk.fingerprint())
    }

    /// Makes a generation of the changes.
    fn write(
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
        let mut report = IndexReport {
            files: manifest.files.len(),
            removed: old.files.keys().filter(|path| !manifest.files.contains_key(*path)).count(),
            unchanged: changes.unchanged.len(),
            skipped: manifest.skipped.len(),
            skip_reasons: by_reason(&manifest.skipped),
            parsed: outcome.parsed,
            chunks: outcome.chunks,
            symbols: outcome.symbols,
            vectors: outcome.vectors,
            bytes: outcome.bytes,
            times: StageTimes { walk: walk_time, ..outcome.times },
            without_vectors: bare(&manifest),
            embedder_error: outcome.missing.unavailable.map(|error| error.to_string()),
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
        outcome.trouble.sort_by(|a, b| a.path.cmp(&b.path));
        report.trouble = outcome.trouble;
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
                Err(StoreError::Busy) if started.elapsed() < patience => {
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

    /// The newest generation as it is, without looking for changes; `None` when the project was never indexed.
    pub fn generation(&self) -> Result<Option<GenerationInfo>, EngineError> {
        Ok(self.newest()?.map(|snapshot| snapshot.info()))
    }

    /// The newest committed generation of the engine that answers.
    pub(crate) fn newest(&self) -> Result<Option<Arc<dyn Snapshot>>, EngineError> {
        self.answering().own_newest()
    }

    /// The newest committed generation, kept open until there is a newer one.
    fn own_newest(&self) -> Result<Option<Arc<dyn Snapshot>>, EngineError> {
        let generation = self.parts.store.generation()?;
        let mut held = self.snapshot.lock().unwrap_or_else(PoisonError::into_inner);
        if held.as_ref().map(|snapshot| snapshot.info().generation) != generation || held.is_none()
        {
            *held = self.parts.store.snapshot(&RefName::live())?;
        }
        Ok(held.clone())
    }

    pub(crate) fn notes(&self) -> &NoteCaches {
        &self.notes
    }

    pub(crate) fn embedder(&self) -> Option<&dyn Embedder> {
        self.parts.embedder.as_deref()
    }

    /// The imports of the engine that answers: generations of two stores may have the same number.
    pub(crate) fn imports(&self) -> &ImportCache {
        &self.answering().imports
    }

    pub(crate) fn notebook(&self) -> Option<&dyn Notebook> {
        self.parts.notebook.as_deref()
    }

    pub(crate) fn walk_options(&self) -> &WalkOptions {
        &self.parts.walk
    }

    pub(crate) fn store(&self) -> &dyn Store {
        &*self.parts.store
    }

    /// The model behind the vectors.
    pub fn embedder_identity(&self) -> Option<EmbedderIdentity> {
        self.parts.embedder.as_ref().map(|embedder| embedder.identity())
    }

    fn is_remote(&self) -> bool {
        self.parts.embedder.as_ref().is_some_and(|embedder| embedder.remote().is_some())
    }

    pub(crate) fn embedder_name(&self) -> Option<String> {
        self.embedder_identity().map(|identity| identity.to_string())
    }
}

/// What the embedder made of a request.
#[derive(Clone, Default)]
pub(crate) struct Question {
    pub vector: Option<Vector>,
    /// What the embedder said instead.
    pub failure: Option<String>,
    /// Why there is no vector.
    pub notes: Vec<String>,
    /// How long it took.
    time: Duration,
}

/// The tree beside the newest generation.
struct Scan {
    changes: Changes,
    before: Option<Arc<dyn Snapshot>>,
    walk_time: Duration,
    /// The vectors of the files that changed must wait.
    later: bool,
}

impl Scan {
    fn generation(&self) -> Option<Generation> {
        self.before.as_ref().map(|snapshot| snapshot.info().generation)
    }

    /// What there is to report when there is nothing to do.
    fn report_if_current(&self) -> Option<IndexReport> {
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

fn by_reason(skipped: &[SkippedFile]) -> BTreeMap<String, usize> {
    let mut reasons = BTreeMap::new();
    for skipped in skipped {
        *reasons.entry(skipped.reason.clone()).or_default() += 1;
    }
    reasons
}

impl SearchRequest {
    /// Whether it can be answered at all; what is wrong where it cannot. Costs nothing.
    pub fn check(&self) -> Result<(), EngineError> {
        validate(self)
    }
}

fn validate(request: &SearchRequest) -> Result<(), EngineError> {
    if request.query.trim().is_empty() {
        return Err(EngineError::invalid("query", "is empty; say what to look for"));
    }
    if request.query.chars().count() > LONGEST_QUERY {
        return Err(EngineError::invalid(
            "query",
            format!("is longer than {LONGEST_QUERY} characters"),
        ));
    }
    if request.limit == 0 || request.limit > MOST_HITS {
        return Err(EngineError::invalid("limit", format!("must be 1 to {MOST_HITS}")));
    }
    if !(0.0..=1.0).contains(&request.min_score) {
        return Err(EngineError::invalid("min_score", "must be 0 to 1"));
    }
    Ok(())
}
