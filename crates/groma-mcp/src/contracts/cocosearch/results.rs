//! A hit as a result of `search_code`.

use super::symbols::type_of;
use groma_core::SymbolKind;
use groma_engine::{Hit, HitSymbol};
use serde_json::{Value, json};
use std::path::Path;

/// A hit as a result. `context_before`, `content` and `context_after` concatenated are the text of the file.
pub fn result(hit: &Hit, root: &Path, is_hybrid: bool) -> Value {
    let symbol = hit.symbol.as_ref().filter(|symbol| is_code(symbol.kind));
    let mut result = json!({
        "file_path": root.join(hit.path.as_str()).to_string_lossy(),
        "start_line": hit.lines.start,
        "end_line": hit.lines.end,
        "score": rounded(hit.score),
        "content": hit.content,
        "block_type": hit.symbol.as_ref().map_or(hit.kind.as_str(), |symbol| symbol.kind.as_str()),
        "hierarchy": hierarchy(hit),
        "language_id": hit.language,
        "symbol_type": symbol.and_then(|symbol| type_of(symbol.kind)),
        "symbol_name": symbol.map(|symbol| &symbol.name),
        "symbol_signature": symbol.map(|symbol| &symbol.signature),
    });
    if is_hybrid {
        result["match_type"] = json!(hit.match_type.as_str());
        result["vector_score"] = json!(hit.vector_score.map(rounded));
        result["keyword_score"] = json!(hit.keyword_score.map(rounded));
    }
    if !hit.context_before.is_empty() {
        result["context_before"] = json!(format!("{}\n", hit.context_before));
    }
    if !hit.context_after.is_empty() {
        result["context_after"] = json!(format!("\n{}", hit.context_after));
    }
    result
}

/// The enclosing definitions and the definition itself; for a document, its headings.
fn hierarchy(hit: &Hit) -> String {
    let names = |symbol: &HitSymbol| {
        let parents = symbol.parents.iter().map(String::as_str);
        parents.chain([symbol.name.as_str()]).collect::<Vec<_>>().join(".")
    };
    match &hit.symbol {
        Some(symbol) if hit.title.is_empty() => names(symbol),
        _ => hit.title.clone(),
    }
}

/// Whether it is a symbol of code, not a heading or a configuration key.
fn is_code(kind: SymbolKind) -> bool {
    !matches!(kind, SymbolKind::Section | SymbolKind::Key)
}

/// A score rounded to four decimals.
pub fn rounded(score: f32) -> f64 {
    (f64::from(score) * 10_000.0).round() / 10_000.0
}
