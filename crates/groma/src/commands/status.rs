//! `groma status`: whether and how a project is indexed.

use super::Call;
use super::doctor::holder_json;
use super::index::{show_skipped, skipped_json};
use crate::embedding::Embedding;
use crate::failure::Exit;
use crate::numbers::{ago, bytes, count, counted, unix};
use crate::print::Tint;
use crate::project::Project;
use anyhow::Result;
use clap::Args;
use groma_core::{JobRecord, JobState, Role};
use groma_engine::index::walk::walk;
use groma_engine::{EngineError, Jobs, Standing, Status};
use groma_store::Holder;
use serde_json::json;
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

const AFTER: &str = "\
With --json:
  project, id, folder, state (not_indexed, other_version, up_to_date or behind), indexing (somebody
  is at it now), indexed, generation, committed (seconds since 1970), files, chunks, pending,
  removed, bytes, embedder, awaited_embedder (whose vectors `groma index` has yet to make),
  without_vectors (files), skipped_count, last_job {id, state, message} (of a server),
  holders [{role (writer, job or keeper), process, since (seconds since 1970)}],
  and with --skipped: skipped [{path, reason, detail}]

Examples:
  groma status
  groma status --skipped";

/// Show whether a project is indexed, and whether the index is up to date
#[derive(Debug, Args)]
#[command(after_help = AFTER)]
pub struct StatusArgs {
    /// The project's folder
    pub path: Option<PathBuf>,
    /// List what is left out of the index, and why
    #[arg(long)]
    pub skipped: bool,
}

/// Shows the state of the index.
pub fn run(args: &StatusArgs, call: &mut Call) -> Result<Exit> {
    let project = call.project(args.path.as_deref())?;
    let (status, last_job) = status(&project)?;
    // What cannot be told is no reason to tell nothing.
    let found = Found { status, last_job, holders: project.holders().unwrap_or_default() };
    let status = &found.status;
    if call.global.json {
        as_json(args, call, &project, &found)?;
    } else {
        show(call, &project, &found)?;
        if args.skipped && !status.skipped.is_empty() {
            writeln!(call.printer, "\nLeft out:")?;
            show_skipped(call, &status.skipped)?;
        }
    }
    Ok(Exit::Fine)
}

/// What there is to tell.
struct Found {
    status: Status,
    last_job: Option<JobRecord>,
    holders: Vec<Holder>,
}

/// The state, and the job started last; asking makes no index where there is none.
fn status(project: &Project) -> Result<(Status, Option<JobRecord>)> {
    if project.is_indexed() {
        let engine = Arc::new(project.indexed_engine()?);
        let jobs = Jobs::new(engine.clone()).recent(1).unwrap_or_default();
        return Ok((engine.status()?, jobs.into_iter().next()));
    }
    let walked = walk(&project.root, &project.config.index).map_err(EngineError::from)?;
    let status = Status {
        root: project.root.clone(),
        generation: None,
        files: 0,
        chunks: 0,
        vectors: 0,
        symbols: 0,
        pending: walked.files.len(),
        removed: 0,
        skipped: walked.skipped,
        size: Default::default(),
        embedder: project.embedder_name(),
        awaited: None,
        without_vectors: 0,
        is_foreign: false,
        is_indexing: false,
    };
    Ok((status, None))
}

/// How the index stands, in words.
fn state(found: &Found) -> (Tint, String) {
    let (tint, state) = match found.status.standing() {
        Standing::Missing if found.status.is_indexing => (Tint::Warn, "not indexed yet"),
        Standing::Missing => (Tint::Warn, "not indexed; `groma index` or the first search does it"),
        Standing::Foreign => {
            (Tint::Warn, "made by another version of the program; the next search has it made anew")
        }
        Standing::Current => (Tint::Good, "up to date"),
        Standing::Behind => (Tint::Warn, "behind; the next search brings it up to date"),
    };
    let writer = found.holders.iter().find(|holder| holder.role == Role::Writer);
    let at_it = writer.map(|writer| match writer.process {
        Some(process) => format!(" (process {process} is indexing it)"),
        None => " (another process is indexing it)".into(),
    });
    (tint, format!("{state}{}", at_it.unwrap_or_default()))
}

