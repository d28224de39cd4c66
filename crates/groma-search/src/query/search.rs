//! Runs the stages of a search.

use super::analysis::Analysis;
use super::fuse::fuse;
use super::literal::{self, Focus, Leading};
use super::more_results::{MoreFile, more_results};
use super::plan::{Plan, QueryKind};
use super::present;
use super::ranking::Ranking;
use super::request::{Hit, SearchMode, SearchRequest, Stage};
use super::rerank::{Candidate, Overviews, boost, rerank};
use super::retrieve::{self, Retrieved};
use crate::reader::Reader;
use crate::text::Text;
use groma_core::{ChunkId, ChunkKind, RelPath, Snapshot, StoreError, StoredChunk, Vector};
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use std::time::{Duration, Instant};

/// How many candidates are read for each hit wanted, in case their files have changed.
const OVERFETCH: usize = 3;

/// A planned query with everything needed to run it.
pub(crate) struct QueryContext<'a> {
    pub reader: &'a Reader,
    pub request: &'a SearchRequest,
    pub plan: &'a Plan,
    pub ranking: &'a Ranking,
    /// The query's vector, if vectors are used.
    pub vector: Option<&'a Vector>,
    /// Access score of files that were read recently, 0..1.
    pub reads: &'a FxHashMap<RelPath, f32>,
}

impl<'a> QueryContext<'a> {
    fn snapshot(&self) -> &'a dyn Snapshot {
        &*self.reader.snapshot
    }
}

/// The result of all stages.
pub(crate) struct SearchOutcome {
    pub hits: Vec<Hit>,
    /// Texts of the query that occur nowhere.
    pub absent: Vec<String>,
    /// How many of the hits the query names, and by what.
    pub named: usize,
    pub named_by: Option<&'static str>,
    pub more_results: Vec<MoreFile>,
    pub candidates: usize,
    pub matching: usize,
    pub stages: Vec<Stage>,
    /// Statistics of the stages, if `explain` is set.
    pub analysis: Option<Analysis>,
    /// Files that changed since they were indexed.
    pub outdated: Vec<RelPath>,
}

/// Runs the stages.
pub(crate) fn run(context: &QueryContext<'_>) -> Result<SearchOutcome, StoreError> {
    let mut log = StageLog {
        explain: context.request.explain,
        snapshot: context.snapshot(),
        stages: Vec::new(),
    };
    let mut analysis = context.request.explain.then(Analysis::default);
    let started = Instant::now();
    let named = literal::find(context)?;
    let duration = started.elapsed();
    log.stages.push(Stage {
        name: "literal",
        duration,
        count: named.spots.len(),
        best: Vec::new(),
    });
    let retrieved = retrieve(context, &mut log)?;
    let fused = log.time("fusion", || {
        let fused = fuse(&retrieved, context.ranking);
        let scored = fused.iter().map(|one| (one.chunk, one.rank)).collect();
        Ok((fused, scored))
    })?;
    let candidates = fused.len();
    if let Some(analysis) = &mut analysis {
        analysis.record_retrieved(&retrieved);
        analysis.record_fused(&fused, context.ranking);
    }
    let mut leading = Leading::default();
    let ranked = log.time("rerank", || {
        let ids: Vec<ChunkId> = fused.iter().map(|one| one.chunk).collect();
        let chunks = context.snapshot().outlines(&ids)?;
        let pairs = fused.into_iter().zip(chunks).collect();
        let mut ranked =
            rerank(context.plan, context.ranking, pairs, context.reads, overviews(context));
        leading = literal::lead(context, &named, &mut ranked)?;
        let scored = ranked.iter().map(|one| (one.chunk.id, one.score)).collect();
        Ok((ranked, scored))
    })?;
    let min_score = context.request.min_score;
    let matching = ranked.iter().filter(|one| one.score >= min_score).count();
    if let Some(analysis) = &mut analysis {
        analysis.ranked = ranked.len();
        analysis.boost = boost(&ranked, context.plan, context.ranking);
    }
    let started = Instant::now();
    let (hits, more_results, outdated) = present(context, ranked, &leading.focus)?;
    log.stages.push(Stage {
        name: "present",
        duration: started.elapsed(),
        count: hits.len(),
        best: Vec::new(),
    });
    let hits_count = hits.len();
    Ok(SearchOutcome {
        hits,
        absent: named.absent,
        named: leading.count.min(hits_count),
        named_by: leading.signal,
        more_results,
        candidates,
        matching,
        stages: log.stages,
        analysis,
        outdated,
    })
}

