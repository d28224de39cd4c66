//! `groma status`: whether and how a project is indexed.

use super::Call;
use super::doctor::holder_json;
use super::index::{show_skipped, skipped_json};
use crate::args::Reference;
use crate::embedding::Embedding;
use crate::failure::Exit;
use crate::numbers::{ago, bytes, count, counted, unix};
use crate::print::Tint;
use crate::project::Project;
use anyhow::Result;
use clap::Args;
use groma_core::{IndexedRef, JobRecord, JobState, LeaseHolder, LeaseKind};
use groma_engine::{IndexState, Jobs, Status};
use serde_json::{Value, json};
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

const AFTER: &str = "\
With --json:
  project, id, folder, state (not_indexed, other_version, up_to_date or behind), indexing (a
  process is indexing), indexed, generation, committed (seconds since 1970), files, chunks, pending,
  removed, bytes, embedder, awaited_embedder (its vectors are not computed yet),
  without_vectors (files), skipped_count, last_job {id, state, message} (of a server),
  holders [{role (writer, job or background_indexer), process, since (seconds since 1970)}], ref,
  refs [{name, commit, files, generation, committed}],
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
    /// The ref.
    #[command(flatten)]
    pub reference: Reference,
    /// List the skipped files with the reasons
    #[arg(long)]
    pub skipped: bool,
}

/// Shows the state of the index.
pub fn run(args: &StatusArgs, call: &mut Call) -> Result<Exit> {
    let project = call.project(args.path.as_deref())?;
    let state = state(args, call, &project)?;
    let status = &state.status;
    if call.global.json {
        as_json(args, call, &project, &state)?;
    } else {
        show(args, call, &project, &state)?;
        if args.skipped && !status.skipped.is_empty() {
            writeln!(call.printer, "\nSkipped:")?;
            show_skipped(call, &status.skipped)?;
        }
    }
    Ok(Exit::Fine)
}

/// The state of an index.
struct State {
    status: Status,
    /// The indexed refs other than the working tree.
    refs: Vec<IndexedRef>,
    /// The most recent job.
    last_job: Option<JobRecord>,
    /// The processes that hold a lock on it.
    holders: Vec<LeaseHolder>,
}

/// The state of the index. Creates none.
fn state(args: &StatusArgs, call: &Call, project: &Project) -> Result<State> {
    let engine = Arc::new(if project.is_indexed() {
        project.indexed_engine()?
    } else {
        project.engine_without_index()
    });
    let mut status = args.reference.of(&engine)?.status()?;
    if !project.is_indexed() {
        status.embedder = project.models.name();
    }
    let mut refs = engine.indexed_refs()?;
    refs.retain(|one| one.commit.is_some());
    // The status is useful without these two.
    let last_job = Jobs::new(engine).recent(1).unwrap_or_default().into_iter().next();
    let holders = call.environment.catalog_admin()?.holders(&project.id).unwrap_or_default();
    Ok(State { status, refs, last_job, holders })
}

/// Whether the index is up to date, as text.
fn described_state(state: &State) -> (Tint, String) {
    let (tint, words) = match state.status.state() {
        IndexState::Missing if state.status.is_indexing => (Tint::Warn, "not indexed yet"),
        IndexState::Missing => {
            (Tint::Warn, "not indexed; `groma index` or the first search indexes it")
        }
        IndexState::Outdated => {
            (Tint::Warn, "written by another version of the program; the next search rebuilds it")
        }
        IndexState::Current => (Tint::Good, "up to date"),
        IndexState::Behind => (Tint::Warn, "outdated; the next search updates it"),
    };
    let writer = state.holders.iter().find(|holder| holder.kind == LeaseKind::Writer);
    let indexing = writer.map(|writer| match writer.process {
        Some(process) => format!(" (process {process} is indexing it)"),
        None => " (another process is indexing it)".into(),
    });
    (tint, format!("{words}{}", indexing.unwrap_or_default()))
}

fn show(args: &StatusArgs, call: &mut Call, project: &Project, state: &State) -> Result<()> {
    let State { status, refs, last_job, .. } = state;
    let printer = &mut call.printer;
    writeln!(printer, "{}", printer.paint(Tint::Name, &project.root.to_string_lossy()))?;
    let (tint, words) = described_state(state);
    let mut rows = vec![row("state", printer.paint(tint, &words))];
    if let Some(name) = &args.reference.name {
        rows.insert(0, row("ref", name.clone()));
    }
    if let Some(job) = last_job.as_ref().filter(|job| job.state != JobState::Succeeded) {
        let why = if job.message.is_empty() { "" } else { ": " };
        rows.push(row("last job", format!("{}{why}{}", job.state, job.message)));
    }
    if let Some(generation) = &status.generation {
        rows.push(row(
            "generation",
            format!("{}, {}", generation.generation.number, ago(generation.committed)),
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
    rows.push(row("skipped", format!("{} (--skipped lists them)", count(status.skipped.len()))));
    rows.push(row("vectors", vectors(project, status)));
    if !refs.is_empty() {
        let names: Vec<&str> = refs.iter().map(|one| one.name.short()).collect();
        rows.push(row("refs", names.join(", ")));
    }
    rows.push(row("folder", project.location()));
    printer.table(&rows, &[])
}

/// The model in use, the awaited one, and the number of files without vectors.
fn vectors(project: &Project, status: &Status) -> String {
    let mut lines = vec![status.embedder.clone().unwrap_or_else(|| "off".into())];
    if let Some(awaited) = &status.awaited {
        lines.push(format!("`groma index` computes those of {awaited}"));
    }
    if let Embedding::Unusable(reason) = &project.models.embedding {
        lines.push(reason.clone());
    }
    if status.without_vectors > 0 {
        lines.push(format!("{} without", counted(status.without_vectors, "file")));
    }
    lines.join("; ")
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

fn as_json(args: &StatusArgs, call: &mut Call, project: &Project, state: &State) -> Result<()> {
    let State { status, refs, last_job, holders } = state;
    let generation = status.generation.as_ref();
    let standing = match status.state() {
        IndexState::Missing => "not_indexed",
        IndexState::Outdated => "other_version",
        IndexState::Current => "up_to_date",
        IndexState::Behind => "behind",
    };
    let job = |job: &JobRecord| json!({ "id": job.id, "state": job.state.as_str(), "message": job.message });
    let mut value = json!({
        "project": project.root.to_string_lossy(),
        "id": project.id.as_str(),
        "folder": project.location(),
        "state": standing,
        "indexing": status.is_indexing,
        "indexed": generation.is_some(),
        "generation": generation.map(|generation| generation.generation.number),
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
        "last_job": last_job.as_ref().map(job),
        "holders": holders.iter().map(holder_json).collect::<Vec<_>>(),
        "ref": args.reference.name,
        "refs": refs.iter().map(ref_json).collect::<Vec<_>>(),
    });
    if args.skipped {
        value["skipped"] = skipped_json(&status.skipped);
    }
    call.printer.json(&value)
}

/// An indexed ref as JSON.
pub fn ref_json(one: &IndexedRef) -> Value {
    json!({
        "name": one.name.short(),
        "commit": one.commit,
        "files": one.files,
        "generation": one.info.generation.number,
        "committed": unix(one.info.committed),
    })
}
