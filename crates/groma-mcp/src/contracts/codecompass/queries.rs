//! `locate_symbol` and `search_code`.

use super::answers::{self, fitted};
use super::codes::Code;
use super::error::Error;
use super::intent::{self, Intent};
use super::target::Target;
use super::tools::{LocateSymbol, SearchCode};
use super::{CompassTool, files, next};
use crate::arguments::{ArgumentError, Given};
use crate::contracts::filter;
use crate::surface::Call;
use groma_core::SymbolKind;
use groma_engine::{LocateAnswer, LocateRequest, NameMatch, SearchAnswer, SearchRequest};
use serde_json::{Map, Value, json};

/// Maximum results of the engine.
const MAX_RESULTS: i64 = 1000;

impl CompassTool for LocateSymbol {
    fn read_ref(given: &Given) -> Result<Option<String>, ArgumentError> {
        Self::reference(given)
    }

    fn answer(self, call: &Call<'_>, target: &mut Target) -> Result<Value, Error> {
        let mut warnings = Vec::new();
        let mut request = LocateRequest::new(self.name);
        request.kinds = kinds(self.kind.as_deref())?;
        request.languages = languages(self.language)?;
        request.limit = limit(self.limit, &mut warnings);
        request.check().map_err(groma_engine::EngineError::from)?;
        target.answerable()?;
        let engine = &target.engine;
        let mut answer = if target.is_syncing() {
            engine.locate_indexed(&request)?
        } else {
            engine.locate(&request, call.observer, call.cancel)?
        };
        warnings.append(&mut answer.notes);
        Ok(definitions(target, &request, answer, warnings))
    }
}

fn definitions(
    target: &Target,
    request: &LocateRequest,
    mut answer: LocateAnswer,
    mut warnings: Vec<String>,
) -> Value {
    // Names that are only similar are no results in this contract.
    if answer.definitions.iter().any(|found| found.matched == NameMatch::Fuzzy) {
        let names: Vec<&str> =
            answer.definitions.iter().map(|found| found.symbol.name.as_str()).take(3).collect();
        warnings.push(format!("nothing is called {}; alike: {}", request.name, names.join(", ")));
        answer.definitions.clear();
        answer.total_definitions = 0;
    }
    let handles = target.handles();
    let results = answer.definitions.iter().map(|found| answers::definition(found, &handles));
    let mut fields = Map::new();
    fields.insert("results".into(), results.collect::<Vec<_>>().into());
    fields.insert("total_candidates".into(), answer.total_definitions.into());
    let mut metadata = target.query_metadata(answer.is_behind);
    metadata.warnings = warnings;
    fitted(fields, metadata)
}

impl CompassTool for SearchCode {
    fn read_ref(given: &Given) -> Result<Option<String>, ArgumentError> {
        Self::reference(given)
    }

    fn answer(self, call: &Call<'_>, target: &mut Target) -> Result<Value, Error> {
        let mut warnings = Vec::new();
        let mut request = SearchRequest::new(self.query);
        request.filter.languages = languages(self.language)?;
        request.limit = limit(self.limit, &mut warnings);
        request.check().map_err(groma_engine::EngineError::from)?;
        target.answerable()?;
        let engine = &target.engine;
        let search = |request: &SearchRequest| {
            if target.is_syncing() {
                engine.search_indexed(request)
            } else {
                engine.search(request, call.observer, call.cancel)
            }
        };
        let mut answer = search(&request)?;
        let intent = Intent::of(&request.query, answer.plan.kind);
        if intent == Intent::Path {
            let paths: Vec<&str> = intent::paths(&request.query).collect();
            files::first(&engine.indexed_paths()?, &paths, &request, &mut answer, search)?;
        }
        warnings.append(&mut answer.notes);
        let mut metadata = target.query_metadata(answer.is_behind);
        metadata.warnings = warnings;
        let is_verbose = call.context.host.is_verbose();
        Ok(fitted(results(target, &answer, intent, is_verbose), metadata))
    }
}

fn results(
    target: &Target,
    answer: &SearchAnswer,
    intent: Intent,
    is_verbose: bool,
) -> Map<String, Value> {
    let handles = target.handles();
    let results = answer.hits.iter().map(|hit| answers::hit(hit, &answer.plan, &handles));
    let mut fields = Map::new();
    fields.insert("results".into(), results.collect::<Vec<_>>().into());
    fields.insert("query_intent".into(), intent.as_str().into());
    fields.insert("total_candidates".into(), answer.candidates.into());
    let actions = next::actions(answer, target.reference());
    fields.insert("suggested_next_actions".into(), actions.into());
    if is_verbose {
        let hits = answer.hits.iter().filter(|hit| hit.symbol.is_some()).count();
        let status = json!({ "hits": hits, "misses": answer.hits.len() - hits });
        fields.insert("debug".into(), json!({ "join_status": status }));
    }
    fields
}

fn languages(given: Option<String>) -> Result<Vec<String>, Error> {
    let given: Vec<String> = given.into_iter().collect();
    filter::languages(&given)
        .map_err(|reason| Error::new(Code::InvalidInput, format!("`language`: {reason}")))
}

/// The kinds to filter by; no filter when none is given.
fn kinds(given: Option<&str>) -> Result<Vec<SymbolKind>, Error> {
    let given = given.map(str::trim).filter(|name| !name.is_empty());
    let Some(name) = given else { return Ok(Vec::new()) };
    let module = matches!(name, "use" | "import").then_some(SymbolKind::Module);
    let kind = module.or_else(|| SymbolKind::parse_alias(name)).ok_or_else(|| {
        let known: Vec<_> = SymbolKind::ALL.iter().map(|kind| answers::kind_name(*kind)).collect();
        let details = format!("`kind` must be one of {}, not {name}", known.join(", "));
        Error::new(Code::InvalidInput, details)
    })?;
    Ok(vec![kind])
}

/// The number of results; a value out of range is clamped, with a warning.
fn limit(asked: i64, warnings: &mut Vec<String>) -> usize {
    let limit = asked.clamp(1, MAX_RESULTS);
    if limit != asked {
        warnings.push(format!("`limit` {asked} was clamped to {limit}"));
    }
    limit as usize
}
