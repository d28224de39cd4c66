//! Names that are nearly the one asked for, for an answer that would otherwise be empty.

use crate::engine::Engine;
use crate::error::EngineError;
use std::collections::BTreeSet;

/// Files looked at; in a larger project a guess is not worth the wait.
const MOST_FILES: usize = 5000;

/// Longest name that is compared.
const LONGEST: usize = 64;

impl Engine {
    /// Names defined in the project that are spelled much like `name`, nearest first.
    pub fn similar_names(&self, name: &str, limit: usize) -> Result<Vec<String>, EngineError> {
        let Some(snapshot) = self.newest()? else { return Ok(Vec::new()) };
        let wanted = plain(name);
        if wanted.len() < 3 || wanted.len() > LONGEST {
            return Ok(Vec::new());
        }
        let mut near: BTreeSet<(usize, String)> = BTreeSet::new();
        for path in snapshot.manifest().files.keys().take(MOST_FILES) {
            let Some(facts) = snapshot.facts(path)? else { continue };
            for symbol in &facts.symbols {
                if let Some(distance) = distance(&wanted, &plain(&symbol.name)) {
                    near.insert((distance, symbol.name.clone()));
                }
            }
        }
        Ok(near.into_iter().take(limit).map(|(_, name)| name).collect())
    }
}

/// A name without case and separators, as names are compared everywhere.
fn plain(name: &str) -> Vec<char> {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// How many letters must change to make one of the other; `None` when that is more than a third of them.
fn distance(a: &[char], b: &[char]) -> Option<usize> {
    let most = a.len().max(b.len()) / 3;
    if a.len().abs_diff(b.len()) > most || b.len() > LONGEST {
        return None;
    }
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, y) in b.iter().enumerate() {
            let changed = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = changed.min(row[j] + 1).min(diagonal + 1);
        }
    }
    Some(row[b.len()]).filter(|distance| *distance <= most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_is_a_third_of_the_letters_at_most() {
        let between = |a: &str, b: &str| distance(&plain(a), &plain(b));
        assert_eq!(between("verify_token", "verifyToken"), Some(0));
        assert_eq!(between("verfy_token", "verify_token"), Some(1));
        assert_eq!(between("rate", "gate"), Some(1));
        assert_eq!(between("rate", "limit"), None);
        assert_eq!(between("open", "open_connection_pool"), None);
    }
}
