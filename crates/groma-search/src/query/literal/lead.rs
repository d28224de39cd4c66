//! Puts the places that a question names before what the retrievers found.

use super::{Literal, Spot};
use crate::query::fuse::Fused;
use crate::query::present::representative;
use crate::query::rerank::Candidate;
use crate::query::search::QueryContext;
use groma_core::{ChunkId, ChunkKind, ChunkOutline, Lines, RelPath, StoreError};
use rustc_hash::FxHashMap;

/// Signal: the question names this place, or another one before it.
const OTHERS: &str = "after_literal";

/// How far the others are ranked down.
const OTHERS_FACTOR: f32 = 0.5;

/// The step between the scores of places.
const STEP: f32 = 0.01;

/// Maximum number of chunks of one file that lead.
const MAX_OF_FILE: usize = 3;

/// Signal of definitions of a name, and how many of them lead.
const NAME: &str = "name";
const MAX_NAMED: usize = 5;

/// The lines that are meant, by chunk.
pub(crate) type Focus = FxHashMap<ChunkId, Lines>;

/// What leads an answer.
#[derive(Debug, Default)]
pub(crate) struct Leading {
    pub focus: Focus,
    /// How many candidates lead.
    pub count: usize,
    /// The signal of the first of them.
    pub signal: Option<&'static str>,
}

/// Puts the places first, in their order.
pub(crate) fn lead(
    context: &QueryContext<'_>,
    literal: &Literal,
    ranked: &mut Vec<Candidate>,
) -> Result<Leading, StoreError> {
    let mut result = Leading::default();
    if let Some(wanted) = literal.wanted.as_ref().filter(|_| literal.prefers_kind) {
        // Stable: within a kind the order stays.
        let (fitting, others): (Vec<_>, Vec<_>) =
            std::mem::take(ranked).into_iter().partition(|one| wanted.fits(&one.chunk));
        *ranked = rescored(fitting, others, "wanted");
    }
    let chosen = choose(context, literal, ranked)?;
    let mut chosen = chosen;
    prefer_ranked(&mut chosen, ranked);
    let Some(first) = chosen.first() else { return Ok(result) };
    result.signal = Some(first.signal);
    result.count = chosen.len();
    let ids: Vec<ChunkId> = chosen.iter().map(|one| one.chunk).collect();
    let outlines = context.reader.snapshot.outlines(&ids)?;
    let mut leading: Vec<Candidate> = Vec::new();
    for (chosen, outline) in chosen.into_iter().zip(outlines) {
        if let Some(lines) = chosen.lines {
            result.focus.insert(chosen.chunk, lines);
        }
        let known = ranked.iter().position(|one| one.chunk.id == chosen.chunk);
        let mut candidate = known.map_or_else(|| unretrieved(outline), |at| ranked.remove(at));
        let score = (1.0 - STEP * leading.len() as f32).max(0.6);
        let factor = score / candidate.score.max(f32::MIN_POSITIVE);
        candidate.signals.push((chosen.signal, factor));
        candidate.score = score;
        leading.push(candidate);
    }
    for candidate in ranked.iter_mut() {
        candidate.signals.push((OTHERS, OTHERS_FACTOR));
        candidate.score *= OTHERS_FACTOR;
    }
    leading.append(ranked);
    *ranked = leading;
    Ok(result)
}

/// Orders definitions of the same name as the reranker does, which knows the home of a name; keeps the first.
fn prefer_ranked(chosen: &mut Vec<Chosen>, ranked: &[Candidate]) {
    let named = chosen.iter().take_while(|one| one.signal == NAME).count();
    let position = |one: &Chosen| ranked.iter().position(|other| other.chunk.id == one.chunk);
    chosen[..named].sort_by_cached_key(|one| position(one).unwrap_or(usize::MAX));
    chosen.drain(named.min(MAX_NAMED)..named);
}

