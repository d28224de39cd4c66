//! `groma outline`: the symbols and imports of a file.

use super::Call;
use crate::args::Reference;
use crate::failure::{Exit, Failure, Kind};
use crate::progress::{ProgressReporter, cancel_on_interrupt};
use anyhow::Result;
use clap::Args;
use groma_core::RelPath;
use groma_engine::Outline;
use serde_json::{Value, json};
use std::io::Write;
use std::path::PathBuf;

const AFTER: &str = "\
With --json:
  path, language, package, status,
  symbols [{name, kind, qualified_name, signature, visibility, start_line, end_line}],
  imports [{path, line, files []}], notes []

Examples:
  groma outline src/main.rs
  groma outline crates/groma-core/src/store.rs --json";

/// Show the symbols of a file and the files it imports
#[derive(Debug, Args)]
#[command(after_help = AFTER)]
pub struct OutlineArgs {
    /// The file, relative to the project
    pub file: PathBuf,
    /// The ref.
    #[command(flatten)]
    pub reference: Reference,
}

/// Shows the file.
pub fn run(args: &OutlineArgs, call: &mut Call) -> Result<Exit> {
    let project = call.project(None)?;
    let missing = || {
        Failure::new(Kind::NotFound, format!("{} is not indexed", args.file.display()))
            .hint("`groma status --skipped` lists skipped files with reasons")
    };
    let path = RelPath::new(&args.file).map_err(|_| missing())?;
    let engine = project.engine(Default::default())?;
    let engine = args.reference.of(&engine)?;
    let progress = ProgressReporter::new(call.global.quiet);
    let outline = engine.outline(&path, &progress, &cancel_on_interrupt());
    drop(progress);
    let outline = outline?.ok_or_else(missing)?;
    if call.global.json {
        call.printer.json(&as_json(&outline))?;
    } else {
        show(call, &outline)?;
        outline.notes.iter().for_each(|note| call.remark(&format!("note: {note}")));
    }
    Ok(Exit::Fine)
}

fn show(call: &mut Call, outline: &Outline) -> Result<()> {
    writeln!(call.printer, "{}", groma_engine::overview(&outline.facts))?;
    for resolved in outline.imports.iter().filter(|resolved| !resolved.files.is_empty()) {
        let files: Vec<&str> = resolved.files.iter().map(RelPath::as_str).collect();
        writeln!(call.printer, "imports {} -> {}", resolved.import.path, files.join(", "))?;
    }
    Ok(())
}

fn as_json(outline: &Outline) -> Value {
    let facts = &outline.facts;
    let symbols: Vec<Value> = facts
        .symbols
        .iter()
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
