//! `groma notes search`: searches the notebook, sessions and code.

use super::Call;
use super::notes::source;
use crate::failure::Exit;
use crate::numbers::{milliseconds, rounded};
use crate::print::Tint;
use crate::progress::{ProgressReporter, cancel_on_interrupt};
use anyhow::Result;
use clap::Args;
use groma_core::iso;
use groma_engine::notebook::{RecallAnswer, RecallRequest, Recalled, Seek, session_text};
use serde_json::{Value, json};
use std::io::Write;

/// Lines shown of a code hit.
const SHOWN_LINES: usize = 6;

const AFTER: &str = "\
Searches the notebook, statements in comments, documents and commits (rules, decisions, issues),
earlier sessions of assistants, and the code itself.

With --json:
  query, took_ms, found, notes [], results [{id, type, content, module, session, date, score,
    source, origin, places [], file, start_line, end_line}]

Examples:
  groma notes search \"why do we keep tokens in cookies\"
  groma notes search \"token refresh\" --type issue --module auth
  groma notes search \"how are errors handled\" --type rule --limit 3";

/// Search decisions, rules, patterns, issues, sessions and code
#[derive(Debug, Args)]
#[command(after_help = AFTER)]
pub struct ContextArgs {
    /// A question in words
    pub query: String,
    /// Only this type: pattern, rule, decision, issue, discovery (any of these), session or code
    #[arg(short = 't', long = "type", value_name = "TYPE", default_value = "all", value_parser = seek)]
    pub kind: Seek,
    /// Only this module
    #[arg(short, long, value_name = "NAME")]
    pub module: Option<String>,
    /// Maximum number of results, 1 to 100
    #[arg(short, long, value_name = "COUNT", default_value_t = 5)]
    pub limit: usize,
}

fn seek(name: &str) -> Result<Seek, String> {
    match name {
        "all" => Ok(Seek::All),
        "discovery" => Ok(Seek::Discoveries(None)),
        "session" => Ok(Seek::Sessions),
        "code" => Ok(Seek::Code),
        kind => kind.parse().map(|kind| Seek::Discoveries(Some(kind))).map_err(|_| {
            "it is none of all, pattern, rule, decision, issue, discovery, session, code"
                .to_string()
        }),
    }
}

/// Answers a question.
pub fn run(args: &ContextArgs, call: &mut Call) -> Result<Exit> {
    let request = RecallRequest {
        seek: args.kind,
        module: args.module.clone(),
        limit: args.limit,
        ..RecallRequest::new(args.query.clone())
    };
    let engine = call.project(None)?.engine(Default::default())?;
    let progress = ProgressReporter::new(call.global.quiet);
    let answer = engine.recall(&request, &progress, &cancel_on_interrupt())?;
    drop(progress);
    if call.global.json {
        call.printer.json(&as_json(&args.query, &answer))?;
    } else {
        answer.notes.iter().for_each(|note| call.remark(&format!("note: {note}")));
        for (index, (score, one)) in answer.results.iter().enumerate() {
            if index > 0 {
                writeln!(call.printer)?;
            }
            show(call, *score, one)?;
        }
    }
    if answer.results.is_empty() {
        call.remark("nothing found");
        call.remark(
            "  `groma notes add TEXT` records a statement; `groma search` searches code only",
        );
        return Ok(Exit::Nothing);
    }
    Ok(Exit::Fine)
}

/// Prints the type, the content and the source.
fn show(call: &mut Call, score: f32, one: &Recalled) -> Result<()> {
    let (kind, text, from) = match one {
        Recalled::Discovery(discovery) => {
            let from = source(discovery);
            (discovery.kind.as_str(), discovery.content.clone(), from)
        }
        Recalled::Session(session) => ("session", session_text(session), session.id.clone()),
        Recalled::Code { hit, .. } => {
            let lines: Vec<&str> = hit.content.lines().take(SHOWN_LINES).collect();
            let from = format!("{}:{}-{}", hit.path, hit.lines.start, hit.lines.end);
            ("code", lines.join("\n"), from)
        }
    };
    let printer = &mut call.printer;
    let score = printer.paint(Tint::Dim, &format!("{score:.2}"));
    let module = one.module().map_or(String::new(), |module| format!(" in {module}"));
    let head = printer.paint(Tint::Name, kind);
    writeln!(
        printer,
        "{head}{module}  {score}  {}",
        printer.paint(Tint::Path, &printer.visible(&from))
    )?;
    for line in text.lines() {
        writeln!(printer, "  {}", printer.visible(line))?;
    }
    Ok(())
}

fn as_json(query: &str, answer: &RecallAnswer) -> Value {
    let results = answer.results.iter().map(|(score, one)| result(*score, one));
    json!({
        "query": query,
        "took_ms": milliseconds(answer.duration),
        "found": answer.found,
        "notes": answer.notes,
        "results": results.collect::<Vec<_>>(),
    })
}

fn result(score: f32, one: &Recalled) -> Value {
    let score = rounded(f64::from(score), 4);
    let module = one.module();
    match one {
        Recalled::Discovery(discovery) => json!({
            "id": discovery.id, "type": discovery.kind.as_str(), "content": discovery.content,
            "module": module, "session": discovery.session, "date": iso(discovery.date),
            "score": score, "source": "discovery", "origin": discovery.origin().as_str(),
            "places": discovery.evidence.iter().map(ToString::to_string).collect::<Vec<_>>(),
        }),
        Recalled::Session(session) => json!({
            "id": session.id, "type": "session", "content": session_text(session),
            "module": module, "session": session.id, "date": iso(session.started),
            "score": score, "source": "session",
        }),
        Recalled::Code { hit, modified, .. } => json!({
            "type": "code", "content": hit.content, "module": module, "date": iso(*modified),
            "score": score, "source": "code", "file": hit.path.as_str(),
            "start_line": hit.lines.start, "end_line": hit.lines.end,
        }),
    }
}
