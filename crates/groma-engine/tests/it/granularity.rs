//! The right size of an answer: a function, the places of a topic in reading order, or what a module holds.

use crate::ranking::{QUESTIONS, corpus};
use groma_core::ChunkKind;
use groma_engine::{Hit, MORE_RESULTS, QueryKind, SearchAnswer, SearchRequest};
use groma_testkit::Sandbox;

fn names(hits: &[Hit]) -> Vec<&str> {
    hits.iter().map(|hit| hit.symbol.as_ref().map_or("", |symbol| symbol.name.as_str())).collect()
}

#[test]
fn a_query_for_a_function_returns_it_and_no_overview() {
    let sandbox = corpus();
    for (query, name) in [
        ("which function hashes a password", "hash_password"),
        ("which function evicts the oldest entry", "evictOldest"),
        ("which method saves an order", "Save"),
        ("function that computes the backoff", "backoff"),
    ] {
        let hits = sandbox.search(query).hits;
        let best = hits[0].symbol.as_ref().expect("a definition");
        assert_eq!(best.name, name, "{query}: {:?}", names(&hits));
        assert!(best.kind.is_callable(), "{query}: {}", best.kind);
        assert!(hits.iter().all(|hit| hit.kind != ChunkKind::Overview), "{query}");
    }
}

#[test]
fn a_query_for_the_contents_of_a_module_returns_its_overview() {
    let sandbox = corpus();
    for (query, path, holds) in [
        ("what is in the mailer module", "app/mailer.py", "send_reset_link"),
        ("what does the session file contain?", "web/session.ts", "revokeAll"),
        ("overview of limiter/retry.rs", "limiter/retry.rs", "with_retries"),
    ] {
        let hits = sandbox.search(query).hits;
        assert_eq!((hits[0].path.as_str(), hits[0].kind), (path, ChunkKind::Overview), "{query}");
        assert!(hits[0].content.contains(holds), "{query}: {}", hits[0].content);
    }
}

/// The hits in the order they are read, as paths and first lines.
fn read(answer: &SearchAnswer) -> Vec<(String, u32)> {
    answer.in_reading_order().iter().map(|hit| (hit.path.to_string(), hit.lines.start)).collect()
}

#[test]
fn places_of_a_topic_are_read_in_order() {
    let sandbox = corpus();
    let ranked = |answer: &SearchAnswer| -> Vec<(String, u32)> {
        answer.hits.iter().map(|hit| (hit.path.to_string(), hit.lines.start)).collect()
    };
    let mut moved = 0;
    for query in ["how does the session store work", "how are orders placed", "how is mail sent"] {
        let answer = sandbox.search(query);
        let (shown, ranked) = (read(&answer), ranked(&answer));
        for pair in shown.windows(2).filter(|pair| pair[0].0 == pair[1].0) {
            assert!(pair[0].1 < pair[1].1, "{query}: {shown:?}");
        }
        let files = |places: &[(String, u32)]| -> Vec<String> {
            places.iter().map(|(path, _)| path.clone()).collect()
        };
        assert_eq!(files(&shown), files(&ranked), "{query}: no file moves");
        moved += usize::from(shown != ranked);
    }
    assert!(moved > 0, "nothing was out of order");
    let action = sandbox.search("send an email");
    assert_eq!(read(&action), ranked(&action), "an action is answered best first");
}

/// The lines of hits and further places, by file.
fn lines(answer: &SearchAnswer) -> Vec<(String, u32, u32)> {
    let hits = answer.hits.iter().map(|hit| (hit.path.to_string(), hit.lines));
    let further = answer
        .more_results
        .iter()
        .flat_map(|file| file.results.iter().map(|place| (file.path.to_string(), place.lines)));
    let mut all: Vec<_> =
        hits.chain(further).map(|(path, lines)| (path, lines.start, lines.end)).collect();
    all.sort();
    all
}

#[test]
fn no_line_is_shown_twice() {
    let sandbox = corpus();
    for (query, ..) in QUESTIONS {
        let request =
            SearchRequest { limit: 5, more_results: MORE_RESULTS, ..SearchRequest::new(*query) };
        let answer = sandbox.ask(&request);
        if answer.plan.requested.contents || answer.plan.kind == QueryKind::Path {
            continue;
        }
        for pair in lines(&answer).windows(2) {
            assert!(pair[0].0 != pair[1].0 || pair[0].2 < pair[1].1, "{query}: {pair:?}");
        }
    }
}

#[test]
fn further_places_follow_the_hits() {
    let sandbox = corpus();
    let ask = |limit, more_results| {
        sandbox.ask(&SearchRequest { limit, more_results, ..SearchRequest::new("order") })
    };
    let (whole, short) = (ask(30, 0), ask(2, MORE_RESULTS));
    assert!(whole.more_results.is_empty(), "none are listed unless requested");
    assert_eq!(short.hits[..], whole.hits[..2]);
    let further: Vec<_> = short.more_results.iter().flat_map(|file| &file.results).collect();
    assert!(further.len() > 5 && further.iter().all(|place| place.score <= short.hits[1].score));
    assert!(
        short.more_results.iter().all(|file| file.results.len() <= 4),
        "{:?}",
        short.more_results
    );
    assert!(ask(2, 3).more_results.iter().map(|file| file.results.len()).sum::<usize>() == 3);
}

#[test]
fn further_places_keep_to_the_least_score() {
    let sandbox =
        Sandbox::in_memory("//- a.rs\nfn pool_one() {}\n//- b.rs\nfn other() { pool() }\n");
    let ask = |min_score| {
        let new = SearchRequest::new("pool one");
        sandbox.ask(&SearchRequest { limit: 1, more_results: MORE_RESULTS, min_score, ..new })
    };
    assert_eq!(ask(0.0).more_results.len(), 1);
    assert!(ask(0.99).more_results.is_empty());
}
