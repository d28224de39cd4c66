//! `groma index`: updates the index, or lists what would be indexed.

mod watch;

use super::{Call, RecordedRun};
use crate::args::Reference;
use crate::chunks::{self, Written};
use crate::failure::Exit;
use crate::numbers::{bytes, count, counted, duration, milliseconds, rate, rounded};
use crate::print::Tint;
use crate::progress::{ProgressReporter, cancel_on_interrupt};
use crate::project::Project;
use anyhow::Result;
use clap::Args;
use groma_core::{JobTask, SkippedFile};
use groma_engine::{IndexReport, Ranking};
use groma_engine::{SkipReason, WalkResult};
use groma_mcp::contracts::cortex::chunk_type;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const AFTER: &str = "\
With --json:
  project, generation, files, added, updated, removed, unchanged, parsed, chunks, symbols, bytes,
  without_vectors (files), skipped {reason: count}, trouble [{path, status, message}],
  stages {stage: ms}, seconds, files_per_second, notes []
  With --chunks-dir also: chunk_files {documentation, symbols, definitions, data, outdated}
  With --watch: one such value on a line for each run
  With --dry-run: project, files [{path, bytes}], skipped [{path, reason, detail}]

Examples:
  groma index
  groma index ~/src/server --dry-run
  groma index --force --stages
  groma index --watch";

/// Parse failures that are shown.
const SHOWN_FAILURES: usize = 5;

/// Update a project's index
#[derive(Debug, Args)]
#[command(after_help = AFTER)]
pub struct IndexArgs {
    /// The project's folder
    pub path: Option<PathBuf>,
    /// The same as PATH
    #[arg(long = "path", id = "path_option", value_name = "PATH", conflicts_with = "path")]
    pub path_option: Option<PathBuf>,
    /// Rebuild the index from scratch
    #[arg(short, long, conflicts_with = "dry_run")]
    pub force: bool,
    /// List the files that would be indexed, and the skipped ones with reasons; read no file and write nothing
    #[arg(short = 'n', long)]
    pub dry_run: bool,
    /// Keep indexing changes as they happen, until interrupted
    #[arg(short, long, conflicts_with_all = ["dry_run", "ref"])]
    pub watch: bool,
    /// Also write the index as chunk files (Cortex's format) into this folder
    #[arg(long, value_name = "DIR", conflicts_with = "dry_run")]
    pub chunks_dir: Option<PathBuf>,
    /// The ref.
    #[command(flatten)]
    pub reference: Reference,
    /// Show the time of each stage, summed over all threads
    #[arg(long)]
    pub stages: bool,
    /// Whether it is `groma sync`.
    #[arg(skip)]
    pub is_update: bool,
}

/// Updates the index, or lists what would be indexed.
pub fn run(args: &IndexArgs, call: &mut Call) -> Result<Exit> {
    let project = call.project(args.path.as_deref().or(args.path_option.as_deref()))?;
    if args.dry_run {
        let engine = project.engine_without_index();
        let walked = args.reference.of(&engine)?.walk()?;
        return dry_run(call, &project, &walked);
    }
    let engine = if args.watch {
        project.shared_engine()?
    } else {
        Arc::new(project.engine(Ranking::default())?)
    };
    let cancel = cancel_on_interrupt();
    let progress = ProgressReporter::new(call.global.quiet);
    let view = args.reference.of(&engine)?;
    let is_full = args.force || !view.readiness()?.is_ready();
    let report = if args.force {
        view.rebuild(&progress, &cancel)?
    } else {
        view.index(&progress, &cancel)?
    };
    drop(progress);
    let task = if args.is_update { JobTask::Update } else { JobTask::Index };
    let reference = args.reference.name.as_deref();
    call.record_run(engine.clone(), &RecordedRun { task, reference, is_full, report: &report });
    let chunks = args.chunks_dir.as_deref();
    let written = chunks.map(|folder| chunks::write(&view, folder)).transpose()?;
    call.detail(&format!(
        "generation {}, index in {}",
        report.generation.map_or(0, |generation| generation.number),
        project.location()
    ));
    if call.global.json {
        let mut json = as_json(&project, &report);
        json["ref"] = json!(args.reference.name);
        if let Some(written) = &written {
            json["chunk_files"] = chunk_files(written);
        }
        if args.watch {
            call.printer.json_line(&json)?;
        } else {
            call.printer.json(&json)?;
        }
    } else {
        show(call, &project, &report)?;
        if let (Some(folder), Some(written)) = (chunks, &written) {
            show_written(call, folder, written)?;
        }
        if args.stages {
            stages(call, &report)?;
        }
    }
    if args.watch {
        return watch::watch(args, call, &project, &engine, &cancel);
    }
    Ok(Exit::Fine)
}

fn show(call: &mut Call, project: &Project, report: &IndexReport) -> Result<()> {
    report.notes.iter().for_each(|note| call.remark(&format!("note: {note}")));
    let printer = &mut call.printer;
    writeln!(printer, "{}", printer.paint(Tint::Name, &project.root.to_string_lossy()))?;
    writeln!(
        printer,
        "  {}: {} added, {} updated, {} removed, {} unchanged",
        counted(report.files, "file"),
        count(report.added),
        count(report.updated),
        count(report.removed),
        count(report.unchanged)
    )?;
    if report.parsed > 0 {
        writeln!(
            printer,
            "  {} parsed ({}): {}, {}",
            counted(report.parsed, "file"),
            bytes(report.bytes),
            counted(report.chunks, "chunk"),
            counted(report.symbols, "symbol")
        )?;
    }
    writeln!(
        printer,
        "  {}, {} files/s",
        duration(report.duration),
        count(rate(report.files, report.duration))
    )?;
    if report.skipped > 0 {
        let reasons: Vec<String> = report
            .skip_reasons
            .iter()
            .map(|(reason, number)| format!("{} {reason}", count(*number)))
            .collect();
        writeln!(printer, "  {} skipped: {}", count(report.skipped), reasons.join(", "))?;
    }
    parse_failures(call, report)
}

