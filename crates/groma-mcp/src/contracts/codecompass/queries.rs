//! `locate_symbol` and `search_code`.

use super::answers::{self, fitted};
use super::errors::Code;
use super::failure::Failure;
use super::next;
use super::site::Site;
use crate::contracts::filter;
use crate::surface::Call;
use groma_engine::core::SymbolKind;
use groma_engine::{LocateRequest, NameMatch, SearchRequest};
use serde_json::{Map, Value, json};

/// Most results the engine gives.
const MOST_RESULTS: i64 = 1000;

/// Finds the definitions of a name.
pub fn locate_symbol(call: &Call<'_>, site: &Site) -> Result<Value, Failure> {
    let mut warnings = Vec::new();
    let mut request = LocateRequest::new(call.arguments.required_text("name")?);
    request.kinds = kinds(call)?;
    request.languages = languages(call)?;
    request.limit = limit(call, &mut warnings)?;
    request.check().map_err(groma_engine::EngineError::from)?;
    site.answerable()?;
    let engine = &site.engine;
    let mut answer = match site.is_syncing() {
        true => engine.locate_indexed(&request)?,
        false => engine.locate(&request, call.observer, call.cancel)?,
    };
    warnings.append(&mut answer.notes);
    if answer.definitions.iter().any(|found| found.matched == NameMatch::Fuzzy) {
        let names: Vec<&str> =
            answer.definitions.iter().map(|found| found.symbol.name.as_str()).take(3).collect();
        warnings.push(format!("nothing is called {}; alike: {}", request.name, names.join(", ")));
        answer.definitions.clear();
        answer.total_definitions = 0;
    }
    let handles = site.handles();
    let results = answer.definitions.iter().map(|found| answers::definition(found, &handles));
    let mut fields = Map::new();
    fields.insert("results".into(), results.collect::<Vec<_>>().into());
    fields.insert("total_candidates".into(), answer.total_definitions.into());
    let mut metadata = site.query_metadata(answer.is_behind);
    metadata.warnings = warnings;
    Ok(fitted(fields, metadata))
}

/// Finds the code that answers a query.
pub fn search_code(call: &Call<'_>, site: &Site) -> Result<Value, Failure> {
    let mut warnings = Vec::new();
    let mut request = SearchRequest::new(call.arguments.required_text("query")?);
    request.filter.languages = languages(call)?;
    request.limit = limit(call, &mut warnings)?;
    request.check().map_err(groma_engine::EngineError::from)?;
    site.answerable()?;
    let engine = &site.engine;
    let mut answer = match site.is_syncing() {
        true => engine.search_indexed(&request)?,
        false => engine.search(&request, call.observer, call.cancel)?,
    };
    warnings.append(&mut answer.notes);
    let handles = site.handles();
    let results = answer.hits.iter().map(|hit| answers::hit(hit, &answer.plan, &handles));
    let mut fields = Map::new();
    fields.insert("results".into(), results.collect::<Vec<_>>().into());
    fields.insert("query_intent".into(), answer.plan.intent.as_str().into());
    fields.insert("total_candidates".into(), answer.candidates.into());
    let actions = next::actions(&answer, site.reference());
    fields.insert("suggested_next_actions".into(), actions.into());
    if call.visit.host.is_verbose() {
        let hits = answer.hits.iter().filter(|hit| hit.symbol.is_some()).count();
        let status = json!({ "hits": hits, "misses": answer.hits.len() - hits });
        fields.insert("debug".into(), json!({ "join_status": status }));
    }
    let mut metadata = site.query_metadata(answer.is_behind);
    metadata.warnings = warnings;
    Ok(fitted(fields, metadata))
}

fn languages(call: &Call<'_>) -> Result<Vec<String>, Failure> {
    let given: Vec<String> =
        call.arguments.text("language")?.map(str::to_string).into_iter().collect();
    filter::languages(&given)
        .map_err(|reason| Failure::new(Code::InvalidInput, format!("`language`: {reason}")))
}

/// The kinds that may be found; any when none is given.
fn kinds(call: &Call<'_>) -> Result<Vec<SymbolKind>, Failure> {
    let given = call.arguments.text("kind")?.map(str::trim).filter(|name| !name.is_empty());
    let Some(name) = given else { return Ok(Vec::new()) };
    let module = matches!(name, "use" | "import").then_some(SymbolKind::Module);
    let kind = module.or_else(|| SymbolKind::parse_alias(name)).ok_or_else(|| {
        let known: Vec<_> = SymbolKind::ALL.iter().map(|kind| answers::kind_name(*kind)).collect();
        let details = format!("`kind` must be one of {}, not {name}", known.join(", "));
        Failure::new(Code::InvalidInput, details)
    })?;
    Ok(vec![kind])
}

/// How many results are wanted; what cannot be is clamped, and told.
fn limit(call: &Call<'_>, warnings: &mut Vec<String>) -> Result<usize, Failure> {
    let asked = call.arguments.integer("limit")?.unwrap_or(10);
    let limit = asked.clamp(1, MOST_RESULTS);
    if limit != asked {
        warnings.push(format!("`limit` {asked} was clamped to {limit}"));
    }
    Ok(limit as usize)
}
