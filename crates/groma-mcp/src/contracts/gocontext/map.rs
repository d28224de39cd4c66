//! The engine's answers in the JSON of the document.

use crate::host::Project;
use groma_core::iso;
use groma_core::{GenerationInfo, RelPath, SkippedFile, SymbolKind};
use groma_engine::SkipReason;
use groma_engine::{GoModule, Hit, HitSymbol, IndexReport, SearchAnswer, SearchRequest, Status};
use serde_json::{Value, json};
use std::time::Duration;

/// The index format version that the document names.
const INDEX_VERSION: &str = "1.0.0";

/// Bytes in a megabyte.
const MEGABYTE: f64 = 1_048_576.0;

/// The report of an index run. Every file is counted once: as skipped if it is unchanged, as failed if it was parsed
/// with errors or could not be read, otherwise as indexed.
pub fn indexed(project: &Project, report: &IndexReport, status: &Status) -> Value {
    let errors = errors(report, status);
    let files = (report.added + report.updated).saturating_sub(report.parse_failures.len());
    let seconds = rounded(report.duration.as_secs_f64(), 3);
    let message = format!("Successfully indexed {files} files in {seconds} seconds");
    json!({
        "success": true,
        "project_id": project_id(project),
        "statistics": {
            "files_indexed": files,
            "files_skipped": report.unchanged,
            "files_failed": errors.len(),
            "symbols_extracted": report.symbols,
            "chunks_created": report.chunks,
            "embeddings_generated": report.vectors,
            "duration_seconds": seconds,
            "index_size_mb": megabytes(status),
        },
        "errors": errors,
        "message": with_notes(message, &report.notes),
    })
}

fn errors(report: &IndexReport, status: &Status) -> Vec<Value> {
    let partial = report
        .parse_failures
        .iter()
        .map(|trouble| (trouble.path.as_str().to_string(), trouble.health.message.clone()));
    let unread = status.skipped.iter().filter_map(|file| Some((file.path.clone(), unread(file)?)));
    let mut errors: Vec<(String, String)> = partial.chain(unread).collect();
    errors.sort();
    errors.into_iter().map(|(file, error)| json!({ "file": file, "error": error })).collect()
}

/// Why a Go file could not be read; `None` if it was excluded on purpose.
fn unread(file: &SkippedFile) -> Option<String> {
    use SkipReason::{Binary, Failed, NotUtf8Name, TooLarge, Unreadable};
    let reason = SkipReason::named(&file.reason)?;
    let is_failure = matches!(reason, Binary | Failed | NotUtf8Name | TooLarge | Unreadable);
    let detail = Some(&file.detail).filter(|detail| !detail.is_empty());
    let detail = detail.map_or(String::new(), |detail| format!(" ({detail})"));
    (is_failure && file.path.ends_with(".go")).then(|| format!("{}{detail}", reason.explanation()))
}

/// The results of a search.
pub fn found(request: &SearchRequest, answer: &SearchAnswer, took: Duration) -> Value {
    let milliseconds = took.as_millis() as u64;
    let results: Vec<Value> =
        (1..).zip(&answer.hits).map(|(rank, hit)| result(rank, hit)).collect();
    let message = format!("Found {} results in {milliseconds}ms", answer.matching);
    json!({
        "success": true,
        "query": request.query,
        "results": results,
        "statistics": {
            "total_results": answer.matching,
            "returned_results": answer.hits.len(),
            "search_duration_ms": milliseconds,
            "cache_hit": answer.cached,
        },
        "message": with_notes(message, &answer.notes),
    })
}

fn result(rank: usize, hit: &Hit) -> Value {
    json!({
        "chunk_id": chunk_id(hit),
        "rank": rank,
        "relevance_score": rounded(f64::from(hit.score), 4),
        "symbol": symbol(hit),
        "file": {
            "path": hit.path.as_str(),
            "package": hit.package.as_deref().unwrap_or_default(),
            "start_line": hit.lines.start,
            "end_line": hit.lines.end,
        },
        "content": hit.content,
        "context_before": hit.context_before,
        "context_after": hit.context_after,
    })
}

