//! `groma remember`: tell the project's notebook something.

use super::Call;
use crate::failure::Exit;
use anyhow::Result;
use clap::Args;
use groma_core::DiscoveryKind;
use groma_engine::EngineError;
use groma_engine::notebook::Telling;
use serde_json::json;
use std::io::Write;

const AFTER: &str = "\
What is told is kept apart from the index: it survives re-indexing, `groma clear` and upgrades.
Passwords and keys are taken out first. What is known already in nearly the same words is not
kept twice.

With --json:
  id, type, content, module, was_known, was_redacted

Examples:
  groma remember \"We decided to keep tokens in httpOnly cookies, scripts cannot read them\"
  groma remember \"Never log a token\" --module auth
  groma remember \"Token refresh raced; fixed with a mutex\" --type issue";

/// Keep a pattern, rule, decision or issue of the project
#[derive(Debug, Args)]
#[command(after_help = AFTER)]
pub struct RememberArgs {
    /// What is known, in a sentence or two
    pub text: String,
    /// What it is: pattern, rule, decision or issue [default: by its words]
    #[arg(short = 't', long = "type", value_name = "TYPE")]
    pub kind: Option<DiscoveryKind>,
    /// The part of the project it is about [default: by its words]
    #[arg(short, long, value_name = "NAME")]
    pub module: Option<String>,
}

/// Keeps it.
pub fn run(args: &RememberArgs, call: &mut Call) -> Result<Exit> {
    let telling =
        Telling { kind: args.kind, module: args.module.clone(), ..Telling::new(args.text.clone()) };
    let engine = call.project(None)?.engine(Default::default())?;
    let kept = engine.notebook().remember(&telling).map_err(EngineError::from)?;
    let discovery = &kept.discovery;
    if call.global.json {
        call.printer.json(&json!({
            "id": discovery.id,
            "type": discovery.kind.as_str(),
            "content": discovery.content,
            "module": discovery.module,
            "was_known": kept.was_known,
            "was_redacted": kept.was_redacted,
        }))?;
        return Ok(Exit::Fine);
    }
    let verb = if kept.was_known { "already known" } else { "remembered" };
    writeln!(call.printer, "{verb}: {} {}", discovery.kind, discovery.id)?;
    if kept.was_redacted {
        call.remark("note: what looked like a secret was taken out");
    }
    Ok(Exit::Fine)
}
