//! A definition with its body, and the places that relate to it.

use crate::budget::Budget;
use crate::page::{Line, Page};
use crate::place::{excerpt_json, place_json, push_place};
use groma_engine::{LocateAnswer, PlaceView, Relation, Usage};
use serde_json::{Value, json};

/// A symbol query and its answer.
pub struct SymbolView<'a> {
    /// The name in the query.
    pub name: &'a str,
    /// The relation that was looked up.
    pub relation: Relation,
    /// The definitions, and the usages nearest to them.
    pub answer: &'a LocateAnswer,
    /// Usages of the usages, by their distance: callers of callers.
    pub further: &'a [Vec<Usage>],
    /// The bodies of definitions.
    pub bodies: &'a [PlaceView],
}

/// The answer as lines.
pub fn symbol_page(view: &SymbolView<'_>, budget: Budget) -> Page {
    let mut page = Page::default();
    let answer = view.answer;
    if answer.definitions.is_empty() && answer.usages.is_empty() {
        let what = view.relation.as_str();
        page.push(Line::Summary(format!(
            "no {what} of {:?}; search finds it by what it does, grep by its text",
            view.name
        )));
        page.push_notes(&answer.notes);
        return page;
    }
    view.bodies.iter().for_each(|body| push_place(&mut page, body));
    let bodies = view.bodies.len();
    for found in answer.definitions.iter().skip(bodies) {
        let symbol = &found.symbol;
        page.push(Line::Place {
            location: format!("{}:{}-{}", found.path, symbol.lines.start, symbol.lines.end),
            text: symbol.signature.lines().next().unwrap_or(&symbol.qualified).to_string(),
        });
    }
    let shown = answer.definitions.len().max(bodies);
    if answer.total_definitions > shown {
        let more = answer.total_definitions - shown;
        page.push(Line::Note(format!("{more} more definitions: qualify the name or give a path")));
    }
    push_usages(&mut page, view, budget);
    page.push_notes(&answer.notes);
    page
}

fn push_usages(page: &mut Page, view: &SymbolView<'_>, budget: Budget) {
    let answer = view.answer;
    if view.relation == Relation::Definitions {
        return;
    }
    let what = view.relation.as_str();
    page.push(Line::Summary(format!("{} {what}:", answer.total_usages)));
    let mut room = budget.chars().saturating_sub(page.chars());
    let mut left_out = answer.total_usages - answer.usages.len();
    push_level(page, &answer.usages, 1, &mut room, &mut left_out);
    for (level, usages) in (2..).zip(view.further) {
        push_level(page, usages, level, &mut room, &mut left_out);
    }
    if left_out > 0 {
        page.push(Line::Note(format!("{left_out} more {what}: raise max_tokens or give a path")));
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
    let inside = usage.enclosing.as_ref().map_or_else(String::new, |one| {
        format!("in {} {}-{}", one.qualified, one.lines.start, one.lines.end)
    });
    let defined: Vec<String> =
        usage.definitions.iter().map(|one| format!("{}:{}", one.path, one.line)).collect();
    let defined =
        if defined.is_empty() { String::new() } else { format!(" -> {}", defined.join(", ")) };
    let indent = "  ".repeat(level - 1);
    Line::Place {
        location: format!("{indent}{}:{}", usage.path, usage.line),
        text: format!("{inside}: {}{defined}", usage.text),
    }
}

/// The answer as JSON.
pub fn symbol_json(view: &SymbolView<'_>) -> Value {
    let answer = view.answer;
    json!({
        "name": view.name,
        "relation": view.relation.as_str(),
        "definitions": answer.definitions.iter().enumerate().map(|(index, found)| {
            let symbol = &found.symbol;
            let body = view.bodies.get(index);
            json!({
                "path": found.path.as_str(),
                "line": symbol.name_line,
                "start_line": symbol.lines.start,
                "end_line": symbol.lines.end,
                "name": symbol.name,
                "kind": symbol.kind.as_str(),
                "qualified_name": symbol.qualified,
                "signature": symbol.signature,
                "doc": symbol.doc,
                "visibility": symbol.visibility.as_str(),
                "language": found.language,
                "match": found.matched.as_str(),
                "place": body.and_then(|body| body.place.as_ref()).map(place_json),
                "excerpts": body.map(|body| body.excerpts.iter().map(excerpt_json).collect::<Vec<_>>()),
            })
        }).collect::<Vec<_>>(),
        "usages": answer.usages.iter().map(usage_json).collect::<Vec<_>>(),
        "further": view.further.iter().map(|level| {
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