/// What was found: a definition, or the package where there is none, as for imports and for code that is broken.
fn symbol(hit: &Hit) -> Value {
    let declared = hit.package.as_deref();
    let [name, kind, signature, doc] = match &hit.symbol {
        Some(HitSymbol { name, kind, signature, doc, .. }) => {
            [name.clone(), kind_name(*kind).into(), signature.clone(), doc.clone()]
        }
        None => {
            let name = declared.unwrap_or_default();
            [name.into(), "package".into(), format!("package {name}"), String::new()]
        }
    };
    json!({
        "name": name,
        "kind": kind,
        "package": package(&hit.path, declared),
        "signature": signature,
        "doc_comment": doc,
    })
}

/// A package by its folder, or by its declared name at the root.
fn package<'a>(path: &'a RelPath, declared: Option<&'a str>) -> &'a str {
    match path.folder() {
        "" => declared.unwrap_or_default(),
        folder => folder,
    }
}

/// The kinds of this contract and the engine's.
const KINDS: &[(&str, SymbolKind)] = &[
    ("function", SymbolKind::Function),
    ("method", SymbolKind::Method),
    ("struct", SymbolKind::Struct),
    ("interface", SymbolKind::Interface),
    ("type", SymbolKind::Type),
    ("const", SymbolKind::Constant),
    ("var", SymbolKind::Variable),
];

/// The kind of that name.
pub fn symbol_kind(name: &str) -> Option<SymbolKind> {
    KINDS.iter().find(|(known, _)| *known == name).map(|(_, kind)| *kind)
}

fn kind_name(kind: SymbolKind) -> &'static str {
    KINDS.iter().find(|(_, known)| *known == kind).map_or(kind.as_str(), |(name, _)| name)
}

/// The status of an indexed project.
pub fn known(
    project: &Project,
    module: &GoModule,
    status: &Status,
    generation: &GenerationInfo,
    indexing_duration: Duration,
) -> Value {
    json!({
        "success": true,
        "indexed": true,
        "project": {
            "id": project_id(project),
            "root_path": project.root.to_string_lossy(),
            "module_name": module.name,
            "go_version": module.go_version,
            "index_version": INDEX_VERSION,
        },
        "statistics": {
            "total_files": status.files,
            "total_symbols": status.symbols,
            "total_chunks": status.chunks,
            "total_embeddings": status.vectors,
            "index_size_mb": megabytes(status),
            "last_indexed_at": iso(generation.committed),
            "indexing_duration_seconds": rounded(indexing_duration.as_secs_f64(), 3),
        },
        "health": {
            // Opening a generation reads its rows and terms and compares them with their checksums.
            "database_accessible": true,
            "embeddings_available": status.embedder.is_some() && status.vectors > 0,
            "fts_indexes_built": status.chunks > 0,
        },
        "message": format!("Project indexed successfully with {} files", status.files),
    })
}

/// The status of a project that was never indexed.
pub fn unknown() -> Value {
    json!({
        "success": true,
        "indexed": false,
        "project": null,
        "statistics": null,
        "health": null,
        "message": "Project not indexed. Run index_codebase to create index.",
    })
}

fn project_id(project: &Project) -> u64 {
    number(project.root.as_os_str().as_encoded_bytes())
}

/// Chunks of one file never begin on the same line.
fn chunk_id(hit: &Hit) -> u64 {
    number(format!("{}:{}-{}", hit.path, hit.lines.start, hit.lines.end).as_bytes())
}

/// A positive number derived from a name, stable across machines, within the range of exact JSON numbers.
fn number(name: &[u8]) -> u64 {
    let hash = *blake3::hash(name).as_bytes();
    let eight: [u8; 8] = std::array::from_fn(|index| hash[index]);
    (u64::from_le_bytes(eight) >> 12).max(1)
}

fn megabytes(status: &Status) -> f64 {
    rounded(status.size.bytes as f64 / MEGABYTE, 3)
}

fn rounded(number: f64, digits: i32) -> f64 {
    let scale = 10f64.powi(digits);
    (number * scale).round() / scale
}

/// The message followed by the notes.
fn with_notes(message: String, notes: &[String]) -> String {
    match notes {
        [] => message,
        notes => format!("{message} ({})", notes.join("; ")),
    }
}
