//! Relevance of a text to a question.
//!
//! Discoveries, sessions and code are scored on one scale, so that they can be ranked together: the share of the
//! question's term weight that the text contains, and the cosine of its vector.

use groma_core::{DiscoveryKind, Snapshot, StoreError, Vector, Word, stem, words};
use groma_search::Plan;
use rustc_hash::FxHashMap;
use std::time::{Duration, SystemTime};

/// The weight of words; the rest is that of vectors.
const WORDS_WEIGHT: f32 = 0.6;

/// The typical length of a discovery, in words.
const AVERAGE_LENGTH: f32 = 60.0;

/// How strongly longer texts are discounted (`b` of BM25).
const LENGTH_WEIGHT: f32 = 0.25;

/// The weight of an abbreviation of a term, and its minimum length.
const ABBREVIATION_WEIGHT: f32 = 0.6;
const MIN_ABBREVIATION: usize = 4;

/// The cosines that map to a similarity of 0 and of 1.
const COSINE_RANGE: (f32, f32) = (0.1, 0.75);

/// The boost of a decision if the question asks why.
const WHY_BOOST: f32 = 1.15;

/// Less relevant results are dropped.
pub(crate) const MIN_RELEVANCE: f32 = 0.2;

/// A question, its terms weighted by their rarity in the project.
pub(crate) struct Question {
    terms: FxHashMap<String, f32>,
    weight: f32,
    pub vector: Option<Vector>,
    /// Whether it asks for a reason.
    asks_why: bool,
}

impl Question {
    /// Weights the terms of a question by their inverse document frequency.
    pub fn new(
        plan: &Plan,
        vector: Option<Vector>,
        snapshot: Option<&dyn Snapshot>,
    ) -> Result<Self, StoreError> {
        let chunks = snapshot.map_or(0, |snapshot| snapshot.chunk_count()) as f32;
        let mut terms = FxHashMap::default();
        for term in &plan.terms {
            let frequency = match snapshot {
                Some(snapshot) => snapshot.frequency(&term.term)? as f32,
                None => 0.0,
            };
            let rarity = (1.0 + (chunks - frequency + 0.5) / (frequency + 0.5)).ln().max(0.1);
            terms.insert(term.term.clone(), term.weight * rarity);
        }
        let weight = terms.values().sum::<f32>().max(f32::MIN_POSITIVE);
        let mut words = plan.query.split(|c: char| !c.is_alphanumeric());
        let asks_why = words.any(|word| word.eq_ignore_ascii_case("why"));
        Ok(Self { terms, weight, vector, asks_why })
    }

    /// The relevance of a text, 0..1; `cosine` is that of its vector, if it has one.
    pub fn relevance(&self, text: &str, cosine: Option<f32>) -> f32 {
        let coverage = self.coverage(text);
        let Some(cosine) = cosine else { return coverage };
        let (from, to) = COSINE_RANGE;
        let similarity = ((cosine - from) / (to - from)).clamp(0.0, 1.0);
        WORDS_WEIGHT * coverage + (1.0 - WORDS_WEIGHT) * similarity
    }

    /// Whether it asks why: code seldom says so, and reasons age less than rules.
    pub fn asks_why(&self) -> bool {
        self.asks_why
    }

    /// The boost of a kind of discovery: a question that asks why wants a decision.
    pub fn kind_boost(&self, kind: DiscoveryKind) -> f32 {
        if self.asks_why && kind == DiscoveryKind::Decision { WHY_BOOST } else { 1.0 }
    }

    /// The share of the question's term weight that the text contains.
    fn coverage(&self, text: &str) -> f32 {
        let mut counts: FxHashMap<&str, f32> = FxHashMap::default();
        let mut length = 0.0;
        words(text, |word| {
            let word = match word {
                Word::Part(part) => stem(part),
                Word::Whole(whole) => whole,
            };
            length += 1.0;
            for (term, share) in self.matching_terms(word) {
                *counts.entry(term).or_default() += share;
            }
        });
        let discount = LENGTH_WEIGHT * length / AVERAGE_LENGTH;
        let covered = counts
            .iter()
            .map(|(term, count)| self.terms[*term] * count.min(1.0) * count / (count + discount));
        covered.sum::<f32>() / self.weight
    }

    /// The terms that a word matches, with weights: `auth` abbreviates authentication, and `config` configuration.
    fn matching_terms<'a>(&'a self, word: &str) -> impl Iterator<Item = (&'a str, f32)> {
        self.terms.keys().filter_map(move |term| {
            let (short, long) =
                if term.len() < word.len() { (&**term, word) } else { (word, &**term) };
            let share = match short.len() {
                _ if short == long => 1.0,
                MIN_ABBREVIATION.. if long.starts_with(short) => ABBREVIATION_WEIGHT,
                _ => return None,
            };
            Some((&**term, share))
        })
    }
}

/// Boosts among answers of the same relevance. The factors are those of the Context Tool contract.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Boost {
    /// Its date, if it is meaningful.
    pub date: Option<SystemTime>,
    /// Whether it is about the current module of the session.
    pub same_module: bool,
    /// How often its file was read.
    pub accesses: u64,
}

impl Boost {
    /// The product of all factors.
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

/// The boosted relevance; stays within 0..1 and is monotonic in both.
pub(crate) fn boosted(relevance: f32, factor: f32) -> f32 {
    1.0 - (1.0 - relevance.clamp(0.0, 1.0)).powf(factor)
}

#[cfg(test)]
mod tests {
    use super::*;
    use groma_search::plan;
    use std::time::UNIX_EPOCH;

    #[test]
    fn matching_words_and_similar_vectors_are_relevant() {
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
        assert!((near - 0.4).abs() < 0.001 && near > MIN_RELEVANCE, "{near}");
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
