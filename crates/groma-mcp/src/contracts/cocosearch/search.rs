//! `search_code`.

use super::CocoTool;
use super::age::{Age, Since};
use super::answers::{self, Error, Message};
use super::query::has_identifier;
use super::results::result;
use super::symbols::kinds_of;
use super::target::{Target, target};
use super::tools::SearchCode;
use crate::contracts::filter;
use crate::host::WorkspaceSource;
use crate::surface::{Answer, Call};
use groma_core::iso;
use groma_core::{ChunkFilter, NameGlob};
use groma_engine::LANGUAGES;
use groma_engine::{Context, MAX_HITS, SearchAnswer, SearchMode, SearchRequest};
use serde_json::{Value, json};
use std::time::SystemTime;

impl CocoTool for SearchCode {
    fn answer(self, call: &Call<'_>) -> Result<Answer, Error> {
        let mut request = self.request()?;
        request.context = self.context()?;
        let target = target(call, self.index_name.as_deref())?;
        let engine = &target.project.engine;
        // The age is that of the index before the search brings it up to date.
        let before = engine.generation()?;
        let answer = engine.search(&request, call.observer, call.cancel)?;
        let is_hybrid = request.mode == SearchMode::Hybrid;
        let mut entries: Vec<Value> = header(&target, &answer).into_iter().collect();
        entries.extend(answer.hits.iter().map(|hit| result(hit, &target.project.root, is_hybrid)));
        entries.extend(hints(&target, &answer));
        entries.extend(call.context.session.take_notes().iter().map(|note| hint(note)));
        if let Some(before) = before {
            let since = if answer.is_behind {
                Since::Behind
            } else if before.generation == answer.generation.generation {
                Since::Unchanged
            } else {
                Since::Refreshed
            };
            entries.extend(Age::of(before.committed, SystemTime::now()).footer(since));
        }
        Ok(answers::list(entries).with_results(answer.hits.len()))
    }

    fn failed(error: &Message) -> Answer {
        error.list()
    }
}

impl SearchCode {
    fn request(&self) -> Result<SearchRequest, Error> {
        request(&Asked {
            query: &self.query,
            limit: self.limit,
            language: self.language.as_ref(),
            use_hybrid_search: self.use_hybrid_search,
            symbol_types: &self.symbol_types,
            symbol_name: self.symbol_name.as_deref(),
        })
    }

    /// The context of each result: a number of lines if given, else the enclosing definition.
    fn context(&self) -> Result<Context, Error> {
        let lines = |name: &str, given: Option<i64>| match given {
            Some(lines) if lines < 0 => {
                Err(Error::invalid(name, format!("must be 0 or more, not {lines}")))
            }
            lines => Ok(lines.map(|lines| u32::try_from(lines).unwrap_or(u32::MAX))),
        };
        let before = lines("context_before", self.context_before)?;
        let after = lines("context_after", self.context_after)?;
        if before.is_some() || after.is_some() {
            let (before, after) = (before.unwrap_or(0), after.unwrap_or(0));
            return Ok(Context::Lines { before, after });
        }
        Ok(if self.smart_context { Context::Enclosing } else { Context::None })
    }
}

/// The arguments that `search_code` and `analyze_query` have in common.
pub struct Asked<'a> {
    pub query: &'a str,
    pub limit: i64,
    pub language: Option<&'a String>,
    pub use_hybrid_search: Option<bool>,
    pub symbol_types: &'a [String],
    pub symbol_name: Option<&'a str>,
}

/// The engine's request.
pub fn request(asked: &Asked<'_>) -> Result<SearchRequest, Error> {
    let mut request = SearchRequest::new(asked.query);
    let limit = asked.limit;
    if limit < 1 {
        return Err(Error::invalid("limit", format!("must be 1 or more, not {limit}")));
    }
    request.limit = usize::try_from(limit).unwrap_or(MAX_HITS).min(MAX_HITS);
    request.mode = match asked.use_hybrid_search {
        Some(true) => SearchMode::Hybrid,
        None if has_identifier(&request.query) => SearchMode::Hybrid,
        _ => SearchMode::Vector,
    };
    request.filter = filter_of(asked)?;
    request.check().map_err(groma_engine::EngineError::from)?;
    Ok(request)
}

fn filter_of(asked: &Asked<'_>) -> Result<ChunkFilter, Error> {
    let wrong = |message: String| Error::message("Symbol filter error", message);
    let mut wanted = ChunkFilter::default();
    let languages: Vec<String> = asked.language.cloned().into_iter().collect();
    wanted.languages = filter::languages(&languages).map_err(|reason| {
        let known: Vec<&str> = LANGUAGES.iter().map(|language| language.name).collect();
        wrong(format!("Invalid language: {reason}. Allowed: {}", known.join(", ")))
    })?;
    for name in asked.symbol_types {
        wanted.symbol_kinds.extend(kinds_of(name).map_err(wrong)?);
    }
    if let Some(glob) = asked.symbol_name {
        let glob = NameGlob::new(glob)
            .map_err(|reason| wrong(format!("Invalid symbol_name '{glob}': {reason}")))?;
        wanted.symbol_name = Some(glob);
    }
    Ok(wanted)
}

/// Names the searched index if the client did not.
fn header(target: &Target, answer: &SearchAnswer) -> Option<Value> {
    target.source?;
    Some(json!({
        "type": "search_context",
        "searching": target.project.root.to_string_lossy(),
        "index_name": target.name,
        "last_indexed_at": iso(answer.generation.committed),
    }))
}

/// The hint for a client whose project was detected from the server's own environment.
const ADVICE: &str = "\
The project was found by where the server runs. A client that tells its roots (MCP Roots) is followed, and index_name \
names any other index.";

/// Notes of the search, and how the project was detected.
fn hints(target: &Target, answer: &SearchAnswer) -> Vec<Value> {
    let is_guessed =
        matches!(target.source, Some(WorkspaceSource::Environment | WorkspaceSource::Folder));
    let notes = answer.notes.iter().map(String::as_str);
    let hints = notes.chain(is_guessed.then_some(ADVICE));
    hints.map(hint).collect()
}

fn hint(message: &str) -> Value {
    json!({ "type": "hint", "message": message })
}
