//! `groma clear`: deletes an index. It is derived data, so the next search rebuilds it.

use super::Call;
use crate::chunks;
use crate::failure::{Exit, Failure, Kind};
use crate::numbers::{bytes, counted};
use crate::print;
use anyhow::Result;
use clap::Args;
use groma_core::{Catalog, ProjectId, ProjectRecord};
use serde_json::{Value, json};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

const AFTER: &str = "\
Only the index is deleted: files of the project and the notebook are kept. Without a terminal,
--yes is required.

With --json:
  cleared [{project, bytes, and ref with --ref}]

Examples:
  groma clear
  groma clear ~/src/server --yes
  groma clear --ref feature/login
  groma clear --all --yes";

/// Delete the index of a project, or of all projects
#[derive(Debug, Args)]
#[command(after_help = AFTER)]
pub struct ClearArgs {
    /// The project's folder, which may be gone
    pub path: Option<PathBuf>,
    /// Delete the indexes of all projects
    #[arg(long, conflicts_with = "path")]
    pub all: bool,
    /// Delete this branch, tag or commit only
    #[arg(long = "ref", value_name = "REF", conflicts_with = "all")]
    pub reference: Option<String>,
    /// Also delete the chunk files (Cortex's format) in this folder
    #[arg(long, value_name = "DIR")]
    pub chunks_dir: Option<PathBuf>,
    /// Do not ask for confirmation
    #[arg(short, long)]
    pub yes: bool,
}

/// A project whose indexes are deleted.
struct Target {
    id: ProjectId,
    root: PathBuf,
}

impl From<ProjectRecord> for Target {
    fn from(record: ProjectRecord) -> Self {
        Self { id: record.id, root: record.root }
    }
}

/// Deletes indexes.
pub fn run(args: &ClearArgs, call: &mut Call) -> Result<Exit> {
    if let Some(name) = &args.reference {
        return clear_ref(args, call, name);
    }
    let catalog = call.environment.catalog()?;
    let chosen = if args.all {
        catalog.list()?.into_iter().map(Target::from).collect()
    } else {
        vec![one(args, call, &*catalog)?]
    };
    if !args.yes && !confirmed(call, &chosen)? {
        call.remark("nothing was cleared");
        return Ok(Exit::Fine);
    }
    let mut cleared: Vec<Value> = Vec::new();
    for target in &chosen {
        let freed = catalog.remove(&target.id)?;
        if !call.global.json {
            writeln!(
                call.printer,
                "cleared the index of {} ({})",
                target.root.display(),
                bytes(freed)
            )?;
        }
        cleared.push(json!({ "project": target.root.to_string_lossy(), "bytes": freed }));
    }
    if let Some(folder) = &args.chunks_dir {
        chunks::remove(folder)?;
    }
    if call.global.json {
        call.printer.json(&json!({ "cleared": cleared }))?;
    }
    Ok(Exit::Fine)
}

/// Deletes one ref, which may be gone. Indexing it again is quick, so no confirmation is needed.
fn clear_ref(args: &ClearArgs, call: &mut Call, name: &str) -> Result<Exit> {
    let project = call.project(args.path.as_deref())?;
    if !project.indexed_engine()?.forget_ref(name)? {
        let message = format!("{name} is not indexed");
        let hint =
            "`groma status` lists the indexed refs; without --ref the whole index is deleted";
        return Err(Failure::new(Kind::NotFound, message).hint(hint).into());
    }
    if call.global.json {
        let root = project.root.to_string_lossy();
        let cleared = json!({ "project": root, "ref": name, "bytes": 0 });
        call.printer.json(&json!({ "cleared": [cleared] }))?;
    } else {
        writeln!(call.printer, "cleared {name} of {}", project.root.display())?;
    }
    Ok(Exit::Fine)
}

/// The project to clear. Its folder may be gone and its settings invalid.
fn one(args: &ClearArgs, call: &Call, catalog: &dyn Catalog) -> Result<Target> {
    let given = call.global.project.as_deref().or(args.path.as_deref());
    let root = match given {
        Some(path) => path.canonicalize().unwrap_or_else(|_| absolute(path, call)),
        None => call.project(None)?.root,
    };
    let id = catalog.resolve(&root);
    if catalog.indexes(&id).is_empty() {
        let message = format!("{} is not indexed", root.display());
        let failure = Failure::new(Kind::NotFound, message);
        return Err(failure.hint("`groma list` shows the indexed projects").into());
    }
    Ok(Target { id, root })
}

fn absolute(path: &Path, call: &Call) -> PathBuf {
    call.environment.folder.as_deref().map_or(path.to_path_buf(), |folder| folder.join(path))
}

fn confirmed(call: &Call, chosen: &[Target]) -> Result<bool> {
    if !call.environment.can_ask || call.global.json {
        let failure = Failure::new(
            Kind::Usage,
            "clearing needs confirmation, and there is no terminal to ask on",
        );
        return Err(failure.hint("add --yes").into());
    }
    let what = match chosen {
        [one] => format!("the index of {}", one.root.display()),
        several => counted(several.len(), "index"),
    };
    print::message(&format!("Clear {what}? [y/N]"));
    let mut answer = String::new();
    io::stdin().read_line(&mut answer)?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}
