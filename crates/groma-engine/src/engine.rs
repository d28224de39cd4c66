//! The engine of one project.

use crate::cache::AnswerCache;
use crate::error::EngineError;
use crate::index::change::Changes;
use crate::index::pipeline::{Outcome, PIPELINE_VERSION, ParseTrouble, Pipeline};
use crate::index::progress::{Cancel, Observer, Progress, StageTimes};
use crate::index::source;
use crate::index::walk::{WalkOptions, Walked, walk};
use crate::outline::ImportCache;
use crate::query::plan::plan;
use crate::query::ranking::Ranking;
use crate::query::request::{SearchAnswer, SearchMode, SearchRequest};
use crate::query::{Asked, search};
use groma_core::{
    Embedder, Generation, Manifest, RefName, RelPath, SkippedFile, Snapshot, Store, StoreError,
    StoreSize, TextRole, Vector, VersionKey, Writer,
};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

mod vectors;

use vectors::Effort;

/// Longest question, in characters.
const LONGEST_QUERY: usize = 10_000;

/// Most hits one search gives.
const MOST_HITS: usize = 1000;

/// How long a request waits for another process that is indexing the same project.
const PATIENCE: Duration = Duration::from_secs(120);

/// How often a search is repeated because files changed under it.
const RETRIES: usize = 2;