/// Ranks the others below all that fit.
fn rescored(
    fitting: Vec<Candidate>,
    others: Vec<Candidate>,
    signal: &'static str,
) -> Vec<Candidate> {
    let least = fitting.last().map_or(1.0, |last| last.score.max(0.01));
    let highest = others.first().map_or(1.0, |first| first.score.max(f32::MIN_POSITIVE));
    let best = fitting.first().map_or(1.0, |first| first.score.max(f32::MIN_POSITIVE));
    let lift = if best < 1.0 && best < highest { highest / best } else { 1.0 };
    let scale = (least * lift / highest).min(1.0) * 0.99;
    let scaled = |mut one: Candidate, factor: f32| {
        one.signals.push((signal, factor));
        one.score *= factor;
        one
    };
    let none = fitting.is_empty();
    let fitting = fitting.into_iter().map(|one| scaled(one, lift));
    let others = others.into_iter().map(|one| scaled(one, if none { 1.0 } else { scale }));
    fitting.chain(others).collect()
}

/// A chunk that no retriever found.
fn unretrieved(chunk: ChunkOutline) -> Candidate {
    let fused = Fused {
        chunk: chunk.id,
        rank: 0.0,
        keyword: Some(1.0),
        coverage: 1.0,
        vector: None,
        vector_share: 0.0,
        definitions: 0,
        by_keyword: true,
        by_vector: false,
    };
    Candidate { chunk, fused, score: 1.0, signals: vec![("relevance", 1.0)] }
}

/// A chunk that leads.
struct Chosen {
    chunk: ChunkId,
    lines: Option<Lines>,
    signal: &'static str,
}

/// The chunks of the places, each once.
fn choose(
    context: &QueryContext<'_>,
    literal: &Literal,
    ranked: &[Candidate],
) -> Result<Vec<Chosen>, StoreError> {
    let mut chosen: Vec<Chosen> = Vec::new();
    let paths: Vec<RelPath> = literal.spots.iter().map(|spot| spot.path.clone()).collect();
    let files = context.reader.snapshot.chunks_of(&paths, &context.request.filter)?;
    for (spot, ids) in literal.spots.iter().zip(files) {
        let chunks = match spot.lines {
            Some(lines) => at_lines(context, &ids, spot.name_line.unwrap_or(lines.start))?,
            None => of_file(context, spot, &ids, ranked)?,
        };
        for chunk in chunks {
            if !chosen.iter().any(|known| known.chunk == chunk) {
                chosen.push(Chosen { chunk, lines: spot.lines, signal: spot.signal });
            }
        }
    }
    Ok(chosen)
}

/// The smallest chunk around a line, or the nearest one before it.
fn at_lines(
    context: &QueryContext<'_>,
    ids: &[ChunkId],
    line: u32,
) -> Result<Vec<ChunkId>, StoreError> {
    let outlines = context.reader.snapshot.outlines(ids)?;
    let pieces = || outlines.iter().filter(|one| one.kind != ChunkKind::Overview);
    let around =
        pieces().filter(|one| one.lines.contains(line)).min_by_key(|one| one.lines.count());
    let before =
        || pieces().filter(|one| one.lines.start <= line).max_by_key(|one| one.lines.start);
    Ok(around.or_else(before).or_else(|| pieces().next()).map(|one| one.id).into_iter().collect())
}

/// The chunks that stand for a file: in a sentence those that answer it best, else its overview, where the request can
/// have one, and its largest definition.
fn of_file(
    context: &QueryContext<'_>,
    spot: &Spot,
    ids: &[ChunkId],
    ranked: &[Candidate],
) -> Result<Vec<ChunkId>, StoreError> {
    if !spot.is_alone {
        let own =
            ranked.iter().filter(|one| one.chunk.path == spot.path && ids.contains(&one.chunk.id));
        let own: Vec<ChunkId> = own.take(MAX_OF_FILE).map(|one| one.chunk.id).collect();
        if !own.is_empty() {
            return Ok(own);
        }
    }
    let outlines = context.reader.snapshot.outlines(ids)?;
    let mut chosen = Vec::new();
    let overview = outlines.iter().find(|one| one.kind == ChunkKind::Overview);
    chosen.extend(overview.filter(|_| spot.is_alone).map(|one| one.id));
    let Some(first) = ids.first() else { return Ok(chosen) };
    if let Some(stored) = context.reader.snapshot.chunks(&[*first])?.first() {
        let ordinal = representative(stored);
        chosen.extend(outlines.iter().find(|one| one.ordinal == ordinal).map(|one| one.id));
    }
    chosen.dedup();
    Ok(chosen)
}
