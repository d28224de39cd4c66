//! Search results as text, with the exact bits of every score.

use groma_engine::{Context, Engine, SearchAnswer, SearchMode, SearchRequest};
use groma_testkit::Sandbox;
use groma_testkit::answers::filters;
use std::fmt::Write;

/// Queries of every kind.
pub const QUERIES: &[&str] = &[
    "pool of connections",
    "get_user",
    "where is the config parsed",
    "src/pool.rs",
    "loop over users",
];

/// Everything an answer says but its times.
pub fn exact(answer: &SearchAnswer) -> String {
    let mut out = format!("{} candidates\n", answer.candidates);
    for hit in &answer.hits {
        let scores = [Some(hit.score), hit.keyword_score, hit.vector_score];
        let scores = scores.map(|score| score.map(f32::to_bits));
        let name = hit.symbol.as_ref().map(|symbol| &symbol.qualified);
        let _ = writeln!(
            out,
            "{}:{}-{} {scores:08x?} {} {name:?} {:?} {:?} {:?} {:?}",
            hit.path,
            hit.lines.start,
            hit.lines.end,
            hit.kind,
            hit.tags,
            hit.context_before,
            hit.content,
            hit.context_after
        );
    }
    out
}

/// What the newest generation answers to many questions, in every mode and under every filter.
pub fn everything(engine: &Engine) -> String {
    let mut out = String::new();
    for mode in SearchMode::ALL {
        for (place, query) in QUERIES.iter().enumerate() {
            let filters = filters();
            let filters = if place == 0 { &filters[..] } else { &filters[..1] };
            for (name, filter) in filters {
                let context = Context::Lines { before: 1, after: 1 };
                let request = SearchRequest {
                    mode,
                    filter: filter.clone(),
                    context,
                    ..SearchRequest::new(*query)
                };
                let answer = engine.search_indexed(&request).unwrap();
                let _ = writeln!(out, "{query} {} {name}: {}", mode.as_str(), exact(&answer));
            }
        }
    }
    out
}

/// Fails unless every line of the answer is in its file now, at the line that the answer gives.
pub fn assert_true(sandbox: &Sandbox, answer: &SearchAnswer) {
    for hit in &answer.hits {
        let text = std::fs::read_to_string(sandbox.path(hit.path.as_str())).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        let (start, end) = (hit.lines.start as usize, hit.lines.end as usize);
        assert_eq!(hit.content, lines[start - 1..end].join("\n"), "{}:{start}-{end}", hit.path);
    }
}

/// The files of an answer, sorted.
pub fn paths(answer: &SearchAnswer) -> Vec<&str> {
    let mut paths: Vec<&str> = answer.hits.iter().map(|hit| hit.path.as_str()).collect();
    paths.sort_unstable();
    paths.dedup();
    paths
}
