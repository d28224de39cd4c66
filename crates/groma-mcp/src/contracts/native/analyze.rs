//! `analyze_query`: how a query was parsed, and the figures of each stage.

use super::error::Error;
use super::tools::AnalyzeQuery;
use super::{NativeTool, Reply, formatted, project};
use crate::contracts::filter;
use crate::surface::Call;
use groma_core::{ChunkFilter, NameGlob};
use groma_engine::{Hit, SearchAnswer, SearchMode, SearchRequest, Stage};
use serde_json::{Value, json};

impl NativeTool for AnalyzeQuery {
    fn answer(self, call: &Call<'_>) -> Result<Reply, Error> {
        let mut request = SearchRequest::new(&self.query);
        request.limit = self.limit;
        request.mode = mode(self.mode);
        request.filter = symbol_filter(&self.languages, &self.kinds, self.symbol_name.as_deref())?;
        request.explain = true;
        let project = project(call, self.project.as_deref())?;
        let answer = project.engine.search(&request, call.observer, call.cancel)?;
        let shown = formatted(self.format, || as_json(&answer), || as_text(&answer));
        Ok(Reply::about(project, Some(self.query), shown))
    }
}

fn as_text(answer: &SearchAnswer) -> String {
    let plan = &answer.plan;
    let terms: Vec<String> =
        plan.terms.iter().map(|term| format!("{} {:.2}", term.term, term.weight)).collect();
    let mut text = format!(
        "intent: {} ({:.2})\nterms: {}\nnames: {}\n",
        plan.kind.as_str(),
        plan.confidence,
        terms.join(", "),
        plan.names.join(", ")
    );
    for stage in &answer.stages {
        let took = stage.duration.as_secs_f64() * 1000.0;
        text.push_str(&format!("{}: {} in {took:.2} ms\n", stage.name, stage.count));
        for (place, score) in stage.best.iter().take(5) {
            text.push_str(&format!("    {place} {score:.3}\n"));
        }
    }
    text.push_str("results:\n");
    for (rank, hit) in answer.hits.iter().enumerate() {
        text.push_str(&format!("{}. {}\n", rank + 1, line(hit)));
    }
    super::with_notes(text, &answer.notes)
}

fn line(hit: &Hit) -> String {
    let signals: Vec<String> =
        hit.signals.iter().map(|(name, value)| format!("{name} {value:.3}")).collect();
    let symbol = hit.symbol.as_ref().map_or("", |symbol| &symbol.qualified);
    format!(
        "{}:{}-{} {symbol} {:.3} = {}",
        hit.path,
        hit.lines.start,
        hit.lines.end,
        hit.score,
        signals.join(", ")
    )
}

fn as_json(answer: &SearchAnswer) -> Value {
    let plan = &answer.plan;
    json!({
        "plan": {
            "intent": plan.kind.as_str(),
            "confidence": plan.confidence,
            "terms": plan.terms.iter().map(|term| json!({ "term": term.term, "weight": term.weight }))
                .collect::<Vec<_>>(),
            "names": plan.names,
        },
        "stages": answer.stages.iter().map(stage_json).collect::<Vec<_>>(),
        "candidates": answer.candidates,
        "results": answer.hits.iter().map(explained).collect::<Vec<_>>(),
        "notes": answer.notes,
    })
}

fn stage_json(stage: &Stage) -> Value {
    json!({
        "name": stage.name,
        "count": stage.count,
        "took_ms": stage.duration.as_secs_f64() * 1000.0,
        "best": stage.best.iter().map(|(place, score)| json!({ "place": place, "score": score }))
            .collect::<Vec<_>>(),
    })
}

fn explained(hit: &Hit) -> Value {
    let mut value = hit_json(hit);
    let signals = hit.signals.iter().map(|(name, part)| (name.to_string(), json!(part)));
    value["signals"] = Value::Object(signals.collect());
    value
}

/// The search mode of that name.
fn mode(name: &str) -> SearchMode {
    name.parse().unwrap_or(SearchMode::Hybrid)
}

/// The filter on definitions.
fn symbol_filter(
    languages: &[String],
    kinds: &[String],
    symbol_name: Option<&str>,
) -> Result<ChunkFilter, Error> {
    let wrong = |parameter: &'static str| move |reason: String| Error::argument(parameter, reason);
    let mut filter = ChunkFilter::default();
    filter.languages = filter::languages(languages).map_err(wrong("language"))?;
    filter.symbol_kinds = filter::symbol_kinds(kinds).map_err(wrong("kind"))?;
    if let Some(glob) = symbol_name {
        filter.symbol_name = Some(NameGlob::new(glob).map_err(wrong("symbol_name"))?);
    }
    Ok(filter)
}

/// A hit with its scores.
fn hit_json(hit: &Hit) -> Value {
    json!({
        "path": hit.path.as_str(),
        "start_line": hit.lines.start,
        "end_line": hit.lines.end,
        "score": hit.score,
        "chunk_type": hit.kind.as_str(),
        "language": hit.language,
        "package": hit.package,
        "title": hit.title,
        "symbol": hit.symbol.as_ref().map(|symbol| json!({
            "name": symbol.name,
            "kind": symbol.kind.as_str(),
            "qualified_name": symbol.qualified,
            "signature": symbol.signature,
            "doc": symbol.doc,
        })),
        "match_type": hit.match_type.as_str(),
        "keyword_score": hit.keyword_score,
        "vector_score": hit.vector_score,
        "content": hit.content,
        "context_before": hit.context_before,
        "context_after": hit.context_after,
    })
}
