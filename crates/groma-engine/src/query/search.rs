//! The stages of a query, one after the other.

use super::fuse::fuse;
use super::plan::{Intent, Plan};
use super::present;
use super::ranking::Ranking;
use super::request::{Hit, SearchMode, SearchRequest, Stage};
use super::rerank::{Candidate, rerank};
use super::retrieve::{self, Retrieved};
use groma_core::{
    ChunkId, ChunkKind, RelPath, Snapshot, StoreError, StoredChunk, Vector, VersionKey,
};
use std::time::Instant;

/// How much further the stages look than the caller asked, so that thinning out does not starve the answer.
const SPARE: usize = 3;

/// A question with everything needed to answer it.
pub(crate) struct Asked<'a> {
    pub snapshot: &'a dyn Snapshot,
    pub request: &'a SearchRequest,
    pub plan: &'a Plan,
    pub ranking: &'a Ranking,
    /// The question as a vector, where vectors take part.
    pub vector: Option<&'a Vector>,
    /// The text of a file as it is now, if it is still the version indexed.
    pub text: &'a dyn Fn(&RelPath, &VersionKey) -> Option<String>,
}

/// What the stages gave.
pub(crate) struct Found {
    pub hits: Vec<Hit>,
    pub candidates: usize,
    pub stages: Vec<Stage>,
    /// Files that are no longer what was indexed.
    pub outdated: Vec<RelPath>,
}

/// Runs the stages.
pub(crate) fn search(asked: &Asked<'_>) -> Result<Found, StoreError> {
    let mut log =
        StageLog { explain: asked.request.explain, snapshot: asked.snapshot, stages: Vec::new() };
    let mode = asked.request.mode;
    let filter = &asked.request.filter;
    let mut found = Retrieved::default();
    if mode != SearchMode::Vector {
        found.keyword = log.time("keyword", || {
            let hits = retrieve::keyword(asked.snapshot, asked.plan, filter, asked.ranking)?;
            let scored = hits.iter().map(|hit| (hit.chunk, hit.score)).collect();
            Ok((hits, scored))
        })?;
    }
    if mode != SearchMode::Keyword {
        found.vector = log.time("vector", || {
            let hits = retrieve::nearest(asked.snapshot, asked.vector, filter, asked.ranking)?;
            let scored = hits.iter().map(|hit| (hit.chunk, hit.score)).collect();
            Ok((hits, scored))
        })?;
    }
    found.definitions = log.time("symbol", || {
        let chunks = retrieve::definitions(asked.snapshot, asked.plan, filter, mode)?;
        let scored = chunks.iter().map(|chunk| (*chunk, 1.0)).collect();
        Ok((chunks, scored))
    })?;
    let fused = log.time("fusion", || {
        let fused = fuse(&found, asked.ranking);
        let scored = fused.iter().filter_map(|one| Some((one.chunk?, one.rank))).collect();
        Ok((fused, scored))
    })?;
    let candidates = fused.len();
    let ranked = log.time("rerank", || {
        let ids: Vec<ChunkId> = fused.iter().filter_map(|one| one.chunk).collect();
        let chunks = asked.snapshot.outlines(&ids)?;
        let pairs = fused.into_iter().zip(chunks).collect();
        let ranked = rerank(asked.plan, asked.ranking, pairs, wants_overviews(asked));
        let scored = ranked.iter().map(|one| (one.chunk.id, one.score)).collect();
        Ok((ranked, scored))
    })?;
    let started = Instant::now();
    let (hits, outdated) = show(asked, ranked)?;
    log.stages.push(Stage {
        name: "present",
        duration: started.elapsed(),
        count: hits.len(),
        best: Vec::new(),
    });
    Ok(Found { hits, candidates, stages: log.stages, outdated })
}

/// Overviews answer only who asks for them.
fn wants_overviews(asked: &Asked<'_>) -> bool {
    let filter = &asked.request.filter;
    filter.chunk_kinds.contains(&ChunkKind::Symbols)
        || filter.tags.iter().any(|tag| tag == ChunkKind::Symbols.as_str())
        || asked.plan.intent == Intent::Path
}

/// Reads the text of the best candidates until there are enough hits.
fn show(asked: &Asked<'_>, ranked: Vec<Candidate>) -> Result<(Vec<Hit>, Vec<RelPath>), StoreError> {
    let request = asked.request;
    let mut hits = Vec::with_capacity(request.limit);
    let mut outdated = Vec::new();
    let mut read: Option<(RelPath, String)> = None;
    for candidate in ranked.into_iter().take(request.limit * SPARE) {
        if hits.len() == request.limit || candidate.score < request.min_score {
            break;
        }
        let mut chunk = asked.snapshot.chunks(&[candidate.chunk.id])?.remove(0);
        if chunk.chunk().kind == ChunkKind::Symbols && !wants_overviews(asked) {
            chunk.ordinal = present::representative(&chunk);
        }
        // Neighbours in the ranking are often of the same file.
        if read.as_ref().is_none_or(|(path, _)| *path != chunk.path) {
            read = (asked.text)(&chunk.path, &chunk.key).map(|text| (chunk.path.clone(), text));
        }
        match &read {
            Some((_, text)) => hits.push(present::hit(candidate, chunk, text, request)),
            None => outdated.push(chunk.path),
        }
    }
    Ok((hits, outdated))
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
        let started = Instant::now();
        let (value, scored) = work()?;
        let duration = started.elapsed();
        let best = if self.explain { self.best(&scored)? } else { Vec::new() };
        self.stages.push(Stage { name, duration, count: scored.len(), best });
        Ok(value)
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
