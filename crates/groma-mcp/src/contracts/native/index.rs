//! `index_codebase`, `index_status` and `clear_index`.

use super::error::Error;
use super::tools::{ClearIndex, IndexCodebase, IndexStatus};
use super::{NativeTool, Reply, formatted, project, with_notes};
use crate::host::{IndexedProject, Project};
use crate::surface::{Answer, Call};
use groma_core::iso;
use groma_engine::{IndexReport, IndexState, Statistics, Status};
use serde_json::{Value, json};
use std::path::Path;
use std::time::{Duration, UNIX_EPOCH};

/// Files shown of a list that may be long.
const SHOWN: usize = 10;

impl NativeTool for IndexCodebase {
    fn answer(self, call: &Call<'_>) -> Result<Reply, Error> {
        let project = project(call, self.project.as_deref())?;
        let report = if self.force {
            project.engine.rebuild(call.observer, call.cancel)?
        } else {
            project.engine.index(call.observer, call.cancel)?
        };
        let value = report_json(&project, &report);
        Ok(formatted(self.format, || value, || report_text(&project, &report)).into())
    }
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
    with_notes(text, &report.notes)
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

impl NativeTool for IndexStatus {
    fn answer(self, call: &Call<'_>) -> Result<Reply, Error> {
        if self.all {
            let projects = call.context.host.projects()?;
            let values: Vec<Value> = projects.iter().map(project_json).collect();
            let value = json!({ "projects": values });
            return Ok(formatted(self.format, || value, || projects_text(&projects)).into());
        }
        let project = project(call, self.project.as_deref())?;
        let status = project.engine.status()?;
        let statistics = project.engine.statistics()?.unwrap_or_default();
        let value = status_json(&project, &status, &statistics, self.skipped);
        let text = || status_text(&project, &status, &statistics, self.skipped);
        Ok(formatted(self.format, || value, text).into())
    }
}

fn project_json(project: &IndexedProject) -> Value {
    json!({
        "project": project.root.to_string_lossy(),
        "id": project.id,
        "exists": project.exists,
        "created_at": iso(UNIX_EPOCH + Duration::from_secs(project.created)),
    })
}

fn projects_text(projects: &[IndexedProject]) -> String {
    if projects.is_empty() {
        return "No project is indexed yet. search indexes the project it is asked about.".into();
    }
    let line = |project: &IndexedProject| {
        let gone = if project.exists { "" } else { "  (folder is gone; clear_index deletes it)" };
        format!("{}{gone}\n", project.root.display())
    };
    projects.iter().map(line).collect()
}

fn state(status: &Status) -> &'static str {
    match (status.state(), status.is_indexing) {
        (IndexState::Missing, false) => "not indexed; the first query indexes it",
        (IndexState::Missing, true) => "being indexed for the first time",
        (IndexState::Outdated, false) => {
            "made by another version of the program; the next query rebuilds it"
        }
        (IndexState::Outdated, true) => {
            "being rebuilt for this version of the program; until then the old one answers"
        }
        (IndexState::Current, _) => "up to date",
        (IndexState::Behind, false) => "behind; the next query brings it up to date",
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
    if skipped {
        for file in &status.skipped {
            text.push_str(&format!("left out: {} ({})\n", file.path, file.reason));
        }
    } else {
        let count = status.skipped.len();
        text.push_str(&format!("{count} files left out (skipped=true lists them)\n"));
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

impl NativeTool for ClearIndex {
    fn answer(self, call: &Call<'_>) -> Result<Reply, Error> {
        let path = Path::new(&self.project);
        let wanted = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
        let host = call.context.host;
        let Some(found) = host.projects()?.into_iter().find(|one| one.root == wanted) else {
            let text = format!(
                "{} is not indexed; index_status with all=true lists what is",
                path.display()
            );
            return Err(Error::new(text));
        };
        let freed = host.delete_index(&found.root)?;
        let root = found.root.display();
        let text = format!(
            "Cleared the index of {root} ({freed} bytes). No file of the project was touched."
        );
        Ok(Answer::text(text).into())
    }
}
