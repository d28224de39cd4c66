//! Engine answers as the contract's JSON.

use super::metadata::Metadata;
use crate::contracts::handles::{Handles, Identity, stable};
use groma_core::{ChunkKind, JobRecord, JobState, SymbolKind, iso};
use groma_engine::{Definition, Hit, Job, Plan, QueryKind};
use serde_json::{Map, Value, json};

/// Maximum bytes of an answer.
const MAX_BYTES: usize = 65_536;

/// Bytes reserved for the metadata of a truncated answer.
const MARGIN: usize = 256;

/// The name a kind has in answers.
pub fn kind_name(kind: SymbolKind) -> &'static str {
    match kind {
        SymbolKind::Function => "fn",
        SymbolKind::Constant => "const",
        SymbolKind::Variable => "var",
        SymbolKind::Module => "mod",
        other => other.as_str(),
    }
}

/// A result of `locate_symbol`.
pub fn definition(found: &Definition, handles: &Handles<'_>) -> Value {
    let symbol = &found.symbol;
    let identity = Identity::from(found);
    json!({
        "symbol_id": handles.symbol(identity),
        "symbol_stable_id": stable(identity),
        "path": found.path.as_str(),
        "line_start": symbol.name_line,
        "line_end": symbol.lines.end,
        "kind": kind_name(symbol.kind),
        "name": symbol.name,
        "qualified_name": symbol.qualified,
        "signature": symbol.signature,
        "language": found.language,
        "score": rounded(found.score),
    })
}

/// A result of `search_code`, without the fields of a symbol if it has none.
pub fn hit(hit: &Hit, plan: &Plan, handles: &Handles<'_>) -> Value {
    let kind = result_type(hit, plan);
    // "non-symbol result: `result_id`": a file is none of the definitions in it.
    let symbol = hit.symbol.as_ref().filter(|_| kind != "file");
    let identity = symbol.map(|symbol| Identity {
        path: &hit.path,
        language: &hit.language,
        kind: symbol.kind,
        line: symbol.name_line,
        name: &symbol.name,
        qualified: &symbol.qualified,
        signature: &symbol.signature,
    });
    let mut fields = Map::new();
    let mut add = |name: &str, value: Value| fields.insert(name.into(), value);
    let prefix = if kind == "file" { "file" } else { "snip" };
    add("result_id", handles.result(prefix, &hit.path, hit.lines.start, hit.lines.end).into());
    if let Some(identity) = identity {
        add("symbol_id", handles.symbol(identity).into());
        add("symbol_stable_id", stable(identity).into());
    }
    add("result_type", kind.into());
    add("path", hit.path.as_str().into());
    add("line_start", hit.lines.start.into());
    add("line_end", hit.lines.end.into());
    if let Some(symbol) = symbol {
        add("kind", kind_name(symbol.kind).into());
        add("name", symbol.name.as_str().into());
        add("qualified_name", symbol.qualified.as_str().into());
    }
    add("language", hit.language.as_str().into());
    add("score", rounded(hit.score));
    add("snippet", hit.content.as_str().into());
    Value::Object(fields)
}

/// An overview is a file; a symbol is a result whose name the query names; all others are snippets.
fn result_type(hit: &Hit, plan: &Plan) -> &'static str {
    let is_named = |name: &str| plan.names.iter().any(|asked| asked.eq_ignore_ascii_case(name));
    match &hit.symbol {
        _ if hit.kind == ChunkKind::Overview => "file",
        Some(symbol) if plan.kind == QueryKind::Name && is_named(&symbol.name) => "symbol",
        _ => "snippet",
    }
}

/// A job of the history.
pub fn job(job: &JobRecord) -> Value {
    let mut value = json!({
        "job_id": job.id,
        "ref": job.reference.as_str(),
        "mode": job.mode.as_str(),
        "status": job_status(job.state),
        "changed_files": job.changed_files,
        "duration_ms": job.duration_ms,
        "created_at": iso(job.created),
    });
    if !job.message.is_empty() {
        value["message"] = job.message.as_str().into();
    }
    value
}

/// The running job, with its progress if known.
pub fn active_job(active: &Job) -> Value {
    let mut value = job(&active.record);
    if let Some((done, total)) = active.progress {
        value["progress"] = json!({ "files_done": done, "files_total": total });
    }
    value
}

/// A score rounded to four decimals.
fn rounded(score: f32) -> Value {
    ((f64::from(score) * 10_000.0).round() / 10_000.0).into()
}

