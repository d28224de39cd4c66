//! How an answer came about.

use groma_engine::{Boost, FoundBy, QueryKind, SearchAnswer, SearchMode, SearchRequest};
use groma_testkit::{Sandbox, Setup};
use std::collections::BTreeSet;
use std::time::Duration;

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
        (
            SearchMode::Hybrid,
            &["literal", "keyword", "vector", "symbol", "fusion", "rerank", "present"],
        ),
        (SearchMode::Vector, &["vector", "fusion", "rerank", "present"]),
        (SearchMode::Keyword, &["literal", "keyword", "symbol", "fusion", "rerank", "present"]),
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
    let mut seen = BTreeSet::new();
    for query in ["where is the rate of requests limited", "rate_limit", "tests of the rate limit"]
    {
        for mode in SearchMode::ALL {
            let answer = explained(mode, query);
            for hit in &answer.hits {
                let product: f32 = hit.signals.iter().map(|(_, factor)| factor).product();
                assert!((hit.score - product).abs() < 1e-5, "{}: {product}", hit.score);
                seen.extend(hit.signals.iter().filter(|one| one.1 != 1.0).map(|one| one.0));
            }
            assert!(answer.hits.is_sorted_by(|a, b| a.score >= b.score));
        }
    }
    let expected = [
        "after_literal",
        "coherence",
        "coverage",
        "exact_name",
        "file_name",
        "kind",
        "name_overlap",
        "place",
        "relevance",
        "saturation",
        "scale",
        "wanted",
    ];
    assert_eq!(seen.into_iter().collect::<Vec<_>>(), expected, "each signal acts somewhere");
}

#[test]
fn the_plan_says_how_the_question_was_understood() {
    let cases = [
        ("rate_limit", QueryKind::Name),
        ("src/pool.rs", QueryKind::Path),
        ("error: pool exhausted", QueryKind::Literal),
        ("how are requests limited", QueryKind::Prose),
    ];
    for (query, kind) in cases {
        let plan = explained(SearchMode::Hybrid, query).plan;
        assert_eq!((plan.query.as_str(), plan.kind), (query, kind));
        assert!(!plan.terms.is_empty() && (0.0..=1.0).contains(&plan.confidence), "{plan:?}");
    }
}

#[test]
fn the_figures_fit_the_stages() {
    for mode in SearchMode::ALL {
        let answer = explained(mode, "rate_limit");
        let analysis = answer.analysis.as_ref().unwrap();
        let stage = |name: &str| answer.stages.iter().find(|stage| stage.name == name);
        let count = |name: &str| stage(name).map_or(0, |stage| stage.count);
        let FoundBy { vector, keyword, both } = analysis.found;
        assert_eq!(analysis.mode, mode);
        assert_eq!(vector + keyword + both, answer.candidates, "{mode:?}");
        assert_eq!(vector + both, count("vector"), "{mode:?}");
        assert!(keyword + both >= count("keyword"), "names count as keywords");
        assert_eq!(analysis.ranked, count("rerank"), "{mode:?}");
        assert_eq!(answer.matching, analysis.ranked, "no least score was asked for");
        assert_eq!(analysis.similarities.is_some(), mode != SearchMode::Keyword);
        assert_eq!(analysis.keyword_score.is_some(), mode != SearchMode::Vector);
        let best = |name: &str| stage(name).map(|stage| stage.best[0].1);
        assert_eq!(analysis.similarities.map(|(most, _)| most), best("vector"));
        assert_eq!(analysis.keyword_score, best("keyword"));
        assert!(analysis.similarities.is_none_or(|(most, least)| most >= least));
        let staged: Duration = answer.stages.iter().map(|stage| stage.duration).sum();
        // Keywords and vectors are looked up side by side.
        let alone = staged - stage("vector").map_or(Duration::ZERO, |stage| stage.duration);
        assert!(analysis.total_time >= alone, "{analysis:?}");
    }
}

#[test]
fn definitions_of_a_name_gain() {
    let answer = explained(SearchMode::Hybrid, "where is explain_limit");
    let analysis = answer.analysis.unwrap();
    assert_eq!(analysis.boost.count, 1);
    assert!(analysis.boost.factor > 1.0, "{analysis:?}");
    let gained = answer.hits[0].signals.iter().find(|(name, _)| *name == "exact_name").unwrap();
    assert_eq!(gained.1, analysis.boost.factor);
    let none = explained(SearchMode::Hybrid, "requests of the pool").analysis.unwrap().boost;
    assert_eq!(none, Boost::default());
}

#[test]
fn a_name_in_the_question_is_seen_as_a_boost() {
    let sandbox = Sandbox::in_memory(
        "//- pages.rs\n/// Keeps the header and footer of a page.\n\
         fn keep_page(header: &str, footer: &str) {\n    keep(header);\n    keep(footer);\n}\n\
         //- all.rs\nfn draw_all() {\n    one();\n    two();\n    three();\n}\n",
    );
    let ask =
        |query: &str| sandbox.ask(&SearchRequest { explain: true, ..SearchRequest::new(query) });
    let paths = |answer: &SearchAnswer| {
        answer.hits.iter().map(|hit| hit.path.to_string()).collect::<Vec<_>>()
    };
    let (named, plain) = (
        ask("keep the header and footer of a page, not draw_all"),
        ask("keep the header and footer of a page"),
    );
    assert_eq!(paths(&named), ["all.rs", "pages.rs"]);
    assert_eq!(paths(&plain), ["pages.rs", "all.rs"]);
    let boost = |answer: SearchAnswer| answer.analysis.unwrap().boost;
    let (named, plain) = (boost(named), boost(plain));
    assert!(named.count == 1 && named.factor > 1.0, "{named:?}");
    assert_eq!((plain.count, plain.moved), (0, 0));
}

#[test]
fn the_least_score_shows_in_the_figures() {
    let sandbox = Sandbox::in_memory(PROJECT);
    let request =
        SearchRequest { explain: true, min_score: 0.6, ..SearchRequest::new("rate_limit") };
    let answer = sandbox.ask(&request);
    let analysis = answer.analysis.unwrap();
    assert_eq!(answer.matching, answer.hits.len());
    assert!(answer.matching < analysis.ranked, "{analysis:?}");
}

#[test]
fn without_vectors_the_figures_say_so() {
    let sandbox = Sandbox::with(Setup { embedder: None, ..Setup::in_memory() }, PROJECT);
    let request = SearchRequest {
        mode: SearchMode::Vector,
        explain: true,
        ..SearchRequest::new("rate_limit")
    };
    assert_eq!(sandbox.ask(&request).analysis.unwrap().mode, SearchMode::Keyword);
}

#[test]
fn without_explain_there_is_no_explanation_and_the_same_hits() {
    let sandbox = Sandbox::in_memory(PROJECT);
    let plain = sandbox.search("rate_limit");
    let explained =
        sandbox.ask(&SearchRequest { explain: true, ..SearchRequest::new("rate_limit") });
    assert!(plain.hits.iter().all(|hit| hit.signals.is_empty()));
    assert!(plain.stages.iter().all(|stage| stage.best.is_empty()));
    assert!(plain.analysis.is_none());
    assert_eq!(crate::show::exact(&plain), crate::show::exact(&explained));
}
