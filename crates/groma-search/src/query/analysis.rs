//! What the stages of a query did, in figures.
//!
//! Kept only when a request asks to explain; an answer without it costs nothing for it.

use super::fuse::Fused;
use super::ranking::Ranking;
use super::request::SearchMode;
use super::retrieve::Retrieved;
use std::time::Duration;

/// What the stages of a query did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Analysis {
    /// Which retrievers answered; without vectors, not always those that were asked for.
    pub mode: SearchMode,
    /// What understanding the question took.
    pub plan_time: Duration,
    /// What making its vector took.
    pub embed_time: Duration,
    /// What all stages took together.
    pub total_time: Duration,
    /// The highest and the lowest similarity among what vectors found.
    pub similarities: Option<(f32, f32)>,
    /// The highest score among what keywords found, as BM25 counts.
    pub keyword_score: Option<f32>,
    /// Who found the candidates.
    pub found: FoundBy,
    /// The constant of reciprocal rank fusion.
    pub fusion_constant: f32,
    /// What definitions of the question's names gained.
    pub boost: Boost,
    /// How many candidates were ranked. Filters act before that, inside the retrievers.
    pub ranked: usize,
}

/// Who found the candidates; names count as keywords.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FoundBy {
    /// Vectors only.
    pub vector: usize,
    /// Keywords only.
    pub keyword: usize,
    /// Both.
    pub both: usize,
}

/// What definitions of the question's names gained.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Boost {
    /// The largest factor on a score; 1 when nothing gained.
    pub factor: f32,
    /// How many gained.
    pub count: usize,
    /// How many candidates have another place because of it.
    pub moved: usize,
}

impl Default for Boost {
    fn default() -> Self {
        Self { factor: 1.0, count: 0, moved: 0 }
    }
}

impl Analysis {
    /// Notes what the retrievers found, before it is joined.
    pub(crate) fn note_retrieved(&mut self, found: &Retrieved) {
        let ends = found.vector.first().zip(found.vector.last());
        self.similarities = ends.map(|(best, worst)| (best.score, worst.score));
        self.keyword_score = found.keyword.first().map(|best| best.score);
    }

    /// Notes who found what.
    pub(crate) fn note_fused(&mut self, fused: &[Fused], ranking: &Ranking) {
        self.fusion_constant = ranking.fusion_constant;
        for one in fused {
            let by_word = one.keyword.is_some() || one.definitions > 0;
            match (by_word, one.vector.is_some()) {
                (true, true) => self.found.both += 1,
                (true, false) => self.found.keyword += 1,
                (false, _) => self.found.vector += 1,
            }
        }
    }
}
