//! Search results as text: location, name and code.

use super::Found;
use crate::highlight::Highlighter;
use crate::numbers::{counted, duration};
use crate::print::{Printer, Tint};
use anyhow::Result;
use groma_core::ChunkKind;
use groma_engine::{Hit, Plan, Stage};
use std::io::Write;

/// Lines of a hit that are shown without `--full`.
const SHOWN_LINES: usize = 12;

/// Results of a stage that are shown.
const SHOWN_RESULTS: usize = 5;

/// Prints the answer.
pub fn answer(printer: &mut Printer, found: &Found<'_>, full: bool) -> Result<()> {
    let answer = &found.answer;
    if found.request.explain {
        plan(printer, &answer.plan)?;
        stages(printer, &answer.stages)?;
    }
    for (index, hit) in answer.hits.iter().enumerate() {
        if index > 0 || found.request.explain {
            writeln!(printer)?;
        }
        heading(printer, hit)?;
        let shown = if full { usize::MAX } else { SHOWN_LINES };
        description(printer, hit, shown)?;
        code(printer, hit, &answer.plan, shown)?;
        if !hit.signals.is_empty() {
            let signals: Vec<String> =
                hit.signals.iter().map(|(name, factor)| format!("{name} {factor:.3}")).collect();
            let line = format!("       signals: {}", signals.join(", "));
            writeln!(printer, "{}", printer.paint(Tint::Dim, &line))?;
        }
    }
    Ok(())
}

/// `path:start-end  kind name  score`.
fn heading(printer: &mut Printer, hit: &Hit) -> Result<()> {
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
    writeln!(printer, "{path}:{}-{}  {kind}{name}  {score}", hit.lines.start, hit.lines.end)?;
    Ok(())
}

/// The signature and the first line of the doc comment, unless the shown code contains them.
fn description(printer: &mut Printer, hit: &Hit, shown: usize) -> Result<()> {
    let Some(symbol) = &hit.symbol else { return Ok(()) };
    let visible: Vec<&str> = hit.content.lines().take(shown).collect();
    let hidden = |text: &str| !text.is_empty() && !visible.iter().any(|line| line.contains(text));
    let doc = symbol.doc.lines().next().unwrap_or_default().trim();
    if hidden(doc) {
        writeln!(printer, "       {}", printer.paint(Tint::Comment, &printer.visible(doc)))?;
    }
    if hidden(&symbol.name) {
        let signature = symbol.signature.lines().next().unwrap_or_default();
        writeln!(printer, "       {}", printer.paint(Tint::Dim, &printer.visible(signature)))?;
    }
    Ok(())
}

fn code(printer: &mut Printer, hit: &Hit, plan: &Plan, shown: usize) -> Result<()> {
    let terms = plan.terms.iter().map(|term| term.term.as_str());
    let mut highlighter = Highlighter::new(printer.colors(), &hit.language, terms);
    let before = lines(&hit.context_before);
    let first = hit.lines.start as usize - before.len().min(hit.lines.start as usize - 1);
    let content = lines(&hit.content);
    // An overview is synthesised and has no line numbers.
    let numbered = hit.kind != ChunkKind::Overview;
    let mut number = first;
    let mut print = |printer: &mut Printer, line: &str, gutter: char| -> Result<()> {
        let gutter = if numbered { format!("{number:>5}{gutter} ") } else { "       ".to_string() };
        number += 1;
        let text = format!(
            "{}{}",
            printer.paint(Tint::Dim, &gutter),
            highlighter.line(&printer.visible(line))
        );
        writeln!(printer, "{}", text.trim_end())?;
        Ok(())
    };
    before.iter().try_for_each(|line| print(printer, line, '-'))?;
    content.iter().take(shown).try_for_each(|line| print(printer, line, ':'))?;
    let after = lines(&hit.context_after);
    if content.len() > shown {
        let more = counted(content.len() - shown + after.len(), "more line");
        writeln!(
            printer,
            "       {}",
            printer.paint(Tint::Dim, &format!("... {more} (--full shows all)"))
        )?;
        return Ok(());
    }
    after.iter().try_for_each(|line| print(printer, line, '-'))
}

/// The lines of a text, a trailing empty one included; none for an empty text.
fn lines(text: &str) -> Vec<&str> {
    match text {
        "" => Vec::new(),
        text => text.split('\n').map(|line| line.strip_suffix('\r').unwrap_or(line)).collect(),
    }
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
