//! Search results as JSON. The field names are a stable interface.

use super::{Found, distinct_paths};
use crate::numbers::{milliseconds, rounded};
use groma_core::Lines;
use groma_engine::{Hit, HitSymbol, Plan, Stage};
use groma_render::search_json;
use serde_json::{Value, json};

/// The paths only.
pub fn paths(found: &Found<'_>) -> Value {
    json!({
        "query": found.request.query,
        "project": found.project.root.to_string_lossy(),
        "paths": distinct_paths(&found.answer),
    })
}

/// The complete answer.
pub fn answer(found: &Found<'_>) -> Value {
    let answer = &found.answer;
    let mut value = json!({
        "query": found.request.query,
        "project": found.project.root.to_string_lossy(),
        "mode": found.request.mode.as_str(),
        "intent": answer.plan.kind.as_str(),
        "generation": answer.generation.generation.number,
        "cached": answer.cached,
        "took_ms": milliseconds(found.took),
        "candidates": answer.candidates,
        "notes": answer.notes,
        "suggestions": found.suggestions,
        "results": answer.hits.iter().map(hit).collect::<Vec<_>>(),
    });
    let mut shown = search_json(answer, &found.snippets);
    value["confidence"] = shown["confidence"].take();
    value["absent"] = shown["absent"].take();
    value["snippets"] = shown["files"].take();
    if found.request.explain {
        value["plan"] = plan(&answer.plan);
        value["stages"] = answer.stages.iter().map(stage).collect();
    }
    value
}

fn hit(hit: &Hit) -> Value {
    let signals: Vec<Value> = hit
        .signals
        .iter()
        .map(|(name, factor)| json!({ "name": name, "factor": short(*factor) }))
        .collect();
    json!({
        "path": hit.path.as_str(),
        "start_line": hit.lines.start,
        "end_line": hit.lines.end,
        "kind": hit.kind.as_str(),
        "language": hit.language,
        "package": hit.package,
        "title": hit.title,
        "tags": hit.tags,
        "score": short(hit.score),
        "keyword_score": hit.keyword_score.map(short),
        "vector_score": hit.vector_score.map(short),
        "match_type": hit.match_type.as_str(),
        "symbol": hit.symbol.as_ref().map(symbol),
        "content": hit.content,
        "context_before": hit.context_before,
        "context_after": hit.context_after,
        "signals": signals,
    })
}

fn symbol(symbol: &HitSymbol) -> Value {
    let Lines { start, end } = symbol.lines;
    json!({
        "name": symbol.name,
        "kind": symbol.kind.as_str(),
        "qualified": symbol.qualified,
        "signature": symbol.signature,
        "doc": symbol.doc,
        "visibility": symbol.visibility.as_str(),
        "start_line": start,
        "end_line": end,
    })
}

fn plan(plan: &Plan) -> Value {
    let terms: Vec<Value> = plan
        .terms
        .iter()
        .map(|term| json!({ "term": term.term, "weight": short(term.weight) }))
        .collect();
    let wants = plan.requested;
    json!({
        "intent": plan.kind.as_str(),
        "confidence": short(plan.confidence),
        "terms": terms,
        "names": plan.names,
        "wants": {
            "tests": wants.tests,
            "docs": wants.docs,
            "examples": wants.examples,
            "config": wants.config,
        },
    })
}

fn stage(stage: &Stage) -> Value {
    let best: Vec<Value> = stage
        .best
        .iter()
        .map(|(place, score)| json!({ "place": place, "score": short(*score) }))
        .collect();
    json!({
        "name": stage.name,
        "count": stage.count,
        "took_ms": milliseconds(stage.duration),
        "best": best,
    })
}

fn short(score: f32) -> f64 {
    rounded(f64::from(score), 4)
}
