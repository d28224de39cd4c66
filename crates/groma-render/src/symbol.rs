//! A definition with its body, and the places that relate to it.

use crate::budget::Budget;
use crate::page::{Line, Page};
use crate::place::{counted, excerpt_json, push_place, range};
use groma_engine::{NameMatch, Relation, SymbolAnswer, SymbolRequest, Usage};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// What is said above usages that may mean something else.
const POSSIBLE: &str = "possible, the type before the name is not known";

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
    let heading = match answer.total_usages - answer.possible_usages {
        0 => format!("no {what} found"),
        count => format!("{}:", counted(count, what)),
    };
    page.push(Line::Summary(heading));
    let tree = UsageTree::new(found, budget.chars().saturating_sub(page.chars()));
    tree.push(page);
    let left_out = answer.total_usages - answer.usages.len() + tree.left_out;
    if left_out > 0 {
        let more = counted(left_out, &format!("more {what}"));
        page.push(Line::Note(format!("{more}: raise max_tokens or give a path")));
    }
}

/// Usages, and the usages of each below it.
struct UsageTree<'a> {
    found: &'a SymbolAnswer,
    /// What fits into the budget: by level and by the usage it belongs to, the indexes in its level.
    kept: BTreeMap<(usize, usize), Vec<usize>>,
    left_out: usize,
}

impl<'a> UsageTree<'a> {
    /// Keeps what has room. Near usages come before far ones, whatever branch they are in.
    fn new(found: &'a SymbolAnswer, mut room: usize) -> Self {
        let mut tree = Self { found, kept: BTreeMap::new(), left_out: 0 };
        if found.located.possible_usages > 0 {
            room = room.saturating_sub(POSSIBLE.len() + 12);
        }
        for level in 0..=found.further.len() {
            for at in 0..tree.len(level) {
                let price = usage_line(tree.usage(level, at), level + 1).to_string().len() + 1;
                if price > room {
                    tree.left_out += 1;
                    continue;
                }
                room -= price;
                let of = if level == 0 { 0 } else { found.further[level - 1][at].of };
                tree.kept.entry((level, of)).or_default().push(at);
            }
        }
        tree
    }

    fn len(&self, level: usize) -> usize {
        match level.checked_sub(1) {
            None => self.found.located.usages.len(),
            Some(level) => self.found.further[level].len(),
        }
    }

    fn usage(&self, level: usize, at: usize) -> &'a Usage {
        match level.checked_sub(1) {
            None => &self.found.located.usages[at],
            Some(level) => &self.found.further[level][at].usage,
        }
    }

    fn push(&self, page: &mut Page) {
        let mut certain = true;
        for at in self.kept.get(&(0, 0)).into_iter().flatten() {
            if certain && self.usage(0, *at).is_possible {
                certain = false;
                let count = self.found.located.possible_usages;
                page.push(Line::Summary(format!("{count} {POSSIBLE}:")));
            }
            self.push_below(page, 0, *at);
        }
    }

    /// A usage and what is below it; the depth is that of the request.
    fn push_below(&self, page: &mut Page, level: usize, at: usize) {
        page.push(usage_line(self.usage(level, at), level + 1));
        for below in self.kept.get(&(level + 1, at)).into_iter().flatten() {
            self.push_below(page, level + 1, *below);
        }
    }
}

/// `path:line in fn name 10-40: code`.
pub(crate) fn usage_line(usage: &Usage, level: usize) -> Line {
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
            level.iter().map(|one| {
                let mut usage = usage_json(&one.usage);
                usage["of"] = one.of.into();
                usage
            }).collect::<Vec<_>>()
        }).collect::<Vec<_>>(),
        "total_definitions": answer.total_definitions,
        "total_usages": answer.total_usages,
        "possible_usages": answer.possible_usages,
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
        "possible": found.is_possible,
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
