//! `analyze_query`: the engine's figures for each stage of a search.
//!
//! Where the engine differs from the contract's terms: `top_ts_rank` is the best BM25 score; matching definitions count
//! as keyword results; the boost of definitions depends on the name, and the largest one is reported; filters act inside
//! the retrievers, so the counts before and after filtering differ by the minimum score only. The cache is never used,
//! because a cached answer has no stages.

use super::CocoTool;
use super::answers::{self, Error, Message};
use super::query::{self, has_identifier};
use super::results::{result, rounded};
use super::search::{Asked, request};
use super::target::{Target, target};
use super::tools::AnalyzeQuery;
use crate::surface::{Answer, Call};
use groma_engine::{Analysis, Context, FoundBy, Hit, SearchAnswer, SearchMode, SearchRequest};
use serde_json::{Map, Value, json};
use std::time::Duration;

impl CocoTool for AnalyzeQuery {
    fn answer(self, call: &Call<'_>) -> Result<Answer, Error> {
        let request = SearchRequest {
            explain: true,
            // The default of `search_code`.
            context: Context::Enclosing,
            ..self.request()?
        };
        let target = target(call, self.index_name.as_deref())?;
        let answer = target.project.engine.search(&request, call.observer, call.cancel)?;
        let analysis = answer.analysis.clone().unwrap_or_default();
        let is_hybrid = request.mode == SearchMode::Hybrid;
        let show = |hit| result(hit, &target.project.root, is_hybrid);
        Ok(answers::object(json!({
            "query_analysis": {
                "original_query": request.query,
                "has_identifier": has_identifier(&request.query),
                "normalized_keyword_query": query::keywords(&request.query),
            },
            "search_mode": mode(self.use_hybrid_search.value, &answer, &analysis),
            "cache": {
                "checked": false,
                "hit": false,
                "hit_type": "miss",
                "cache_key_prefix": self.cache_key(&target),
            },
            "vector_search": vectors(&analysis),
            "keyword_search": keywords(&answer, &analysis),
            "fusion": fusion(&analysis),
            "definition_boost": boost(&analysis),
            "filtering": self.filtering(&request, &answer),
            "timings": timings(&answer, &analysis),
            "signals": answer.hits.iter().map(signals).collect::<Vec<_>>(),
            "results": answer.hits.iter().map(show).collect::<Vec<_>>(),
        })))
    }

    fn failed(error: &Message) -> Answer {
        error.object()
    }
}

impl AnalyzeQuery {
    fn request(&self) -> Result<SearchRequest, Error> {
        request(&Asked {
            query: &self.query.value,
            limit: self.limit.value,
            language: self.language.value.as_ref(),
            use_hybrid_search: self.use_hybrid_search.value,
            symbol_types: &self.symbol_types.value,
            symbol_name: self.symbol_name.value.as_deref(),
        })
    }

    /// The beginning of the key that a cache would use.
    fn cache_key(&self, target: &Target) -> String {
        let mut hasher = blake3::Hasher::new();
        hasher.update(target.name.as_bytes());
        let given = [
            &self.query.json,
            &self.limit.json,
            &self.language.json,
            &self.use_hybrid_search.json,
            &self.symbol_types.json,
            &self.symbol_name.json,
        ];
        for json in given {
            let text = json.as_ref().map(Value::to_string).unwrap_or_default();
            hasher.update(&[0]).update(text.as_bytes());
        }
        hasher.finalize().to_hex()[..16].to_string()
    }

    fn filtering(&self, request: &SearchRequest, answer: &SearchAnswer) -> Value {
        let ranked = answer.analysis.as_ref().map_or(answer.matching, |analysis| analysis.ranked);
        json!({
            "language_filter": self.language.json,
            "symbol_type_filter": self.symbol_types.json,
            "symbol_name_filter": self.symbol_name.json,
            "min_score": rounded(request.min_score),
            "pre_filter_count": ranked,
            "post_filter_count": answer.matching,
        })
    }
}

/// The factors of a result's score. The contract does not define them, so they are listed apart from the results.
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

fn mode(flag: Option<bool>, answer: &SearchAnswer, analysis: &Analysis) -> Value {
    let is_named = has_identifier(&answer.plan.query);
    let (mode, reason) = match (analysis.mode, flag) {
        // Vectors were requested, but the index has none.
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
    json!({
        "mode": mode,
        "reason": reason,
        "use_hybrid_flag": flag,
        "has_content_text_column": true,
        "has_identifier_pattern": is_named,
    })
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
        "normalized_query": query::keywords(&answer.plan.query),
        "result_count": analysis.found.keyword + analysis.found.both,
        "top_ts_rank": analysis.keyword_score.map(rounded),
    })
}

fn fusion(analysis: &Analysis) -> Value {
    let is_hybrid = analysis.mode == SearchMode::Hybrid;
    // The results of a single retriever are not fused.
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
