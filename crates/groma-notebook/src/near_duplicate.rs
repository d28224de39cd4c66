//! Near-duplicate detection: texts that share more than 80 % of their words, and every number, name and negation.
//!
//! "Use tabs" and "do not use tabs" share nearly all their words, as do "port 8080" and "port 9090". So what tells two
//! statements apart must be the same in both. Derived near-duplicates are merged in answers; recorded ones are kept,
//! because only their author knows what the difference means, and refer to each other.

use groma_core::{Discovery, DiscoveryKind, Origin, Word, words};
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::Hasher;

/// Near-duplicates share more than this fraction of the longer text's words.
const MIN_OVERLAP: f64 = 0.8;

/// Words that turn a statement into its opposite, and numbers in words.
const TELLING_WORDS: &[&str] = &[
    "not",
    "no",
    "never",
    "none",
    "nothing",
    "neither",
    "nor",
    "without",
    "cannot",
    "can't",
    "don't",
    "doesn't",
    "won't",
    "isn't",
    "aren't",
    "mustn't",
    "shouldn't",
    "unless",
    "except",
    "only",
    "before",
    "after",
    "enable",
    "disable",
    "enabled",
    "disabled",
    "allow",
    "deny",
    "forbid",
    "true",
    "false",
    "on",
    "off",
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "twelve",
    "fifteen",
    "twenty",
    "thirty",
    "sixty",
    "hundred",
    "thousand",
    "once",
    "twice",
    "half",
];

/// The distinct words of a text, as sorted hashes, and those of them that tell statements apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct WordSet {
    words: Vec<u64>,
    telling: Vec<u64>,
    /// A hash of the text without regard to case, punctuation and white space.
    text: u64,
}

impl WordSet {
    /// The words of a text.
    pub fn new(text: &str) -> Self {
        let mut hashes = Vec::new();
        words(text, |word| {
            if let Word::Part(part) = word {
                hashes.push(hash(part));
            }
        });
        hashes.sort_unstable();
        hashes.dedup();
        let is_edge = |c: char| !c.is_alphanumeric();
        let plain: Vec<&str> =
            text.split_whitespace().map(|word| word.trim_matches(is_edge)).collect();
        let mut telling: Vec<u64> = text
            .split_whitespace()
            .zip(&plain)
            .enumerate()
            .filter(|(at, (raw, word))| !is_pull_request(raw) && is_telling(word, *at == 0))
            .map(|(_, (_, word))| hash(&word.to_lowercase()))
            .collect();
        telling.sort_unstable();
        telling.dedup();
        let text = plain.iter().filter(|word| !word.is_empty()).map(|word| word.to_lowercase());
        let text = hash(&text.collect::<Vec<_>>().join(" "));
        Self { words: hashes, telling, text }
    }

    /// Whether two texts are the same, apart from case, punctuation and white space.
    pub fn is_same(&self, other: &Self) -> bool {
        self.text == other.text
    }

    /// Whether two texts are near-duplicates.
    pub fn is_near_duplicate(&self, other: &Self) -> bool {
        self.telling == other.telling && self.is_similar(other)
    }

    /// Whether two texts share nearly all their words; they may say the opposite of each other.
    pub fn is_similar(&self, other: &Self) -> bool {
        let longest = self.words.len().max(other.words.len());
        let shortest = self.words.len().min(other.words.len());
        // Comparing the sizes first is cheap.
        shortest as f64 > MIN_OVERLAP * longest as f64
            && self.shared(other) as f64 > MIN_OVERLAP * longest as f64
    }

    /// The overlap of two near-duplicates; 0 for other texts.
    pub fn similarity(&self, other: &Self) -> f64 {
        let longest = self.words.len().max(other.words.len());
        if self.is_near_duplicate(other) { self.shared(other) as f64 / longest as f64 } else { 0.0 }
    }

    fn shared(&self, other: &Self) -> usize {
        self.words.iter().filter(|word| other.words.binary_search(word).is_ok()).count()
    }

    /// The rarest words; near-duplicates share at least one of them (prefix filtering).
    fn rarest(&self, counts: &FxHashMap<u64, u32>) -> Vec<u64> {
        let mut rarest = self.words.clone();
        rarest.sort_by_key(|word| (counts.get(word).copied().unwrap_or(0), *word));
        let needed = self.words.len() - (MIN_OVERLAP * self.words.len() as f64).ceil() as usize + 1;
        rarest.truncate(needed);
        rarest
    }
}

fn hash(text: &str) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(text.as_bytes());
    hasher.finish()
}

/// Whether a word tells statements apart: a negation, a number, a name.
fn is_telling(word: &str, is_first: bool) -> bool {
    let is_name = word.chars().skip(1).any(char::is_uppercase)
        || word.contains(['_', '/', '.', ':', '('])
        || !is_first && word.chars().next().is_some_and(char::is_uppercase);
    is_name || word.chars().any(char::is_numeric) || TELLING_WORDS.contains(&&*word.to_lowercase())
}

