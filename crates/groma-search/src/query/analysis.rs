//! Statistics of the stages of a query.
//!
//! Collected only if the request sets `explain`; otherwise they cost nothing.

use super::fuse::Fused;
use super::ranking::Ranking;
use super::request::SearchMode;
use super::retrieve::Retrieved;
use std::time::Duration;

/// Statistics of the stages of a query.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Analysis {
    /// Which retrievers ran; without vectors not always those of the request.
    pub mode: SearchMode,
    /// Duration of planning.
    pub plan_time: Duration,
    /// Duration of embedding the query.
    pub embed_time: Duration,
    /// Duration of all stages.
    pub total_time: Duration,
    /// The highest and the lowest cosine similarity among the vector hits.
    pub similarities: Option<(f32, f32)>,
    /// The highest BM25F score among the keyword hits.
    pub keyword_score: Option<f32>,
    /// Candidates by retriever.
    pub found: FoundBy,
    /// The constant of reciprocal rank fusion.
    pub fusion_constant: f32,
    /// Effect of the boost for definitions of names in the query.
    pub boost: Boost,
    /// How many candidates were ranked. Filters apply earlier, inside the retrievers.
    pub ranked: usize,
}

/// Number of candidates by retriever; symbol hits count as keyword hits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FoundBy {
    /// Found by vectors only.
    pub vector: usize,
    /// Found by keywords only.
    pub keyword: usize,
    /// Found by both.
    pub both: usize,
}

/// Effect of the boost for definitions of names in the query.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Boost {
    /// The largest factor on a score; 1 if nothing was boosted.
    pub factor: f32,
    /// How many candidates were boosted.
    pub count: usize,
    /// How many candidates changed rank because of it.
    pub moved: usize,
}

impl Default for Boost {
    fn default() -> Self {
        Self { factor: 1.0, count: 0, moved: 0 }
    }
}

impl Analysis {
    /// Records the scores of the retrievers, before fusion.
    pub(crate) fn record_retrieved(&mut self, retrieved: &Retrieved) {
        let ends = retrieved.vector.first().zip(retrieved.vector.last());
        self.similarities = ends.map(|(best, worst)| (best.score, worst.score));
        self.keyword_score = retrieved.keyword.first().map(|best| best.score);
    }

    /// Records which retrievers found the candidates.
    pub(crate) fn record_fused(&mut self, fused: &[Fused], ranking: &Ranking) {
        self.fusion_constant = ranking.fusion_constant;
        for one in fused {
            let by_keyword = one.by_keyword || one.definitions > 0;
            match (by_keyword, one.by_vector) {
                (true, true) => self.found.both += 1,
                (true, false) => self.found.keyword += 1,
                (false, _) => self.found.vector += 1,
            }
        }
    }
}
