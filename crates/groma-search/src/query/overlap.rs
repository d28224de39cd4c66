//! Word overlap of a name and the query.
//!
//! A query scores hundreds of chunks, each with all the names it defines, and most names share no word with it. A
//! filter on word prefixes rejects those at a tenth of the cost of splitting the name.

use super::plan::Plan;
use groma_core::{Word, stem, words};
use rustc_hash::FxHashSet;

/// Minimum weight of a significant term.
const MIN_WEIGHT: f32 = 0.5;

/// The significant terms of a query.
pub(crate) struct SignificantTerms<'a> {
    terms: FxHashSet<&'a str>,
    prefixes: PrefixFilter,
}

impl<'a> SignificantTerms<'a> {
    pub fn new(plan: &'a Plan) -> Self {
        let significant = plan.terms.iter().filter(|term| term.weight >= MIN_WEIGHT);
        let terms: FxHashSet<&str> = significant.map(|term| term.term.as_str()).collect();
        let prefixes = terms.iter().fold(PrefixFilter::default(), |filter, term| filter.with(term));
        Self { terms, prefixes }
    }

    /// The share of the words of a name that are in the query, 0..1.
    pub fn share(&self, name: &str) -> f32 {
        let (shared, count) = self.shared(name);
        shared as f32 / count.max(1) as f32
    }

    /// How many words of a name are in the query, and how many it has.
    fn shared(&self, name: &str) -> (usize, usize) {
        let (mut shared, mut count) = (0, 0);
        // A stem is a prefix of its word.
        if self.prefixes.may_occur_in(name) {
            words(name, |word| {
                if let Word::Part(part) = word {
                    count += 1;
                    shared += usize::from(self.terms.contains(stem(part)));
                }
            });
        }
        (shared, count)
    }

    /// The F1 overlap of the words of a name and of the query, 0..1.
    pub fn overlap(&self, name: &str) -> f32 {
        let (shared, count) = self.shared(name);
        if shared == 0 {
            return 0.0;
        }
        let of_name = shared as f32 / count as f32;
        let of_query = shared as f32 / self.terms.len().max(1) as f32;
        2.0 * of_name * of_query / (of_name + of_query)
    }
}

/// A set of case-insensitive word prefixes of three letters, or two for two-letter words. Has false positives, but no
/// false negatives.
struct PrefixFilter {
    pairs: [u64; 1 << 4],
    triples: Box<[u64; 1 << 9]>,
}

impl Default for PrefixFilter {
    fn default() -> Self {
        Self { pairs: [0; 1 << 4], triples: Box::new([0; 1 << 9]) }
    }
}

impl PrefixFilter {
    fn with(mut self, word: &str) -> Self {
        match word.as_bytes() {
            [first, second] if word.is_ascii() => set(&mut self.pairs, pair(*first, *second)),
            [first, second, third, ..] if word.is_ascii() => {
                set(&mut *self.triples, triple(pair(*first, *second), *third));
            }
            // Rare: let every name pass.
            _ => self.pairs = [u64::MAX; 1 << 4],
        }
        self
    }

    /// Whether one of the prefixes may occur in a text.
    fn may_occur_in(&self, text: &str) -> bool {
        let Some((first, rest)) = text.as_bytes().split_first() else { return false };
        let (mut last, mut before) = (*first, None);
        for byte in rest {
            let here = pair(last, *byte);
            let long = before.is_some_and(|before| is_set(&*self.triples, triple(before, *byte)));
            if long || is_set(&self.pairs, here) {
                return true;
            }
            (last, before) = (*byte, Some(here));
        }
        !text.is_ascii()
    }
}

/// Five bits of each letter, the same for upper and lower case.
fn pair(first: u8, second: u8) -> usize {
    usize::from(first & 31) << 5 | usize::from(second & 31)
}

fn triple(pair: usize, third: u8) -> usize {
    pair << 5 | usize::from(third & 31)
}

fn set(bits: &mut [u64], index: usize) {
    bits[index / 64] |= 1 << (index % 64);
}

fn is_set(bits: &[u64], index: usize) -> bool {
    bits[index / 64] >> (index % 64) & 1 == 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::plan::plan;

    /// The same, computed by splitting the name.
    fn shares(plan: &Plan, name: &str) -> bool {
        let mut shares = false;
        words(name, |word| {
            if let Word::Part(part) = word {
                let significant = |term: &&groma_core::TermQuery| term.weight >= MIN_WEIGHT;
                shares |= plan.terms.iter().filter(significant).any(|term| term.term == stem(part));
            }
        });
        shares
    }

    #[test]
    fn no_name_that_shares_a_word_is_missed() {
        let names = [
            "open_connection",
            "openConnection",
            "OPEN_CONNECTION",
            "HTTPConnector",
            "retryPolicy",
            "Retries",
            "reopen",
            "x2y",
            "größeÄndern",
            "ändern",
            "sha256sum",
            "SHA256",
            "a",
            "",
            "parse2d",
            "pool",
        ];
        for query in
            ["how connections are retried", "open the pool", "Größe ändern", "sha256 of a file"]
        {
            let plan = plan(query);
            let terms = SignificantTerms::new(&plan);
            for name in names {
                assert_eq!(terms.overlap(name) > 0.0, shares(&plan, name), "{query}: {name}");
            }
        }
        let plan = plan("open the pool");
        let terms = SignificantTerms::new(&plan);
        assert!(terms.overlap("openPool") > 0.99);
        assert_eq!(
            (terms.share("pool_of_threads"), terms.share("pool"), terms.share("x")),
            (1.0 / 3.0, 1.0, 0.0)
        );
    }

    #[test]
    fn names_without_a_prefix_are_rejected() {
        let filter = PrefixFilter::default().with("retri").with("connect").with("id");
        assert!(filter.may_occur_in("maxRetries") && filter.may_occur_in("CONNECT"));
        assert!(filter.may_occur_in("user_id") && filter.may_occur_in("Id"));
        assert!(!filter.may_occur_in("openSocket") && !filter.may_occur_in("x"));
        assert!(!filter.may_occur_in("report") && !filter.may_occur_in("fence_coat"));
    }
}