/// Whether a word is the number of a pull request, `(#12)`, which a forge appends to a subject.
fn is_pull_request(word: &str) -> bool {
    let number =
        word.strip_prefix("(#").and_then(|rest| rest.trim_end_matches('.').strip_suffix(')'));
    number.is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()))
}

fn is_recorded(discovery: &Discovery) -> bool {
    matches!(discovery.origin(), Origin::Remembered | Origin::Transcript)
}

/// Merges near-duplicates in the order given: the first of each group stays.
///
/// Two texts that share more than 80 % of their words share one of the rarest 20 %, so only those that do are compared.
pub(crate) fn merge(discoveries: Vec<Discovery>) -> Vec<Discovery> {
    let sets: Vec<WordSet> = discoveries.iter().map(|one| WordSet::new(&one.content)).collect();
    let mut counts: FxHashMap<u64, u32> = FxHashMap::default();
    for word in sets.iter().flat_map(|set| &set.words) {
        *counts.entry(*word).or_default() += 1;
    }
    let mut by_word: FxHashMap<u64, Vec<usize>> = FxHashMap::default();
    let mut kept: Vec<(usize, Discovery)> = Vec::with_capacity(discoveries.len());
    for (index, discovery) in discoveries.into_iter().enumerate() {
        let rarest = sets[index].rarest(&counts);
        let mut candidates: Vec<usize> =
            rarest.iter().filter_map(|word| by_word.get(word)).flatten().copied().collect();
        candidates.sort_unstable();
        candidates.dedup();
        let near = candidates.into_iter().find(|position| {
            let (other, known) = &kept[*position];
            known.kind == discovery.kind
                && if is_recorded(known) && is_recorded(&discovery) {
                    sets[*other].is_same(&sets[index])
                } else {
                    sets[*other].is_near_duplicate(&sets[index])
                }
        });
        match near {
            Some(position) => merge_into(&mut kept[position].1, discovery),
            None => {
                for word in rarest {
                    by_word.entry(word).or_default().push(kept.len());
                }
                kept.push((index, discovery));
            }
        }
    }
    kept.into_iter().map(|(_, discovery)| discovery).collect()
}

/// Merges a duplicate: the earliest date, all evidence, and the content of the last edit.
pub(crate) fn merge_into(known: &mut Discovery, other: Discovery) {
    if known.id == other.id && other.edited >= known.edited {
        known.content.clone_from(&other.content);
        known.kind = other.kind;
        known.module.clone_from(&other.module);
        known.edited = other.edited;
        known.superseded.clone_from(&other.superseded);
    }
    known.date = known.date.min(other.date);
    known.confidence = known.confidence.max(other.confidence);
    known.module = known.module.take().or(other.module);
    known.session = known.session.take().or(other.session);
    for evidence in other.evidence {
        if !known.evidence.contains(&evidence) {
            known.evidence.push(evidence);
        }
    }
}

