//! How likely the answer is among the results.

use crate::query::request::SearchAnswer;

/// How likely the answer is among the results, in words that were calibrated on questions with known answers
/// (`docs/assistants.md`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Confidence {
    /// Nothing found is about the query.
    None,
    /// Some words match.
    Weak,
    /// More often right than wrong.
    Likely,
    /// Almost always right.
    Strong,
}

impl Confidence {
    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Weak => "weak",
            Self::Likely => "likely",
            Self::Strong => "strong",
        }
    }

    /// Judges an answer by the share of the query that its best member covers, and by the similarity of its vector.
    pub(super) fn of(answer: &SearchAnswer, coverage: f32) -> Self {
        let Some(best) = answer.hits.first() else { return Self::None };
        let similarity =
            answer.hits.iter().take(3).filter_map(|hit| hit.vector_score).fold(0.0, f32::max);
        let is_named = best.keyword_score == Some(1.0) && coverage > 0.9;
        let evidence = coverage + similarity;
        if is_named || evidence >= 1.1 {
            Self::Strong
        } else if evidence >= 0.75 {
            Self::Likely
        } else if evidence >= 0.4 {
            Self::Weak
        } else {
            Self::None
        }
    }
}
