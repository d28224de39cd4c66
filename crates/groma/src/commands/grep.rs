//! `groma grep`: the lines that match a pattern, as ripgrep finds them.

use super::Call;
use crate::args::Reference;
use crate::failure::Exit;
use crate::numbers::{count, counted, duration, milliseconds};
use crate::page::{self, Emphasis, painted_spans};
use crate::print::{Printer, Tint};
use crate::progress::{ProgressReporter, cancel_on_interrupt};
use crate::project::Project;
use anyhow::Result;
use clap::Args;
use groma_core::RelPath;
use groma_engine::{Case, EngineError, GrepAnswer, GrepMatch, GrepRequest, MatchSpans};
use groma_render::{Budget, grep_page};
use serde_json::{Value, json};
use std::io::Write;
use std::path::PathBuf;

/// Matches that are counted by file if lines are grouped. More are counted in all.
const COUNTED: usize = 1000;

const AFTER: &str = "\
Searches the current files. An index excludes files that cannot match; without one every file is
read, and no index is created. The same files as for ripgrep are searched, without secrets and
vendored and generated folders.

On a terminal the lines are grouped by file, each with the definition that encloses it. In a pipe
they are printed as `path:line:text`, as grep does.

With --json:
  pattern, project, total, is_total_exact, files_searched, files_read, files_matched, took_ms,
  notes [], matches [{path, line, column, text, before [], after []}]

Examples:
  groma grep 'fn \\w+_token'
  groma grep -F 'Vec<Option<' ~/src/server --lang rust
  groma grep -iw todo -g 'internal/**' -C 2
  groma grep 'unwrap\\(\\)' --count
  groma grep 'timeout' --heading | less
  groma grep RateLimiter --json | jq -r '.matches[].path'";

/// Find the lines of a project that match a regular expression
#[derive(Debug, Args)]
#[command(after_help = AFTER)]
pub struct GrepArgs {
    /// A regular expression, matched line by line
    pub pattern: String,
    /// The project's folder
    pub path: Option<PathBuf>,
    /// Maximum number of lines, 1 to 10000
    #[arg(short, long, value_name = "COUNT", default_value_t = 50)]
    pub limit: usize,
    /// The ref.
    #[command(flatten)]
    pub reference: Reference,
    /// Ignore case
    #[arg(short, long, conflicts_with = "smart_case")]
    pub ignore_case: bool,
    /// Ignore case unless the pattern contains an uppercase letter
    #[arg(short = 'S', long)]
    pub smart_case: bool,
    /// Match whole words only
    #[arg(short, long, alias = "word-regexp")]
    pub word: bool,
    /// Treat the pattern as literal text
    #[arg(short = 'F', long, alias = "fixed-strings")]
    pub fixed: bool,
    /// Filters.
    #[command(flatten)]
    pub filter: Filters,
    /// Output options.
    #[command(flatten)]
    pub show: Show,
}

/// Filters.
#[derive(Debug, Args)]
#[command(next_help_heading = "Filters")]
pub struct Filters {
    /// Only files whose path matches one of the globs; a folder matches everything in it
    #[arg(short, long, value_name = "GLOB")]
    pub glob: Vec<String>,
    /// Only these languages, by name, alias or extension
    #[arg(long, value_name = "NAME,...", value_delimiter = ',', value_parser = super::search::language)]
    pub lang: Vec<String>,
}

/// Output options.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub struct Show {
    /// Lines shown before a match
    #[arg(short = 'B', long, value_name = "LINES")]
    pub before: Option<u32>,
    /// Lines shown after a match
    #[arg(short = 'A', long, value_name = "LINES")]
    pub after: Option<u32>,
    /// Lines shown before and after
    #[arg(short = 'C', long, value_name = "LINES", default_value_t = 0)]
    pub context: u32,
    /// Group the lines by file and enclosing definition; the default on a terminal
    #[arg(long, overrides_with = "no_heading")]
    pub heading: bool,
    /// Print `path:line:text`; the default in a pipe
    #[arg(long, overrides_with = "heading")]
    pub no_heading: bool,
    /// Print only the number of matching lines
    #[arg(short, long)]
    pub count: bool,
}

/// Runs the search.
pub fn run(args: &GrepArgs, call: &mut Call) -> Result<Exit> {
    let is_grouped = is_grouped(args, call);
    let mut request = request(args);
    // Checked before an index is opened.
    request.check().map_err(EngineError::from)?;
    if is_grouped {
        request.limit = request.limit.max(COUNTED);
    }
    let project = super::search::project(args.path.as_deref(), call)?;
    let engine = project.engine_without_index();
    let engine = args.reference.of(&engine)?;
    let progress = ProgressReporter::new(call.global.quiet);
    let answer = engine.grep(&request, &progress, &cancel_on_interrupt());
    drop(progress);
    let mut answer = answer?;
    remarks(args, call, &mut answer, is_grouped);
    if call.global.json {
        call.printer.json(&as_json(&request, &project, &answer))?;
    } else if args.show.count {
        let more = if answer.is_total_exact { "" } else { "+" };
        writeln!(call.printer, "{}{more}", answer.total)?;
    } else if is_grouped && answer.total > 0 {
        let places = engine.enclosing_places();
        let enclosing = |path: &RelPath, line: u32| places.at(path, line);
        let page = grep_page(&request, &answer, args.limit, Budget::UNLIMITED, &enclosing);
        page::print(&mut call.printer, &page, &Emphasis::Spans(MatchSpans::new(&request)?))?;
    } else {
        Lines::new(&request, &call.printer)?.show(&mut call.printer, &answer.matches)?;
    }
    Ok(if answer.total == 0 { Exit::Nothing } else { Exit::Fine })
}