/// What an engine is made of.
pub struct Parts {
    /// The project's root folder.
    pub root: PathBuf,
    /// Where the index lives.
    pub store: Box<dyn Store>,
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
    stand_in: Option<Box<Engine>>,
    note: Option<String>,
    snapshot: Mutex<Option<Arc<dyn Snapshot>>>,
    cache: AnswerCache,
    imports: ImportCache,
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
            snapshot: Mutex::default(),
            cache: AnswerCache::default(),
            imports: ImportCache::default(),
        }
    }

    /// The project's root folder.
    pub fn root(&self) -> &Path {
        &self.parts.root
    }

    /// Brings the index that answers up to date with the tree. Costs a stat a file when nothing has changed, and
    /// asks no network: vectors that come from there are made by searches that need them, and by
    /// [`Engine::complete`].
    pub fn index(
        &self,
        observer: &dyn Observer,
        cancel: &Cancel,
    ) -> Result<IndexReport, EngineError> {
        let mut report = self.answering().update(Effort::Words, observer, cancel)?;
        report.notes.extend(self.vector_notes(&report));
        Ok(report)
    }

    fn update(
        &self,
        effort: Effort,
        observer: &dyn Observer,
        cancel: &Cancel,
    ) -> Result<IndexReport, EngineError> {
        match self.try_index(effort, observer, cancel) {
            Err(EngineError::Store(StoreError::Damaged(reason))) => {
                self.remake(&reason, effort, observer, cancel)
            }
            other => other,
        }
    }

    /// The index is derived: what cannot be read is made again, and the user is told.
    fn remake(
        &self,
        reason: &str,
        effort: Effort,
        observer: &dyn Observer,
        cancel: &Cancel,
    ) -> Result<IndexReport, EngineError> {
        self.forget_own()?;
        let (mut report, done) = match (&self.stand_in, effort) {
            (Some(other), Effort::Words | Effort::Quick) => (
                other.update(effort, observer, cancel)?,
                "was forgotten; `groma index` rebuilds it",
            ),
            _ => (self.try_index(effort, observer, cancel)?, "has been rebuilt"),
        };
        report.notes.push(format!("the index was damaged ({reason}) and {done}"));
        Ok(report)
    }

    /// Forgets the index and makes it anew.
    pub fn rebuild(
        &self,
        observer: &dyn Observer,
        cancel: &Cancel,
    ) -> Result<IndexReport, EngineError> {
        self.forget_own()?;
        self.complete(observer, cancel)
    }

    /// Forgets the index.
    pub fn clear(&self) -> Result<(), EngineError> {
        self.stand_in.as_ref().map_or(Ok(()), |other| other.clear())?;
        self.forget_own()
    }

    fn forget_own(&self) -> Result<(), EngineError> {
        *self.snapshot.lock().unwrap_or_else(PoisonError::into_inner) = None;
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
        let mut notes = Vec::new();
        for _ in 0..RETRIES {
            let engine = self.answering();
            // Asked first, one behind a network tells whether files that changed can be embedded now.
            let asked = engine.is_remote().then(|| engine.question(request));
            let report = engine.update(effort, observer, cancel)?;
            if effort == Effort::Quick {
                notes.extend(self.vector_notes(&report));
            }
            notes.extend(report.notes);
            if !std::ptr::eq(engine, self.answering()) {
                continue;
            }
            let question = asked.unwrap_or_else(|| engine.question(request));
            match engine.cached_or_answer(&question) {
                Ok((answer, outdated)) if outdated.is_empty() => return Ok(noted(answer, notes)),
                // Some damage shows only where a search looks.
                Err(EngineError::Store(StoreError::Damaged(reason))) => {
                    notes.extend(engine.remake(&reason, effort, observer, cancel)?.notes);
                }
                other => drop(other?),
            }
        }
        let engine = self.answering();
        let (answer, outdated) = engine.cached_or_answer(&engine.question(request))?;
        if !outdated.is_empty() {
            notes.push(format!("{} files keep changing and are left out", outdated.len()));
        }
        Ok(noted(answer, notes))
    }

    /// Answers a question from the newest generation, without looking for changes first. Files that have changed
    /// since are left out, so the answer is never one from the cache.
    pub fn search_indexed(&self, request: &SearchRequest) -> Result<SearchAnswer, EngineError> {
        validate(request)?;
        let engine = self.answering();
        Ok(engine.answer(&engine.question(request))?.0)
    }

    fn cached_or_answer(
        &self,
        question: &Question<'_>,
    ) -> Result<(SearchAnswer, Vec<RelPath>), EngineError> {
        let request = question.request;
        if let Some(snapshot) = self.own_newest()?
            && let Some(answer) = self.cache.find(snapshot.info().generation, request)
        {
            return Ok((answer, Vec::new()));
        }
        let (answer, outdated) = self.answer(question)?;
        // An embedder that failed may be back for the next question.
        let is_whole = answer.notes.is_empty() || self.parts.embedder.is_none();
        if outdated.is_empty() && is_whole {
            self.cache.keep(request, &answer);
        }
        Ok((answer, outdated))
    }

    fn answer(&self, question: &Question<'_>) -> Result<(SearchAnswer, Vec<RelPath>), EngineError> {
        let Some(snapshot) = self.own_newest()? else {
            return Err(EngineError::invalid("project", "is not indexed; run `groma index` first"));
        };
        let mut request = question.request.clone();
        let plan = plan(&request.query);
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
        let answer = SearchAnswer {
            plan,
            hits: found.hits,
            candidates: found.candidates,
            stages: found.stages,
            generation: snapshot.info(),
            cached: false,
            notes: question.notes.clone(),
        };
        Ok((answer, found.outdated))
    }

    /// The request with its vector, or with a note that says why there is none.
    fn question<'r>(&self, request: &'r SearchRequest) -> Question<'r> {
        let (mut vector, mut notes) = (None, Vec::new());
        match &self.parts.embedder {
            _ if request.mode == SearchMode::Keyword => {}
            None => notes.push("embeddings are off: answered by keywords and symbols".to_string()),
            Some(embedder) => match embedder.embed(TextRole::Query, &[&request.query]) {
                Ok(vectors) => vector = vectors.into_iter().next(),
                Err(error) => notes.push(format!("{error}: answered by keywords and symbols")),
            },
        }
        Question { request, vector, notes }
    }

    /// The text of a file, if it is still the version that was indexed. A stamp that vouches for the file
    /// spares reading it twice: once to hash and once to show.
    pub(crate) fn current_text(
        &self,
        manifest: &Manifest,
        path: &RelPath,
        key: &VersionKey,
    ) -> Option<String> {
        let (bytes, stamp) = source::load(&self.parts.root, path, &self.parts.walk).ok()?;
        let entry = manifest.files.get(path)?;
        let vouched = entry.key == *key && entry.stamp.vouches_for(&stamp);
        let same = vouched || VersionKey::new(path, &bytes, PIPELINE_VERSION) == key.whole();
        same.then(|| source::text_again(bytes))?
    }

    fn try_index(
        &self,
        effort: Effort,
        observer: &dyn Observer,
        cancel: &Cancel,
    ) -> Result<IndexReport, EngineError> {
        let started = Instant::now();
        let mut scan = self.scan(effort, observer)?;
        if let Some(report) = scan.report_if_current() {
            return Ok(IndexReport { duration: started.elapsed(), ..report });
        }
        let writer = self.wait_for_writer(observer, cancel)?;
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
        if let Some(error) = outcome.vectors.unavailable.take_if(|_| in_vain) {
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
            bytes: outcome.bytes,
            times: StageTimes { walk: walk_time, ..outcome.times },
            without_vectors: bare(&manifest),
            embedder_error: outcome.vectors.unavailable.map(|error| error.to_string()),
            ..IndexReport::default()
        };
        for (path, entry) in &outcome.entries {
            match old.files.get(path) {
                None => report.added += 1,
                Some(known) if known.key.whole() != entry.key.whole() => report.updated += 1,
                Some(_) => report.unchanged += 1,
            }
        }
        if let Some((chunks, error)) = outcome.vectors.refused {
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

    /// The right to write; waits while another process has it.
    fn wait_for_writer(
        &self,
        observer: &dyn Observer,
        cancel: &Cancel,
    ) -> Result<Box<dyn Writer + '_>, EngineError> {
        let started = Instant::now();
        loop {
            match self.parts.store.writer() {
                Err(StoreError::Busy) if started.elapsed() < PATIENCE => {
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

    /// The imports of the engine that answers: generations of two stores may have the same number.
    pub(crate) fn imports(&self) -> &ImportCache {
        &self.answering().imports
    }

    pub(crate) fn walk_options(&self) -> &WalkOptions {
        &self.parts.walk
    }

    pub(crate) fn store_size(&self) -> Result<StoreSize, EngineError> {
        Ok(self.parts.store.size()?)
    }

    fn is_remote(&self) -> bool {
        self.parts.embedder.as_ref().is_some_and(|embedder| embedder.remote().is_some())
    }

    pub(crate) fn embedder_name(&self) -> Option<String> {
        self.parts.embedder.as_ref().map(|embedder| embedder.identity().to_string())
    }
}

/// A request with what the embedder made of it.
struct Question<'r> {
    request: &'r SearchRequest,
    vector: Option<Vector>,
    /// Why there is no vector.
    notes: Vec<String>,
}

/// An answer with what is to be said before its own notes, each once.
fn noted(mut answer: SearchAnswer, mut notes: Vec<String>) -> SearchAnswer {
    notes.append(&mut answer.notes);
    for note in notes {
        if !answer.notes.contains(&note) {
            answer.notes.push(note);
        }
    }
    answer
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
