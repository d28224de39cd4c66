//! `notes`: what the project knows about itself.

use super::error::Error;
use super::render::{self, Budget, Item};
use super::tools::Notes;
use super::{NativeTool, Reply, formatted, project};
use crate::surface::{Answer, Call};
use groma_core::{Discovery, iso};
use groma_engine::notebook::{NewDiscovery, RecallAnswer, RecallRequest, Recalled, Seek};
use serde_json::{Value, json};

/// Results of one query.
const RESULTS: usize = 8;

impl NativeTool for Notes {
    fn answer(self, call: &Call<'_>) -> Result<Reply, Error> {
        match (&self.remember, &self.query) {
            (Some(content), _) => self.keep(content, call),
            (None, Some(query)) => self.recall(query, call),
            (None, None) => Err(Error::argument("query", "is required unless `remember` is given")),
        }
    }
}

impl Notes {
    fn recall(&self, query: &str, call: &Call<'_>) -> Result<Reply, Error> {
        let mut request = RecallRequest::new(query);
        request.seek = seek(self.kind.unwrap_or("all"));
        request.module = self.module.clone();
        request.limit = RESULTS;
        request.connection = Some(call.context.session.id.clone());
        let project = project(call, self.project.as_deref())?;
        let answer = project.engine.recall(&request, call.observer, call.cancel)?;
        let value = || {
            let results: Vec<Value> = answer.results.iter().map(as_json).collect();
            json!({ "results": results, "found": answer.found, "notes": answer.notes })
        };
        let budget = Budget::tokens(self.max_tokens);
        let shown = formatted(self.format, value, || as_text(&answer, budget));
        Ok(Reply::about(project, Some(query.to_string()), shown))
    }

    fn keep(&self, content: &str, call: &Call<'_>) -> Result<Reply, Error> {
        let mut discovery = NewDiscovery::new(content);
        discovery.kind = self.kind.and_then(|kind| kind.parse().ok());
        discovery.module = self.module.clone();
        discovery.session = Some(call.context.session.id.clone());
        let project = project(call, self.project.as_deref())?;
        let kept = project
            .engine
            .notebook()
            .remember(&discovery)
            .map_err(groma_engine::EngineError::from)?;
        let done = if kept.was_known { "Known already" } else { "Remembered" };
        let redacted = if kept.was_redacted { " Secrets were taken out." } else { "" };
        let text = format!("{done} as {} {}.{redacted}", kept.discovery.kind, kept.discovery.id);
        Ok(Reply::about(project, None, Answer::text(text)))
    }
}

fn as_text(answer: &RecallAnswer, budget: Budget) -> String {
    let items: Vec<Item> = answer.results.iter().map(item).collect();
    let mut text = render::list(&items, &[], budget);
    if items.is_empty() {
        text = "Nothing is known about that yet. `search` finds code; `remember` keeps what you learn.".into();
    } else if answer.found > items.len() {
        text.push_str(&format!("[{} more: ask more precisely]\n", answer.found - items.len()));
    }
    render::with_notes(text, &answer.notes)
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
            json!({ "source": "code", "code": super::analyze::hit_json(hit) })
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
