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
    starts: Starts,
}

impl<'a> Telling<'a> {
    pub fn new(plan: &'a Plan) -> Self {
        let telling = plan.terms.iter().filter(|term| term.weight >= TELLING);
        let terms: FxHashSet<&str> = telling.map(|term| term.term.as_str()).collect();
        let starts = terms.iter().fold(Starts::default(), |starts, term| starts.with(term));
        Self { terms, starts }
    }

    /// The share of words that a name and the question have in common, 0..1.
    pub fn overlap(&self, name: &str) -> f32 {
        // A stem is how a word begins.
        if !self.starts.may_be_in(name) {
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

/// The first three letters of some words, or two of the shortest, whatever their case; a few others look the same.
struct Starts {
    pairs: [u64; 1 << 4],
    triples: Box<[u64; 1 << 9]>,
}

impl Default for Starts {
    fn default() -> Self {
        Self { pairs: [0; 1 << 4], triples: Box::new([0; 1 << 9]) }
    }
}

impl Starts {
    fn with(mut self, word: &str) -> Self {
        match word.as_bytes() {
            [first, second] if word.is_ascii() => set(&mut self.pairs, pair(*first, *second)),
            [first, second, third, ..] if word.is_ascii() => {
                set(&mut *self.triples, triple(pair(*first, *second), *third));
            }
            // Rare enough to leave the letters out of it.
            _ => self.pairs = [u64::MAX; 1 << 4],
        }
        self
    }

    /// Whether one of the words may begin somewhere in a text.
    fn may_be_in(&self, text: &str) -> bool {
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

/// Five bits of each letter: the same for a capital and its small letter.
fn pair(first: u8, second: u8) -> usize {
    usize::from(first & 31) << 5 | usize::from(second & 31)
}

fn triple(pair: usize, third: u8) -> usize {
    pair << 5 | usize::from(third & 31)
}

fn set(bits: &mut [u64], place: usize) {
    bits[place / 64] |= 1 << (place % 64);
}

fn is_set(bits: &[u64], place: usize) -> bool {
    bits[place / 64] >> (place % 64) & 1 == 1
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
        let starts = Starts::default().with("retri").with("connect").with("id");
        assert!(starts.may_be_in("maxRetries") && starts.may_be_in("CONNECT"));
        assert!(starts.may_be_in("user_id") && starts.may_be_in("Id"));
        assert!(!starts.may_be_in("openSocket") && !starts.may_be_in("x"));
        assert!(!starts.may_be_in("report") && !starts.may_be_in("fence_coat"));
    }
}
