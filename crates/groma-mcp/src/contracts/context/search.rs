//! `context_search`.

use super::Done;
use super::trouble::Trouble;
use crate::host::Project;
use crate::surface::Call;
use groma_engine::core::{Discovery, Evidence, iso};
use groma_engine::notebook::{RecallAnswer, RecallRequest, Recalled, Seek, session_text};
use serde_json::{Value, json};

/// Finds what the project knows about a question.
pub fn context_search(call: &Call<'_>, project: &Project) -> Result<Done, Trouble> {
    let request = request(call);
    let answer = project
        .engine
        .recall(&request, call.observer, call.cancel)
        .map_err(|error| Trouble::searching(&error))?;
    if answer.is_empty_project {
        return Err(Trouble::of(json!({
            "error": "No embeddings found. Run initial session to generate context.",
            "fallback": "Use grep_codebase for text search",
        })));
    }
    match &answer.embed_failure {
        // Words alone may do; where they found nothing, the vectors might have.
        Some(details) if answer.results.is_empty() => Err(Trouble::of(json!({
            "error": "Failed to generate query embedding",
            "details": details,
        }))),
        _ => {
            let shown = shown(&answer, &request.query);
            Ok(Done { shown, topic: Some(request.query), files: Vec::new() })
        }
    }
}

/// The engine's request; the arguments were checked before.
fn request(call: &Call<'_>) -> RecallRequest {
    let arguments = &call.arguments;
    let mut request = RecallRequest::new(arguments.required_text("query").unwrap_or_default());
    request.seek = match arguments.text("type").ok().flatten().unwrap_or("all") {
        "all" => Seek::All,
        "discovery" => Seek::Discoveries(None),
        "session" => Seek::Sessions,
        "code" => Seek::Code,
        kind => Seek::Discoveries(kind.parse().ok()),
    };
    let module = arguments.text("module").ok().flatten();
    request.module = module.filter(|module| !module.is_empty()).map(str::to_string);
    request.limit = arguments.count("limit").ok().flatten().unwrap_or(5);
    request.connection = Some(call.visit.session.id.clone());
    request
}

fn shown(answer: &RecallAnswer, query: &str) -> Value {
    let results = answer.results.iter().map(|(score, one)| result(*score, one));
    json!({
        "results": results.collect::<Vec<_>>(),
        "query": query,
        "totalFound": answer.found,
        "searchTime": answer.duration.as_millis() as u64,
    })
}

fn result(score: f32, one: &Recalled) -> Value {
    let score = f64::from((score * 100.0).round()) / 100.0;
    match one {
        Recalled::Discovery(discovery) => discovered(score, discovery),
        Recalled::Session(session) => json!({
            "id": session.id,
            "type": "session",
            "content": session_text(session),
            "module": null,
            "session": session.id,
            "date": iso(session.started),
            "score": score,
            "source": "session",
        }),
        Recalled::Code { hit, modified, .. } => json!({
            "id": format!("{}:{}-{}", hit.path, hit.lines.start, hit.lines.end),
            "type": "code",
            "content": hit.content,
            "module": one.module(),
            "session": null,
            "date": iso(*modified),
            "score": score,
            "source": "code",
            "file": hit.path.as_str(),
            "line": hit.lines.start,
        }),
    }
}

fn discovered(score: f64, discovery: &Discovery) -> Value {
    let mut shown = json!({
        "id": discovery.id,
        "type": discovery.kind.as_str(),
        "content": discovery.content,
        "module": discovery.module,
        "session": discovery.session,
        "date": iso(discovery.date),
        "score": score,
        "source": "discovery",
    });
    let found = discovery.evidence.iter().find_map(|one| Some((one.file()?, one)));
    if let (Some((file, Evidence { line, .. })), Some(fields)) = (found, shown.as_object_mut()) {
        fields.insert("file".into(), file.into());
        fields.insert("line".into(), (*line).into());
    }
    shown
}
