//! `notes`: what the project knows about itself.

use super::error::Error;
use super::tools::Notes;
use super::{Form, NativeTool, Reply, formatted, project};
use crate::surface::Call;
use groma_core::{Discovery, Origin, iso};
use groma_engine::notebook::{NewDiscovery, RecallAnswer, RecallRequest, Recalled, Seek};
use groma_render::{Budget, Line, Page};
use serde_json::{Value, json};
use std::time::SystemTime;

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
        let form = Form::new(self.format, self.max_tokens);
        let shown = form.answer(value, || as_page(&answer, form.content()));
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
        let text = || {
            let done = if kept.was_known { "Known already" } else { "Remembered" };
            let redacted = if kept.was_redacted { " Secrets were taken out." } else { "" };
            let similar: Vec<String> = kept
                .similar
                .iter()
                .map(|one| format!("\nSimilar to {}: {}", one.id, cut(&one.content)))
                .collect();
            let (kind, id) = (kept.discovery.kind, &kept.discovery.id);
            format!("{done} as {kind} {id}.{redacted}{}", similar.concat())
        };
        let value = || {
            json!({
                "id": kept.discovery.id,
                "type": kept.discovery.kind.as_str(),
                "was_known": kept.was_known,
                "was_redacted": kept.was_redacted,
                "similar": kept.similar.iter().map(|one| &one.id).collect::<Vec<_>>(),
            })
        };
        Ok(Reply::about(project, None, formatted(self.format, value, text)))
    }
}

/// Characters shown of a line.
const MAX_LINE: usize = 240;

fn as_page(answer: &RecallAnswer, budget: Budget) -> Page {
    let mut page = Page::default();
    let mut room = budget.chars();
    for (index, (_, found)) in answer.results.iter().enumerate() {
        let before = page.chars();
        push(&mut page, found, room / (answer.results.len() - index));
        room = room.saturating_sub(page.chars() - before);
    }
    if answer.results.is_empty() {
        let text =
            "nothing is known about that yet: `search` finds code, `remember` keeps what you learn";
        page.push(Line::Summary(text.into()));
    }
    let hidden = answer.found.saturating_sub(answer.results.len());
    if hidden > 0 {
        page.push(Line::Note(format!("{hidden} more: ask more precisely")));
    }
    page.push_notes(&answer.notes);
    page
}

fn seek(kind: &str) -> Seek {
    match kind {
        "discovery" => Seek::Discoveries(None),
        "session" => Seek::Sessions,
        "code" => Seek::Code,
        other => other.parse().map_or(Seek::All, |kind| Seek::Discoveries(Some(kind))),
    }
}

/// Adds a result in about so many characters.
fn push(page: &mut Page, found: &Recalled, chars: usize) {
    match found {
        Recalled::Discovery(discovery) => {
            page.push(Line::Heading(format!("{} from {}", discovery.kind, sources(discovery))));
            push_texts(page, discovery.content.lines(), chars);
        }
        Recalled::Session(session) => {
            page.push(Line::Heading(format!("session of {}", iso(session.started))));
            push_texts(page, session.topics.iter().map(String::as_str), chars);
        }
        Recalled::Code { hit, .. } => {
            let symbol = hit.symbol.as_ref().map_or("", |symbol| &symbol.qualified);
            let (start, end) = (hit.lines.start, hit.lines.end);
            let texts: Vec<String> = hit.content.lines().map(cut).collect();
            let shown = fitting(texts.iter().map(String::as_str), chars);
            let last = start + (shown as u32).saturating_sub(1);
            let part = if last < end { format!(", shown {start}-{last}") } else { String::new() };
            page.push(Line::Path(format!("{} {symbol} {start}-{end}{part}", hit.path)));
            for (number, text) in (start..).zip(texts.into_iter().take(shown)) {
                page.push(Line::Code { number, text, is_match: true });
            }
        }
    }
}

fn push_texts<'t>(page: &mut Page, texts: impl Iterator<Item = &'t str> + Clone, chars: usize) {
    let (count, shown) = (texts.clone().count(), fitting(texts.clone(), chars));
    texts.take(shown).for_each(|text| page.push(Line::Summary(format!("  {}", cut(text)))));
    if shown < count {
        page.push(Line::Note(format!("{} more lines: raise max_tokens", count - shown)));
    }
}

/// How many of the first lines fit; at least one.
fn fitting<'t>(texts: impl Iterator<Item = &'t str>, chars: usize) -> usize {
    // Heading, and the numbers of lines.
    let mut room = chars.saturating_sub(80);
    let fits = texts.take_while(|text| {
        let price = text.len().min(MAX_LINE) + 6;
        let fits = price <= room;
        room = room.saturating_sub(price);
        fits
    });
    fits.count().max(1)
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(MAX_LINE) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_string(),
    }
}

fn sources(discovery: &Discovery) -> String {
    let evidence: Vec<String> = discovery.evidence.iter().map(ToString::to_string).collect();
    match discovery.origin() {
        // The date of a file is that of the checkout.
        Origin::Comment | Origin::Document => evidence.join(", "),
        _ => format!("{}, {}", evidence.join(", "), age(discovery.date, SystemTime::now())),
    }
}

/// How old something is, in the unit that a reader needs to judge whether it still holds.
fn age(date: SystemTime, now: SystemTime) -> String {
    let days = now.duration_since(date).unwrap_or_default().as_secs() / 86_400;
    match days {
        0 => "today".into(),
        1..60 => format!("{days} days old"),
        60..730 => format!("{} months old", days / 30),
        _ => format!("{} years old", days / 365),
    }
}

fn as_json((_, found): &(f32, Recalled)) -> Value {
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
        Recalled::Code { hit, .. } => json!({
            "source": "code",
            "path": hit.path.as_str(),
            "symbol": hit.symbol.as_ref().map(|symbol| &symbol.qualified),
            "excerpt": {
                "start_line": hit.lines.start,
                "end_line": hit.lines.end,
                "text": hit.content.lines().map(cut).collect::<Vec<_>>().join("\n"),
            },
        }),
    };
    value["module"] = found.module().into();
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
