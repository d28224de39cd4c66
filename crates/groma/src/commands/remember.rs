//! `groma notes add`: adds a discovery to the project's notebook.

use super::Call;
use super::notes::remark_similar;
use crate::failure::Exit;
use anyhow::Result;
use clap::Args;
use groma_core::DiscoveryKind;
use groma_engine::EngineError;
use groma_engine::notebook::NewDiscovery;
use serde_json::json;
use std::io::Write;

const AFTER: &str = "\
The notebook is separate from the index: it survives re-indexing, `groma clear` and upgrades.
Passwords and keys are redacted first. The same statement is not stored twice; one in nearly the
same words is stored, and those it is similar to are named.

With --json:
  id, type, content, module, was_known, was_redacted, similar []

Examples:
  groma notes add \"We decided to keep tokens in httpOnly cookies, scripts cannot read them\"
  groma notes add \"Never log a token\" --module auth
  groma notes add \"Token refresh raced; fixed with a mutex\" --type issue";

/// Record a pattern, rule, decision or issue of the project
#[derive(Debug, Args)]
#[command(after_help = AFTER)]
pub struct RememberArgs {
    /// The statement, in one or two sentences
    pub text: String,
    /// Its type: pattern, rule, decision or issue [default: derived from the text]
    #[arg(short = 't', long = "type", value_name = "TYPE")]
    pub kind: Option<DiscoveryKind>,
    /// The module it is about [default: derived from the text]
    #[arg(short, long, value_name = "NAME")]
    pub module: Option<String>,
}

/// Records the statement.
pub fn run(args: &RememberArgs, call: &mut Call) -> Result<Exit> {
    let discovery = NewDiscovery {
        kind: args.kind,
        module: args.module.clone(),
        ..NewDiscovery::new(args.text.clone())
    };
    let engine = call.project(None)?.engine(Default::default())?;
    let kept = engine.notebook().remember(&discovery).map_err(EngineError::from)?;
    let discovery = &kept.discovery;
    if call.global.json {
        call.printer.json(&json!({
            "id": discovery.id,
            "type": discovery.kind.as_str(),
            "content": discovery.content,
            "module": discovery.module,
            "was_known": kept.was_known,
            "was_redacted": kept.was_redacted,
            "similar": kept.similar.iter().map(|one| &one.id).collect::<Vec<_>>(),
        }))?;
        return Ok(Exit::Fine);
    }
    let verb = if kept.was_known { "already known" } else { "remembered" };
    writeln!(call.printer, "{verb}: {} {}", discovery.kind, discovery.id)?;
    if kept.was_redacted {
        call.remark("note: text that looked like a secret was redacted");
    }
    remark_similar(call, &kept.similar);
    Ok(Exit::Fine)
}
