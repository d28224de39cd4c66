//! How likely the answer is among the results.

use crate::query::request::SearchAnswer;

/// Similarity below which an answer is about something else if no word of the query occurs in the project: random
/// letters have a vector, too, because their sub-words do.
const MIN_SIMILARITY: f32 = 0.6;

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
    /// `occurs` is false if no word of the query occurs in the project.
    pub(super) fn of(answer: &SearchAnswer, coverage: f32, occurs: bool) -> Self {
        let Some(best) = answer.hits.first() else { return Self::None };
        match answer.named_by {
            // Nothing has the name itself.
            Some("similar_name") => return Self::Likely,
            Some(_) => return Self::Strong,
            None => {}
        }
        let similarity =
            answer.hits.iter().take(3).filter_map(|hit| hit.vector_score).fold(0.0, f32::max);
        let is_named = best.keyword_score == Some(1.0) && coverage > 0.9;
        let evidence = coverage + similarity;
        if !occurs && similarity < MIN_SIMILARITY {
            return Self::None;
        }
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
