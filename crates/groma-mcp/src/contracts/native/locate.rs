//! `locate_symbol`.

use super::render::{self, Budget, Item};
use super::trouble::Trouble;
use super::{argument, engine, project};
use crate::contracts::filter;
use crate::contracts::handles::stable;
use crate::surface::{Answer, Call};
use groma_engine::{Definition, LocateAnswer, LocateRequest, Relation, Usage};
use serde_json::{Value, json};

/// Finds where a name is defined, and what uses it.
pub fn locate_symbol(call: &Call<'_>) -> Result<Answer, Trouble> {
    let arguments = &call.arguments;
    let mut request = LocateRequest::new(arguments.required_text("name")?);
    request.relation =
        arguments.text("relation")?.and_then(|name| name.parse().ok()).unwrap_or_default();
    request.kinds =
        filter::symbol_kinds(&arguments.texts("kind")?).map_err(|why| argument("kind", why))?;
    request.languages = filter::languages(&arguments.texts("language")?)
        .map_err(|why| argument("language", why))?;
    request.paths = arguments.texts("path")?;
    request.limit = arguments.count("limit")?.unwrap_or(10);
    let project = project(call)?;
    let answer = engine(call, &project)?.locate(&request, call.observer, call.cancel)?;
    if arguments.text("format")? == Some("json") {
        return Ok(render::data(as_json(&request, &answer)));
    }
    let budget = Budget::tokens(arguments.count("max_tokens")?.unwrap_or(6000));
    Ok(Answer::text(render::with_notes(as_text(&request, &answer, budget), &answer.notes)))
}

fn as_text(request: &LocateRequest, answer: &LocateAnswer, budget: Budget) -> String {
    if answer.definitions.is_empty() && answer.usages.is_empty() {
        return nothing(request);
    }
    let definitions = answer.definitions.iter().map(definition);
    let items: Vec<Item> = definitions.chain(answer.usages.iter().map(usage)).collect();
    let mut text = render::list(&items, &[], budget);
    let more = answer.total_definitions + answer.total_usages - items.len();
    if more > 0 {
        text.push_str(&format!(
            "[{more} more: raise limit, or narrow by kind, language or path]\n"
        ));
    }
    text
}

fn nothing(request: &LocateRequest) -> String {
    let what = request.relation.as_str();
    let mut text = format!("No {what} of {:?} found.", request.name);
    if request.relation != Relation::Definitions {
        text.push_str(" Without relation, locate_symbol tells whether it is defined at all.");
    }
    text.push_str(" search_code finds it by what it does, grep_codebase by its text.");
    text
}

fn definition(found: &Definition) -> Item {
    let symbol = &found.symbol;
    let head = format!(
        "{}:{}-{}  {} {}",
        found.path, symbol.name_line, symbol.lines.end, symbol.kind, symbol.qualified
    );
    let doc = symbol.doc.lines().next().unwrap_or_default();
    let body = match doc {
        "" => format!("    {}", symbol.signature),
        doc => format!("    {}\n    {doc}", symbol.signature),
    };
    Item { head, signature: symbol.signature.clone(), body }
}

fn usage(found: &Usage) -> Item {
    let inside = found.enclosing.as_ref().map(|symbol| format!(" in {}", symbol.qualified));
    let head = format!(
        "{}:{}  {} of {}{}",
        found.path,
        found.line,
        found.kind.as_str(),
        found.name,
        inside.unwrap_or_default()
    );
    let places: Vec<String> =
        found.definitions.iter().map(|place| format!("{}:{}", place.path, place.line)).collect();
    let mut body = format!("    {}", found.text);
    if !places.is_empty() {
        body.push_str(&format!("\n    defined at {}", places.join(", ")));
    }
    Item { head, signature: found.text.clone(), body }
}

fn as_json(request: &LocateRequest, answer: &LocateAnswer) -> Value {
    json!({
        "name": request.name,
        "relation": request.relation.as_str(),
        "definitions": answer.definitions.iter().map(definition_json).collect::<Vec<_>>(),
        "usages": answer.usages.iter().map(usage_json).collect::<Vec<_>>(),
        "total_definitions": answer.total_definitions,
        "total_usages": answer.total_usages,
        "notes": answer.notes,
    })
}

fn definition_json(found: &Definition) -> Value {
    let symbol = &found.symbol;
    json!({
        "path": found.path.as_str(),
        "line": symbol.name_line,
        "start_line": symbol.lines.start,
        "end_line": symbol.lines.end,
        "name": symbol.name,
        "kind": symbol.kind.as_str(),
        "qualified_name": symbol.qualified,
        "stable_id": stable(found.into()),
        "signature": symbol.signature,
        "doc": symbol.doc,
        "visibility": symbol.visibility.as_str(),
        "parent": found.parent,
        "language": found.language,
        "match": found.matched.as_str(),
        "score": found.score,
    })
}

fn usage_json(found: &Usage) -> Value {
    json!({
        "path": found.path.as_str(),
        "line": found.line,
        "column": found.column,
        "kind": found.kind.as_str(),
        "name": found.name,
        "text": found.text,
        "enclosing": found.enclosing.as_ref().map(|symbol| json!({
            "name": symbol.name,
            "qualified_name": symbol.qualified,
            "kind": symbol.kind.as_str(),
            "start_line": symbol.lines.start,
            "end_line": symbol.lines.end,
        })),
        "definitions": found.definitions.iter().map(|place| json!({
            "path": place.path.as_str(),
            "line": place.line,
        })).collect::<Vec<_>>(),
    })
}
