//! `groma clear`: forget an index. It is derived, so the next search brings it back.

use super::Call;
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
Only the index goes, never a file of the project, and what was noted about it stays. Without a
terminal to ask on, --yes is needed.

With --json:
  cleared [{project, bytes, and ref with --ref}]

Examples:
  groma clear
  groma clear ~/src/server --yes
  groma clear --ref feature/login
  groma clear --all --yes";

/// Forget the index of a project, or of all
#[derive(Debug, Args)]
#[command(after_help = AFTER)]
pub struct ClearArgs {
    /// The project's folder; it need not exist any more
    pub path: Option<PathBuf>,
    /// Forget the indexes of all projects
    #[arg(long, conflicts_with = "path")]
    pub all: bool,
    /// Forget this branch, tag or commit alone
    #[arg(long = "ref", value_name = "REF", conflicts_with = "all")]
    pub reference: Option<String>,
    /// Do not ask
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
    if call.global.json {
        call.printer.json(&json!({ "cleared": cleared }))?;
    }
    Ok(Exit::Fine)
}

/// Forgets one ref, which may be gone. It is a matter of moments to index it again, so nobody is asked.
fn clear_ref(args: &ClearArgs, call: &mut Call, name: &str) -> Result<Exit> {
    let project = call.project(args.path.as_deref())?;
    if !project.indexed_engine()?.forget_ref(name)? {
        let message = format!("{name} is not indexed");
        let hint = "`groma status` lists the refs that are; without --ref the working tree goes, and all refs with it";
        return Err(Failure::new(Kind::NotFound, message).hint(hint).into());
    }
    match call.global.json {
        true => {
            let root = project.root.to_string_lossy();
            let cleared = json!({ "project": root, "ref": name, "bytes": 0 });
            call.printer.json(&json!({ "cleared": [cleared] }))?;
        }
        false => writeln!(call.printer, "cleared {name} of {}", project.root.display())?,
    }
    Ok(Exit::Fine)
}

/// The project to clear, which may be one whose folder is gone or whose settings are wrong.
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
        return Err(failure.hint("`groma list` shows what is").into());
    }
    Ok(Target { id, root })
}

fn absolute(path: &Path, call: &Call) -> PathBuf {
    call.environment.folder.as_deref().map_or(path.to_path_buf(), |folder| folder.join(path))
}

fn confirmed(call: &Call, chosen: &[Target]) -> Result<bool> {
    if !call.environment.can_ask || call.global.json {
        let failure =
            Failure::new(Kind::Usage, "clearing needs a yes, and there is no terminal to ask on");
        return Err(failure.hint("add --yes").into());
    }
    let what = match chosen {
        [one] => format!("the index of {}", one.root.display()),
        several => counted(several.len(), "index").replace("indexs", "indexes"),
    };
    print::words(&format!("Clear {what}? [y/N]"));
    let mut answer = String::new();
    io::stdin().read_line(&mut answer)?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}
