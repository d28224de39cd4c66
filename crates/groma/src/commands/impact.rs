//! `groma impact`: what depends on a definition or a file, over several steps, and the tests that reach it.

use super::Call;
use crate::args::Reference;
use crate::failure::Exit;
use crate::page::{self, Emphasis};
use crate::progress::{ProgressReporter, cancel_on_interrupt};
use anyhow::Result;
use clap::Args;
use groma_core::RelPath;
use groma_engine::{Engine, ImpactOf, ImpactRequest, LocateRequest};
use groma_render::{Budget, impact_json, impact_page};
use std::path::PathBuf;

const AFTER: &str = "\
What uses a definition depends on it, and so does what uses that. Only certain uses are followed; a
call through an interface leads to the method of the interface. The tests among the dependents are
listed apart: they are the ones to run.

With --json:
  definitions [{path, line, name, kind, qualified_name}], steps [[{path, line, uses, text,
    definition {}, of, test}]], total, tests, notes []
where of is the index in the step before, or in the definitions.

Examples:
  groma impact RateLimiter
  groma impact auth::jwt::verify_token --steps 2
  groma impact src/auth/jwt.rs:40-60";

/// Show what depends on a definition or a file, and the tests that reach it
#[derive(Debug, Args)]
#[command(after_help = AFTER)]
pub struct ImpactArgs {
    /// A name, optionally qualified, or a path of the project, optionally with lines
    pub of: String,
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
    let project = call.project(args.path.as_deref())?;
    let engine = project.engine(Default::default())?;
    let engine = args.reference.of(&engine)?;
    let request = ImpactRequest { of: meant(&engine, &args.of), steps: args.steps.into() };
    let progress = ProgressReporter::new(call.global.quiet);
    let answer = engine.impact(&request, &progress, &cancel_on_interrupt());
    drop(progress);
    let answer = answer?;
    if call.global.json {
        call.printer.json(&impact_json(&answer))?;
    } else {
        let page = impact_page(&answer, Budget::tokens(args.max_tokens));
        page::print(&mut call.printer, &page, &Emphasis::syntax())?;
    }
    Ok(if answer.definitions.is_empty() { Exit::Nothing } else { Exit::Fine })
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
fn parse_lines(text: &str) -> Option<Vec<u32>> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    let (first, last): (u32, u32) = (first.parse().ok()?, last.parse().ok()?);
    (first > 0 && first <= last && last - first < 1_000_000).then(|| (first..=last).collect())
}

#[cfg(test)]
mod tests {
    use super::parse_lines;

    #[test]
    fn lines_are_a_number_or_a_range() {
        assert_eq!(parse_lines("7"), Some(vec![7]));
        assert_eq!(parse_lines("7-9"), Some(vec![7, 8, 9]));
        for text in ["", "verify", "0", "9-7", "1-4000000000", "-3"] {
            assert_eq!(parse_lines(text), None, "{text}");
        }
    }
}
