//! `groma ingest`: take in what was said in sessions with assistants.

use super::Call;
use crate::failure::{Exit, Failure};
use crate::numbers::counted;
use crate::transcript::{Outcome, take_in};
use anyhow::Result;
use clap::Args;
use serde_json::{Value, json};
use std::io::Write;
use std::path::PathBuf;

const AFTER: &str = "\
Read are the records of Claude Code (~/.claude/projects/*/*.jsonl) and Codex
(~/.codex/sessions/**/rollout-*.jsonl), Markdown and plain text. What was decided, what shall
always be done and what was found to be wrong is kept; what was asked becomes a session.

Passwords and keys are taken out first, and nothing leaves the machine. A line that makes no sense
is skipped and counted. Taking in a file again adds only what was appended since. A session that
was held in another folder is left alone.

With --json:
  files [{file, lines, malformed, added, merged, unchanged, session, elsewhere}]

Examples:
  groma ingest ~/.claude/projects/-home-ann-shop/*.jsonl
  groma ingest docs/meeting-2026-03-01.md
  pbpaste | groma ingest -";

/// Take in records of sessions with assistants, and notes
#[derive(Debug, Args)]
#[command(after_help = AFTER)]
pub struct IngestArgs {
    /// The files; `-` is standard input
    #[arg(required = true)]
    pub files: Vec<PathBuf>,
    /// Take in sessions wherever they were held
    #[arg(long)]
    pub anywhere: bool,
}

/// Takes them in, one after the other; one that cannot be read does not stop the others.
pub fn run(args: &IngestArgs, call: &mut Call) -> Result<Exit> {
    let engine = call.project(None)?.engine(Default::default())?;
    let mut failed = None;
    let mut done = Vec::new();
    for file in &args.files {
        match take_in(&engine, file, args.anywhere) {
            Ok(outcome) if call.global.json => done.push(as_json(&outcome)),
            Ok(outcome) => show(call, &outcome)?,
            Err(error) if args.files.len() > 1 => {
                call.remark(&Failure::of(&error).to_string());
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
    writeln!(call.printer, "{name}: {}", told(outcome))?;
    if outcome.malformed > 0 {
        let skipped = counted(outcome.malformed as usize, "line");
        call.remark(&format!("note: {name}: {skipped} skipped that made no sense"));
    }
    Ok(())
}

/// What became of a record, in a few words.
pub fn told(outcome: &Outcome) -> String {
    match (&outcome.found, &outcome.held_in) {
        (Some(found), _) => {
            let found = &found.discoveries;
            format!("{} added, {} merged, {} unchanged", found.added, found.merged, found.unchanged)
        }
        (None, Some(folder)) => format!(
            "left alone, it was held in {}; --anywhere takes it in all the same",
            folder.display()
        ),
        (None, None) => "left alone".into(),
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
