//! `groma list`: all indexed projects.

use super::Call;
use super::status::ref_json;
use crate::environment::Environment;
use crate::failure::Exit;
use crate::numbers::{ago, bytes, counted, unix};
use crate::print::Tint;
use crate::project::Project;
use anyhow::Result;
use clap::Args;
use groma_core::{Catalog, GenerationInfo, IndexedRef, ProjectRecord, RefName, Store};
use serde_json::{Value, json};
use std::sync::Arc;

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

/// One project of the list.
struct Entry {
    record: ProjectRecord,
    location: String,
    exists: bool,
    files: Option<usize>,
    /// The size of all its indexes.
    bytes: u64,
    generation: Option<GenerationInfo>,
    /// The names of its sub-indexes.
    sub_indexes: Vec<String>,
    /// The indexed refs other than the working tree.
    refs: Vec<IndexedRef>,
}

/// Lists the projects.
pub fn run(_: &ListArgs, call: &mut Call) -> Result<Exit> {
    let catalog = call.environment.catalog()?;
    let records = catalog.list()?.into_iter();
    let entries = records.map(|record| entry(record, &*catalog, &call.environment));
    let entries: Vec<Entry> = entries.collect::<Result<_>>()?;
    if call.global.json {
        let projects: Vec<Value> = entries.iter().map(as_json).collect();
        call.printer.json(&json!({ "projects": projects }))?;
        return Ok(Exit::Fine);
    }
    if entries.is_empty() {
        call.remark("no project is indexed; run `groma index` in a project's folder");
    }
    let rows: Vec<Vec<String>> = entries.iter().map(|entry| row(call, entry)).collect();
    call.printer.table(&rows, &[1, 2])?;
    if entries.iter().any(|entry| !entry.exists) {
        call.remark("`groma clear PATH` deletes the index of a folder that is gone");
    }
    Ok(Exit::Fine)
}

/// An index that cannot be opened is listed, too: that is how the user learns of it.
fn entry(record: ProjectRecord, catalog: &dyn Catalog, environment: &Environment) -> Result<Entry> {
    let stores = Project::at(record.root.clone(), environment)?.stores().unwrap_or_default();
    let live = |store: &Arc<dyn Store>| store.snapshot(&RefName::live()).ok().flatten();
    let snapshot = stores.iter().find_map(live);
    let mut sub_indexes: Vec<String> =
        catalog.indexes(&record.id).into_iter().filter_map(|index| index.sub_index).collect();
    sub_indexes.dedup();
    Ok(Entry {
        exists: record.root.is_dir(),
        files: snapshot.as_ref().map(|snapshot| snapshot.manifest().files.len()),
        bytes: environment.catalog_admin()?.size(&record.id),
        sub_indexes,
        generation: snapshot.map(|snapshot| snapshot.info()),
        refs: stores.iter().find_map(refs).unwrap_or_default(),
        location: catalog.location(&record.id, None),
        record,
    })
}

/// The refs of an index, if it has any.
fn refs(store: &Arc<dyn Store>) -> Option<Vec<IndexedRef>> {
    let mut refs = store.refs().ok()?;
    refs.retain(|one| one.commit.is_some());
    Some(refs).filter(|refs| !refs.is_empty())
}

fn row(call: &Call, entry: &Entry) -> Vec<String> {
    let root = entry.record.root.to_string_lossy();
    let state = match (&entry.generation, entry.exists) {
        (_, false) => call.printer.paint(Tint::Warn, "the folder is gone"),
        (None, true) if !entry.sub_indexes.is_empty() => {
            format!("indexed for {} only", entry.sub_indexes.join(", "))
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
        "project": entry.record.root.to_string_lossy(),
        "id": entry.record.id.as_str(),
        "folder": entry.location,
        "exists": entry.exists,
        "files": entry.files,
        "bytes": entry.bytes,
        "generation": generation.map(|generation| generation.generation.number),
        "committed": generation.map(|generation| unix(generation.committed)),
        "refs": entry.refs.iter().map(ref_json).collect::<Vec<_>>(),
    })
}
