//! A definition with its body, and the places that relate to it.

use crate::budget::Budget;
use crate::page::{Line, Page};
use crate::place::{counted, excerpt_json, push_place, range};
use groma_engine::{NameMatch, Relation, SymbolAnswer, SymbolRequest, Usage};
use serde_json::{Value, json};

/// The answer as lines.
pub fn symbol_page(request: &SymbolRequest, found: &SymbolAnswer, budget: Budget) -> Page {
    let mut page = Page::default();
    let (answer, name) = (&found.located, &request.locate.name);
    if answer.definitions.is_empty() && answer.usages.is_empty() {
        let what = request.what();
        page.push(Line::Summary(format!(
            "no {what} of {name:?}; search finds it by what it does, grep by its text"
        )));
        page.push_notes(&answer.notes);
        return page;
    }
    if answer.definitions.first().is_some_and(|one| one.matched == NameMatch::Fuzzy) {
        page.push(Line::Summary(format!("no definition of {name}; these names are similar:")));
    }
    found.bodies.iter().for_each(|body| push_place(&mut page, body));
    let bodies = found.bodies.len();
    for one in answer.definitions.iter().skip(bodies) {
        let symbol = &one.symbol;
        page.push(Line::Place {
            location: format!("{}:{}", one.path, range(symbol.lines)),
            text: symbol.signature.lines().next().unwrap_or(&symbol.qualified).to_string(),
        });
    }
    let shown = answer.definitions.len().max(bodies);
    if answer.total_definitions > shown {
        let more = counted(answer.total_definitions - shown, "more definitions");
        page.push(Line::Note(format!("{more}: qualify the name or give a path")));
    }
    push_usages(&mut page, request, found, budget);
    page.push_notes(&answer.notes);
    page
}

fn push_usages(page: &mut Page, request: &SymbolRequest, found: &SymbolAnswer, budget: Budget) {
    let (answer, what) = (&found.located, request.what());
    if request.locate.relation == Relation::Definitions {
        return;
    }
    let heading = match answer.total_usages {
        0 => format!("no {what} found"),
        count => format!("{}:", counted(count, what)),
    };
    page.push(Line::Summary(heading));
    let mut room = budget.chars().saturating_sub(page.chars());
    let mut left_out = answer.total_usages - answer.usages.len();
    push_level(page, &answer.usages, 1, &mut room, &mut left_out);
    for (level, usages) in (2..).zip(&found.further) {
        push_level(page, usages, level, &mut room, &mut left_out);
    }
    if left_out > 0 {
        let more = counted(left_out, &format!("more {what}"));
        page.push(Line::Note(format!("{more}: raise max_tokens or give a path")));
    }
}

fn push_level(page: &mut Page, usages: &[Usage], level: usize, room: &mut usize, left: &mut usize) {
    for usage in usages {
        let line = usage_line(usage, level);
        let price = line.to_string().len() + 1;
        if price > *room {
            *left += 1;
            continue;
        }
        *room -= price;
        page.push(line);
    }
}

/// `path:line in fn name 10-40: code`.
fn usage_line(usage: &Usage, level: usize) -> Line {
    let inside = usage
        .enclosing
        .as_ref()
        .map_or_else(String::new, |one| format!("in {} {}: ", one.qualified, range(one.lines)));
    let defined: Vec<String> =
        usage.definitions.iter().map(|one| format!("{}:{}", one.path, one.line)).collect();
    let defined =
        if defined.is_empty() { String::new() } else { format!(" -> {}", defined.join(", ")) };
    let indent = "  ".repeat(level - 1);
    Line::Place {
        location: format!("{indent}{}:{}", usage.path, usage.line),
        text: format!("{inside}{}{defined}", usage.text),
    }
}

/// The answer as JSON.
pub fn symbol_json(request: &SymbolRequest, found: &SymbolAnswer) -> Value {
    let answer = &found.located;
    json!({
        "name": request.locate.name,
        "relation": request.what(),
        "definitions": answer.definitions.iter().enumerate().map(|(index, one)| {
            let symbol = &one.symbol;
            let body = found.bodies.get(index);
            json!({
                "path": one.path.as_str(),
                "line": symbol.name_line,
                "start_line": symbol.lines.start,
                "end_line": symbol.lines.end,
                "name": symbol.name,
                "kind": symbol.kind.as_str(),
                "qualified_name": symbol.qualified,
                "signature": symbol.signature,
                "doc": symbol.doc,
                "visibility": symbol.visibility.as_str(),
                "language": one.language,
                "match": one.matched.as_str(),
                "excerpts": body.map(|body| body.excerpts.iter().map(excerpt_json).collect::<Vec<_>>()),
            })
        }).collect::<Vec<_>>(),
        "usages": answer.usages.iter().map(usage_json).collect::<Vec<_>>(),
        "further": found.further.iter().map(|level| {
            level.iter().map(usage_json).collect::<Vec<_>>()
        }).collect::<Vec<_>>(),
        "total_definitions": answer.total_definitions,
        "total_usages": answer.total_usages,
        "notes": answer.notes,
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
