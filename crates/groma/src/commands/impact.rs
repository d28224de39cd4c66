//! `groma impact`: what depends on a definition or a file, over several steps, and the tests that reach it.

use super::Call;
use crate::args::Reference;
use crate::failure::Exit;
use crate::page::{self, Emphasis};
use crate::progress::{ProgressReporter, cancel_on_interrupt};
use anyhow::Result;
use clap::Args;
use groma_core::{Lines, RelPath};
use groma_engine::{DiffRange, Engine, ImpactAnswer, ImpactOf, ImpactRequest, LocateRequest};
use groma_render::{Budget, Line, Page, impact_json, impact_page};
use std::path::PathBuf;

const AFTER: &str = "\
What uses a definition depends on it, and so does what uses that. Only certain uses are followed; a
call through an interface leads to the method of the interface. The tests among the dependents are
listed apart: they are the ones to run.

--diff takes a ref or a range as git does: `main..` compares with main, `main...` with the commit
where the branch left it, `HEAD~1` with the commit before. The right side is the working tree unless
it is given. Without a range, or with nothing at all, the uncommitted changes are followed.

With --json:
  definitions [{path, line, name, kind, qualified_name}], steps [[{path, line, uses, text,
    definition {}, of, test}]], total, tests, other_files [], test_files [], notes []
where of is the index in the step before, or in the definitions.

Examples:
  groma impact RateLimiter
  groma impact auth::jwt::verify_token --steps 2
  groma impact src/auth/jwt.rs:40-60
  groma impact --diff main...
  groma impact --diff HEAD~1 --tests-only";

/// Show what depends on a definition or a file, and the tests that reach it
#[derive(Debug, Args)]
#[command(after_help = AFTER)]
pub struct ImpactArgs {
    /// A name, optionally qualified, or a path of the project, optionally with lines
    pub of: Option<String>,
    /// The definitions that a diff changes, e.g. main.. or HEAD~1 [default: uncommitted changes]
    #[arg(long, value_name = "RANGE", num_args = 0..=1, default_missing_value = "HEAD")]
    pub diff: Option<String>,
    /// Print only the test files to run
    #[arg(long)]
    pub tests_only: bool,
    /// The project's folder
    pub path: Option<PathBuf>,
    /// The ref.
    #[command(flatten)]
    pub reference: Reference,
    /// How many steps are followed
    #[arg(long, value_name = "STEPS", default_value_t = 3, value_parser = clap::value_parser!(u8).range(1..=8))]
    pub steps: u8,
    /// Size of the answer
    #[arg(long, value_name = "TOKENS", default_value_t = 3000)]
    pub max_tokens: usize,
}

/// Runs the query.
pub fn run(args: &ImpactArgs, call: &mut Call) -> Result<Exit> {
    // With a diff there is no name, so a first argument is the folder.
    let folder = match args.diff {
        Some(_) => args.path.clone().or_else(|| args.of.clone().map(PathBuf::from)),
        None => args.path.clone(),
    };
    let project = call.project(folder.as_deref())?;
    let engine = project.engine(Default::default())?;
    let answer = ask(args, &engine, call.global.quiet)?;
    if args.tests_only {
        return print_tests(&answer, call);
    }
    if call.global.json {
        call.printer.json(&impact_json(&answer))?;
    } else {
        let page = impact_page(&answer, Budget::tokens(args.max_tokens));
        page::print(&mut call.printer, &page, &Emphasis::syntax())?;
    }
    Ok(if answer.definitions.is_empty() { Exit::Nothing } else { Exit::Fine })
}

fn ask(args: &ImpactArgs, engine: &Engine, quiet: bool) -> Result<ImpactAnswer> {
    let steps = args.steps.into();
    let of = args.of.as_ref().filter(|_| args.diff.is_none());
    let progress = ProgressReporter::new(quiet);
    let cancel = cancel_on_interrupt();
    let Some(of) = of else {
        let range = DiffRange::parse(args.diff.as_deref().unwrap_or("HEAD"));
        let engine = match &range.to {
            Some(to) => engine.at(Some(to))?,
            None => args.reference.of(engine)?,
        };
        return Ok(engine.impact_of_diff(&range, steps, &progress, &cancel)?);
    };
    let engine = args.reference.of(engine)?;
    let request = ImpactRequest { of: meant(&engine, of), steps };
    Ok(engine.impact(&request, &progress, &cancel)?)
}

fn print_tests(answer: &ImpactAnswer, call: &mut Call) -> Result<Exit> {
    let files = answer.test_files();
    if call.global.json {
        let files: Vec<&str> = files.iter().map(|path| path.as_str()).collect();
        call.printer.json(&serde_json::json!({ "test_files": files, "notes": answer.notes }))?;
    } else {
        answer.notes.iter().for_each(|note| call.remark(&format!("note: {note}")));
        let mut page = Page::default();
        files.iter().for_each(|path| page.push(Line::Path(path.to_string())));
        page::print(&mut call.printer, &page, &Emphasis::syntax())?;
    }
    Ok(if files.is_empty() { Exit::Nothing } else { Exit::Fine })
}

/// A file of the project if there is one of this path, else a name.
fn meant(engine: &Engine, of: &str) -> ImpactOf {
    let (path, lines) = match of.rsplit_once(':') {
        Some((path, lines)) => match parse_lines(lines) {
            Some(lines) => (path, lines),
            None => (of, Vec::new()),
        },
        None => (of, Vec::new()),
    };
    match RelPath::new(path) {
        Ok(path) if engine.root().join(path.as_str()).is_file() => {
            ImpactOf::Files(vec![(path, lines)])
        }
        _ => ImpactOf::Name(LocateRequest::new(of)),
    }
}

/// `40` or `40-60`; `None` for anything else, and for a range that no file has.
fn parse_lines(text: &str) -> Option<Vec<Lines>> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    let (first, last): (u32, u32) = (first.parse().ok()?, last.parse().ok()?);
    let is_range = first > 0 && first <= last && last - first < 1_000_000;
    is_range.then(|| (first..=last).map(|line| Lines::new(line, line)).collect())
}

#[cfg(test)]
mod tests {
    use super::{Lines, parse_lines};

    #[test]
    fn lines_are_a_number_or_a_range() {
        assert_eq!(parse_lines("7"), Some(vec![Lines::new(7, 7)]));
        let three = [7, 8, 9].map(|line| Lines::new(line, line));
        assert_eq!(parse_lines("7-9"), Some(three.to_vec()));
        for text in ["", "verify", "0", "9-7", "1-4000000000", "-3"] {
            assert_eq!(parse_lines(text), None, "{text}");
        }
    }
}
