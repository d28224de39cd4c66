//! Names compared the way people remember them: without case and separators, and with typing errors.
//!
//! Every store finds names by these rules, so that what one finds all find.

use crate::{Word, words};

/// Maximum length of a name that others are compared with, in letters; longer ones are encoded data.
const MAX_LETTERS: usize = 80;

/// Minimum length of a word that is searched for inside other names, in bytes.
const MIN_WORD: usize = 4;

/// A name without case and separators; one of separators only (an operator) stays as it is.
pub fn folded(name: &str) -> String {
    let letters: String =
        name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
    if letters.is_empty() { name.to_string() } else { letters }
}

/// The edit distance with transpositions (Damerau-Levenshtein) of two names; `None` if it is more than `max`.
pub fn edits(a: &[char], b: &[char], max: usize) -> Option<usize> {
    if a.len().abs_diff(b.len()) > max {
        return None;
    }
    let mut before: Vec<usize> = Vec::new();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut next = vec![i + 1; b.len() + 1];
        for (j, y) in b.iter().enumerate() {
            let changed = row[j] + usize::from(x != y);
            next[j + 1] = changed.min(row[j + 1] + 1).min(next[j] + 1);
            if i > 0 && j > 0 && *x == b[j - 1] && a[i - 1] == *y {
                next[j + 1] = next[j + 1].min(before[j - 1] + 1);
            }
        }
        if next.iter().min().is_some_and(|least| *least > max) {
            return None;
        }
        before = std::mem::replace(&mut row, next);
    }
    Some(row[b.len()]).filter(|count| *count <= max)
}

/// How near a name is to the one asked for; nearer is less.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Nearness {
    /// The edit distance; 0 for the same name.
    Edits(u32),
    /// The name asked for is a prefix of it, followed by this many letters.
    Begins(u32),
    /// It contains the words asked for in their order, and this many letters more.
    Holds(u32),
}

/// A name asked for, with which others are compared.
#[derive(Clone, Debug)]
pub struct NameLike {
    folded: String,
    letters: Vec<char>,
    words: Vec<String>,
    max_edits: usize,
}

impl NameLike {
    /// Names like `name`: up to 3 letters without an edit, up to 7 with one, longer ones with two.
    pub fn new(name: &str) -> Self {
        let folded = folded(name);
        let letters: Vec<char> = folded.chars().take(MAX_LETTERS + 1).collect();
        let max_edits = match letters.len() {
            0..=3 => 0,
            4..=7 => 1,
            _ => 2,
        };
        let mut split = Vec::new();
        words(name, |word| {
            if let Word::Part(part) = word {
                split.push(part.to_string());
            }
        });
        Self { folded, letters, words: split, max_edits }
    }

    /// How near another name is, given without case and separators; `None` when it is not like this one at all.
    pub fn nearness(&self, other: &str) -> Option<Nearness> {
        if self.letters.len() > MAX_LETTERS {
            return None;
        }
        if other == self.folded {
            return Some(Nearness::Edits(0));
        }
        let letters = self.letters.len();
        // A letter takes four bytes at most, so this never rejects a name that is near enough.
        if self.max_edits > 0 && other.len() <= 4 * (letters + self.max_edits) {
            let others: Vec<char> = other.chars().collect();
            if let Some(count) = edits(&self.letters, &others, self.max_edits) {
                return Some(Nearness::Edits(count as u32));
            }
        }
        let more = other.chars().count().saturating_sub(letters) as u32;
        if letters >= 3 && other.starts_with(&self.folded) {
            return Some(Nearness::Begins(more));
        }
        self.may_hold(other).then_some(Nearness::Holds(more))
    }

    /// Whether a folded name contains the words in their order. A folded name has no word boundaries.
    fn may_hold(&self, other: &str) -> bool {
        let mut rest = other;
        self.words.iter().any(|word| word.len() >= MIN_WORD)
            && self.words.iter().all(|word| match rest.find(word.as_str()) {
                Some(at) => {
                    rest = &rest[at + word.len()..];
                    true
                }
                None => false,
            })
    }

    /// Whether a name as written has the words asked for among its own, in their order.
    pub fn holds_words(&self, written: &str) -> bool {
        let mut wanted = self.words.iter().peekable();
        words(written, |word| {
            if let Word::Part(part) = word {
                wanted.next_if(|next| *next == part);
            }
        });
        wanted.peek().is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_fold() {
        assert_eq!(folded("get_user-ById"), "getuserbyid");
        assert_eq!(folded("Größe"), "größe");
        assert_ne!(folded("+"), folded("-"));
    }

    #[test]
    fn edits_are_counted() {
        let count = |a: &str, b: &str, max| {
            let letters = |text: &str| text.chars().collect::<Vec<_>>();
            edits(&letters(a), &letters(b), max)
        };
        assert_eq!(count("token", "token", 0), Some(0));
        assert_eq!(count("tokn", "token", 2), Some(1));
        assert_eq!(count("toekn", "token", 2), Some(1), "two letters swapped");
        assert_eq!(count("rate", "limit", 2), None);
        assert_eq!(count("", "ab", 2), Some(2));
        assert_eq!(count("größe", "grösse", 2), Some(2));
    }

    #[test]
    fn near_names_are_distinguished_from_others() {
        let near = |asked: &str, other: &str| NameLike::new(asked).nearness(other);
        assert_eq!(near("verifyToken", "verifytoken"), Some(Nearness::Edits(0)));
        assert_eq!(near("verfy_tokn", "verifytoken"), Some(Nearness::Edits(2)));
        assert_eq!(near("gate", "rate"), Some(Nearness::Edits(1)));
        assert_eq!(near("gat", "rat"), None, "three letters are too few for an edit");
        assert_eq!(near("verify", "verifytoken"), Some(Nearness::Begins(5)));
        assert_eq!(near("parse_config", "parseserverconfig"), Some(Nearness::Holds(6)));
        assert_eq!(near("config_parse", "parseserverconfig"), None);
        assert_eq!(near(&"x".repeat(500), "x"), None);
    }

    #[test]
    fn nearer_is_less() {
        let mut order =
            [Nearness::Holds(0), Nearness::Begins(9), Nearness::Edits(2), Nearness::Edits(0)];
        order.sort();
        assert_eq!(order[0], Nearness::Edits(0));
        assert_eq!(order[3], Nearness::Holds(0));
    }

    #[test]
    fn words_are_those_of_the_written_name() {
        let asked = NameLike::new("rate_limit");
        assert!(asked.holds_words("newRateAndLimit"));
        assert!(!asked.holds_words("generate_limits"));
        assert!(!asked.holds_words("limit_rate"));
    }
}
