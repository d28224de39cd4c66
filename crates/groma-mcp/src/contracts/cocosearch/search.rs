//! `search_code`.

use super::age::{Age, Since};
use super::answers::{self, Trouble};
use super::results::result;
use super::symbols::kinds_of;
use super::target::{Target, target};
use crate::arguments::Arguments;
use crate::contracts::filter;
use crate::host::Source;
use crate::surface::{Answer, Call};
use groma_engine::core::iso;
use groma_engine::core::{ChunkFilter, NameGlob};
use groma_engine::plan;
use groma_engine::syntax::LANGUAGES;
use groma_engine::{Context, MAX_HITS, SearchAnswer, SearchMode, SearchRequest};
use serde_json::{Value, json};
use std::time::SystemTime;

/// Finds the code that answers a question.
pub fn search_code(call: &Call<'_>) -> Result<Answer, Trouble> {
    let mut request = request(&call.arguments)?;
    request.context = context(&call.arguments)?;
    let target = target(call)?;
    let engine = &target.project.engine;
    // How old the index is, is asked before the search brings it up to date.
    let before = engine.generation()?;
    let answer = engine.search(&request, call.observer, call.cancel)?;
    let is_hybrid = request.mode == SearchMode::Hybrid;
    let mut entries: Vec<Value> = header(&target, &answer).into_iter().collect();
    entries.extend(answer.hits.iter().map(|hit| result(hit, &target.project.root, is_hybrid)));
    entries.extend(hints(&target, &answer));
    if let Some(before) = before {
        let since = match before.generation == answer.generation.generation {
            _ if answer.is_behind => Since::Behind,
            true => Since::Unchanged,
            false => Since::Refreshed,
        };
        entries.extend(Age::of(before.committed, SystemTime::now()).footer(since));
    }
    Ok(answers::list(entries))
}

/// What search and analysis ask alike.
pub fn request(arguments: &Arguments) -> Result<SearchRequest, Trouble> {
    let mut request = SearchRequest::new(arguments.required_text("query")?);
    let limit = arguments.integer("limit")?.unwrap_or(10);
    if limit < 1 {
        return Err(Trouble::invalid("limit", format!("must be 1 or more, not {limit}")));
    }
    request.limit = usize::try_from(limit).unwrap_or(MAX_HITS).min(MAX_HITS);
    request.mode = match arguments.flag("use_hybrid_search")? {
        Some(true) => SearchMode::Hybrid,
        None if plan(&request.query).has_identifier => SearchMode::Hybrid,
        _ => SearchMode::Vector,
    };
    request.filter = filter_of(arguments)?;
    request.check().map_err(groma_engine::EngineError::from)?;
    Ok(request)
}

fn filter_of(arguments: &Arguments) -> Result<ChunkFilter, Trouble> {
    let wrong = |message: String| Trouble::told("Symbol filter error", message);
    let mut wanted = ChunkFilter::default();
    wanted.languages = filter::languages(&arguments.texts("language")?).map_err(|reason| {
        let known: Vec<&str> = LANGUAGES.iter().map(|language| language.name).collect();
        wrong(format!("Invalid language: {reason}. Allowed: {}", known.join(", ")))
    })?;
    for name in arguments.texts("symbol_type")? {
        wanted.symbol_kinds.extend(kinds_of(&name).map_err(wrong)?);
    }
    if let Some(glob) = arguments.text("symbol_name")? {
        let glob = NameGlob::new(glob)
            .map_err(|reason| wrong(format!("Invalid symbol_name '{glob}': {reason}")))?;
        wanted.symbol_name = Some(glob);
    }
    Ok(wanted)
}

/// What is shown around a result: so many lines where that is asked for, else the definition.
fn context(arguments: &Arguments) -> Result<Context, Trouble> {
    let lines = |name: &'static str| match arguments.integer(name)? {
        Some(lines) if lines < 0 => {
            Err(Trouble::invalid(name, format!("must be 0 or more, not {lines}")))
        }
        lines => Ok(lines.map(|lines| u32::try_from(lines).unwrap_or(u32::MAX))),
    };
    let (before, after) = (lines("context_before")?, lines("context_after")?);
    if before.is_some() || after.is_some() {
        let (before, after) = (before.unwrap_or(0), after.unwrap_or(0));
        return Ok(Context::Lines { before, after });
    }
    Ok(match arguments.is_set("smart_context")? {
        true => Context::Enclosing,
        false => Context::None,
    })
}

/// Says what is searched, where the client did not.
fn header(target: &Target, answer: &SearchAnswer) -> Option<Value> {
    target.source?;
    Some(json!({
        "type": "search_context",
        "searching": target.project.root.to_string_lossy(),
        "index_name": target.name,
        "last_indexed_at": iso(answer.generation.committed),
    }))
}

/// For a client whose project had to be guessed.
const ADVICE: &str = "\
The project was found by where the server runs. A client that tells its roots (MCP Roots) is followed, and index_name \
names any other index.";

/// What the reader should know of how the answer came about.
fn hints(target: &Target, answer: &SearchAnswer) -> Vec<Value> {
    let is_guessed = matches!(target.source, Some(Source::Environment | Source::Folder));
    let notes = answer.notes.iter().map(String::as_str);
    let hints = notes.chain(is_guessed.then_some(ADVICE));
    hints.map(|message| json!({ "type": "hint", "message": message })).collect()
}
