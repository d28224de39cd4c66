//! Weighted reciprocal rank fusion. Pure.

use super::ranking::Ranking;
use super::retrieve::Retrieved;
use groma_core::ChunkId;
use rustc_hash::FxHashMap;

/// A chunk with what each retriever says of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Fused {
    pub chunk: Option<ChunkId>,
    /// Share of the highest fused rank, 0..1.
    pub rank: f32,
    /// Keyword score relative to the best one.
    pub keyword: Option<f32>,
    /// How much of the question stands in the chunk or its file's names.
    pub coverage: f32,
    /// Cosine similarity.
    pub vector: Option<f32>,
    /// The same relative to the best one.
    pub vector_share: f32,
    /// How many chunks define the same name of the question as it does; 0 when it defines none.
    pub definitions: usize,
}

/// Joins the lists. The order is that of the retrievers' lists; sorting is the reranker's task.
pub(crate) fn fuse(found: &Retrieved, ranking: &Ranking) -> Vec<Fused> {
    let mut places: FxHashMap<ChunkId, usize> = FxHashMap::default();
    let mut fused: Vec<Fused> = Vec::new();
    let mut at = |fused: &mut Vec<Fused>, chunk: ChunkId| {
        *places.entry(chunk).or_insert_with(|| {
            fused.push(Fused { chunk: Some(chunk), ..Fused::default() });
            fused.len() - 1
        })
    };
    let share = |rank: usize| 1.0 / (ranking.fusion_constant + rank as f32 + 1.0);
    let best = found.keyword.first().map_or(1.0, |hit| hit.score.max(f32::MIN_POSITIVE));
    for (rank, hit) in found.keyword.iter().enumerate() {
        let place = at(&mut fused, hit.chunk);
        fused[place].rank += ranking.keyword_weight * share(rank);
        fused[place].keyword = Some(hit.score / best);
        fused[place].coverage = hit.coverage;
    }
    let nearest = found.vector.first().map_or(1.0, |hit| hit.score.max(f32::MIN_POSITIVE));
    for (rank, hit) in found.vector.iter().enumerate() {
        let place = at(&mut fused, hit.chunk);
        fused[place].rank += ranking.vector_weight * share(rank);
        fused[place].vector = Some(hit.score);
        fused[place].vector_share = (hit.score / nearest).max(0.0);
    }
    for chunk in &found.definitions {
        let place = at(&mut fused, *chunk);
        fused[place].rank += share(0);
        fused[place].definitions = found.definitions.len();
    }
    let highest = fused.iter().fold(f32::MIN_POSITIVE, |most, one| most.max(one.rank));
    for one in &mut fused {
        one.rank /= highest;
    }
    fused
}
