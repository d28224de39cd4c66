//! Trigram queries of known patterns, and that no match is ever lost, on random ones.

use super::*;
use crate::grep::query::Query;
use crate::grep::request::{Case, GrepRequest};
use grep_matcher::Matcher;
use groma_core::TrigramSet;
use proptest::prelude::*;
use proptest::test_runner::TestCaseResult;
use std::sync::{LazyLock, Mutex};

fn request(pattern: &str, case: Case) -> GrepRequest {
    GrepRequest { case, ..GrepRequest::new(pattern) }
}

fn of(pattern: &str, case: Case) -> Vec<Vec<u32>> {
    Query::new(&request(pattern, case)).unwrap().trigrams
}

/// The alternatives as text, trigrams sorted.
fn shown(pattern: &str, case: Case) -> String {
    let trigram = |number: &u32| String::from_utf8_lossy(&number.to_be_bytes()[1..]).into_owned();
    let mut shown: Vec<String> = of(pattern, case)
        .iter()
        .map(|all| {
            let mut all: Vec<String> = all.iter().map(trigram).collect();
            all.sort();
            all.join(" ")
        })
        .collect();
    shown.sort();
    shown.join(" | ")
}

#[test]
fn known_patterns() {
    let sensitive = |pattern: &str| shown(pattern, Case::Sensitive);
    assert_eq!(sensitive("Lamp"), "amp lam");
    assert_eq!(sensitive("fn lamp.*door"), " la amp doo fn  lam n l oor");
    assert_eq!(sensitive(r"\bfoo\b\s+\(bar\)"), "(ba ar) bar foo");
    assert_eq!(sensitive("lamp|door"), "amp lam | doo oor");
    assert_eq!(sensitive("v[12]x"), "v1x | v2x");
    assert_eq!(sensitive("colou?r"), "col lor olo | col lou olo our");
    assert_eq!(sensitive("(ab){2}c"), "aba abc bab");
    assert_eq!(sensitive("(abc)+def"), "abc bcd cde def");
    assert_eq!(
        of("größe", Case::Sensitive),
        [[0xb6c39f, 0xc3b6c3, 0x72c3b6, 0xc39f65, 0x6772c3]],
        "trigrams with most non-ASCII bytes come first"
    );
}

#[test]
fn patterns_without_required_trigrams() {
    for pattern in [
        "ab",
        ".*",
        r"\w+\d",
        "a|lamp",
        "(lamp|do+r)s",
        "(lamp)?",
        "(lamp)*",
        "[a-z]{10}",
        "^$",
        r"(?-u:\xe9)tr",
    ] {
        assert_eq!(of(pattern, Case::Sensitive), Vec::<Vec<u32>>::new(), "{pattern}");
    }
}

#[test]
fn letters_with_odd_capitals_are_alternatives() {
    // The long s and the sign for Kelvin are capitals of s and k for a matcher that ignores case.
    assert_eq!(of("task", Case::Insensitive).len(), 4);
    assert_eq!(of("LAMP", Case::Insensitive).len(), 1);
    assert_eq!(of("LAMP", Case::Insensitive), of("lamp", Case::Sensitive));
}

#[test]
fn hostile_patterns_are_cheap() {
    let nested =
        |open: &str, close: &str, times: usize| open.repeat(times) + "ab" + &close.repeat(times);
    for pattern in [
        nested("(", "+x)+", 120),
        nested("(x|", ")", 200),
        nested("(?:k", "s)?", 150),
        "(?i)".to_string() + &"ks".repeat(400),
        "lamp|".repeat(150) + "door",
        "(a|b|c|d)".repeat(100),
        "([ab]{9}){9}".to_string(),
        "x".repeat(1000),
    ] {
        let Ok(query) = Query::new(&request(&pattern, Case::Sensitive)).map(|query| query.trigrams)
        else {
            continue;
        };
        assert!(query.len() <= MAX_ALTERNATIVES, "{pattern}");
        assert!(query.iter().all(|all| all.len() <= MAX_TRIGRAMS), "{pattern}");
    }
}

