//! Weighted reciprocal rank fusion. Pure.

use super::ranking::Ranking;
use super::retrieve::Retrieved;
use groma_core::ChunkId;
use rustc_hash::FxHashMap;

/// A chunk with its scores by all retrievers.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Fused {
    pub chunk: ChunkId,
    /// Whether it is among the best by keywords.
    pub by_keyword: bool,
    /// Whether it is among the nearest by vector.
    pub by_vector: bool,
    /// Reciprocal rank sum relative to the highest one, 0..1.
    pub rank: f32,
    /// Keyword score relative to the best one.
    pub keyword: Option<f32>,
    /// Share of the query's terms that occur in the chunk or in its file's names.
    pub coverage: f32,
    /// Cosine similarity.
    pub vector: Option<f32>,
    /// Cosine similarity relative to the best one.
    pub vector_share: f32,
    /// How many chunks define the same name of the query as it does; 0 if it defines none.
    pub definitions: usize,
}

impl Fused {
    fn new(chunk: ChunkId) -> Self {
        Self {
            chunk,
            by_keyword: false,
            by_vector: false,
            rank: 0.0,
            keyword: None,
            coverage: 0.0,
            vector: None,
            vector_share: 0.0,
            definitions: 0,
        }
    }
}

/// Merges the lists. The result keeps the order of the retrievers' lists; the reranker sorts.
pub(crate) fn fuse(retrieved: &Retrieved, ranking: &Ranking) -> Vec<Fused> {
    let mut fused = FusedList::default();
    let reciprocal = |rank: usize| 1.0 / (ranking.fusion_constant + rank as f32 + 1.0);
    let best = retrieved.keyword.first().map_or(1.0, |hit| hit.score.max(f32::MIN_POSITIVE));
    for (rank, hit) in retrieved.keyword.iter().enumerate() {
        let one = fused.entry(hit.chunk);
        one.rank += ranking.keyword_weight * reciprocal(rank);
        one.by_keyword = true;
    }
    for hit in retrieved.keyword.iter().chain(&retrieved.keyword_scores) {
        let one = fused.entry(hit.chunk);
        one.keyword = Some(hit.score / best);
        one.coverage = hit.coverage;
    }
    let nearest = retrieved.vector.first().map_or(1.0, |hit| hit.score.max(f32::MIN_POSITIVE));
    for (rank, hit) in retrieved.vector.iter().enumerate() {
        let one = fused.entry(hit.chunk);
        one.rank += ranking.vector_weight * reciprocal(rank);
        one.by_vector = true;
    }
    for hit in retrieved.vector.iter().chain(&retrieved.vector_scores) {
        let one = fused.entry(hit.chunk);
        one.vector = Some(hit.score);
        one.vector_share = (hit.score / nearest).max(0.0);
    }
    for chunk in &retrieved.definitions {
        let one = fused.entry(*chunk);
        one.rank += reciprocal(0);
        one.definitions = retrieved.definitions.len();
    }
    let mut fused = fused.chunks;
    let highest = fused.iter().fold(f32::MIN_POSITIVE, |highest, one| highest.max(one.rank));
    for one in &mut fused {
        one.rank /= highest;
    }
    fused
}

/// Fused chunks in the order in which they were first found.
#[derive(Default)]
struct FusedList {
    chunks: Vec<Fused>,
    /// Index of each chunk in `chunks`.
    indices: FxHashMap<ChunkId, usize>,
}

impl FusedList {
    fn entry(&mut self, chunk: ChunkId) -> &mut Fused {
        let index = *self.indices.entry(chunk).or_insert_with(|| {
            self.chunks.push(Fused::new(chunk));
            self.chunks.len() - 1
        });
        &mut self.chunks[index]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use groma_core::{KeywordHit, Scored};

    #[test]
    fn a_chunk_that_one_retriever_missed_has_its_score_and_no_rank() {
        let matching = |chunk, score| KeywordHit {
            chunk: ChunkId(chunk),
            score,
            own: score,
            file: 0.0,
            coverage: 0.5,
        };
        let near = |chunk, score| Scored { chunk: ChunkId(chunk), score };
        let retrieved = Retrieved {
            keyword: vec![matching(1, 4.0)],
            vector: vec![near(2, 0.8)],
            definitions: vec![ChunkId(3)],
            keyword_scores: vec![matching(2, 3.0)],
            vector_scores: vec![near(1, 0.6), near(3, -0.2)],
        };
        let fused = fuse(&retrieved, &Ranking::default());
        let of = |chunk| fused.iter().find(|one| one.chunk == ChunkId(chunk)).unwrap();
        assert_eq!((of(2).keyword, of(2).coverage), (Some(0.75), 0.5));
        assert_eq!((of(1).vector, of(3).vector), (Some(0.6), Some(-0.2)));
        assert_eq!((of(3).keyword, of(3).vector_share, of(3).definitions), (None, 0.0, 1));
        let found = [1, 2, 3].map(|chunk| (of(chunk).by_keyword, of(chunk).by_vector));
        assert_eq!(found, [(true, false), (false, true), (false, false)]);
        assert!(of(2).rank > of(1).rank, "each is first in one list, and vectors weigh more");
    }
}