fn show_written(call: &mut Call, folder: &Path, written: &Written) -> Result<()> {
    let chunks: usize = written.chunks.iter().map(|(_, count)| count).sum();
    writeln!(call.printer, "  {} written to {}", counted(chunks, "chunk"), folder.display())?;
    if written.outdated > 0 {
        let files = counted(written.outdated, "file");
        call.remark(&format!("note: {files} changed meanwhile and were skipped; run this again"));
    }
    Ok(())
}

fn chunk_files(written: &Written) -> Value {
    let counts =
        written.chunks.iter().map(|(kind, count)| (chunk_type(*kind).to_string(), json!(count)));
    let mut files: Map<String, Value> = counts.collect();
    files.insert("outdated".into(), json!(written.outdated));
    Value::Object(files)
}

fn parse_failures(call: &mut Call, report: &IndexReport) -> Result<()> {
    if report.parse_failures.is_empty() {
        return Ok(());
    }
    let printer = &mut call.printer;
    writeln!(printer, "  {} not fully parsed:", counted(report.parse_failures.len(), "file"))?;
    for failure in report.parse_failures.iter().take(SHOWN_FAILURES) {
        let path = printer.paint(Tint::Path, failure.path.as_str());
        writeln!(printer, "    {path}: {}, {}", failure.health.status, failure.health.message)?;
    }
    if report.parse_failures.len() > SHOWN_FAILURES {
        call.remark("  `groma stats --failures` lists them all");
    }
    Ok(())
}

fn stages(call: &mut Call, report: &IndexReport) -> Result<()> {
    let rows: Vec<Vec<String>> = report
        .times
        .stages()
        .into_iter()
        .map(|(name, time)| vec![name.to_string(), duration(time)])
        .collect();
    call.printer.table(&rows, &[1])
}

fn as_json(project: &Project, report: &IndexReport) -> Value {
    let failures: Vec<Value> = report
        .parse_failures
        .iter()
        .map(|failure| {
            json!({
                "path": failure.path.as_str(),
                "status": failure.health.status.as_str(),
                "message": failure.health.message,
            })
        })
        .collect();
    let stages: Map<String, Value> = report
        .times
        .stages()
        .into_iter()
        .map(|(name, time)| (name.to_string(), json!(milliseconds(time))))
        .collect();
    json!({
        "project": project.root.to_string_lossy(),
        "generation": report.generation.map(|generation| generation.number),
        "files": report.files,
        "added": report.added,
        "updated": report.updated,
        "removed": report.removed,
        "unchanged": report.unchanged,
        "parsed": report.parsed,
        "chunks": report.chunks,
        "symbols": report.symbols,
        "bytes": report.bytes,
        "without_vectors": report.without_vectors,
        "skipped": report.skip_reasons,
        "trouble": failures,
        "stages": stages,
        "seconds": rounded(report.duration.as_secs_f64(), 3),
        "files_per_second": rate(report.files, report.duration),
        "notes": report.notes,
    })
}

fn dry_run(call: &mut Call, project: &Project, walked: &WalkResult) -> Result<Exit> {
    if call.global.json {
        let files: Vec<Value> = walked
            .files
            .iter()
            .map(|file| json!({ "path": file.path.as_str(), "bytes": file.stamp.size }))
            .collect();
        let project = project.root.to_string_lossy();
        call.printer.json(&json!({ "project": project, "files": files, "skipped": skipped_json(&walked.skipped) }))?;
        return Ok(Exit::Fine);
    }
    for file in &walked.files {
        writeln!(call.printer, "{}", file.path)?;
    }
    let total: u64 = walked.files.iter().map(|file| file.stamp.size).sum();
    call.printer.flush()?;
    call.remark(&format!(
        "{} would be indexed ({})",
        counted(walked.files.len(), "file"),
        bytes(total)
    ));
    if !walked.skipped.is_empty() {
        writeln!(call.printer, "\nSkipped:")?;
        show_skipped(call, &walked.skipped)?;
    }
    Ok(Exit::Fine)
}

/// Skipped files by reason, with an explanation of each.
pub(super) fn show_skipped(call: &mut Call, skipped: &[SkippedFile]) -> Result<()> {
    let mut by_reason: BTreeMap<&str, Vec<&SkippedFile>> = BTreeMap::new();
    for file in skipped {
        by_reason.entry(&file.reason).or_default().push(file);
    }
    let printer = &mut call.printer;
    for (reason, files) in by_reason {
        let explanation = SkipReason::named(reason).map_or("", SkipReason::explanation);
        writeln!(
            printer,
            "  {} ({}): {explanation}",
            printer.paint(Tint::Name, reason),
            count(files.len())
        )?;
        for file in files {
            let detail =
                if file.detail.is_empty() { String::new() } else { format!("  {}", file.detail) };
            writeln!(printer, "    {}{}", file.path, printer.paint(Tint::Dim, &detail))?;
        }
    }
    Ok(())
}

/// Skipped files as JSON.
pub(super) fn skipped_json(skipped: &[SkippedFile]) -> Value {
    skipped
        .iter()
        .map(|file| json!({ "path": file.path, "reason": file.reason, "detail": file.detail }))
        .collect()
}