/// An answer that has `results`, with as many of them as fit, its metadata last.
pub fn fitted(mut answer: Map<String, Value>, metadata: Metadata) -> Value {
    let shell =
        Value::Object(answer.clone()).to_string().len() + metadata.value().to_string().len();
    let is_whole = match answer.get_mut("results") {
        Some(Value::Array(results)) if shell + MARGIN > MAX_BYTES => {
            let others = shell - Value::Array(results.clone()).to_string().len();
            shorten(results, MAX_BYTES.saturating_sub(others + MARGIN));
            false
        }
        _ => true,
    };
    let metadata = if is_whole { metadata } else { metadata.truncated() };
    answer.insert("metadata".into(), metadata.value());
    Value::Object(answer)
}

/// Keeps the first results that fit into `room` bytes. The very first stays, with its snippet truncated if needed.
fn shorten(results: &mut Vec<Value>, mut room: usize) {
    let mut kept = 0;
    for result in results.iter() {
        let length = result.to_string().len() + 1;
        if length > room {
            break;
        }
        room -= length;
        kept += 1;
    }
    results.truncate(kept.max(1));
    while kept == 0 && results[0].to_string().len() + 1 > room {
        let Some(snippet) = results[0]["snippet"].as_str().filter(|text| !text.is_empty()) else {
            return;
        };
        results[0]["snippet"] = first_half(snippet).into();
    }
}

/// The first half of a text, up to the end of a line where it has lines.
fn first_half(text: &str) -> String {
    let half = &text[..text.floor_char_boundary(text.len() / 2)];
    half.rfind('\n').map_or(half, |end| &half[..end]).to_string()
}

/// A job's state in the words of this contract.
fn job_status(state: JobState) -> &'static str {
    match state {
        JobState::Queued => "queued",
        JobState::Running => "running",
        JobState::Committing => "validating",
        JobState::Succeeded => "published",
        JobState::Failed => "failed",
        JobState::Cancelled => "rolled_back",
        JobState::Interrupted => "interrupted",
    }
}

#[cfg(test)]
mod tests {
    use super::super::metadata::{Freshness, IndexState};
    use super::*;
    use groma_core::{JobMode, JobState, JobTask, RefName};

    fn answer(snippets: &[String]) -> Value {
        let results: Vec<Value> = snippets.iter().map(|text| json!({ "snippet": text })).collect();
        let mut fields = Map::new();
        fields.insert("results".into(), results.into());
        fitted(fields, Metadata::new(&IndexState::missing(), Freshness::Fresh, "main"))
    }

    #[test]
    fn a_large_answer_is_truncated_to_the_maximum() {
        let snippets: Vec<String> = (0..100).map(|_| "\"line\"\n".repeat(200)).collect();
        let answer = answer(&snippets);
        let length = answer.to_string().len();
        assert!((60_000..=MAX_BYTES).contains(&length), "{length}");
        assert_eq!(answer["metadata"]["result_completeness"], "truncated");
        assert_eq!(answer["metadata"]["safety_limit_applied"], true);
        assert_eq!(answer["results"][0]["snippet"], snippets[0]);
    }

    #[test]
    fn the_first_result_is_always_kept() {
        for text in ["\u{1}ä".repeat(50_000), "line\n".repeat(50_000)] {
            let answer = answer(&[text, "more".into()]);
            assert!(answer.to_string().len() <= MAX_BYTES);
            let results = answer["results"].as_array().unwrap();
            assert!(results.len() == 1 && results[0]["snippet"].as_str().unwrap().len() > 4000);
        }
    }

    #[test]
    fn a_job_has_progress_and_error_message() {
        let mut record = JobRecord {
            id: "abc123".into(),
            task: JobTask::Index,
            reference: RefName::new("main"),
            mode: JobMode::Full,
            state: JobState::Running,
            changed_files: None,
            duration_ms: None,
            created: std::time::UNIX_EPOCH,
            message: String::new(),
        };
        let active = Job { record: record.clone(), progress: Some((3, 7)) };
        let shown = active_job(&active);
        assert_eq!(shown["progress"], json!({ "files_done": 3, "files_total": 7 }));
        assert_eq!((&shown["status"], shown.get("message")), (&json!("running"), None));
        record.message = "the disk is full".into();
        assert_eq!(job(&record)["message"], "the disk is full");
    }

    #[test]
    fn a_small_answer_is_whole() {
        let answer = answer(&["x".into()]);
        assert_eq!(answer["metadata"].get("safety_limit_applied"), None);
        assert_eq!(answer["results"].as_array().unwrap().len(), 1);
    }
}
