//! What depends on something, as a tree, and the tests among it.

use crate::budget::Budget;
use crate::page::{Line, Page};
use crate::place::{counted, range};
use crate::symbol::usage_line;
use groma_engine::{Dependent, ImpactAnswer, Usage};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// The most changed definitions that are listed.
const LISTED: usize = 20;

/// The answer as lines: what is changed, what depends on it as a tree, then the tests.
pub fn impact_page(found: &ImpactAnswer, budget: Budget) -> Page {
    let mut page = Page::default();
    if found.definitions.is_empty() {
        page.push(Line::Summary("nothing to follow: no such definition".into()));
        push_others(&mut page, found);
        page.push_notes(&found.notes);
        return page;
    }
    for one in found.definitions.iter().take(LISTED) {
        page.push(Line::Place {
            location: format!("{}:{}", one.path, range(one.symbol.lines)),
            text: one.symbol.signature.lines().next().unwrap_or(&one.symbol.qualified).to_string(),
        });
    }
    if found.definitions.len() > LISTED {
        let more = counted(found.definitions.len() - LISTED, "more changed definitions");
        page.push(Line::Note(more));
    }
    push_others(&mut page, found);
    let code = found.total - found.tests;
    page.push(Line::Summary(match code {
        0 => "no code depends on it".to_string(),
        code => format!("{}:", counted(code, "dependents")),
    }));
    let tests = |page: &mut Page, room: usize| push_tests(page, found, room);
    let room = budget.chars().saturating_sub(page.chars());
    // A third is for the tests: they are what is run next.
    let left_out = push_tree(&mut page, found, room - room / 3);
    let room = budget.chars().saturating_sub(page.chars());
    let left_out = left_out + tests(&mut page, room);
    if left_out > 0 {
        let more = counted(left_out, "more");
        page.push(Line::Note(format!("{more}: raise max_tokens or follow fewer steps")));
    }
    page.push_notes(&found.notes);
    page
}

/// Names the changed files whose definitions are unchanged.
fn push_others(page: &mut Page, found: &ImpactAnswer) {
    let others: Vec<&str> =
        found.other_files.iter().take(LISTED).map(|path| path.as_str()).collect();
    if !others.is_empty() {
        let count = counted(found.other_files.len(), "files");
        let names = others.join(", ");
        page.push(Line::Note(format!("{count} changed outside of definitions: {names}")));
    }
}

/// Adds the dependents that are no tests, each below what it uses; returns how many had no room. Near ones come first.
fn push_tree(page: &mut Page, found: &ImpactAnswer, mut room: usize) -> usize {
    let mut kept: BTreeMap<(usize, usize), Vec<usize>> = BTreeMap::new();
    let mut shown: BTreeSet<(usize, usize)> = BTreeSet::new();
    let mut left_out = 0;
    for (step, dependents) in found.steps.iter().enumerate() {
        for (at, one) in dependents.iter().enumerate().filter(|(_, one)| !one.is_test) {
            let price = usage_line(&one.usage, step + 1).to_string().len() + 1;
            let is_hung = step == 0 || shown.contains(&(step - 1, one.of));
            if price > room || !is_hung {
                left_out += 1;
                continue;
            }
            room -= price;
            shown.insert((step, at));
            let of = if step == 0 { 0 } else { one.of };
            kept.entry((step, of)).or_default().push(at);
        }
    }
    push_below(page, found, &kept, (0, 0));
    left_out
}

/// Adds what is below a dependent; the depth is the number of steps.
fn push_below(
    page: &mut Page,
    found: &ImpactAnswer,
    kept: &BTreeMap<(usize, usize), Vec<usize>>,
    (step, of): (usize, usize),
) {
    for at in kept.get(&(step, of)).into_iter().flatten() {
        page.push(usage_line(&found.steps[step][*at].usage, step + 1));
        push_below(page, found, kept, (step + 1, *at));
    }
}

/// Adds the tests, nearest first; returns how many had no room.
fn push_tests(page: &mut Page, found: &ImpactAnswer, mut room: usize) -> usize {
    let summary = match found.tests {
        0 => "no test reaches it".to_string(),
        count => format!("{} that reach it:", counted(count, "tests")),
    };
    room = room.saturating_sub(summary.len() + 1);
    page.push(Line::Summary(summary));
    let mut left_out = 0;
    for one in found.steps.iter().flatten().filter(|one| one.is_test) {
        let line = usage_line(&one.usage, 1);
        let price = line.to_string().len() + 1;
        if price > room {
            left_out += 1;
            continue;
        }
        room -= price;
        page.push(line);
    }
    left_out
}

/// The answer as JSON.
pub fn impact_json(found: &ImpactAnswer) -> Value {
    let dependent = |one: &Dependent| {
        let Usage { path, line, name, text, enclosing, .. } = &one.usage;
        json!({
            "path": path.as_str(),
            "line": line,
            "uses": name,
            "text": text,
            "definition": enclosing.as_ref().map(|symbol| json!({
                "name": symbol.name,
                "qualified_name": symbol.qualified,
                "kind": symbol.kind.as_str(),
                "start_line": symbol.lines.start,
                "end_line": symbol.lines.end,
            })),
            "of": one.of,
            "test": one.is_test,
        })
    };
    json!({
        "definitions": found.definitions.iter().map(|one| json!({
            "path": one.path.as_str(),
            "line": one.symbol.name_line,
            "name": one.symbol.name,
            "kind": one.symbol.kind.as_str(),
            "qualified_name": one.symbol.qualified,
        })).collect::<Vec<_>>(),
        "steps": found.steps.iter().map(|step| step.iter().map(dependent).collect::<Vec<_>>())
            .collect::<Vec<_>>(),
        "total": found.total,
        "tests": found.tests,
        "other_files": found.other_files.iter().map(|path| path.as_str()).collect::<Vec<_>>(),
        "test_files": found.test_files().iter().map(|path| path.as_str()).collect::<Vec<_>>(),
        "notes": found.notes,
    })
}
