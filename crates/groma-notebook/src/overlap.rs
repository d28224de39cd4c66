//! Telling apart what is said twice: texts that share more than four words in five are one.

use groma_core::{Discovery, DiscoveryKind, Word, words};
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::Hasher;

/// The share of words two texts have in common when they say the same.
const SAME: f64 = 0.8;

/// The different words of a text, as ascending hashes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct WordSet(Vec<u64>);

impl WordSet {
    /// The words of a text.
    pub fn new(text: &str) -> Self {
        let mut hashes = Vec::new();
        words(text, |word| {
            if let Word::Part(part) = word {
                let mut hasher = FxHasher::default();
                hasher.write(part.as_bytes());
                hashes.push(hasher.finish());
            }
        });
        hashes.sort_unstable();
        hashes.dedup();
        Self(hashes)
    }

    /// Whether two texts say the same: more than four fifths of the longer one's words are in both.
    pub fn is_near(&self, other: &Self) -> bool {
        let longest = self.0.len().max(other.0.len());
        let shortest = self.0.len().min(other.0.len());
        // Who has too few words cannot share enough of them.
        shortest as f64 > SAME * longest as f64 && self.shared(other) as f64 > SAME * longest as f64
    }

    /// How near another text is that says the same; 0 for one that does not.
    pub fn nearness(&self, other: &Self) -> f64 {
        let longest = self.0.len().max(other.0.len());
        match self.is_near(other) {
            true => self.shared(other) as f64 / longest as f64,
            false => 0.0,
        }
    }

    fn shared(&self, other: &Self) -> usize {
        self.0.iter().filter(|word| other.0.binary_search(word).is_ok()).count()
    }

    /// As many of the rarest words as two near texts must share one of.
    fn rarest(&self, counts: &FxHashMap<u64, u32>) -> Vec<u64> {
        let mut rarest = self.0.clone();
        rarest.sort_by_key(|word| (counts.get(word).copied().unwrap_or(0), *word));
        let needed = self.0.len() - (SAME * self.0.len() as f64).ceil() as usize + 1;
        rarest.truncate(needed);
        rarest
    }
}

/// Merges what says the same, in the order given: the first of each stays and takes in the others.
///
/// Two texts that share more than four fifths of their words share one of the rarest fifth, so only those that do
/// are compared.
pub(crate) fn merge(discoveries: Vec<Discovery>) -> Vec<Discovery> {
    let sets: Vec<WordSet> = discoveries.iter().map(|one| WordSet::new(&one.content)).collect();
    let mut counts: FxHashMap<u64, u32> = FxHashMap::default();
    for word in sets.iter().flat_map(|set| &set.0) {
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
        let near = candidates.into_iter().find(|place| {
            let (other, known) = &kept[*place];
            known.kind == discovery.kind && sets[*other].is_near(&sets[index])
        });
        match near {
            Some(place) => absorb(&mut kept[place].1, discovery),
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

/// What is known twice is known since the first time, from all places. What somebody changed last counts.
pub(crate) fn absorb(known: &mut Discovery, other: Discovery) {
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

/// Takes out what says the same as something that no longer holds, unless it is nearer to something that does.
pub(crate) fn without_superseded(
    discoveries: Vec<Discovery>,
    superseded: &[Discovery],
    current: &[Discovery],
) -> Vec<Discovery> {
    let sets = |all: &[Discovery]| -> Vec<(DiscoveryKind, WordSet)> {
        all.iter().map(|one| (one.kind, WordSet::new(&one.content))).collect()
    };
    let (superseded, current) = (sets(superseded), sets(current));
    let nearest = |all: &[(DiscoveryKind, WordSet)], kind, words: &WordSet| {
        let same = all.iter().filter(|(other, _)| *other == kind);
        same.map(|(_, set)| set.nearness(words)).fold(0.0, f64::max)
    };
    let holds = |one: &Discovery| {
        let words = WordSet::new(&one.content);
        let old = nearest(&superseded, one.kind, &words);
        old == 0.0 || nearest(&current, one.kind, &words) >= old
    };
    discoveries.into_iter().filter(holds).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use groma_core::Evidence;
    use std::time::{Duration, UNIX_EPOCH};

    fn discovery(day: u64, content: &str) -> Discovery {
        let mut evidence = Evidence::remembered();
        evidence.line = day as u32;
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
    fn four_words_in_five_are_the_same() {
        let near = |a: &str, b: &str| WordSet::new(a).is_near(&WordSet::new(b));
        assert!(near("one two three four five six", "Six five four three two ONE"));
        assert!(near("aa bb cc dd ee ff", "aa bb cc dd ee"));
        assert!(!near("aa bb cc dd ee", "aa bb cc dd xx"), "exactly four fifths is not more");
        assert!(!near("", ""));
    }

    #[test]
    fn merging_keeps_the_oldest_date_and_all_places() {
        let merged = merge(vec![
            discovery(3, "always close the database handle after use"),
            discovery(9, "never log a password"),
            discovery(1, "Always close the database handle after the use"),
        ]);
        assert_eq!(merged.len(), 2);
        assert_eq!(merged[0].id, "d3", "the first keeps its name and words");
        assert_eq!(merged[0].date, UNIX_EPOCH + Duration::from_secs(86_400));
        assert_eq!(merged[0].evidence.iter().map(|one| one.line).collect::<Vec<_>>(), [3, 1]);
    }

    #[test]
    fn what_is_of_another_kind_is_another_thing() {
        let mut issue = discovery(2, "never log a password");
        issue.kind = DiscoveryKind::Issue;
        assert_eq!(merge(vec![discovery(1, "never log a password"), issue]).len(), 2);
    }

    #[test]
    fn the_last_change_counts() {
        let mut known = discovery(1, "tokens live for thirty minutes");
        let later = |day: u64, content: &str| Discovery {
            edited: Some(UNIX_EPOCH + Duration::from_secs(day * 86_400)),
            ..discovery(1, content)
        };
        absorb(&mut known, later(5, "tokens live for an hour"));
        assert_eq!(known.content, "tokens live for an hour");
        absorb(&mut known, later(4, "tokens live for a day"));
        absorb(&mut known, discovery(1, "tokens live for thirty minutes"));
        assert_eq!(known.content, "tokens live for an hour");
    }

    #[test]
    fn what_no_longer_holds_is_taken_out_wherever_it_is_said() {
        let said = "the access tokens of a client live for thirty minutes";
        let now = "the access tokens of a client live for fifteen minutes";
        let (old, new) = (discovery(1, said), discovery(2, now));
        let derived =
            vec![discovery(3, said), discovery(4, now), discovery(5, "never log a token")];
        let left = without_superseded(derived, &[old], &[new]);
        assert_eq!(left.iter().map(|one| &*one.id).collect::<Vec<_>>(), ["d4", "d5"]);
    }

    proptest::proptest! {
        /// Comparing only what shares a rare word finds what comparing everything finds.
        #[test]
        fn shortcuts_lose_nothing(texts in proptest::collection::vec("([a-f]{2} ){1,8}", 1..20)) {
            let discoveries: Vec<_> = texts.iter().zip(1..).map(|(text, day)| discovery(day, text)).collect();
            let mut slow: Vec<Discovery> = Vec::new();
            for one in discoveries.clone() {
                let set = WordSet::new(&one.content);
                match slow.iter_mut().find(|known| WordSet::new(&known.content).is_near(&set)) {
                    Some(known) => absorb(known, one),
                    None => slow.push(one),
                }
            }
            proptest::prop_assert_eq!(merge(discoveries), slow);
        }
    }
}
