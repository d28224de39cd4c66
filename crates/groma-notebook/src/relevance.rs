//! How well a text of the notebook answers a question.
//!
//! Discoveries, sessions and code are judged by the same measure, so that they can stand in one list: how much of
//! the question's weight the text holds, and how near its vector is.

use groma_core::{DiscoveryKind, Snapshot, StoreError, Vector, Word, stem, words};
use groma_search::Plan;
use rustc_hash::FxHashMap;
use std::time::{Duration, SystemTime};

/// How much the words count beside the vectors.
const WORDS_SHARE: f32 = 0.6;

/// A text of this many words is as long as a discovery usually is.
const USUAL_LENGTH: f32 = 60.0;

/// How far a longer text is discounted for holding a word.
const LENGTH_WEIGHT: f32 = 0.25;

/// How far a word counts that is short for one of the question, and how long it must be to be taken for that.
const SHORTHAND: f32 = 0.6;
const SHORTEST_SHORTHAND: usize = 4;

/// Cosines below the first say nothing, those above the second that two texts say the same.
const NEARNESS: (f32, f32) = (0.1, 0.75);

/// What a decision gains where the question asks why.
const REASON: f32 = 1.15;

/// What is less relevant is no answer.
pub(crate) const LEAST: f32 = 0.2;

/// A question, weighed by how rare its words are in the project.
pub(crate) struct Question {
    terms: FxHashMap<String, f32>,
    weight: f32,
    pub vector: Option<Vector>,
    /// Whether it asks for a reason.
    asks_why: bool,
}

impl Question {
    /// Weighs a question.
    pub fn new(
        plan: &Plan,
        vector: Option<Vector>,
        snapshot: Option<&dyn Snapshot>,
    ) -> Result<Self, StoreError> {
        let chunks = snapshot.map_or(0, |snapshot| snapshot.chunk_count()) as f32;
        let mut terms = FxHashMap::default();
        for term in &plan.terms {
            let holding = match snapshot {
                Some(snapshot) => snapshot.frequency(&term.term)? as f32,
                None => 0.0,
            };
            let rarity = (1.0 + (chunks - holding + 0.5) / (holding + 0.5)).ln().max(0.1);
            terms.insert(term.term.clone(), term.weight * rarity);
        }
        let weight = terms.values().sum::<f32>().max(f32::MIN_POSITIVE);
        let mut words = plan.query.split(|c: char| !c.is_alphanumeric());
        let asks_why = words.any(|word| word.eq_ignore_ascii_case("why"));
        Ok(Self { terms, weight, vector, asks_why })
    }

    /// How well a text answers it, 0..1; `nearness` is the cosine of its vector, where it has one.
    pub fn relevance(&self, text: &str, nearness: Option<f32>) -> f32 {
        let held = self.held(text);
        let Some(nearness) = nearness else { return held };
        let (from, to) = NEARNESS;
        let near = ((nearness - from) / (to - from)).clamp(0.0, 1.0);
        WORDS_SHARE * held + (1.0 - WORDS_SHARE) * near
    }

    /// How much more what is of a kind answers it: who asks why asks for a decision.
    pub fn favour(&self, kind: DiscoveryKind) -> f32 {
        if self.asks_why && kind == DiscoveryKind::Decision { REASON } else { 1.0 }
    }

    /// The share of the question's weight that the text holds.
    fn held(&self, text: &str) -> f32 {
        let mut counts: FxHashMap<&str, f32> = FxHashMap::default();
        let mut length = 0.0;
        words(text, |word| {
            let word = match word {
                Word::Part(part) => stem(part),
                Word::Whole(whole) => whole,
            };
            length += 1.0;
            for (term, share) in self.meant_by(word) {
                *counts.entry(term).or_default() += share;
            }
        });
        let discount = LENGTH_WEIGHT * length / USUAL_LENGTH;
        let held = counts
            .iter()
            .map(|(term, count)| self.terms[*term] * count.min(1.0) * count / (count + discount));
        held.sum::<f32>() / self.weight
    }

