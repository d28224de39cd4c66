//! `groma stats`: counts by language and symbol kind, and parse health.

use super::Call;
use crate::failure::{Exit, Failure, Kind};
use crate::numbers::{count, counted};
use crate::print::Tint;
use crate::project::Project;
use anyhow::Result;
use clap::Args;
use groma_core::ParseStatus;
use groma_engine::Statistics;
use serde_json::{Map, Value, json};
use std::io::Write;
use std::path::PathBuf;

const AFTER: &str = "\
With --json:
  project,
  languages {name: {files, chunks, lines, ok, partial, error, crashed, interrupted, no_grammar}},
  symbols {kind: count}, failure_count,
  and with --failures: failures [{path, language, status, message}]

Examples:
  groma stats
  groma stats --failures";

/// Show languages, symbols and parse health of an index
#[derive(Debug, Args)]
#[command(after_help = AFTER)]
pub struct StatsArgs {
    /// The project's folder
    pub path: Option<PathBuf>,
    /// List the files that were not fully parsed, with the reasons
    #[arg(long)]
    pub failures: bool,
}

/// Shows the counts.
pub fn run(args: &StatsArgs, call: &mut Call) -> Result<Exit> {
    let project = call.project(args.path.as_deref())?;
    let statistics = project.indexed_engine()?.statistics()?.ok_or_else(|| {
        Failure::new(Kind::NotFound, format!("{} is not indexed", project.root.display()))
            .hint("`groma index` indexes it")
    })?;
    if call.global.json {
        let value = as_json(&project, &statistics, args.failures);
        call.printer.json(&value)?;
    } else {
        show(call, &statistics)?;
        if args.failures {
            failures(call, &statistics)?;
        }
    }
    Ok(Exit::Fine)
}

fn show(call: &mut Call, statistics: &Statistics) -> Result<()> {
    let mut languages: Vec<_> = statistics.languages.iter().collect();
    languages.sort_by_key(|(name, counts)| (std::cmp::Reverse(counts.lines), *name));
    let mut rows =
        vec![["language", "files", "lines", "chunks", "parsed"].map(String::from).to_vec()];
    for (name, counts) in languages {
        let health: Vec<String> =
            counts.health.iter().map(|(status, number)| format!("{number} {status}")).collect();
        rows.push(vec![
            name.clone(),
            count(counts.files),
            count(counts.lines as usize),
            count(counts.chunks),
            health.join(", "),
        ]);
    }
    let printer = &mut call.printer;
    printer.table(&rows, &[1, 2, 3])?;
    let mut symbols: Vec<_> = statistics.symbols.iter().collect();
    symbols.sort_by_key(|(kind, number)| (std::cmp::Reverse(**number), kind.as_str()));
    let total: usize = statistics.symbols.values().sum();
    let kinds: Vec<String> =
        symbols.iter().map(|(kind, number)| format!("{} {kind}", count(**number))).collect();
    writeln!(printer, "\n  {}: {}", counted(total, "symbol"), kinds.join(", "))?;
    if !statistics.failures.is_empty() {
        let failures = counted(statistics.failures.len(), "file");
        writeln!(printer, "  {failures} not fully parsed (--failures lists them)")?;
    }
    Ok(())
}

fn failures(call: &mut Call, statistics: &Statistics) -> Result<()> {
    let printer = &mut call.printer;
    writeln!(printer)?;
    for (path, language, status, message) in &statistics.failures {
        writeln!(
            printer,
            "  {} ({language}): {status}, {message}",
            printer.paint(Tint::Path, path)
        )?;
    }
    Ok(())
}

fn as_json(project: &Project, statistics: &Statistics, with_failures: bool) -> Value {
    let mut languages = Map::new();
    for (name, counts) in &statistics.languages {
        let health = |status| counts.health.get(&status).copied().unwrap_or(0);
        let value = json!({
            "files": counts.files,
            "chunks": counts.chunks,
            "lines": counts.lines,
            "ok": health(ParseStatus::Ok),
            "partial": health(ParseStatus::Partial),
            "error": health(ParseStatus::Error),
            "crashed": health(ParseStatus::Crashed),
            "interrupted": health(ParseStatus::Interrupted),
            "no_grammar": health(ParseStatus::NoGrammar),
        });
        languages.insert(name.clone(), value);
    }
    let symbols: Map<String, Value> =
        statistics.symbols.iter().map(|(kind, number)| (kind.to_string(), json!(number))).collect();
    let mut value = json!({
        "project": project.root.to_string_lossy(),
        "languages": languages,
        "symbols": symbols,
        "failure_count": statistics.failures.len(),
    });
    if with_failures {
        let failure = |(path, language, status, message): &(
            String,
            String,
            ParseStatus,
            String,
        )| {
            json!({ "path": path, "language": language, "status": status.as_str(), "message": message })
        };
        value["failures"] = statistics.failures.iter().map(failure).collect();
    }
    value
}
