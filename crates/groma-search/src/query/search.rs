//! The stages of a query, one after the other.

use super::analysis::Analysis;
use super::further::{FurtherFile, further};
use super::fuse::fuse;
use super::plan::{Intent, Plan};
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

/// How much further the stages look than the caller asked, so that thinning out does not starve the answer.
const SPARE: usize = 3;

/// A question with everything needed to answer it.
pub(crate) struct Asked<'a> {
    pub reader: &'a Reader,
    pub request: &'a SearchRequest,
    pub plan: &'a Plan,
    pub ranking: &'a Ranking,
    /// The question as a vector, where vectors take part.
    pub vector: Option<&'a Vector>,
    /// How much files matter that were looked at, 0..1.
    pub reads: &'a FxHashMap<RelPath, f32>,
}

impl<'a> Asked<'a> {
    fn snapshot(&self) -> &'a dyn Snapshot {
        &*self.reader.snapshot
    }
}

/// What the stages gave.
pub(crate) struct Found {
    pub hits: Vec<Hit>,
    pub further: Vec<FurtherFile>,
    pub candidates: usize,
    pub matching: usize,
    pub stages: Vec<Stage>,
    /// The same in figures, when asked to explain.
    pub analysis: Option<Analysis>,
    /// Files that are no longer what was indexed.
    pub outdated: Vec<RelPath>,
}

/// Runs the stages.
pub(crate) fn run(asked: &Asked<'_>) -> Result<Found, StoreError> {
    let mut log =
        StageLog { explain: asked.request.explain, snapshot: asked.snapshot(), stages: Vec::new() };
    let mut analysis = asked.request.explain.then(Analysis::default);
    let found = retrieve(asked, &mut log)?;
    let fused = log.time("fusion", || {
        let fused = fuse(&found, asked.ranking);
        let scored = fused.iter().filter_map(|one| Some((one.chunk?, one.rank))).collect();
        Ok((fused, scored))
    })?;
    let candidates = fused.len();
    if let Some(analysis) = &mut analysis {
        analysis.note_retrieved(&found);
        analysis.note_fused(&fused, asked.ranking);
    }
    let ranked = log.time("rerank", || {
        let ids: Vec<ChunkId> = fused.iter().filter_map(|one| one.chunk).collect();
        let chunks = asked.snapshot().outlines(&ids)?;
        let pairs = fused.into_iter().zip(chunks).collect();
        let ranked = rerank(asked.plan, asked.ranking, pairs, asked.reads, overviews(asked));
        let scored = ranked.iter().map(|one| (one.chunk.id, one.score)).collect();
        Ok((ranked, scored))
    })?;
    let least = asked.request.min_score;
    let matching = ranked.iter().filter(|one| one.score >= least).count();
    if let Some(analysis) = &mut analysis {
        analysis.ranked = ranked.len();
        analysis.boost = boost(&ranked, asked.plan, asked.ranking);
    }
    let started = Instant::now();
    let (hits, further, outdated) = show(asked, ranked)?;
    log.stages.push(Stage {
        name: "present",
        duration: started.elapsed(),
        count: hits.len(),
        best: Vec::new(),
    });
    Ok(Found { hits, further, candidates, matching, stages: log.stages, analysis, outdated })
}

/// Asks every retriever. Keywords and vectors are looked up side by side, by threads that stay for the next question: each
/// reads its own part of the index, and neither waits for the other.
fn retrieve(asked: &Asked<'_>, log: &mut StageLog<'_>) -> Result<Retrieved, StoreError> {
    let snapshot = asked.snapshot();
    let Asked { request, plan, ranking, vector, .. } = *asked;
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
        log.note("keyword", keyword.1, &scored)?;
    }
    if mode != SearchMode::Keyword {
        let scored: Vec<_> = nearest.0.iter().map(|hit| (hit.chunk, hit.score)).collect();
        log.note("vector", nearest.1, &scored)?;
    }
    let definitions = log.time("symbol", || {
        let chunks = retrieve::definitions(snapshot, plan, filter, mode)?;
        let scored = chunks.iter().map(|chunk| (*chunk, 1.0)).collect();
        Ok((chunks, scored))
    })?;
    Ok(Retrieved { keyword: keyword.0, vector: nearest.0, definitions })
}

fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let started = Instant::now();
    let value = work();
    (value, started.elapsed())
}

/// Returns overview chunks only if the query asks for them.
fn overviews(asked: &Asked<'_>) -> Overviews {
    let filter = &asked.request.filter;
    if asked.request.overviews {
        Overviews::Beside
    } else if filter.chunk_kinds.contains(&ChunkKind::Symbols)
        || filter.tags.iter().any(|tag| tag == ChunkKind::Symbols.as_str())
        || asked.plan.intent == Intent::Path
        || asked.plan.wants.contents
    {
        Overviews::Instead
    } else {
        Overviews::Never
    }
}

/// What is shown: hits, places beyond them, and the files left out because they have changed.
type Shown = (Vec<Hit>, Vec<FurtherFile>, Vec<RelPath>);

/// Reads the text of the best candidates until there are enough hits, and names some of those beyond.
fn show(asked: &Asked<'_>, ranked: Vec<Candidate>) -> Result<Shown, StoreError> {
    let request = asked.request;
    let (mut hits, mut outdated) = (Vec::with_capacity(request.limit), Vec::new());
    let mut left = request.limit * SPARE;
    let mut rest = ranked.into_iter().take_while(|one| one.score >= request.min_score);
    while hits.len() < request.limit && left > 0 {
        let wanted = left.min(request.limit - hits.len());
        let next: Vec<Candidate> = rest.by_ref().take(wanted).collect();
        if next.is_empty() {
            break;
        }
        left -= next.len();
        for shown in show_all(asked, next)? {
            shown.map_or_else(|path| outdated.push(path), |hit| hits.push(hit));
        }
    }
    Ok((hits, further(rest.take(request.further)), outdated))
}

/// A hit, or the path of a file that has changed.
type HitOrChanged = Result<Hit, RelPath>;

/// Shows the candidates in their order, file by file and several files at a time, as each has to be read.
fn show_all(
    asked: &Asked<'_>,
    candidates: Vec<Candidate>,
) -> Result<Vec<HitOrChanged>, StoreError> {
    let ids: Vec<ChunkId> = candidates.iter().map(|candidate| candidate.chunk.id).collect();
    let chunks = asked.snapshot().chunks(&ids)?;
    let mut files: Vec<Vec<(usize, Candidate, StoredChunk)>> = Vec::new();
    let mut seen: FxHashMap<RelPath, usize> = FxHashMap::default();
    for (place, (candidate, chunk)) in candidates.into_iter().zip(chunks).enumerate() {
        let file = *seen.entry(candidate.chunk.path.clone()).or_insert_with(|| {
            files.push(Vec::new());
            files.len() - 1
        });
        files[file].push((place, candidate, chunk));
    }
    let shown = files.into_par_iter().map(|file| show_file(asked, file));
    let shown: Vec<Vec<_>> = shown.collect();
    let mut shown: Vec<(usize, HitOrChanged)> = shown.into_iter().flatten().collect();
    shown.sort_unstable_by_key(|(place, _)| *place);
    Ok(shown.into_iter().map(|(_, shown)| shown).collect())
}

/// Shows the candidates of one file, each with its place among all.
fn show_file(
    asked: &Asked<'_>,
    candidates: Vec<(usize, Candidate, StoredChunk)>,
) -> Vec<(usize, HitOrChanged)> {
    let Some((_, _, StoredChunk { path, key, .. })) = candidates.first() else { return Vec::new() };
    let text = asked.reader.text_of(path, key).map(Text::new);
    let stamp = asked.snapshot().manifest().files.get(path).map(|entry| entry.stamp);
    let shown = candidates.into_iter().map(|(place, candidate, mut chunk)| {
        if chunk.chunk().kind == ChunkKind::Symbols && overviews(asked) == Overviews::Never {
            chunk.ordinal = present::representative(&chunk);
        }
        let stamp = stamp.unwrap_or_default();
        let shown = match &text {
            Some(text) => Ok(present::hit(candidate, chunk, text, stamp, asked.request)),
            None => Err(chunk.path),
        };
        (place, shown)
    });
    shown.collect()
}

/// Notes what each stage took and found.
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
        self.note(name, duration, &scored)?;
        Ok(value)
    }

    fn note(
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
