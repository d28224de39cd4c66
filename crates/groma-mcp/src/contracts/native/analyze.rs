//! `analyze_query`: how a question was understood, and what each stage made of it.

use super::search::{hit_json, request};
use super::trouble::Trouble;
use super::{project, reply};
use crate::surface::{Answer, Call};
use groma_engine::{Hit, SearchAnswer, Stage};
use serde_json::{Value, json};

/// Shows why a question finds what it finds.
pub fn analyze_query(call: &Call<'_>) -> Result<Answer, Trouble> {
    let mut request = request(&call.arguments)?;
    request.explain = true;
    let project = project(call)?;
    let answer = project.engine.search(&request, call.observer, call.cancel)?;
    reply(call, as_json(&answer), || as_text(&answer))
}

fn as_text(answer: &SearchAnswer) -> String {
    let plan = &answer.plan;
    let terms: Vec<String> =
        plan.terms.iter().map(|term| format!("{} {:.2}", term.term, term.weight)).collect();
    let mut text = format!(
        "intent: {} ({:.2})\nterms: {}\nnames: {}\n",
        plan.intent.as_str(),
        plan.confidence,
        terms.join(", "),
        plan.names.join(", ")
    );
    for stage in &answer.stages {
        let took = stage.duration.as_secs_f64() * 1000.0;
        text.push_str(&format!("{}: {} in {took:.2} ms\n", stage.name, stage.count));
        for (place, score) in stage.best.iter().take(5) {
            text.push_str(&format!("    {place} {score:.3}\n"));
        }
    }
    text.push_str("results:\n");
    for (rank, hit) in answer.hits.iter().enumerate() {
        text.push_str(&format!("{}. {}\n", rank + 1, line(hit)));
    }
    super::render::with_notes(text, &answer.notes)
}

fn line(hit: &Hit) -> String {
    let signals: Vec<String> =
        hit.signals.iter().map(|(name, value)| format!("{name} {value:.3}")).collect();
    let symbol = hit.symbol.as_ref().map_or("", |symbol| &symbol.qualified);
    format!(
        "{}:{}-{} {symbol} {:.3} = {}",
        hit.path,
        hit.lines.start,
        hit.lines.end,
        hit.score,
        signals.join(", ")
    )
}

fn as_json(answer: &SearchAnswer) -> Value {
    let plan = &answer.plan;
    json!({
        "plan": {
            "intent": plan.intent.as_str(),
            "confidence": plan.confidence,
            "terms": plan.terms.iter().map(|term| json!({ "term": term.term, "weight": term.weight }))
                .collect::<Vec<_>>(),
            "names": plan.names,
            "has_identifier": plan.has_identifier,
        },
        "stages": answer.stages.iter().map(stage_json).collect::<Vec<_>>(),
        "candidates": answer.candidates,
        "results": answer.hits.iter().map(explained).collect::<Vec<_>>(),
        "notes": answer.notes,
    })
}

fn stage_json(stage: &Stage) -> Value {
    json!({
        "name": stage.name,
        "count": stage.count,
        "took_ms": stage.duration.as_secs_f64() * 1000.0,
        "best": stage.best.iter().map(|(place, score)| json!({ "place": place, "score": score }))
            .collect::<Vec<_>>(),
    })
}

fn explained(hit: &Hit) -> Value {
    let mut value = hit_json(hit);
    let signals = hit.signals.iter().map(|(name, part)| (name.to_string(), json!(part)));
    value["signals"] = Value::Object(signals.collect());
    value
}
