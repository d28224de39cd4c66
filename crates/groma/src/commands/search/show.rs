//! Search results as text: the page that MCP clients get, and the explanation of an answer.

use super::Found;
use crate::numbers::duration;
use crate::page::{self, Emphasis};
use crate::print::{Printer, Tint};
use anyhow::Result;
use groma_engine::{Hit, Plan, Stage};
use groma_render::search_page;
use std::io::Write;

/// Results of a stage that are shown.
const SHOWN_RESULTS: usize = 5;

/// Prints the page of the answer, after the explanation if one is requested.
pub fn answer(printer: &mut Printer, found: &Found<'_>) -> Result<()> {
    let answer = &found.answer;
    if found.request.explain {
        plan(printer, &answer.plan)?;
        stages(printer, &answer.stages)?;
        writeln!(printer, "{}", printer.paint(Tint::Name, "Results"))?;
        answer.hits.iter().take(found.limit).try_for_each(|hit| scores(printer, hit))?;
        writeln!(printer)?;
    }
    let terms = answer.plan.terms.iter().map(|term| term.term.as_str()).collect();
    page::print(printer, &search_page(answer, &found.snippets), &Emphasis::Terms(terms))
}

/// `path:start-end  kind name  score`, then the factors of the score.
fn scores(printer: &mut Printer, hit: &Hit) -> Result<()> {
    let path = printer.paint(Tint::Path, &printer.visible(hit.path.as_str()));
    let (kind, name) = match &hit.symbol {
        Some(symbol) => (symbol.kind.as_str(), symbol.qualified.as_str()),
        None => (hit.kind.as_str(), hit.title.as_str()),
    };
    let name = match name {
        "" => String::new(),
        name => format!(" {}", printer.paint(Tint::Name, &printer.visible(name))),
    };
    let score = printer.paint(Tint::Dim, &format!("{:.2}", hit.score));
    writeln!(printer, "  {path}:{}-{}  {kind}{name}  {score}", hit.lines.start, hit.lines.end)?;
    let signals: Vec<String> =
        hit.signals.iter().map(|(name, factor)| format!("{name} {factor:.3}")).collect();
    let line = format!("       signals: {}", signals.join(", "));
    writeln!(printer, "{}", printer.paint(Tint::Dim, &line))?;
    Ok(())
}

fn plan(printer: &mut Printer, plan: &Plan) -> Result<()> {
    let terms: Vec<String> =
        plan.terms.iter().map(|term| format!("{} {:.2}", term.term, term.weight)).collect();
    let wants = plan.requested;
    let wanted: Vec<&str> = [
        ("tests", wants.tests),
        ("docs", wants.docs),
        ("examples", wants.examples),
        ("config", wants.config),
    ]
    .into_iter()
    .filter_map(|(name, wanted)| wanted.then_some(name))
    .collect();
    writeln!(printer, "{}", printer.paint(Tint::Name, "Plan"))?;
    writeln!(printer, "  intent   {} ({:.0}% sure)", plan.kind.as_str(), plan.confidence * 100.0)?;
    for (name, list) in [
        ("terms", terms.join(", ")),
        ("names", plan.names.join(", ")),
        ("wants", wanted.join(", ")),
    ] {
        if !list.is_empty() {
            writeln!(printer, "  {name:<8} {list}")?;
        }
    }
    Ok(())
}

fn stages(printer: &mut Printer, stages: &[Stage]) -> Result<()> {
    writeln!(printer, "{}", printer.paint(Tint::Name, "Stages"))?;
    for stage in stages {
        writeln!(
            printer,
            "  {:<8} {:>4} in {}",
            stage.name,
            stage.count,
            duration(stage.duration)
        )?;
        for (place, score) in stage.best.iter().take(SHOWN_RESULTS) {
            writeln!(printer, "           {score:>8.4}  {}", printer.paint(Tint::Path, place))?;
        }
    }
    Ok(())
}
