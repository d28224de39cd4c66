//! How far a name and the question are made of the same words.
//!
//! Hundreds of chunks are judged for a question, each with all the names it defines, and most names share no word with
//! it. Those are told by their letters alone, at a tenth of what splitting a name costs.

use super::plan::Plan;
use groma_core::{Word, stem, words};
use rustc_hash::FxHashSet;

/// The least weight of a term that tells anything.
const TELLING: f32 = 0.5;

/// The telling words of a question.
pub(crate) struct Telling<'a> {
    terms: FxHashSet<&'a str>,
    pairs: Pairs,
}

impl<'a> Telling<'a> {
    pub fn new(plan: &'a Plan) -> Self {
        let telling = plan.terms.iter().filter(|term| term.weight >= TELLING);
        let terms: FxHashSet<&str> = telling.map(|term| term.term.as_str()).collect();
        let pairs = terms.iter().fold(Pairs::default(), |pairs, term| pairs.with(term));
        Self { terms, pairs }
    }

    /// The share of words that a name and the question have in common, 0..1.
    pub fn overlap(&self, name: &str) -> f32 {
        // A stem is how a word begins.
        if !self.pairs.may_begin_in(name) {
            return 0.0;
        }
        let (mut shared, mut count) = (0, 0);
        words(name, |word| {
            if let Word::Part(part) = word {
                count += 1;
                shared += usize::from(self.terms.contains(stem(part)));
            }
        });
        if shared == 0 {
            return 0.0;
        }
        let of_name = shared as f32 / count as f32;
        let of_query = shared as f32 / self.terms.len().max(1) as f32;
        2.0 * of_name * of_query / (of_name + of_query)
    }
}

/// The first two letters of some words, whatever their case; a few other pairs look the same.
#[derive(Default)]
struct Pairs {
    seen: [u64; 16],
}

impl Pairs {
    fn with(mut self, word: &str) -> Self {
        match word.as_bytes() {
            [first, second, ..] if word.is_ascii() => {
                let pair = pair(*first, *second);
                self.seen[pair / 64] |= 1 << (pair % 64);
            }
            // Rare enough to leave the pairs out of it.
            _ => self.seen = [u64::MAX; 16],
        }
        self
    }

    /// Whether one of the words may begin somewhere in a text.
    fn may_begin_in(&self, text: &str) -> bool {
        let has = |two: &[u8]| {
            let pair = pair(two[0], two[1]);
            self.seen[pair / 64] >> (pair % 64) & 1 == 1
        };
        text.as_bytes().windows(2).any(has) || !text.is_ascii()
    }
}

/// Five bits of each: the same for a capital and its small letter.
fn pair(first: u8, second: u8) -> usize {
    usize::from(first & 31) << 5 | usize::from(second & 31)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::plan::plan;

    /// The same, from the words alone.
    fn shares(plan: &Plan, name: &str) -> bool {
        let mut shares = false;
        words(name, |word| {
            if let Word::Part(part) = word {
                let told = |term: &&groma_core::TermQuery| term.weight >= TELLING;
                shares |= plan.terms.iter().filter(told).any(|term| term.term == stem(part));
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
            let telling = Telling::new(&plan);
            for name in names {
                assert_eq!(telling.overlap(name) > 0.0, shares(&plan, name), "{query}: {name}");
            }
        }
        assert!(Telling::new(&plan("open the pool")).overlap("openPool") > 0.99);
    }

    #[test]
    fn names_of_other_letters_are_not_split() {
        let pairs = Pairs::default().with("retri").with("connect");
        assert!(pairs.may_begin_in("maxRetries") && pairs.may_begin_in("CONNECT"));
        assert!(!pairs.may_begin_in("openSocket") && !pairs.may_begin_in("x"));
    }
}
