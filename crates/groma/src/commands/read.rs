//! `groma read`: files of a project, lines of files, definitions by name.

use super::Call;
use crate::args::Reference;
use crate::failure::{Exit, Failure, Kind};
use crate::numbers::unix;
use crate::page::{self, Emphasis};
use crate::print::Tint;
use crate::progress::{ProgressReporter, cancel_on_interrupt};
use anyhow::Result;
use clap::Args;
use groma_core::{Lines, RelPath};
use groma_engine::{Engine, EngineError, FileView, PlaceSpec, PlaceView, ReadRequest};
use groma_render::{Budget, Page, push_place, read_json};
use serde_json::{Value, json};
use std::io::Write;

const AFTER: &str = "\
In a pipe, one place is printed as its text alone, as `cat` does. On a terminal, and for several
places, lines have numbers, and each place has a heading.

Files that may contain secrets (.env, keys, .git), ignored files, binary files, files over 1 MB and
files outside of the project are refused. The read is recorded in the project's notebook, in the
data directory. No index is needed, and none is created, unless a place is a name.

With --json, for one file or lines of it:
  path, language, bytes, line_count, start_line, end_line, modified, content,
  dependencies [{path, line, content}], notes []
and for other places:
  places [{place, views [{path, line_count, place {start_line, end_line, kind, name, signature},
    excerpts [{start_line, end_line, text}], omitted [], members [], notes []}]}]
  where a place that cannot be read has `error` instead of `views`

Examples:
  groma read src/main.rs
  groma read src/main.rs --lines 10-40
  groma read src/main.rs:10-40 src/router.ts#Router.match verify_token
  groma read RateLimiter
  groma read web/app.ts --deps --json";

/// Show files of a project, lines of files, or definitions by name
#[derive(Debug, Args)]
#[command(after_help = AFTER)]
pub struct ReadArgs {
    /// path, path:20-80, path#Class.method, relative to the project, or the name of a definition
    #[arg(required = true, value_name = "PLACE")]
    pub places: Vec<String>,
    /// Only these lines of a file: 10-40, 10-, -40 or 10
    #[arg(short, long, value_name = "FROM-TO", value_parser = lines, allow_hyphen_values = true)]
    pub lines: Option<Lines>,
    /// The ref.
    #[command(flatten)]
    pub reference: Reference,
    /// Also show the files of the project that a file imports
    #[arg(short, long)]
    pub deps: bool,
    /// Number the lines, also of one place in a pipe
    #[arg(short, long, conflicts_with = "deps")]
    pub number: bool,
}

impl ReadArgs {
    /// The one file, or lines of it, that is asked for.
    fn file(&self) -> Option<ReadRequest> {
        let [place] = &*self.places else { return None };
        let of_file = |path: &str, lines| ReadRequest {
            path: path.to_string(),
            lines,
            dependencies: self.deps,
        };
        match PlaceSpec::parse(place) {
            _ if self.lines.is_some() || self.deps => Some(of_file(place, self.lines)),
            PlaceSpec::File(path) => Some(of_file(&path, None)),
            PlaceSpec::Lines { path, ranges } => match *ranges {
                [range] => Some(of_file(&path, Some(range))),
                _ => None,
            },
            PlaceSpec::Member { .. } => None,
        }
    }

    /// The places, with `--lines` as part of the place.
    fn places(&self) -> Vec<String> {
        match self.lines {
            Some(Lines { start, end }) => {
                self.places.iter().map(|path| format!("{path}:{start}-{end}")).collect()
            }
            None => self.places.clone(),
        }
    }

    /// Whether lines are numbered.
    fn is_numbered(&self, call: &Call) -> bool {
        self.number || self.places.len() > 1 || (call.printer.is_terminal() && !self.deps)
    }
}

/// Shows the places.
pub fn run(args: &ReadArgs, call: &mut Call) -> Result<Exit> {
    if args.places.len() > 1 && (args.lines.is_some() || args.deps) {
        let failure = Failure::new(Kind::Usage, "--lines and --deps need exactly one file");
        return Err(failure.hint("give lines as path:10-40").into());
    }
    let project = call.project(None)?;
    let engine = project.engine_without_index();
    let engine = args.reference.of(&engine)?;
    if let Some(request) = args.file().filter(|_| call.global.json || !args.is_numbered(call)) {
        match engine.read(&request) {
            Ok(view) => return file(call, &engine, view),
            // It may be a name, or a file whose own name looks like a range.
            Err(EngineError::FileNotFound { .. }) => {}
            Err(error) => return Err(error.into()),
        }
    }
    let places = args.places();
    if !places.iter().any(|place| is_name(&engine, place)) {
        return several(args, call, &engine, &places);
    }
    let engine = project.engine(Default::default())?;
    several(args, call, &*args.reference.of(&engine)?, &places)
}

/// Whether a place is not a file, so that it has to be looked up in the index.
fn is_name(engine: &Engine, place: &str) -> bool {
    let is_missing = |name: &str| {
        let read = engine.read(&ReadRequest::new(name));
        matches!(read, Err(EngineError::FileNotFound { .. }))
    };
    PlaceSpec::parse(place).name().is_some_and(is_missing)
}

/// Shows one file as it is.
fn file(call: &mut Call, engine: &Engine, mut view: FileView) -> Result<Exit> {
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

/// Shows places. What cannot be read is reported after what can.
fn several(args: &ReadArgs, call: &mut Call, engine: &Engine, places: &[String]) -> Result<Exit> {
    let progress = ProgressReporter::new(call.global.quiet);
    let chars = Budget::UNLIMITED.chars();
    let read = engine.read_places(places, chars, &progress, &cancel_on_interrupt());
    drop(progress);
    let views: Vec<&PlaceView> = read.iter().flatten().flatten().collect();
    let paths: Vec<RelPath> = views.iter().map(|view| view.path.clone()).collect();
    if let Some(note) = engine.notebook().record_access(&paths) {
        call.remark(&format!("note: {note}"));
    }
    if views.is_empty() {
        // The errors say why.
    } else if call.global.json {
        call.printer.json(&read_json(places, &read))?;
    } else if args.is_numbered(call) {
        let mut page = Page::default();
        views.iter().for_each(|view| push_place(&mut page, view));
        page::print(&mut call.printer, &page, &Emphasis::syntax())?;
    } else {
        views.iter().try_for_each(|view| plain(call, engine, view))?;
    }
    let mut errors = read.into_iter().filter_map(Result::err);
    let Some(first) = errors.next() else { return Ok(Exit::Fine) };
    call.printer.flush()?;
    errors.for_each(|error| call.remark(&format!("note: {error}")));
    Err(first.into())
}

/// Prints the text of a place, which is not cut as in a page.
fn plain(call: &mut Call, engine: &Engine, view: &PlaceView) -> Result<()> {
    view.notes.iter().for_each(|note| call.remark(&format!("note: {note}")));
    for excerpt in &view.excerpts {
        let lines = Some(excerpt.lines);
        let path = view.path.as_str().to_string();
        let read = engine.read(&ReadRequest { path, lines, dependencies: false })?;
        text(call, &read.content)?;
    }
    Ok(())
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