/// Runs the retrievers. Keyword and vector search run in parallel on the thread pool, because they read different
/// sections of the index.
fn retrieve(context: &QueryContext<'_>, log: &mut StageLog<'_>) -> Result<Retrieved, StoreError> {
    let snapshot = context.snapshot();
    let QueryContext { request, plan, ranking, vector, .. } = *context;
    let (mode, filter) = (request.mode, &request.filter);
    let vector = vector.filter(|_| mode != SearchMode::Keyword);
    let nearest = || timed(|| retrieve::nearest(snapshot, vector, filter, ranking));
    let keyword = || timed(|| retrieve::keyword(snapshot, plan, filter, ranking));
    let (keyword, nearest) = match mode {
        SearchMode::Vector => ((Ok(Vec::new()), Duration::ZERO), nearest()),
        SearchMode::Keyword => (keyword(), (Ok(Vec::new()), Duration::ZERO)),
        SearchMode::Hybrid => rayon::join(keyword, nearest),
    };
    let (keyword, nearest) = ((keyword.0?, keyword.1), (nearest.0?, nearest.1));
    if mode != SearchMode::Vector {
        let scored: Vec<_> = keyword.0.iter().map(|hit| (hit.chunk, hit.score)).collect();
        log.record("keyword", keyword.1, &scored)?;
    }
    if mode != SearchMode::Keyword {
        let scored: Vec<_> = nearest.0.iter().map(|hit| (hit.chunk, hit.score)).collect();
        log.record("vector", nearest.1, &scored)?;
    }
    let definitions = log.time("symbol", || {
        let chunks = retrieve::definitions(snapshot, plan, filter, mode)?;
        let scored = chunks.iter().map(|chunk| (*chunk, 1.0)).collect();
        Ok((chunks, scored))
    })?;
    let mut retrieved =
        Retrieved { keyword: keyword.0, vector: nearest.0, definitions, ..Default::default() };
    if mode == SearchMode::Hybrid {
        log.time("score", || {
            retrieve::complete(snapshot, plan, vector, ranking, &mut retrieved)?;
            let keyword = retrieved.keyword_scores.iter().map(|hit| (hit.chunk, hit.score));
            let vector = retrieved.vector_scores.iter().map(|hit| (hit.chunk, hit.score));
            Ok(((), keyword.chain(vector).collect()))
        })?;
    }
    Ok(retrieved)
}

fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let started = Instant::now();
    let value = work();
    (value, started.elapsed())
}

/// Returns overview chunks only if the query asks for them.
fn overviews(context: &QueryContext<'_>) -> Overviews {
    let filter = &context.request.filter;
    if context.request.overviews {
        Overviews::Beside
    } else if filter.chunk_kinds.contains(&ChunkKind::Overview)
        || context.plan.kind == QueryKind::Path
        || context.plan.requested.contents
    {
        Overviews::Instead
    } else {
        Overviews::Never
    }
}

/// The hits, more results by name, and the files left out because they have changed.
type Presented = (Vec<Hit>, Vec<MoreFile>, Vec<RelPath>);

/// Reads the text of the best candidates until there are enough hits; lists those after them by name.
fn present(
    context: &QueryContext<'_>,
    ranked: Vec<Candidate>,
    focus: &Focus,
) -> Result<Presented, StoreError> {
    let request = context.request;
    let (mut hits, mut outdated) = (Vec::with_capacity(request.limit), Vec::new());
    let mut budget = request.limit * OVERFETCH;
    let mut rest = ranked.into_iter().take_while(|one| one.score >= request.min_score);
    while hits.len() < request.limit && budget > 0 {
        let wanted = budget.min(request.limit - hits.len());
        let next: Vec<Candidate> = rest.by_ref().take(wanted).collect();
        if next.is_empty() {
            break;
        }
        budget -= next.len();
        for presented in present_all(context, next, focus)? {
            presented.map_or_else(|path| outdated.push(path), |hit| hits.push(hit));
        }
    }
    Ok((hits, more_results(rest.take(request.more_results)), outdated))
}

