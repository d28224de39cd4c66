//! `index_codebase`, `index_status` and `clear_index`.

use super::trouble::Trouble;
use super::{project, render, reply};
use crate::host::{Known, Project};
use crate::surface::{Answer, Call};
use groma_engine::core::iso;
use groma_engine::{IndexReport, IndexState, Statistics, Status};
use serde_json::{Value, json};
use std::path::Path;
use std::time::{Duration, UNIX_EPOCH};

/// Files shown of a list that may be long.
const SHOWN: usize = 10;

/// Brings an index up to date, or makes it anew.
pub fn index_codebase(call: &Call<'_>) -> Result<Answer, Trouble> {
    let project = project(call)?;
    let report = match call.arguments.is_set("force")? {
        true => project.engine.rebuild(call.observer, call.cancel)?,
        false => project.engine.index(call.observer, call.cancel)?,
    };
    reply(call, report_json(&project, &report), || report_text(&project, &report))
}

fn report_text(project: &Project, report: &IndexReport) -> String {
    let IndexReport { files, added, updated, removed, .. } = report;
    let seconds = report.duration.as_secs_f64();
    let mut text = format!(
        "{}: {files} files indexed ({added} added, {updated} updated, {removed} removed) in {seconds:.2} s; \
         {} left out.",
        project.root.display(),
        report.skipped
    );
    if !report.parse_failures.is_empty() {
        text.push_str(&format!("\n{} files not parsed whole:", report.parse_failures.len()));
        for trouble in report.parse_failures.iter().take(SHOWN) {
            text.push_str(&format!("\n  {}: {}", trouble.path, trouble.health.message));
        }
        if report.parse_failures.len() > SHOWN {
            text.push_str("\n  ... (format=json lists all)");
        }
    }
    render::with_notes(text, &report.notes)
}

fn report_json(project: &Project, report: &IndexReport) -> Value {
    json!({
        "project": project.root.to_string_lossy(),
        "files": report.files,
        "added": report.added,
        "updated": report.updated,
        "removed": report.removed,
        "unchanged": report.unchanged,
        "skipped": report.skip_reasons,
        "trouble": report.parse_failures.iter().map(|trouble| json!({
            "path": trouble.path.as_str(),
            "status": trouble.health.status.as_str(),
            "message": trouble.health.message,
        })).collect::<Vec<_>>(),
        "seconds": report.duration.as_secs_f64(),
        "notes": report.notes,
    })
}

/// What is known of one index, or of all.
pub fn index_status(call: &Call<'_>) -> Result<Answer, Trouble> {
    if call.arguments.is_set("all")? {
        let known = call.visit.host.known()?;
        let value = json!({ "projects": known.iter().map(known_json).collect::<Vec<_>>() });
        return reply(call, value, || known_text(&known));
    }
    let project = project(call)?;
    let status = project.engine.status()?;
    let statistics = project.engine.statistics()?.unwrap_or_default();
    let skipped = call.arguments.is_set("skipped")?;
    let value = status_json(&project, &status, &statistics, skipped);
    reply(call, value, || status_text(&project, &status, &statistics, skipped))
}

fn known_json(known: &Known) -> Value {
    json!({
        "project": known.root.to_string_lossy(),
        "id": known.id,
        "exists": known.exists,
        "created_at": iso(UNIX_EPOCH + Duration::from_secs(known.created)),
    })
}

fn known_text(known: &[Known]) -> String {
    if known.is_empty() {
        return "No project is indexed yet. search_code indexes the project it is asked about."
            .into();
    }
    let line = |known: &Known| {
        let gone = if known.exists { "" } else { "  (folder is gone; clear_index forgets it)" };
        format!("{}{gone}\n", known.root.display())
    };
    known.iter().map(line).collect()
}

fn state(status: &Status) -> &'static str {
    match (status.state(), status.is_indexing) {
        (IndexState::Missing, false) => "not indexed; the first question indexes it",
        (IndexState::Missing, true) => "being indexed for the first time",
        (IndexState::Outdated, false) => {
            "made by another version of the program; the next question has it made anew"
        }
        (IndexState::Outdated, true) => {
            "being made anew for this version of the program; until then the old one answers"
        }
        (IndexState::Current, _) => "up to date",
        (IndexState::Behind, false) => "behind; the next question brings it up to date",
        (IndexState::Behind, true) => "behind; being brought up to date",
    }
}

fn status_text(
    project: &Project,
    status: &Status,
    statistics: &Statistics,
    skipped: bool,
) -> String {
    let mut text = format!("{}: {}\n", project.root.display(), state(status));
    if let Some(generation) = &status.generation {
        text.push_str(&format!(
            "{} files, {} chunks, {} bytes on disk, committed {}\n",
            status.files,
            status.chunks,
            status.size.bytes,
            iso(generation.committed)
        ));
    }
    text.push_str(&format!("pending: {} changed, {} gone\n", status.pending, status.removed));
    text.push_str(&format!("vectors: {}\n", status.embedder.as_deref().unwrap_or("off")));
    for (language, count) in &statistics.languages {
        text.push_str(&format!("{language}: {} files, {} lines\n", count.files, count.lines));
    }
    match skipped {
        false => text.push_str(&format!(
            "{} files left out (skipped=true lists them)\n",
            status.skipped.len()
        )),
        true => status.skipped.iter().for_each(|file| {
            text.push_str(&format!("left out: {} ({})\n", file.path, file.reason));
        }),
    }
    text
}

fn status_json(
    project: &Project,
    status: &Status,
    statistics: &Statistics,
    skipped: bool,
) -> Value {
    let generation = status.generation.as_ref();
    let mut value = json!({
        "project": project.root.to_string_lossy(),
        "id": project.id,
        "indexed": generation.is_some(),
        "state": state(status),
        "committed_at": generation.map(|generation| iso(generation.committed)),
        "files": status.files,
        "chunks": status.chunks,
        "pending": status.pending,
        "removed": status.removed,
        "bytes": status.size.bytes,
        "embedder": status.embedder,
        "languages": statistics.languages.iter().map(|(name, count)| (name.clone(), json!({
            "files": count.files, "chunks": count.chunks, "lines": count.lines,
        }))).collect::<serde_json::Map<_, _>>(),
        "symbols": statistics.symbols.iter().map(|(kind, count)| (kind.to_string(), json!(count)))
            .collect::<serde_json::Map<_, _>>(),
        "failures": statistics.failures.len(),
        "skipped_count": status.skipped.len(),
    });
    if skipped {
        value["skipped"] = status
            .skipped
            .iter()
            .map(|file| {
                json!({
                    "path": file.path, "reason": file.reason, "detail": file.detail,
                })
            })
            .collect();
    }
    value
}

/// Forgets an index.
pub fn clear_index(call: &Call<'_>) -> Result<Answer, Trouble> {
    let path = Path::new(call.arguments.required_text("project")?);
    let wanted = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    let known = call.visit.host.known()?;
    let Some(found) = known.iter().find(|known| known.root == wanted) else {
        let text =
            format!("{} is not indexed; index_status with all=true lists what is", path.display());
        return Err(Trouble::Told(text));
    };
    let freed = call.visit.host.forget(&found.root)?;
    let root = found.root.to_string_lossy();
    let value = json!({ "project": root, "bytes": freed });
    reply(call, value, || {
        format!("Cleared the index of {root} ({freed} bytes). No file of the project was touched.")
    })
}
