//! `search_code`.

use super::render::{self, Budget, Item};
use super::trouble::Trouble;
use super::{argument, engine, project};
use crate::arguments::Arguments;
use crate::contracts::filter;
use crate::surface::{Answer, Call};
use groma_engine::core::{ChunkFilter, DddPatterns, NameGlob};
use groma_engine::{
    Context, Hit, MORE_RESULTS, MoreFile, MoreResult, SearchAnswer, SearchMode, SearchRequest,
};
use serde_json::{Value, json};

/// Finds the code that answers a question.
pub fn search_code(call: &Call<'_>) -> Result<Answer, Trouble> {
    let mut request = request(&call.arguments)?;
    let wants_json = call.arguments.text("format")? == Some("json");
    // Who says how many results are wanted gets no others.
    if !wants_json && call.arguments.raw("limit").is_none() {
        request.more_results = MORE_RESULTS;
    }
    let project = project(call)?;
    let engine = engine(call, &project)?;
    let answer = engine.search(&request, call.observer, call.cancel)?;
    if wants_json {
        return Ok(render::data(as_json(&answer)));
    }
    let budget = Budget::tokens(call.arguments.count("max_tokens")?.unwrap_or(6000));
    let items: Vec<Item> = answer.in_reading_order().into_iter().map(item).collect();
    let further: Vec<String> = answer.more_results.iter().map(further_line).collect();
    let mut text = render::list(&items, &further, budget);
    if answer.hits.is_empty() {
        text = format!("Nothing found for {:?}.", request.query);
        let near = engine.similar_names(&request.query, 3).unwrap_or_default();
        if !near.is_empty() {
            text.push_str(&format!(" Names spelled like it: {}.", near.join(", ")));
        }
        if !request.filter.is_empty() {
            text.push_str(" Filters were given: try without them.");
        }
        text.push_str(" Try other words, or grep_codebase for exact text.");
    }
    Ok(Answer::text(render::with_notes(text, &answer.notes)))
}

/// The engine's request.
pub fn request(arguments: &Arguments) -> Result<SearchRequest, Trouble> {
    let mut request = SearchRequest::new(arguments.required_text("query")?);
    request.limit = arguments.count("limit")?.unwrap_or(10);
    request.mode =
        arguments.text("mode")?.and_then(|mode| mode.parse().ok()).unwrap_or(SearchMode::Hybrid);
    request.filter = filter_of(arguments)?;
    request.min_score = arguments.number("min_score")?.unwrap_or(0.0) as f32;
    let before = arguments.count("context_before")?.unwrap_or(0) as u32;
    let after = arguments.count("context_after")?.unwrap_or(0) as u32;
    if before + after > 0 {
        request.context = Context::Lines { before, after };
    }
    Ok(request)
}

fn filter_of(arguments: &Arguments) -> Result<ChunkFilter, Trouble> {
    let wrong = |parameter: &'static str| move |reason: String| argument(parameter, reason);
    let mut wanted = ChunkFilter::default();
    wanted.languages =
        filter::languages(&arguments.texts("language")?).map_err(wrong("language"))?;
    wanted.symbol_kinds = filter::symbol_kinds(&arguments.texts("kind")?).map_err(wrong("kind"))?;
    wanted.packages = arguments.texts("package")?;
    wanted.tags = arguments.texts("tags")?;
    let patterns = arguments.texts("ddd_pattern")?;
    wanted.patterns = patterns.iter().filter_map(|name| name.parse().ok()).collect::<DddPatterns>();
    let kinds = arguments.texts("chunk_type")?;
    wanted.chunk_kinds = kinds.iter().filter_map(|name| name.parse().ok()).collect();
    if let Some(glob) = arguments.text("symbol_name")? {
        wanted.symbol_name = Some(NameGlob::new(glob).map_err(wrong("symbol_name"))?);
    }
    wanted.set_paths(&arguments.texts("path")?).map_err(wrong("path"))?;
    Ok(wanted)
}

/// A hit as something to show: in full, by its signature, or by its place.
fn item(hit: &Hit) -> Item {
    let place = format!("{}:{}-{}", hit.path, hit.lines.start, hit.lines.end);
    let what = match &hit.symbol {
        Some(symbol) => format!("{} {}", symbol.kind, symbol.qualified),
        None if !hit.title.is_empty() => hit.title.clone(),
        None => hit.kind.to_string(),
    };
    let head = format!("{place}  {what}  {:.2}", hit.score);
    let signature = hit.symbol.as_ref().map(|symbol| symbol.signature.clone()).unwrap_or_default();
    let body = [&hit.context_before, &hit.content, &hit.context_after]
        .into_iter()
        .filter(|part| !part.is_empty())
        .map(|part| part.trim_end_matches('\n'))
        .collect::<Vec<_>>()
        .join("\n");
    Item { head, signature, body }
}

/// A file with the places in it that are named only.
fn further_line(file: &MoreFile) -> String {
    let place =
        |place: &MoreResult| format!("{}-{} {}", place.lines.start, place.lines.end, place.name);
    format!("{}: {}", file.path, file.results.iter().map(place).collect::<Vec<_>>().join(", "))
}

fn as_json(answer: &SearchAnswer) -> Value {
    json!({
        "results": answer.hits.iter().map(hit_json).collect::<Vec<_>>(),
        "intent": answer.plan.intent.as_str(),
        "candidates": answer.candidates,
        "notes": answer.notes,
    })
}

pub fn hit_json(hit: &Hit) -> Value {
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