    /// The terms a word stands for, and how far: `auth` is short for authentication, and `config` for configuration.
    fn meant_by<'a>(&'a self, word: &str) -> impl Iterator<Item = (&'a str, f32)> {
        self.terms.keys().filter_map(move |term| {
            let (short, long) =
                if term.len() < word.len() { (&**term, word) } else { (word, &**term) };
            let share = match short.len() {
                _ if short == long => 1.0,
                SHORTEST_SHORTHAND.. if long.starts_with(short) => SHORTHAND,
                _ => return None,
            };
            Some((&**term, share))
        })
    }
}

/// What makes one answer better than another that says as much. The factors are those of the Context Tool contract.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Boost {
    /// When it was made, where that says something.
    pub date: Option<SystemTime>,
    /// Whether it is about the module that is worked on.
    pub same_module: bool,
    /// How often its file was read.
    pub accesses: u64,
}

impl Boost {
    /// All factors together.
    pub fn factor(&self, now: SystemTime) -> f32 {
        const DAY: Duration = Duration::from_secs(86_400);
        let age = self.date.map(|date| now.duration_since(date).unwrap_or_default());
        let recency = match age {
            Some(age) if age <= DAY => 1.5,
            Some(age) if age <= 7 * DAY => 1.2,
            _ => 1.0,
        };
        let module = if self.same_module { 1.3 } else { 1.0 };
        let access = (1.0 + self.accesses as f32 / 100.0).min(1.5);
        recency * module * access
    }
}

/// Relevance with its boosts. It stays between 0 and 1 and grows with both.
pub(crate) fn boosted(relevance: f32, factor: f32) -> f32 {
    1.0 - (1.0 - relevance.clamp(0.0, 1.0)).powf(factor)
}

#[cfg(test)]
mod tests {
    use super::*;
    use groma_search::plan;
    use std::time::UNIX_EPOCH;

    #[test]
    fn words_held_and_vectors_near_are_relevant() {
        let question = Question::new(&plan("token refresh race"), None, None).unwrap();
        let whole = question.relevance("Token refresh race condition fixed with a mutex", None);
        let half = question.relevance("Tokens are refreshed hourly", None);
        let long =
            question.relevance(&format!("token refresh race {}", "filler ".repeat(300)), None);
        assert!(whole > 0.9 && half < whole && half > 0.5, "{whole} {half}");
        assert!(long < whole && long > 0.0, "{long}");
        assert_eq!(question.relevance("something else", None), 0.0);
        let question = Question::new(&plan("authentication"), None, None).unwrap();
        let short = question.relevance("auth is by cookie", None);
        assert!(short > 0.5 && short < 0.61, "{short}");
        assert_eq!(question.relevance("the aut auts", None), 0.0, "too short or another word");
        let near = question.relevance("something else", Some(0.75));
        assert!((near - 0.4).abs() < 0.001 && near > LEAST, "{near}");
    }

    #[test]
    fn boosts_are_those_of_the_contract() {
        let now = UNIX_EPOCH + Duration::from_secs(100 * 86_400);
        let hours = |hours: u64| Some(now - Duration::from_secs(hours * 3600));
        let factor =
            |date, same_module, accesses| Boost { date, same_module, accesses }.factor(now);
        assert_eq!(factor(hours(24), false, 0), 1.5);
        assert_eq!(factor(hours(25), false, 0), 1.2);
        assert_eq!(factor(hours(8 * 24), false, 0), 1.0);
        assert_eq!(factor(None, true, 0), 1.3);
        assert_eq!(factor(None, false, 20), 1.2);
        assert_eq!(factor(None, false, 1000), 1.5);
        assert_eq!(factor(Some(now + Duration::from_secs(60)), false, 0), 1.5);
    }

    #[test]
    fn boosted_scores_stay_scores() {
        assert_eq!(boosted(0.6, 1.0), 0.6);
        assert!(boosted(0.6, 1.5) > 0.6 && boosted(0.99, 3.0) <= 1.0);
        assert_eq!((boosted(0.0, 3.0), boosted(1.0, 3.0)), (0.0, 1.0));
    }
}
