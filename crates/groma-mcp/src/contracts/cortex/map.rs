//! Chunks in the shape of the document.

use super::names::{Names, chunk_type, position};
use super::text::text;
use groma_core::iso;
use groma_core::{ChunkKind, FileFacts, Lines, RelPath};
use groma_engine::{FileChunks, Hit};
use serde_json::{Value, json};
use std::time::SystemTime;

/// A chunk of the index.
pub struct ChunkSource<'a> {
    path: &'a RelPath,
    facts: &'a FileFacts,
    ordinal: u32,
    content: &'a str,
    modified: SystemTime,
}

impl<'a> ChunkSource<'a> {
    /// The chunk that was found.
    pub fn of_hit(hit: &'a Hit) -> Self {
        Self {
            path: &hit.path,
            facts: &hit.facts,
            ordinal: hit.ordinal,
            content: &hit.content,
            modified: hit.modified,
        }
    }

    /// A chunk of a file.
    pub fn of_file(file: &'a FileChunks, ordinal: u32) -> Self {
        Self {
            path: &file.path,
            facts: &file.facts,
            ordinal,
            content: &file.texts[ordinal as usize],
            modified: file.modified,
        }
    }

    fn kind(&self) -> ChunkKind {
        self.facts.chunks[self.ordinal as usize].kind
    }
}

/// What a search found. `total` counts the results, as the document has it.
pub fn found(results: Vec<(Value, f32)>) -> Value {
    let total = results.len();
    let result = |(chunk, score): (Value, f32)| {
        let score = (f64::from(score) * 10_000.0).round() / 10_000.0;
        json!({ "chunk": chunk, "combined_score": score })
    };
    json!({ "results": results.into_iter().map(result).collect::<Vec<_>>(), "total": total })
}

/// A chunk, without its vector.
pub fn chunk(source: &ChunkSource<'_>, names: &Names) -> Value {
    let kind = source.kind();
    let moment = iso(source.modified);
    json!({
        "id": names.id(source.path, source.facts, source.ordinal),
        "chunk_type": chunk_type(kind),
        "title": title(source),
        "text": text(source.facts, source.ordinal, source.content),
        "tags": tags(source.facts, kind),
        "metadata": metadata(source),
        "created_at": moment,
        "updated_at": moment,
    })
}

fn title(source: &ChunkSource<'_>) -> String {
    let chunk = &source.facts.chunks[source.ordinal as usize];
    match chunk.kind {
        ChunkKind::Prose if chunk.title.is_empty() => source.path.to_string(),
        ChunkKind::Prose => chunk.title.clone(),
        kind => format!("{} {}", source.path, chunk_type(kind)),
    }
}

/// The file's tags, with the chunk's type behind what the file is.
fn tags(facts: &FileFacts, kind: ChunkKind) -> Vec<&str> {
    let mut tags: Vec<&str> = facts.tags.iter().map(String::as_str).collect();
    let own = chunk_type(kind);
    if !tags.contains(&own) {
        tags.insert(tags.len().min(2), own);
    }
    tags
}

fn metadata(source: &ChunkSource<'_>) -> Value {
    let facts = source.facts;
    let Lines { start, end } = facts.chunks[source.ordinal as usize].lines;
    let is_document = source.kind() == ChunkKind::Prose;
    let mut metadata = json!({
        "source": if is_document { "documentation" } else { "code" },
        "file_path": source.path.as_str(),
        "language": facts.language,
    });
    if let Some(package) = &facts.package {
        metadata["package"] = json!(package);
    }
    if source.kind() == ChunkKind::Overview {
        let count = |fits: fn(&groma_core::Symbol) -> bool| {
            facts.symbols.iter().filter(|symbol| fits(symbol)).count()
        };
        metadata["imports_count"] = json!(facts.imports.len());
        metadata["types_count"] = json!(count(|symbol| symbol.kind.is_type()));
        metadata["functions_count"] = json!(count(|symbol| symbol.kind.is_callable()));
        return metadata;
    }
    metadata["start_line"] = json!(start);
    metadata["end_line"] = json!(end);
    if is_document {
        let position = position(facts, source.ordinal);
        metadata["section_index"] = json!(position.section);
        metadata["chunk_index"] = json!(position.part.unwrap_or(0));
    }
    metadata
}