fn show(call: &mut Call, project: &Project, found: &Found) -> Result<()> {
    let (printer, status) = (&mut call.printer, &found.status);
    writeln!(printer, "{}", printer.paint(Tint::Name, &project.root.to_string_lossy()))?;
    let (tint, state) = state(found);
    let mut rows = vec![row("state", printer.paint(tint, &state))];
    let went_well = |job: &&JobRecord| job.state == JobState::Published;
    if let Some(job) = found.last_job.iter().find(|job| !went_well(job)) {
        let why = if job.message.is_empty() { "" } else { ": " };
        rows.push(row("last job", format!("{}{why}{}", job.state, job.message)));
    }
    if let Some(generation) = &status.generation {
        rows.push(row(
            "generation",
            format!("{}, {}", generation.generation.0, ago(generation.committed)),
        ));
        rows.push(row(
            "holds",
            format!("{}, {}", counted(status.files, "file"), counted(status.chunks, "chunk")),
        ));
        rows.push(row("takes up", bytes(status.size.bytes)));
        rows.push(row("pending", pending(status)));
    } else {
        rows.push(row("pending", counted(status.pending, "file")));
    }
    rows.push(row("left out", format!("{} (--skipped lists them)", count(status.skipped.len()))));
    rows.push(row("vectors", vectors(project, status)));
    rows.push(row("folder", project.folder.to_string_lossy().into_owned()));
    printer.table(&rows, &[])
}

/// Whose vectors answer, whose are still to come, and how many are missing.
fn vectors(project: &Project, status: &Status) -> String {
    let mut told = vec![status.embedder.clone().unwrap_or_else(|| "off".into())];
    if let Some(awaited) = &status.awaited {
        told.push(format!("those of {awaited} are made by `groma index`"));
    }
    if let Embedding::Unusable(reason) = &project.embedding {
        told.push(reason.clone());
    }
    if status.without_vectors > 0 {
        told.push(format!("{} without", counted(status.without_vectors, "file")));
    }
    told.join("; ")
}

fn row(name: &str, value: String) -> Vec<String> {
    vec![name.to_string(), value]
}

fn pending(status: &Status) -> String {
    match (status.pending, status.removed) {
        (0, 0) => "nothing".to_string(),
        (changed, removed) => {
            format!("{} new or changed, {} gone", counted(changed, "file"), count(removed))
        }
    }
}

fn as_json(args: &StatusArgs, call: &mut Call, project: &Project, found: &Found) -> Result<()> {
    let status = &found.status;
    let generation = status.generation.as_ref();
    let state = match status.standing() {
        Standing::Missing => "not_indexed",
        Standing::Foreign => "other_version",
        Standing::Current => "up_to_date",
        Standing::Behind => "behind",
    };
    let job = |job: &JobRecord| json!({ "id": job.id, "state": job.state.as_str(), "message": job.message });
    let mut value = json!({
        "project": project.root.to_string_lossy(),
        "id": project.id(),
        "folder": project.folder.to_string_lossy(),
        "state": state,
        "indexing": status.is_indexing,
        "indexed": generation.is_some(),
        "generation": generation.map(|generation| generation.generation.0),
        "committed": generation.map(|generation| unix(generation.committed)),
        "files": status.files,
        "chunks": status.chunks,
        "pending": status.pending,
        "removed": status.removed,
        "bytes": status.size.bytes,
        "embedder": status.embedder,
        "awaited_embedder": status.awaited,
        "without_vectors": status.without_vectors,
        "skipped_count": status.skipped.len(),
        "last_job": found.last_job.as_ref().map(job),
        "holders": found.holders.iter().map(holder_json).collect::<Vec<_>>(),
    });
    if args.skipped {
        value["skipped"] = skipped_json(&status.skipped);
    }
    call.printer.json(&value)
}
