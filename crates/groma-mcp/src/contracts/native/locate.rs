//! `locate_symbol`.

use super::error::Error;
use super::render::{self, Budget, Item};
use super::tools::LocateSymbol;
use super::{NativeTool, Reply, engine, project};
use crate::contracts::filter;
use crate::contracts::handles::stable;
use crate::surface::{Answer, Call};
use groma_engine::{Definition, LocateAnswer, LocateRequest, Relation, Usage};
use serde_json::{Value, json};

impl NativeTool for LocateSymbol {
    fn answer(self, call: &Call<'_>) -> Result<Reply, Error> {
        let request = self.request()?;
        let project = project(call, self.project.as_deref())?;
        let engine = engine(&project, self.reference.as_deref())?;
        let answer = engine.locate(&request, call.observer, call.cancel)?;
        drop(engine);
        let shown = if self.format == "json" {
            render::data(as_json(&request, &answer))
        } else {
            let text = as_text(&request, &answer, Budget::tokens(self.max_tokens));
            Answer::text(render::with_notes(text, &answer.notes))
        };
        Ok(Reply::about(project, Some(self.name), shown))
    }
}

impl LocateSymbol {
    fn request(&self) -> Result<LocateRequest, Error> {
        let mut request = LocateRequest::new(&self.name);
        request.relation = self.relation.parse().unwrap_or_default();
        request.kinds =
            filter::symbol_kinds(&self.kinds).map_err(|reason| Error::argument("kind", reason))?;
        request.languages = filter::languages(&self.languages)
            .map_err(|reason| Error::argument("language", reason))?;
        request.paths = self.paths.clone();
        request.limit = self.limit;
        Ok(request)
    }
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
    let locations: Vec<String> =
        found.definitions.iter().map(|one| format!("{}:{}", one.path, one.line)).collect();
    let mut body = format!("    {}", found.text);
    if !locations.is_empty() {
        body.push_str(&format!("\n    defined at {}", locations.join(", ")));
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
        "definitions": found.definitions.iter().map(|one| json!({
            "path": one.path.as_str(),
            "line": one.line,
        })).collect::<Vec<_>>(),
    })
}
