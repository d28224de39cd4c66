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
use groma_engine::{Jobs, Standing, Status};
use serde_json::{Value, json};
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

const AFTER: &str = "\
With --json:
  project, id, folder, state (not_indexed, other_version, up_to_date or behind), indexing (somebody
  is at it now), indexed, generation, committed (seconds since 1970), files, chunks, pending,
  removed, bytes, embedder, awaited_embedder (whose vectors `groma index` has yet to make),
  without_vectors (files), skipped_count, last_job {id, state, message} (of a server),
  holders [{role (writer, job or keeper), process, since (seconds since 1970)}], ref,
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
    /// Which ref is meant.
    #[command(flatten)]
    pub reference: Reference,
    /// List what is left out of the index, and why
    #[arg(long)]
    pub skipped: bool,
}

/// Shows the state of the index.
pub fn run(args: &StatusArgs, call: &mut Call) -> Result<Exit> {
    let project = call.project(args.path.as_deref())?;
    let state = state(args, &project)?;
    let status = &state.status;
    if call.global.json {
        as_json(args, call, &project, &state)?;
    } else {
        show(args, call, &project, &state)?;
        if args.skipped && !status.skipped.is_empty() {
            writeln!(call.printer, "\nLeft out:")?;
            show_skipped(call, &status.skipped)?;
        }
    }
    Ok(Exit::Fine)
}

/// How the index stands.
struct State {
    status: Status,
    /// The refs that are indexed besides the working tree.
    refs: Vec<IndexedRef>,
    /// The job started last.
    last_job: Option<JobRecord>,
    /// Who is at work on it.
    holders: Vec<LeaseHolder>,
}

/// The state; asking makes no index where there is none.
fn state(args: &StatusArgs, project: &Project) -> Result<State> {
    let engine = Arc::new(match project.is_indexed() {
        true => project.indexed_engine()?,
        false => project.engine_without_index(),
    });
    let mut status = args.reference.of(&engine)?.status()?;
    if !project.is_indexed() {
        status.embedder = project.embedder_name();
    }
    let mut refs = engine.indexed_refs()?;
    refs.retain(|one| one.commit.is_some());
    // What cannot be told of others is no reason to tell nothing.
    let last_job = Jobs::new(engine).recent(1).unwrap_or_default().into_iter().next();
    Ok(State { status, refs, last_job, holders: project.holders().unwrap_or_default() })
}

/// How the index compares with the tree, in words.
fn standing(state: &State) -> (Tint, String) {
    let (tint, words) = match state.status.standing() {
        Standing::Missing if state.status.is_indexing => (Tint::Warn, "not indexed yet"),
        Standing::Missing => (Tint::Warn, "not indexed; `groma index` or the first search does it"),
        Standing::Foreign => {
            (Tint::Warn, "made by another version of the program; the next search has it made anew")
        }
        Standing::Current => (Tint::Good, "up to date"),
        Standing::Behind => (Tint::Warn, "behind; the next search brings it up to date"),
    };
    let writer = state.holders.iter().find(|holder| holder.kind == LeaseKind::Writer);
    let at_it = writer.map(|writer| match writer.process {
        Some(process) => format!(" (process {process} is indexing it)"),
        None => " (another process is indexing it)".into(),
    });
    (tint, format!("{words}{}", at_it.unwrap_or_default()))
}

fn show(args: &StatusArgs, call: &mut Call, project: &Project, state: &State) -> Result<()> {
    let State { status, refs, last_job, .. } = state;
    let printer = &mut call.printer;
    writeln!(printer, "{}", printer.paint(Tint::Name, &project.root.to_string_lossy()))?;
    let (tint, words) = standing(state);
    let mut rows = vec![row("state", printer.paint(tint, &words))];
    if let Some(name) = &args.reference.name {
        rows.insert(0, row("ref", name.clone()));
    }
    if let Some(job) = last_job.as_ref().filter(|job| job.state != JobState::Published) {
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
    rows.push(row("left out", format!("{} (--skipped lists them)", count(status.skipped.len()))));
    rows.push(row("vectors", vectors(project, status)));
    if !refs.is_empty() {
        let names: Vec<&str> = refs.iter().map(|one| one.name.short()).collect();
        rows.push(row("refs", names.join(", ")));
    }
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

fn as_json(args: &StatusArgs, call: &mut Call, project: &Project, state: &State) -> Result<()> {
    let State { status, refs, last_job, holders } = state;
    let generation = status.generation.as_ref();
    let standing = match status.standing() {
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

/// An indexed ref, for whoever reads JSON.
pub fn ref_json(one: &IndexedRef) -> Value {
    json!({
        "name": one.name.short(),
        "commit": one.commit,
        "files": one.files,
        "generation": one.info.generation.number,
        "committed": unix(one.info.committed),
    })
}
