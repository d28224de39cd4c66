//! `analyze_query`: how a query was parsed, and the figures of each stage.

use super::error::Error;
use super::search::{hit_json, mode, symbol_filter};
use super::tools::AnalyzeQuery;
use super::{NativeTool, Reply, formatted, project};
use crate::surface::Call;
use groma_engine::{Hit, SearchAnswer, SearchRequest, Stage};
use serde_json::{Value, json};

impl NativeTool for AnalyzeQuery {
    fn answer(self, call: &Call<'_>) -> Result<Reply, Error> {
        let mut request = SearchRequest::new(&self.query);
        request.limit = self.limit;
        request.mode = mode(self.mode);
        request.filter = symbol_filter(&self.languages, &self.kinds, self.symbol_name.as_deref())?;
        request.explain = true;
        let project = project(call, self.project.as_deref())?;
        let answer = project.engine.search(&request, call.observer, call.cancel)?;
        let shown = formatted(self.format, as_json(&answer), || as_text(&answer));
        Ok(Reply::about(project, Some(self.query), shown))
    }
}

fn as_text(answer: &SearchAnswer) -> String {
    let plan = &answer.plan;
    let terms: Vec<String> =
        plan.terms.iter().map(|term| format!("{} {:.2}", term.term, term.weight)).collect();
    let mut text = format!(
        "intent: {} ({:.2})\nterms: {}\nnames: {}\n",
        plan.kind.as_str(),
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
            "intent": plan.kind.as_str(),
            "confidence": plan.confidence,
            "terms": plan.terms.iter().map(|term| json!({ "term": term.term, "weight": term.weight }))
                .collect::<Vec<_>>(),
            "names": plan.names,
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
