//! `context_search`.

use super::error::Error;
use super::tools::ContextSearch;
use super::{ContextCall, Reply};
use crate::host::Project;
use crate::surface::Call;
use groma_core::{Discovery, Evidence, iso};
use groma_engine::notebook::{RecallAnswer, RecallRequest, Recalled, session_text};
use serde_json::{Value, json};

impl ContextCall for ContextSearch {
    fn answer(self, call: &Call<'_>, project: &Project) -> Result<Reply, Error> {
        let request = self.request(call);
        let answer = project
            .engine
            .recall(&request, call.observer, call.cancel)
            .map_err(|error| Error::searching(&error))?;
        if answer.is_empty_project {
            return Err(Error::of(json!({
                "error": "No embeddings found. Run initial session to generate context.",
                "fallback": "Use grep_codebase for text search",
            })));
        }
        match &answer.embed_failure {
            // Keyword results alone will do; without any, the missing vectors may be the reason.
            Some(details) if answer.results.is_empty() => Err(Error::of(json!({
                "error": "Failed to generate query embedding",
                "details": details,
            }))),
            _ => {
                let result = shown(&answer, &request.query);
                let found = Some(answer.results.len());
                Ok(Reply { result, found, topic: Some(request.query), files: Vec::new() })
            }
        }
    }
}

impl ContextSearch {
    fn request(self, call: &Call<'_>) -> RecallRequest {
        let mut request = RecallRequest::new(self.query);
        request.seek = self.sought.0;
        request.module = self.module.filter(|module| !module.is_empty());
        request.limit = self.limit;
        request.connection = Some(call.context.session.id.clone());
        request
    }
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
