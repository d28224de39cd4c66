//! `groma notes ingest`: extracts discoveries from session transcripts and notes.

use super::Call;
use crate::failure::Exit;
use crate::numbers::counted;
use crate::report::failure_of;
use crate::transcript::{Outcome, ingest};
use anyhow::Result;
use clap::Args;
use serde_json::{Value, json};
use std::io::Write;
use std::path::PathBuf;

const AFTER: &str = "\
Reads transcripts of Claude Code (~/.claude/projects/*/*.jsonl) and Codex
(~/.codex/sessions/**/rollout-*.jsonl), Markdown and plain text. Decisions, permanent rules and
discovered faults are recorded; the questions become a session.

Passwords and keys are redacted first, and nothing leaves the machine. Invalid lines are skipped
and counted. Ingesting a file again reads only what was appended. Sessions that took place in
another folder are skipped.

With --json:
  files [{file, lines, malformed, added, merged, unchanged, session, elsewhere}]

Examples:
  groma notes ingest ~/.claude/projects/-home-ann-shop/*.jsonl
  groma notes ingest docs/meeting-2026-03-01.md
  pbpaste | groma notes ingest -";

/// Extract discoveries from session transcripts and notes
#[derive(Debug, Args)]
#[command(after_help = AFTER)]
pub struct IngestArgs {
    /// The files; `-` is standard input
    #[arg(required = true)]
    pub files: Vec<PathBuf>,
    /// Ingest sessions of any folder
    #[arg(long)]
    pub anywhere: bool,
}

/// Ingests the files in order; one that cannot be read does not stop the others.
pub fn run(args: &IngestArgs, call: &mut Call) -> Result<Exit> {
    let engine = call.project(None)?.engine(Default::default())?;
    let mut failed = None;
    let mut done = Vec::new();
    for file in &args.files {
        match ingest(&engine, file, args.anywhere) {
            Ok(outcome) if call.global.json => done.push(as_json(&outcome)),
            Ok(outcome) => show(call, &outcome)?,
            Err(error) if args.files.len() > 1 => {
                call.remark(&failure_of(&error).to_string());
                failed = failed.or(Some(error));
            }
            Err(error) => return Err(error),
        }
    }
    if call.global.json {
        call.printer.json(&json!({ "files": done }))?;
    }
    failed.map_or(Ok(Exit::Fine), Err)
}

fn show(call: &mut Call, outcome: &Outcome) -> Result<()> {
    let name = call.printer.visible(&outcome.name).into_owned();
    writeln!(call.printer, "{name}: {}", summary(outcome))?;
    if outcome.malformed > 0 {
        let skipped = counted(outcome.malformed as usize, "line");
        call.remark(&format!("note: {name}: {skipped} skipped as invalid"));
    }
    Ok(())
}

/// Summarises the outcome.
pub fn summary(outcome: &Outcome) -> String {
    match (&outcome.found, &outcome.held_in) {
        (Some(found), _) => {
            let found = &found.discoveries;
            format!("{} added, {} merged, {} unchanged", found.added, found.merged, found.unchanged)
        }
        (None, Some(folder)) => format!(
            "skipped, the session took place in {}; --anywhere ingests it",
            folder.display()
        ),
        (None, None) => "skipped".into(),
    }
}

fn as_json(outcome: &Outcome) -> Value {
    let found = outcome.found.clone().unwrap_or_default();
    json!({
        "file": outcome.name,
        "lines": outcome.lines,
        "malformed": outcome.malformed,
        "added": found.discoveries.added,
        "merged": found.discoveries.merged,
        "unchanged": found.discoveries.unchanged,
        "session": found.session,
        "elsewhere": outcome.found.is_none(),
    })
}
