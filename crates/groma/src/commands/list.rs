//! `groma list`: every project that has an index.

use super::Call;
use super::status::ref_json;
use crate::environment::Environment;
use crate::failure::Exit;
use crate::numbers::{ago, bytes, counted, unix};
use crate::print::Tint;
use crate::project::{Known, known, pipeline};
use anyhow::Result;
use clap::Args;
use groma_core::{GenerationInfo, IndexedRef, RefName, Store};
use groma_store::EmbeddedStore;
use serde_json::{Value, json};
use std::path::Path;

const AFTER: &str = "\
With --json:
  projects [{project, id, folder, exists, files, bytes, generation,
    committed (seconds since 1970), refs [{name, commit, files, generation, committed}]}]

Examples:
  groma list
  groma list --json | jq -r '.projects[].project'";

/// List all indexed projects
#[derive(Debug, Args)]
#[command(after_help = AFTER)]
pub struct ListArgs {}

/// What is known of one project.
struct Entry {
    known: Known,
    exists: bool,
    files: Option<usize>,
    /// Of all its indexes.
    bytes: u64,
    generation: Option<GenerationInfo>,
    /// The contracts that have an index of their own.
    scopes: Vec<String>,
    /// The refs that are indexed besides the working tree.
    refs: Vec<IndexedRef>,
}

/// Lists the projects.
pub fn run(_: &ListArgs, call: &mut Call) -> Result<Exit> {
    let known = known(call.environment.data()?)?.into_iter();
    let entries: Vec<Entry> = known.map(|known| entry(known, &call.environment)).collect();
    if call.global.json {
        let projects: Vec<Value> = entries.iter().map(as_json).collect();
        call.printer.json(&json!({ "projects": projects }))?;
        return Ok(Exit::Fine);
    }
    if entries.is_empty() {
        call.remark("no project is indexed; `groma index` in a project's folder does it");
    }
    let rows: Vec<Vec<String>> = entries.iter().map(|entry| row(call, entry)).collect();
    call.printer.table(&rows, &[1, 2])?;
    if entries.iter().any(|entry| !entry.exists) {
        call.remark("`groma clear PATH` forgets a project whose folder is gone");
    }
    Ok(Exit::Fine)
}

/// An index that cannot be opened is listed all the same: that is how one learns of it.
fn entry(known: Known, environment: &Environment) -> Entry {
    let stores = known.project(environment).stores().unwrap_or_default();
    let live = |store: &EmbeddedStore| store.snapshot(&RefName::live()).ok().flatten();
    let snapshot = stores.iter().find_map(live);
    let sizes = known.indexes().into_iter().filter_map(|folder| size(&folder));
    Entry {
        exists: known.root.is_dir(),
        files: snapshot.as_ref().map(|snapshot| snapshot.manifest().files.len()),
        bytes: sizes.sum(),
        scopes: known.scopes(),
        generation: snapshot.map(|snapshot| snapshot.info()),
        refs: stores.iter().find_map(refs).unwrap_or_default(),
        known,
    }
}

/// The refs of an index, if it has any.
fn refs(store: &EmbeddedStore) -> Option<Vec<IndexedRef>> {
    let mut refs = store.refs().ok()?;
    refs.retain(|one| one.commit.is_some());
    Some(refs).filter(|refs| !refs.is_empty())
}

/// What an index takes up, whoever made its vectors.
fn size(folder: &Path) -> Option<u64> {
    Some(EmbeddedStore::open(folder, pipeline(None)).ok()?.size().ok()?.bytes)
}

fn row(call: &Call, entry: &Entry) -> Vec<String> {
    let root = entry.known.root.to_string_lossy();
    let state = match (&entry.generation, entry.exists) {
        (_, false) => call.printer.paint(Tint::Warn, "the folder is gone"),
        (None, true) if !entry.scopes.is_empty() => {
            format!("indexed for {} only", entry.scopes.join(", "))
        }
        (None, true) => call.printer.paint(Tint::Warn, "no usable index"),
        (Some(generation), true) if entry.refs.is_empty() => ago(generation.committed),
        (Some(generation), true) => {
            format!("{}, and {}", ago(generation.committed), counted(entry.refs.len(), "ref"))
        }
    };
    vec![
        call.printer.paint(Tint::Path, &root),
        entry.files.map_or(String::new(), |files| counted(files, "file")),
        bytes(entry.bytes),
        state,
    ]
}

fn as_json(entry: &Entry) -> Value {
    let generation = entry.generation.as_ref();
    json!({
        "project": entry.known.root.to_string_lossy(),
        "id": entry.known.folder.file_name().unwrap_or_default().to_string_lossy(),
        "folder": entry.known.folder.to_string_lossy(),
        "exists": entry.exists,
        "files": entry.files,
        "bytes": entry.bytes,
        "generation": generation.map(|generation| generation.generation.number),
        "committed": generation.map(|generation| unix(generation.committed)),
        "refs": entry.refs.iter().map(ref_json).collect::<Vec<_>>(),
    })
}
