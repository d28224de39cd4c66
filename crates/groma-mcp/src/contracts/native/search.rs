//! `search_code`.

use super::error::Error;
use super::render::{self, Budget, Item};
use super::tools::SearchCode;
use super::{NativeTool, Reply, engine, project};
use crate::contracts::filter;
use crate::surface::{Answer, Call};
use groma_core::{ChunkFilter, NameGlob};
use groma_engine::{
    Context, Hit, MORE_RESULTS, MoreFile, MoreResult, RefEngine, SearchAnswer, SearchMode,
    SearchRequest,
};
use serde_json::{Value, json};

impl NativeTool for SearchCode {
    fn answer(self, call: &Call<'_>) -> Result<Reply, Error> {
        let wants_json = self.format == "json";
        let mut request = self.request()?;
        // An explicit limit is the total number of results.
        if !wants_json && self.limit.json.is_none() {
            request.more_results = MORE_RESULTS;
        }
        let project = project(call, self.project.as_deref())?;
        let engine = engine(&project, self.reference.as_deref())?;
        let answer = engine.search(&request, call.observer, call.cancel)?;
        let shown = if wants_json {
            render::data(as_json(&answer))
        } else {
            Answer::text(as_text(&request, &answer, &engine, Budget::tokens(self.max_tokens)))
        };
        drop(engine);
        Ok(Reply::about(project, Some(self.query), shown))
    }
}

fn as_text(
    request: &SearchRequest,
    answer: &SearchAnswer,
    engine: &RefEngine<'_>,
    budget: Budget,
) -> String {
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
    render::with_notes(text, &answer.notes)
}

impl SearchCode {
    fn request(&self) -> Result<SearchRequest, Error> {
        let mut request = SearchRequest::new(&self.query);
        request.limit = self.limit.value;
        request.mode = mode(self.mode);
        request.filter = self.filter()?;
        request.min_score = self.min_score.unwrap_or(0.0) as f32;
        let before = self.context_before.unwrap_or(0) as u32;
        let after = self.context_after.unwrap_or(0) as u32;
        if before + after > 0 {
            request.context = Context::Lines { before, after };
        }
        Ok(request)
    }

    fn filter(&self) -> Result<ChunkFilter, Error> {
        let mut filter = symbol_filter(&self.languages, &self.kinds, self.symbol_name.as_deref())?;
        filter.packages = self.packages.clone();
        filter.tags = self.tags.clone();
        filter.chunk_kinds = self.chunk_types.iter().filter_map(|name| name.parse().ok()).collect();
        filter.set_paths(&self.paths).map_err(|reason| Error::argument("path", reason))?;
        Ok(filter)
    }
}

/// The search mode of that name.
pub fn mode(name: &str) -> SearchMode {
    name.parse().unwrap_or(SearchMode::Hybrid)
}

/// The filter that `search_code` and `analyze_query` have in common.
pub fn symbol_filter(
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

/// A hit in the three sizes that the token budget chooses from.
fn item(hit: &Hit) -> Item {
    let lines = format!("{}:{}-{}", hit.path, hit.lines.start, hit.lines.end);
    let what = match &hit.symbol {
        Some(symbol) => format!("{} {}", symbol.kind, symbol.qualified),
        None if !hit.title.is_empty() => hit.title.clone(),
        None => hit.kind.to_string(),
    };
    let head = format!("{lines}  {what}  {:.2}", hit.score);
    let signature = hit.symbol.as_ref().map(|symbol| symbol.signature.clone()).unwrap_or_default();
    let body = [&hit.context_before, &hit.content, &hit.context_after]
        .into_iter()
        .filter(|part| !part.is_empty())
        .map(|part| part.trim_end_matches('\n'))
        .collect::<Vec<_>>()
        .join("\n");
    Item { head, signature, body }
}

/// A file with the further results in it, by name.
fn further_line(file: &MoreFile) -> String {
    let place =
        |place: &MoreResult| format!("{}-{} {}", place.lines.start, place.lines.end, place.name);
    format!("{}: {}", file.path, file.results.iter().map(place).collect::<Vec<_>>().join(", "))
}

fn as_json(answer: &SearchAnswer) -> Value {
    json!({
        "results": answer.hits.iter().map(hit_json).collect::<Vec<_>>(),
        "intent": answer.plan.kind.as_str(),
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
