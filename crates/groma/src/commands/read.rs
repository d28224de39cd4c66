//! `groma read`: one file of a project, and the files it imports.

use super::Call;
use crate::args::Reference;
use crate::failure::Exit;
use crate::numbers::unix;
use crate::print::Tint;
use anyhow::Result;
use clap::Args;
use groma_core::{Lines, RelPath};
use groma_engine::{FileView, ReadRequest};
use serde_json::{Value, json};
use std::io::Write;

const AFTER: &str = "\
Files that may contain secrets (.env, keys, .git), ignored files, binary files, files over 1 MB and
files outside of the project are refused. The read is recorded in the project's notebook, in the
data directory. No index is needed, and none is created.

With --json:
  path, language, bytes, line_count, start_line, end_line, modified, content,
  dependencies [{path, line, content}], notes []

Examples:
  groma read src/main.rs
  groma read src/main.rs --lines 10-40
  groma read web/app.ts --deps --json";

/// Show a file of a project, and the files it imports
#[derive(Debug, Args)]
#[command(after_help = AFTER)]
pub struct ReadArgs {
    /// The file, relative to the project
    pub file: String,
    /// Only these lines: 10-40, 10-, -40 or 10
    #[arg(short, long, value_name = "FROM-TO", value_parser = lines, allow_hyphen_values = true)]
    pub lines: Option<Lines>,
    /// The ref.
    #[command(flatten)]
    pub reference: Reference,
    /// Also show the files of the project that it imports
    #[arg(short, long)]
    pub deps: bool,
}

/// Shows the file.
pub fn run(args: &ReadArgs, call: &mut Call) -> Result<Exit> {
    let engine = call.project(None)?.engine_without_index();
    let engine = args.reference.of(&engine)?;
    let request =
        ReadRequest { path: args.file.clone(), lines: args.lines, dependencies: args.deps };
    let mut view = engine.read(&request)?;
    let read = view.dependencies.iter().map(|one| &one.path).chain([&view.path]);
    let read: Vec<RelPath> = read.cloned().collect();
    view.notes.extend(engine.notebook().record_access(&read));
    if call.global.json {
        call.printer.json(&as_json(&view))?;
    } else {
        show(call, &view)?;
    }
    Ok(Exit::Fine)
}

fn show(call: &mut Call, view: &FileView) -> Result<()> {
    view.notes.iter().for_each(|note| call.remark(&format!("note: {note}")));
    text(call, &view.content)?;
    for one in &view.dependencies {
        let head =
            format!("==> {} (line {}) <==", call.printer.visible(one.path.as_str()), one.line);
        writeln!(call.printer, "\n{}", call.printer.paint(Tint::Name, &head))?;
        text(call, &one.content)?;
    }
    Ok(())
}

fn text(call: &mut Call, content: &str) -> Result<()> {
    for line in content.lines() {
        let line = call.printer.visible(line);
        writeln!(call.printer, "{line}")?;
    }
    Ok(())
}

fn as_json(view: &FileView) -> Value {
    let dependencies: Vec<Value> = view
        .dependencies
        .iter()
        .map(|one| json!({ "path": one.path.as_str(), "line": one.line, "content": one.content }))
        .collect();
    json!({
        "path": view.path.as_str(),
        "language": view.language,
        "bytes": view.bytes,
        "line_count": view.line_count,
        "start_line": view.lines.start,
        "end_line": view.lines.end,
        "modified": unix(view.modified),
        "content": view.content,
        "dependencies": dependencies,
        "notes": view.notes,
    })
}

fn lines(text: &str) -> Result<Lines, String> {
    let wrong = || "give lines as 10-40, 10-, -40 or 10; the first line is 1".to_string();
    let number = |text: &str, without: u32| match text.trim() {
        "" => Ok(without),
        digits => digits.parse().map_err(|_| wrong()),
    };
    let (start, end) = match text.split_once('-') {
        Some((start, end)) if !(start.is_empty() && end.is_empty()) => {
            (number(start, 1)?, number(end, u32::MAX)?)
        }
        Some(_) => return Err(wrong()),
        None => {
            let line = number(text, 0)?;
            (line, line)
        }
    };
    if start == 0 || end < start { Err(wrong()) } else { Ok(Lines { start, end }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_in_every_form() {
        let range = |start, end| Ok(Lines { start, end });
        assert_eq!(lines("10-40"), range(10, 40));
        assert_eq!(lines("10-"), range(10, u32::MAX));
        assert_eq!(lines("-40"), range(1, 40));
        assert_eq!(lines("10"), range(10, 10));
        for wrong in ["", "-", "0", "0-3", "9-3", "a", "1-b", "1-2-3", "99999999999"] {
            assert!(lines(wrong).is_err(), "{wrong}");
        }
    }
}
