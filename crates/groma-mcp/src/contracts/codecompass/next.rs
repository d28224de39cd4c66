//! Suggested calls after a search; a pure function of the answer.

use groma_core::{RelPath, Word, words};
use groma_engine::{Hit, SearchAnswer};
use serde_json::{Value, json};

/// Limits of the suggested searches.
const NARROW: usize = 5;
const BROAD: usize = 20;

/// Suggested calls, at least one.
pub fn actions(answer: &SearchAnswer, reference: &str) -> Vec<Value> {
    let mut actions = match answer.hits.first() {
        Some(best) => after(best, answer, reference),
        None => without(answer, reference),
    };
    if actions.is_empty() {
        actions.push(json!({ "tool": "index_status", "ref": reference }));
    }
    actions
}

/// The definition of the best hit, and its neighbourhood.
fn after(best: &Hit, answer: &SearchAnswer, reference: &str) -> Vec<Value> {
    let symbols = answer.hits.iter().find_map(|hit| hit.symbol.as_ref());
    let mut actions = Vec::new();
    if let Some(symbol) = best.symbol.as_ref().or(symbols) {
        actions.push(json!({ "tool": "locate_symbol", "name": symbol.name, "ref": reference }));
    }
    let around = around(&best.path);
    if !around.is_empty() && around != answer.plan.query {
        actions.push(search(&around, reference, NARROW));
    }
    actions
}

/// After a search without results: its names, and its longest words.
fn without(answer: &SearchAnswer, reference: &str) -> Vec<Value> {
    let locate = |name: &String| json!({ "tool": "locate_symbol", "name": name, "ref": reference });
    let mut actions: Vec<Value> = answer.plan.names.iter().take(2).map(locate).collect();
    let broader = longest_words(&answer.plan.query);
    if !broader.is_empty() && broader != answer.plan.query {
        actions.push(search(&broader, reference, BROAD));
    }
    actions
}

/// The three longest words, in their order.
fn longest_words(text: &str) -> String {
    let is_other = |c: char| !(c.is_alphanumeric() || c == '_');
    let words: Vec<&str> = text.split(is_other).filter(|word| !word.is_empty()).collect();
    let mut order: Vec<usize> = (0..words.len()).collect();
    order.sort_by_key(|at| (std::cmp::Reverse(words[*at].chars().count()), *at));
    order.truncate(3);
    order.sort_unstable();
    order.into_iter().map(|at| words[at]).collect::<Vec<_>>().join(" ")
}

fn search(query: &str, reference: &str, limit: usize) -> Value {
    json!({ "tool": "search_code", "query": query, "ref": reference, "limit": limit })
}

/// The words of a file's name and of its folder: `src/middleware/rate_limit.rs` is "rate limit middleware".
fn around(path: &RelPath) -> String {
    let mut parts: Vec<String> = Vec::new();
    for name in [path.stem(), path.folders().last().unwrap_or("")] {
        words(name, |word| match word {
            Word::Part(part) if !parts.iter().any(|known| known == part) => {
                parts.push(part.to_string());
            }
            _ => {}
        });
    }
    parts.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_around_a_file_is_said_in_words() {
        let around = |path: &str| around(&RelPath::new(path).unwrap());
        assert_eq!(around("src/middleware/rate_limit.rs"), "rate limit middleware");
        assert_eq!(around("src/HttpServer.java"), "http server src");
        assert_eq!(around("auth/auth.go"), "auth");
        assert_eq!(around("Makefile"), "makefile");
    }

    #[test]
    fn the_longest_words_say_most() {
        assert_eq!(
            longest_words("who calls verifyToken in the gateway?"),
            "calls verifyToken gateway"
        );
        assert_eq!(longest_words("a b c d"), "a b c");
        assert_eq!(longest_words("?!"), "");
    }
}