/// Whether the index would return a file with this text.
fn is_candidate(alternatives: &[Vec<u32>], text: &str) -> bool {
    static SET: LazyLock<Mutex<TrigramSet>> = LazyLock::new(|| Mutex::new(TrigramSet::new()));
    let held = SET.lock().unwrap().of(text.as_bytes());
    alternatives.is_empty()
        || alternatives.iter().any(|all| all.iter().all(|trigram| held.contains(trigram)))
}

/// Letters with unusual case mappings, multi-byte letters, and separators.
fn letter() -> impl Strategy<Value = char> {
    prop::sample::select("abkKsSſKéÉßẞ_- 9\u{1f600}".chars().collect::<Vec<_>>())
}

fn pattern() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        4 => prop::collection::vec(letter(), 1..6).prop_map(|text| regex_syntax::escape(&text.iter().collect::<String>())),
        1 => prop::collection::vec(letter(), 1..4).prop_map(|text| {
            format!("[{}]", text.iter().map(|c| regex_syntax::escape(&c.to_string())).collect::<String>())
        }),
        1 => prop::sample::select(vec![
            ".", r"\w", r"\W", r"\b", "^", "$", "[^a]", "(?s:.)", "(?i:ks)", "(?-u:\\xc3)", "(?-u:a\\xa9b)",
            r"\s", r"\pL", "(?-u:[\\x80-\\xff])", "(?-u:.)",
        ]).prop_map(str::to_string),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            3 => prop::collection::vec(inner.clone(), 1..4).prop_map(|parts| parts.concat()),
            1 => prop::collection::vec(inner.clone(), 2..4).prop_map(|parts| format!("(?:{})", parts.join("|"))),
            2 => (inner, prop::sample::select(vec!["?", "*", "+", "{2}", "{1,3}", "{0,2}", "+?"]))
                .prop_map(|(part, times)| format!("({part}){times}")),
        ]
    })
}

/// Lines of the same letters, some of them not UTF-8.
fn text() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        12 => letter().prop_map(|letter| letter.to_string().into_bytes()),
        1 => Just(b"\n".to_vec()),
        1 => prop::sample::select(vec![vec![0xc3], vec![0xa9], vec![0xe2, 0x84], vec![0xff]]),
    ];
    prop::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
}

fn loses_nothing(pattern: &str, case: Case, text: &[u8]) -> TestCaseResult {
    let request = request(pattern, case);
    let Ok(query) = Query::new(&request) else { return Ok(()) };
    let matches = |line: &[u8]| query.matcher.is_match(line).unwrap();
    if text.split(|byte| *byte == b'\n').any(matches) {
        let indexed = String::from_utf8_lossy(text);
        prop_assert!(is_candidate(&query.trigrams, &indexed), "{pattern:?} in {indexed:?}");
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn no_match_is_lost(pattern in pattern(), text in text(), case in 0..3) {
        let case = [Case::Sensitive, Case::Insensitive, Case::Smart][case as usize];
        loses_nothing(&pattern, case, &text)?;
    }

    /// Texts that contain the pattern match far more often than random ones.
    #[test]
    fn no_match_of_a_piece_is_lost(text in text(), start in 0..60usize, length in 1..12usize, case in 0..3) {
        let case = [Case::Sensitive, Case::Insensitive, Case::Smart][case as usize];
        let lossy = String::from_utf8_lossy(&text).into_owned();
        let piece: String = lossy.chars().skip(start).take(length).filter(|c| *c != '\n').collect();
        for pattern in [regex_syntax::escape(&piece), piece.split('a').map(regex_syntax::escape).collect::<Vec<_>>().join(".")] {
            loses_nothing(&pattern, case, &text)?;
            loses_nothing(&pattern.to_uppercase().replace("\\X", "\\x"), Case::Insensitive, &text)?;
        }
    }
}
