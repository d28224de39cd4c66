//! `groma outline`: the members of a file, the files of a folder, the map of a project.

use super::Call;
use crate::args::Reference;
use crate::failure::{Exit, Failure, Kind};
use crate::page::{self, Emphasis};
use crate::progress::{ProgressReporter, cancel_on_interrupt};
use anyhow::Result;
use clap::Args;
use groma_core::RelPath;
use groma_engine::{Outline, Outlined, Place};
use groma_render::{Budget, Line, outline_json, outline_page};
use serde_json::{Value, json};

const AFTER: &str = "\
Names the members of a file with their lines; in a folder or the whole project, the files with the
most used definitions. Part of a name lists the files that have it in their path.

With --json, for a file:
  path, language, package, status,
  symbols [{name, kind, qualified_name, signature, visibility, start_line, end_line}],
  imports [{path, line, files []}], notes []
for a folder:
  folder, file_count, folders {name: files}, left_out,
  files [{path, line_count, members [{start_line, end_line, kind, name, signature}]}]
and for part of a name:
  files []

Examples:
  groma outline
  groma outline src
  groma outline src/main.rs
  groma outline src/router.ts#Router
  groma outline token
  groma outline crates/groma-core/src/store.rs --json";

/// Show the members of a file, the files of a folder, or the map of the project
#[derive(Debug, Args)]
#[command(after_help = AFTER)]
pub struct OutlineArgs {
    /// A file, a folder, path#Class or part of a name, relative to the project [default: the project]
    #[arg(value_name = "PATH")]
    pub target: Option<String>,
    /// The ref.
    #[command(flatten)]
    pub reference: Reference,
    /// Size of the answer
    #[arg(long, value_name = "TOKENS", default_value_t = 3000)]
    pub max_tokens: usize,
}

/// Shows the outline.
pub fn run(args: &OutlineArgs, call: &mut Call) -> Result<Exit> {
    let target = args.target.as_deref().unwrap_or_default();
    let project = call.project(None)?;
    let engine = project.engine(Default::default())?;
    let engine = args.reference.of(&engine)?;
    let progress = ProgressReporter::new(call.global.quiet);
    let outlined = engine.outline_target(target, &progress, &cancel_on_interrupt());
    drop(progress);
    let outlined = outlined?.ok_or_else(|| {
        Failure::new(Kind::NotFound, format!("{target} is not indexed"))
            .hint("`groma status --skipped` lists skipped files with reasons")
    })?;
    let budget = Budget::tokens(args.max_tokens);
    if call.global.json {
        let value = match &outlined {
            Outlined::File { outline, .. } if !target.contains('#') => as_json(outline, &[]),
            Outlined::File { outline, members } => as_json(outline, members),
            _ => outline_json(&outlined, budget),
        };
        call.printer.json(&value)?;
    } else {
        show(call, target, &outlined, budget)?;
    }
    Ok(Exit::Fine)
}

fn show(call: &mut Call, target: &str, outlined: &Outlined, budget: Budget) -> Result<()> {
    let mut page = outline_page(target, outlined, budget);
    if let Outlined::File { outline, .. } = outlined {
        outline.notes.iter().for_each(|note| call.remark(&format!("note: {note}")));
        for resolved in outline.imports.iter().filter(|resolved| !resolved.files.is_empty()) {
            let files: Vec<&str> = resolved.files.iter().map(RelPath::as_str).collect();
            let location = format!("imports {}", resolved.import.path);
            page.push(Line::Place { location, text: format!("-> {}", files.join(", ")) });
        }
    }
    page::print(&mut call.printer, &page, &Emphasis::syntax())
}

/// A file as JSON, with the symbols in the lines of these members; without any, all symbols.
fn as_json(outline: &Outline, members: &[Place]) -> Value {
    let facts = &outline.facts;
    let symbols: Vec<Value> = facts
        .symbols
        .iter()
        .filter(|symbol| {
            let is_inside = |place: &Place| place.lines.encloses(symbol.lines);
            members.is_empty() || members.iter().any(is_inside)
        })
        .map(|symbol| {
            json!({
                "name": symbol.name,
                "kind": symbol.kind.as_str(),
                "qualified_name": symbol.qualified,
                "signature": symbol.signature,
                "visibility": symbol.visibility.as_str(),
                "start_line": symbol.lines.start,
                "end_line": symbol.lines.end,
            })
        })
        .collect();
    let imports: Vec<Value> = outline
        .imports
        .iter()
        .map(|resolved| {
            let files: Vec<&str> = resolved.files.iter().map(RelPath::as_str).collect();
            json!({ "path": resolved.import.path, "line": resolved.import.line, "files": files })
        })
        .collect();
    json!({
        "path": outline.path.as_str(),
        "language": facts.language,
        "package": facts.package,
        "status": facts.health.status.as_str(),
        "symbols": symbols,
        "imports": imports,
        "notes": outline.notes,
    })
}