/// Removes near-duplicates of superseded discoveries, unless they are at least as similar to a current one.
pub(crate) fn without_superseded(
    discoveries: Vec<Discovery>,
    superseded: &[Discovery],
    current: &[Discovery],
) -> Vec<Discovery> {
    let sets = |all: &[Discovery]| -> Vec<(DiscoveryKind, WordSet)> {
        all.iter().map(|one| (one.kind, WordSet::new(&one.content))).collect()
    };
    let (superseded, current) = (sets(superseded), sets(current));
    let max_similarity = |all: &[(DiscoveryKind, WordSet)], kind, words: &WordSet| {
        let same = all.iter().filter(|(other, _)| *other == kind);
        same.map(|(_, set)| set.similarity(words)).fold(0.0, f64::max)
    };
    let is_current = |one: &Discovery| {
        let words = WordSet::new(&one.content);
        let old = max_similarity(&superseded, one.kind, &words);
        old == 0.0 || max_similarity(&current, one.kind, &words) >= old
    };
    discoveries.into_iter().filter(is_current).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use groma_core::Evidence;
    use std::time::{Duration, UNIX_EPOCH};

    fn discovery(day: u64, content: &str) -> Discovery {
        let (origin, place) = (Origin::Document, "a.md".to_string());
        let evidence = Evidence { origin, place, line: day as u32 };
        Discovery {
            id: format!("d{day}"),
            kind: DiscoveryKind::Rule,
            content: content.into(),
            module: None,
            session: None,
            date: UNIX_EPOCH + Duration::from_secs(day * 86_400),
            confidence: 1.0,
            evidence: vec![evidence],
            edited: None,
            superseded: None,
        }
    }

    #[test]
    fn near_duplicates_share_four_words_in_five() {
        let near = |a: &str, b: &str| WordSet::new(a).is_near_duplicate(&WordSet::new(b));
        assert!(near("red green blue white black brown", "Brown black white blue green red"));
        assert!(near("aa bb cc dd ee ff", "aa bb cc dd ee"));
        assert!(!near("aa bb cc dd ee", "aa bb cc dd xx"), "exactly four fifths is not more");
        assert!(!near("", ""));
    }

    #[test]
    fn opposites_numbers_and_names_are_no_duplicates() {
        let near = |a: &str, b: &str| WordSet::new(a).is_near_duplicate(&WordSet::new(b));
        for (a, b) in [
            ("We must use tabs in all files", "We must not use tabs in all files"),
            (
                "the server listens on port 8080 by default",
                "the server listens on port 9090 by default",
            ),
            (
                "merge only into the branch release-1 please",
                "merge only into the branch release-2 please",
            ),
            (
                "the pool is owned by AuthService in this module",
                "the pool is owned by UserService in this module",
            ),
            (
                "always call flush before the file is closed",
                "always call flush after the file is closed",
            ),
            (
                "tokens of a client live for thirty minutes",
                "tokens of a client live for fifteen minutes",
            ),
        ] {
            assert!(WordSet::new(a).is_similar(&WordSet::new(b)) || !near(a, b), "{a}");
            assert!(!near(a, b), "{a} / {b}");
        }
        assert!(WordSet::new("Use tabs, always.").is_same(&WordSet::new("use tabs always")));
    }

    #[test]
    fn recorded_notes_are_merged_only_if_they_are_the_same() {
        let recorded = |day, text| Discovery {
            evidence: vec![Evidence::remembered()],
            ..discovery(day, text)
        };
        let (a, b) = ("always close the handle after use", "always close the handle after the use");
        assert_eq!(merge(vec![recorded(1, a), recorded(2, b)]).len(), 2);
        assert_eq!(merge(vec![recorded(1, a), discovery(2, b)]).len(), 1);
        assert_eq!(
            merge(vec![recorded(1, a), recorded(2, "Always close the handle, after use.")]).len(),
            1
        );
    }

    #[test]
    fn merging_keeps_the_oldest_date_and_all_places() {
        let merged = merge(vec![
            discovery(3, "always close the database handle after use"),
            discovery(9, "never log a password"),
            discovery(1, "Always close the database handle after the use"),
        ]);
        assert_eq!(merged.len(), 2);
        assert_eq!(merged[0].id, "d3", "the first keeps its id and words");
        assert_eq!(merged[0].date, UNIX_EPOCH + Duration::from_secs(86_400));
        assert_eq!(merged[0].evidence.iter().map(|one| one.line).collect::<Vec<_>>(), [3, 1]);
    }

    #[test]
    fn discoveries_of_different_kinds_are_not_merged() {
        let mut issue = discovery(2, "never log a password");
        issue.kind = DiscoveryKind::Issue;
        assert_eq!(merge(vec![discovery(1, "never log a password"), issue]).len(), 2);
    }

    #[test]
    fn the_last_edit_wins() {
        let mut known = discovery(1, "tokens live for thirty minutes");
        let later = |day: u64, content: &str| Discovery {
            edited: Some(UNIX_EPOCH + Duration::from_secs(day * 86_400)),
            ..discovery(1, content)
        };
        merge_into(&mut known, later(5, "tokens live for an hour"));
        assert_eq!(known.content, "tokens live for an hour");
        merge_into(&mut known, later(4, "tokens live for a day"));
        merge_into(&mut known, discovery(1, "tokens live for thirty minutes"));
        assert_eq!(known.content, "tokens live for an hour");
    }

    #[test]
    fn duplicates_of_superseded_discoveries_are_removed() {
        let said = "the access tokens of a client live for thirty minutes";
        let now = "the access tokens of a client live for fifteen minutes";
        let (old, new) = (discovery(1, said), discovery(2, now));
        let derived =
            vec![discovery(3, said), discovery(4, now), discovery(5, "never log a token")];
        let left = without_superseded(derived, &[old], &[new]);
        assert_eq!(left.iter().map(|one| &*one.id).collect::<Vec<_>>(), ["d4", "d5"]);
    }

    proptest::proptest! {
        /// Comparing only texts that share a rare word finds the same duplicates as comparing all.
        #[test]
        fn prefix_filtering_loses_nothing(texts in proptest::collection::vec("([a-f]{2} ){1,8}", 1..20)) {
            let discoveries: Vec<_> = texts.iter().zip(1..).map(|(text, day)| discovery(day, text)).collect();
            let mut slow: Vec<Discovery> = Vec::new();
            for one in discoveries.clone() {
                let set = WordSet::new(&one.content);
                match slow.iter_mut().find(|known| WordSet::new(&known.content).is_near_duplicate(&set)) {
                    Some(known) => merge_into(known, one),
                    None => slow.push(one),
                }
            }
            proptest::prop_assert_eq!(merge(discoveries), slow);
        }
    }
}
