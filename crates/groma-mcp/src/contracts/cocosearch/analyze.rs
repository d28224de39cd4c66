//! `analyze_query`: what each stage of a search did, in the engine's own figures.
//!
//! Where the engine differs from what the contract's words suggest: `top_ts_rank` is the best BM25 score; names that
//! are defined count among the keywords; the boost of definitions depends on the name, so the largest that was given
//! is told; filters act inside the retrievers, so what is counted before and after filtering differs by the least
//! score only. There is nothing to analyze in a cached answer, so the cache is never asked.

use super::answers::{self, Trouble};
use super::results::{result, rounded};
use super::search::request;
use super::target::{Target, target};
use crate::arguments::Arguments;
use crate::surface::{Answer, Call};
use groma_engine::{Analysis, Context, FoundBy, Hit, SearchAnswer, SearchMode, SearchRequest};
use serde_json::{Map, Value, json};
use std::time::Duration;

/// Runs a search and tells what each stage did.
pub fn analyze_query(call: &Call<'_>) -> Result<Answer, Trouble> {
    let request = SearchRequest {
        explain: true,
        // As `search_code` shows results unless told otherwise.
        context: Context::Enclosing,
        ..request(&call.arguments)?
    };
    let target = target(call)?;
    let answer = target.project.engine.search(&request, call.observer, call.cancel)?;
    let analysis = answer.analysis.clone().unwrap_or_default();
    let is_hybrid = request.mode == SearchMode::Hybrid;
    let show = |hit| result(hit, &target.project.root, is_hybrid);
    Ok(answers::object(json!({
        "query_analysis": {
            "original_query": request.query,
            "has_identifier": answer.plan.has_identifier,
            "normalized_keyword_query": answer.plan.keywords,
        },
        "search_mode": mode(&call.arguments, &answer, &analysis)?,
        "cache": {
            "checked": false,
            "hit": false,
            "hit_type": "miss",
            "cache_key_prefix": cache_key(&target, &call.arguments),
        },
        "vector_search": vectors(&analysis),
        "keyword_search": keywords(&answer, &analysis),
        "fusion": fusion(&analysis),
        "definition_boost": boost(&analysis),
        "filtering": filtering(&call.arguments, &request, &answer),
        "timings": timings(&answer, &analysis),
        "signals": answer.hits.iter().map(signals).collect::<Vec<_>>(),
        "results": answer.hits.iter().map(show).collect::<Vec<_>>(),
    })))
}

/// What made a result's score: the product of the parts. The contract says nothing of them, so they stand beside the
/// results, which are those of `search_code`.
fn signals(hit: &Hit) -> Value {
    let parts: Map<String, Value> =
        hit.signals.iter().map(|(name, part)| (name.to_string(), json!(rounded(*part)))).collect();
    json!({
        "file_path": hit.path.as_str(),
        "start_line": hit.lines.start,
        "score": rounded(hit.score),
        "parts": parts,
    })
}

fn mode(
    arguments: &Arguments,
    answer: &SearchAnswer,
    analysis: &Analysis,
) -> Result<Value, Trouble> {
    let flag = arguments.flag("use_hybrid_search")?;
    let is_named = answer.plan.has_identifier;
    let (mode, reason) = match (analysis.mode, flag) {
        // Vectors were asked for and there are none.
        (SearchMode::Keyword, _) => ("keyword-only", answer.notes.join("; ")),
        (SearchMode::Hybrid, Some(_)) => ("hybrid", "Enabled by use_hybrid_search=true".into()),
        (SearchMode::Hybrid, None) => {
            ("hybrid", "Auto-detected identifier pattern in query".into())
        }
        (SearchMode::Vector, Some(_)) => {
            ("vector-only", "Disabled by use_hybrid_search=false".into())
        }
        (SearchMode::Vector, None) => ("vector-only", "No identifier pattern in query".into()),
    };
    Ok(json!({
        "mode": mode,
        "reason": reason,
        "use_hybrid_flag": flag,
        "has_content_text_column": true,
        "has_identifier_pattern": is_named,
    }))
}

/// The beginning of what a cache would know the question by.
fn cache_key(target: &Target, arguments: &Arguments) -> String {
    let mut hasher = blake3::Hasher::new();
    hasher.update(target.name.as_bytes());
    for name in ["query", "limit", "language", "use_hybrid_search", "symbol_type", "symbol_name"] {
        let given = arguments.raw(name).map(Value::to_string).unwrap_or_default();
        hasher.update(&[0]).update(given.as_bytes());
    }
    hasher.finalize().to_hex()[..16].to_string()
}

fn vectors(analysis: &Analysis) -> Value {
    let (top, bottom) = analysis.similarities.unzip();
    json!({
        "result_count": analysis.found.vector + analysis.found.both,
        "top_score": top.map(rounded),
        "bottom_score": bottom.map(rounded),
    })
}

fn keywords(answer: &SearchAnswer, analysis: &Analysis) -> Value {
    json!({
        "executed": analysis.mode != SearchMode::Vector,
        "normalized_query": answer.plan.keywords,
        "result_count": analysis.found.keyword + analysis.found.both,
        "top_ts_rank": analysis.keyword_score.map(rounded),
    })
}

fn fusion(analysis: &Analysis) -> Value {
    let is_hybrid = analysis.mode == SearchMode::Hybrid;
    // What a single retriever found is not joined with anything.
    let found = if is_hybrid { analysis.found } else { FoundBy::default() };
    json!({
        "executed": is_hybrid,
        "k_constant": analysis.fusion_constant as u32,
        "vector_only_count": found.vector,
        "keyword_only_count": found.keyword,
        "both_count": found.both,
        "total_fused": found.vector + found.keyword + found.both,
    })
}

fn boost(analysis: &Analysis) -> Value {
    json!({
        "executed": analysis.mode != SearchMode::Vector,
        "boost_multiplier": rounded(analysis.boost.factor),
        "boosted_count": analysis.boost.count,
        "rank_changes": analysis.boost.moved,
    })
}

fn filtering(arguments: &Arguments, request: &SearchRequest, answer: &SearchAnswer) -> Value {
    let ranked = answer.analysis.as_ref().map_or(answer.matching, |analysis| analysis.ranked);
    json!({
        "language_filter": arguments.raw("language"),
        "symbol_type_filter": arguments.raw("symbol_type"),
        "symbol_name_filter": arguments.raw("symbol_name"),
        "min_score": rounded(request.min_score),
        "pre_filter_count": ranked,
        "post_filter_count": answer.matching,
    })
}

fn timings(answer: &SearchAnswer, analysis: &Analysis) -> Value {
    let stage = |name: &str| {
        let found = answer.stages.iter().find(|stage| stage.name == name);
        found.map_or(Duration::ZERO, |stage| stage.duration)
    };
    json!({
        "query_analysis_ms": milliseconds(analysis.plan_time),
        "cache_check_ms": 0.0,
        "embedding_ms": milliseconds(analysis.embed_time),
        "vector_search_ms": milliseconds(stage("vector")),
        "keyword_search_ms": milliseconds(stage("keyword") + stage("symbol")),
        "rrf_fusion_ms": milliseconds(stage("fusion")),
        "definition_boost_ms": milliseconds(stage("rerank")),
        "total_ms": milliseconds(analysis.total_time),
    })
}

fn milliseconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e6).round() / 1e3
}