/// Whether lines are grouped by file and enclosing definition.
fn is_grouped(args: &GrepArgs, call: &Call) -> bool {
    let show = &args.show;
    let is_default = call.printer.is_terminal() && !show.no_heading;
    (show.heading || is_default) && !call.global.json && !show.count
}

fn request(args: &GrepArgs) -> GrepRequest {
    let case = match (args.ignore_case, args.smart_case) {
        (true, _) => Case::Insensitive,
        (_, true) => Case::Smart,
        _ => Case::Sensitive,
    };
    GrepRequest {
        literal: args.fixed,
        case,
        whole_words: args.word,
        paths: args.filter.glob.clone(),
        languages: args.filter.lang.clone(),
        before: args.show.before.unwrap_or(args.show.context),
        after: args.show.after.unwrap_or(args.show.context),
        limit: args.limit,
        ..GrepRequest::new(args.pattern.clone())
    }
}

/// Prints notes and counts. A page says itself how many lines it leaves out.
fn remarks(args: &GrepArgs, call: &Call, answer: &mut GrepAnswer, is_page: bool) {
    if !call.global.json {
        let notes = std::mem::take(&mut answer.notes);
        notes.iter().for_each(|note| call.remark(&format!("note: {note}")));
        if answer.total == 0 {
            call.remark("nothing found");
        } else if answer.matches.len() < answer.total && !args.show.count && !is_page {
            let more = if answer.is_total_exact { "" } else { " or more" };
            let (shown, total) = (count(answer.matches.len()), count(answer.total));
            call.remark(&format!("{shown} of {total}{more} lines; --limit shows more"));
        }
    }
    call.detail(&format!(
        "{} in {} of {}, {} opened, {}",
        counted(answer.total, "line"),
        count(answer.files_matched),
        counted(answer.files_searched, "file"),
        count(answer.files_read),
        duration(answer.duration)
    ));
}

/// Prints lines as grep does: `path:line:text` for a match, `path-line-text` for context, each line once.
struct Lines {
    /// The matching spans, if colours are used.
    spans: Option<MatchSpans>,
    /// Whether context lines are shown, separated by gaps.
    has_context: bool,
    /// The last printed line of the current file.
    last: u32,
}

impl Lines {
    fn new(request: &GrepRequest, printer: &Printer) -> Result<Self> {
        let spans = printer.colors().then(|| MatchSpans::new(request)).transpose()?;
        Ok(Self { spans, has_context: request.before + request.after > 0, last: 0 })
    }

    fn show(&mut self, printer: &mut Printer, matches: &[GrepMatch]) -> Result<()> {
        for (index, found) in matches.iter().enumerate() {
            let previous = index.checked_sub(1).map(|before| &matches[before]);
            if previous.is_none_or(|previous| previous.path != found.path) {
                self.last = 0;
            }
            let first = found.line - found.before.len() as u32;
            if self.has_context && index > 0 && (self.last == 0 || first > self.last + 1) {
                writeln!(printer, "{}", printer.paint(Tint::Dim, "--"))?;
            }
            for (line, text) in (first..).zip(&found.before) {
                self.line(printer, found, (line, text))?;
            }
            self.line(printer, found, (found.line, &found.text))?;
            // What is a match itself comes in its turn.
            let next = matches.get(index + 1).filter(|next| next.path == found.path);
            let end = next.map_or(u32::MAX, |next| next.line);
            for (line, text) in (found.line + 1..end).zip(&found.after) {
                self.line(printer, found, (line, text))?;
            }
        }
        Ok(())
    }

    /// Prints a line of a match, unless it was printed already.
    fn line(
        &mut self,
        printer: &mut Printer,
        found: &GrepMatch,
        (line, text): (u32, &str),
    ) -> Result<()> {
        if line <= self.last {
            return Ok(());
        }
        self.last = line;
        let is_match = line == found.line;
        let mark = if is_match { ":" } else { "-" };
        let path = printer.paint(Tint::Path, &printer.visible(found.path.as_str()));
        let number = printer.paint(Tint::Good, &line.to_string());
        let text = printer.visible(text);
        let text = match &self.spans {
            Some(spans) if is_match => painted_spans(printer, &text, spans),
            _ => text.into_owned(),
        };
        writeln!(printer, "{path}{mark}{number}{mark}{text}")?;
        Ok(())
    }
}

fn as_json(request: &GrepRequest, project: &Project, answer: &GrepAnswer) -> Value {
    let one = |found: &GrepMatch| {
        json!({
            "path": found.path.as_str(),
            "line": found.line,
            "column": found.column,
            "text": found.text,
            "before": found.before,
            "after": found.after,
        })
    };
    json!({
        "pattern": request.pattern,
        "project": project.root.to_string_lossy(),
        "total": answer.total,
        "is_total_exact": answer.is_total_exact,
        "files_searched": answer.files_searched,
        "files_read": answer.files_read,
        "files_matched": answer.files_matched,
        "took_ms": milliseconds(answer.duration),
        "notes": answer.notes,
        "matches": answer.matches.iter().map(one).collect::<Vec<_>>(),
    })
}
