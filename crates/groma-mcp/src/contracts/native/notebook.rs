//! `context_search` and `remember`: what the project knows about itself.

use super::render::{self, Budget, Item};
use super::trouble::Trouble;
use super::{project, reply};
use crate::surface::{Answer, Call};
use groma_engine::core::{Discovery, iso};
use groma_engine::notebook::{NewDiscovery, RecallRequest, Recalled, Seek};
use serde_json::{Value, json};

/// Finds decisions, rules, patterns, issues, earlier sessions and code.
pub fn context_search(call: &Call<'_>) -> Result<Answer, Trouble> {
    let arguments = &call.arguments;
    let mut request = RecallRequest::new(arguments.required_text("query")?);
    request.seek = seek(arguments.text("type")?.unwrap_or("all"));
    request.module = arguments.text("module")?.map(str::to_string);
    request.limit = arguments.count("limit")?.unwrap_or(10);
    request.connection = Some(call.visit.session.id.clone());
    let project = project(call)?;
    let answer = project.engine.recall(&request, call.observer, call.cancel)?;
    if arguments.text("format")? == Some("json") {
        let results: Vec<Value> = answer.results.iter().map(as_json).collect();
        let notes = &answer.notes;
        return Ok(render::data(
            json!({ "results": results, "found": answer.found, "notes": notes }),
        ));
    }
    let budget = Budget::tokens(arguments.count("max_tokens")?.unwrap_or(6000));
    let items: Vec<Item> = answer.results.iter().map(item).collect();
    let mut text = render::list(&items, &[], budget);
    if items.is_empty() {
        text = "Nothing is known about that yet. search_code finds code; remember keeps what you learn.".into();
    } else if answer.found > items.len() {
        text.push_str(&format!("[{} more: raise limit]\n", answer.found - items.len()));
    }
    Ok(Answer::text(render::with_notes(text, &answer.notes)))
}

fn seek(kind: &str) -> Seek {
    match kind {
        "discovery" => Seek::Discoveries(None),
        "session" => Seek::Sessions,
        "code" => Seek::Code,
        other => other.parse().map_or(Seek::All, |kind| Seek::Discoveries(Some(kind))),
    }
}

fn item((score, found): &(f32, Recalled)) -> Item {
    match found {
        Recalled::Discovery(discovery) => Item {
            head: format!("{}  {}  {score:.2}", discovery.kind, sources(discovery)),
            signature: first_line(&discovery.content),
            body: indented(&discovery.content),
        },
        Recalled::Session(session) => Item {
            head: format!("session of {}  {score:.2}", iso(session.started)),
            signature: session.topics.join("; "),
            body: indented(&session.topics.join("\n")),
        },
        Recalled::Code { hit, .. } => Item {
            head: format!("{}:{}-{}  code  {score:.2}", hit.path, hit.lines.start, hit.lines.end),
            signature: hit
                .symbol
                .as_ref()
                .map_or_else(String::new, |symbol| symbol.signature.clone()),
            body: hit.content.trim_end().to_string(),
        },
    }
}

fn sources(discovery: &Discovery) -> String {
    let evidence: Vec<String> = discovery.evidence.iter().map(ToString::to_string).collect();
    format!("{} ({})", evidence.join(", "), iso(discovery.date))
}

fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().to_string()
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("    {line}")).collect::<Vec<_>>().join("\n")
}

fn as_json((score, found): &(f32, Recalled)) -> Value {
    let mut value = match found {
        Recalled::Discovery(discovery) => json!({
            "source": "discovery",
            "discovery": discovery_json(discovery),
        }),
        Recalled::Session(session) => json!({
            "source": "session",
            "id": session.id,
            "started_at": iso(session.started),
            "topics": session.topics,
        }),
        Recalled::Code { hit, .. } => {
            json!({ "source": "code", "code": super::search::hit_json(hit) })
        }
    };
    value["module"] = found.module().into();
    value["score"] = json!(score);
    value
}

fn discovery_json(discovery: &Discovery) -> Value {
    json!({
        "id": discovery.id,
        "type": discovery.kind.as_str(),
        "content": discovery.content,
        "module": discovery.module,
        "date": iso(discovery.date),
        "confidence": discovery.confidence,
        "evidence": discovery.evidence.iter().map(ToString::to_string).collect::<Vec<_>>(),
    })
}

/// Keeps something worth knowing.
pub fn remember(call: &Call<'_>) -> Result<Answer, Trouble> {
    let arguments = &call.arguments;
    let mut discovery = NewDiscovery::new(arguments.required_text("content")?);
    discovery.kind = arguments.text("type")?.and_then(|kind| kind.parse().ok());
    discovery.module = arguments.text("module")?.map(str::to_string);
    discovery.session = Some(call.visit.session.id.clone());
    let project = project(call)?;
    let kept =
        project.engine.notebook().remember(&discovery).map_err(groma_engine::EngineError::from)?;
    let value = json!({
        "discovery": discovery_json(&kept.discovery),
        "was_known": kept.was_known,
        "was_redacted": kept.was_redacted,
    });
    reply(call, value, || {
        let done = if kept.was_known { "Known already" } else { "Remembered" };
        let redacted = if kept.was_redacted { " Secrets were taken out." } else { "" };
        format!("{done} as {} {}.{redacted}", kept.discovery.kind, kept.discovery.id)
    })
}