/// A hit, or the path of a file that has changed.
type HitOrChanged = Result<Hit, RelPath>;

/// Turns candidates into hits, in their order. Files are read in parallel, each once.
fn present_all(
    context: &QueryContext<'_>,
    candidates: Vec<Candidate>,
    focus: &Focus,
) -> Result<Vec<HitOrChanged>, StoreError> {
    let ids: Vec<ChunkId> = candidates.iter().map(|candidate| candidate.chunk.id).collect();
    let chunks = context.snapshot().chunks(&ids)?;
    let mut files: Vec<Vec<(usize, Candidate, StoredChunk)>> = Vec::new();
    let mut seen: FxHashMap<RelPath, usize> = FxHashMap::default();
    for (rank, (candidate, chunk)) in candidates.into_iter().zip(chunks).enumerate() {
        let file = *seen.entry(candidate.chunk.path.clone()).or_insert_with(|| {
            files.push(Vec::new());
            files.len() - 1
        });
        files[file].push((rank, candidate, chunk));
    }
    let presented = files.into_par_iter().map(|file| present_file(context, file, focus));
    let presented: Vec<Vec<_>> = presented.collect();
    let mut presented: Vec<(usize, HitOrChanged)> = presented.into_iter().flatten().collect();
    presented.sort_unstable_by_key(|(rank, _)| *rank);
    Ok(presented.into_iter().map(|(_, presented)| presented).collect())
}

/// Turns the candidates of one file into hits; each keeps its rank.
fn present_file(
    context: &QueryContext<'_>,
    candidates: Vec<(usize, Candidate, StoredChunk)>,
    focus: &Focus,
) -> Vec<(usize, HitOrChanged)> {
    let Some((_, _, StoredChunk { path, key, .. })) = candidates.first() else { return Vec::new() };
    let text = context.reader.text_of(path, key).map(Text::new);
    let stamp = context.snapshot().manifest().files.get(path).map(|entry| entry.stamp);
    let presented = candidates.into_iter().map(|(rank, candidate, mut chunk)| {
        if chunk.chunk().kind == ChunkKind::Overview && overviews(context) == Overviews::Never {
            chunk.ordinal = present::representative(&chunk);
        }
        let stamp = stamp.unwrap_or_default();
        let presented = match &text {
            Some(text) => {
                let focus = focus.get(&chunk.id).copied();
                let present = (context.request, context.plan, focus);
                Ok(present::hit(candidate, chunk, text, stamp, present))
            }
            None => Err(chunk.path),
        };
        (rank, presented)
    });
    presented.collect()
}

/// Records the duration and the result of each stage.
struct StageLog<'a> {
    explain: bool,
    snapshot: &'a dyn Snapshot,
    stages: Vec<Stage>,
}

impl StageLog<'_> {
    fn time<T>(
        &mut self,
        name: &'static str,
        work: impl FnOnce() -> Result<(T, Vec<(ChunkId, f32)>), StoreError>,
    ) -> Result<T, StoreError> {
        let (done, duration) = timed(work);
        let (value, scored) = done?;
        self.record(name, duration, &scored)?;
        Ok(value)
    }

    fn record(
        &mut self,
        name: &'static str,
        duration: Duration,
        scored: &[(ChunkId, f32)],
    ) -> Result<(), StoreError> {
        let best = if self.explain { self.best(scored)? } else { Vec::new() };
        self.stages.push(Stage { name, duration, count: scored.len(), best });
        Ok(())
    }

    fn best(&self, scored: &[(ChunkId, f32)]) -> Result<Vec<(String, f32)>, StoreError> {
        let top = &scored[..scored.len().min(10)];
        let ids: Vec<ChunkId> = top.iter().map(|(chunk, _)| *chunk).collect();
        let chunks = self.snapshot.chunks(&ids)?;
        Ok(chunks.iter().zip(top).map(|(chunk, (_, score))| (location(chunk), *score)).collect())
    }
}

fn location(chunk: &StoredChunk) -> String {
    let lines = chunk.chunk().lines;
    format!("{}:{}-{}", chunk.path, lines.start, lines.end)
}
