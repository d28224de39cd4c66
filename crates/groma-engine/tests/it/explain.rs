//! How an answer came about.

use groma_engine::{Intent, SearchAnswer, SearchMode, SearchRequest};
use groma_testkit::Sandbox;

const PROJECT: &str = "\
//- src/pool.rs
/// A pool of connections.
pub struct Pool { size: usize }
//- src/limit.rs
/// Limits the rate of requests in the pool.
pub fn rate_limit(requests: u32) -> bool { requests > 100 }

/// Says which requests were limited, and by which rate.
pub fn explain_limit(requests: &[u32], rate: u32) -> Vec<u32> {
    let mut limited = Vec::new();
    for request in requests {
        if request > rate {
            limited.push(request);
        }
    }
    limited
}
//- docs/guide.md
# Pool

The rate of requests is limited.
//- tests/pool_test.rs
fn rate_limit_test() { rate_limit(3) }
";

fn explained(mode: SearchMode, query: &str) -> SearchAnswer {
    let sandbox = Sandbox::in_memory(PROJECT);
    sandbox.ask(&SearchRequest { mode, explain: true, ..SearchRequest::new(query) })
}

#[test]
fn the_stages_of_each_mode_are_there() {
    let cases: [(SearchMode, &[&str]); 3] = [
        (SearchMode::Hybrid, &["keyword", "vector", "symbol", "fusion", "rerank", "present"]),
        (SearchMode::Vector, &["vector", "fusion", "rerank", "present"]),
        (SearchMode::Keyword, &["keyword", "symbol", "fusion", "rerank", "present"]),
    ];
    for (mode, expected) in cases {
        let answer = explained(mode, "rate_limit");
        let names: Vec<&str> = answer.stages.iter().map(|stage| stage.name).collect();
        // A retriever that takes no part may be listed, with nothing found.
        let idle = |name: &&str| {
            !expected.contains(name)
                && answer.stages.iter().any(|s| s.name == *name && s.count == 0)
        };
        let busy: Vec<&str> = names.iter().copied().filter(|name| !idle(name)).collect();
        assert_eq!(busy, expected, "{mode:?}");
        let count =
            |name: &str| answer.stages.iter().find(|stage| stage.name == name).unwrap().count;
        assert_eq!(count("fusion"), answer.candidates, "{mode:?}");
        assert_eq!(count("present"), answer.hits.len(), "{mode:?}");
    }
}

#[test]
fn a_stage_names_its_best_places() {
    let answer = explained(SearchMode::Hybrid, "rate_limit");
    let best = |name: &str| &answer.stages.iter().find(|stage| stage.name == name).unwrap().best;
    assert!(
        best("symbol").iter().all(|(place, _)| place == "src/limit.rs:1-2"),
        "{:?}",
        best("symbol")
    );
    let hit = &answer.hits[0];
    let place = format!("{}:{}-{}", hit.path, hit.lines.start, hit.lines.end);
    assert_eq!(best("rerank")[0].0, place);
    for stage in &answer.stages {
        assert!(stage.best.is_sorted_by(|a, b| a.1 >= b.1) || stage.name == "fusion", "{stage:?}");
        assert!(stage.best.len() <= stage.count, "{stage:?}");
    }
}

#[test]
fn the_signals_multiply_up_to_the_score() {
    let answer = explained(SearchMode::Hybrid, "where is the rate of requests limited");
    let product =
        |place: usize| answer.hits[place].signals.iter().map(|(_, factor)| factor).product::<f32>();
    let paths: Vec<&str> = answer.hits.iter().map(|hit| hit.path.as_str()).collect();
    assert!(paths.iter().filter(|path| **path == "src/limit.rs").count() > 1, "{paths:?}");
    let scale = answer.hits[0].score / product(0);
    for (place, hit) in answer.hits.iter().enumerate() {
        let expected = (product(place) * scale).min(1.0);
        assert!(
            (hit.score - expected).abs() < 1e-5,
            "{}: {} is not {expected}",
            hit.path,
            hit.score
        );
    }
    assert!(answer.hits.is_sorted_by(|a, b| a.score >= b.score));
}

#[test]
fn the_plan_says_how_the_question_was_understood() {
    let cases = [
        ("rate_limit", Intent::Symbol),
        ("src/pool.rs", Intent::Path),
        ("error: pool exhausted", Intent::Error),
        ("how are requests limited", Intent::NaturalLanguage),
    ];
    for (query, intent) in cases {
        let plan = explained(SearchMode::Hybrid, query).plan;
        assert_eq!((plan.query.as_str(), plan.intent), (query, intent));
        assert!(!plan.terms.is_empty() && (0.0..=1.0).contains(&plan.confidence), "{plan:?}");
    }
}

#[test]
fn who_does_not_ask_gets_no_explanation_and_the_same_hits() {
    let sandbox = Sandbox::in_memory(PROJECT);
    let plain = sandbox.search("rate_limit");
    let explained =
        sandbox.ask(&SearchRequest { explain: true, ..SearchRequest::new("rate_limit") });
    assert!(plain.hits.iter().all(|hit| hit.signals.is_empty()));
    assert!(plain.stages.iter().all(|stage| stage.best.is_empty()));
    assert_eq!(crate::show::exact(&plain), crate::show::exact(&explained));
}
