//! Chunk files: what `cortex index` writes, and so what is read and written here.
//!
//! A file holds the chunks of one type with their vectors, after a header that names the model. Files of other programs
//! and other models are read, too; an invalid chunk is skipped and does not affect the others.

use super::document::FileChunk;
use super::map::{self, ChunkSource};
use super::names::{Names, chunk_type};
use groma_core::iso;
use groma_core::{ChunkKind, EmbedderIdentity, Vector};
use groma_engine::FileChunks;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use std::time::SystemTime;

/// The version of the format.
pub const VERSION: &str = "2.0.0";

/// The file that holds the chunks of a kind.
pub fn file_name(kind: ChunkKind) -> &'static str {
    match kind {
        ChunkKind::Prose => "doc-chunks.json",
        ChunkKind::Overview => "code-symbols.json",
        ChunkKind::Code => "code-definitions.json",
        ChunkKind::Data => "code-data.json",
    }
}

/// The manifest of what was indexed; it holds no chunks.
pub const GENERATOR_OUTPUT: &str = "generator-output.json";

/// The header of a chunk file.
pub fn header(kind: ChunkKind, model: Option<&EmbedderIdentity>, generated: SystemTime) -> Value {
    json!({
        "model": model.map_or(String::new(), ToString::to_string),
        "dimensions": model.map_or(0, |model| model.dimensions),
        "chunk_type": chunk_type(kind),
        "generated": iso(generated),
        "version": VERSION,
    })
}

/// The chunks of a file, with the kind of each, without the overview of a document.
pub fn records(file: &FileChunks, names: &Names) -> Vec<(ChunkKind, Value)> {
    let is_document = file.facts.chunks.iter().any(|one| one.kind == ChunkKind::Prose);
    let kinds = (0..).zip(&file.facts.chunks).map(|(ordinal, chunk)| (ordinal, chunk.kind));
    let wanted = kinds.filter(|(_, kind)| !(is_document && *kind == ChunkKind::Overview));
    wanted.map(|(ordinal, kind)| (kind, record(file, ordinal, names))).collect()
}

fn record(file: &FileChunks, ordinal: u32, names: &Names) -> Value {
    let mut record = map::chunk(&ChunkSource::of_file(file, ordinal), names);
    if let Some(Some(vector)) = file.vectors.get(ordinal as usize) {
        let floats = vector.values.iter().map(|value| vector.scale * f32::from(*value));
        record["embedding"] = floats.map(|float| json!(shortest(float))).collect();
    }
    record
}

/// The shortest decimal that converts back to `float`.
fn shortest(float: f32) -> f64 {
    float.to_string().parse().unwrap_or(f64::from(float))
}

/// The content of [`GENERATOR_OUTPUT`].
pub fn generator_output(
    generated: SystemTime,
    checksums: Map<String, Value>,
    chunks: &[(ChunkKind, usize)],
) -> Value {
    let counts = chunks.iter().map(|(kind, count)| (chunk_type(*kind).to_string(), json!(count)));
    json!({
        "version": VERSION,
        "generated_at": iso(generated),
        "stats": { "files": checksums.len(), "chunks": counts.collect::<Map<_, _>>() },
        "file_checksums": checksums,
    })
}

/// A chunk file that was read.
pub struct ChunkFile {
    /// The model behind its vectors, and how many components those have.
    pub model: String,
    /// See `model`.
    pub dimensions: usize,
    /// Its chunks.
    pub chunks: Vec<FileChunk>,
    /// What is wrong with it.
    pub warnings: Vec<String>,
}

#[derive(Deserialize)]
struct Outer<'a> {
    #[serde(rename = "_metadata", default)]
    metadata: Metadata,
    #[serde(borrow)]
    chunks: Option<Vec<&'a RawValue>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Metadata {
    model: Option<String>,
    dimensions: Option<usize>,
    chunk_type: Option<String>,
    generated: Option<String>,
}

#[derive(Deserialize)]
struct Record {
    id: String,
    #[serde(default)]
    title: Option<String>,
    text: String,
    chunk_type: Option<String>,
    embedding: Option<Vec<f32>>,
    tags: Option<Vec<String>>,
    metadata: Option<Map<String, Value>>,
    created_at: Option<String>,
    updated_at: Option<String>,
}

/// Reads a chunk file.
pub fn read(bytes: &[u8]) -> Result<ChunkFile, String> {
    let outer: Outer<'_> = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
    let Metadata { model, dimensions, chunk_type, generated } = outer.metadata;
    let mut file = ChunkFile {
        model: model.unwrap_or_default(),
        dimensions: dimensions.unwrap_or(0),
        chunks: Vec::new(),
        warnings: Vec::new(),
    };
    let kind = chunk_type.unwrap_or_default();
    let generated = generated.unwrap_or_else(|| iso(SystemTime::UNIX_EPOCH));
    for (number, raw) in outer.chunks.unwrap_or_default().into_iter().enumerate() {
        match serde_json::from_str::<Record>(raw.get()) {
            Ok(record) if record.id.is_empty() => {
                file.warnings.push(format!("chunk {number} has no id and is left out"));
            }
            Ok(record) => file.add(record, &kind, &generated),
            Err(error) => {
                file.warnings.push(format!("chunk {number} is left out: {error}"));
            }
        }
    }
    Ok(file)
}

impl ChunkFile {
    fn add(&mut self, record: Record, kind: &str, generated: &str) {
        let vector = record.embedding.filter(|vector| !vector.is_empty());
        if let Some(vector) = &vector {
            self.dimensions = if self.dimensions == 0 { vector.len() } else { self.dimensions };
            if vector.len() != self.dimensions {
                let (id, found, wanted) = (&record.id, vector.len(), self.dimensions);
                let warning = format!("{id}: its vector has {found} components, not {wanted}");
                self.warnings.push(warning);
            }
        }
        let vector = vector.filter(|vector| vector.len() == self.dimensions);
        let kind = record.chunk_type.filter(|own| !own.is_empty()).unwrap_or(kind.to_string());
        let tags = record.tags.unwrap_or_default();
        let title = record.title.unwrap_or_default();
        let created = record.created_at.unwrap_or(generated.to_string());
        let updated = record.updated_at.unwrap_or(created.clone());
        let object = json!({
            "id": record.id,
            "chunk_type": kind,
            "title": title,
            "text": record.text,
            "tags": tags,
            "metadata": record.metadata.unwrap_or_default(),
            "created_at": created,
            "updated_at": updated,
        });
        self.chunks.push(FileChunk {
            searched: format!("{title}\n{}", record.text),
            vector: vector.map(|vector| Vector::quantise(&vector)),
            id: record.id,
            kind,
            tags,
            object,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(file: &ChunkFile) -> Vec<&str> {
        file.chunks.iter().map(|chunk| chunk.id.as_str()).collect()
    }

    #[test]
    fn invalid_chunks_are_skipped() {
        let text = r#"{ "_metadata": { "model": "m", "dimensions": 2, "chunk_type": "data", "generated": "2025-10-16T12:35:00Z", "more": 1 },
            "chunks": [
                { "id": "one", "text": "x", "embedding": [1.0, 0], "tags": null, "extra": {} },
                { "id": "", "text": "x" },
                { "text": "x" },
                { "id": "typed", "text": 5 },
                5,
                { "id": "long", "text": "x", "embedding": [1, 0, 0] },
                { "id": "bare", "text": "x", "chunk_type": "symbols", "created_at": "2025-10-17T00:00:00Z" }
            ] }"#;
        let file = read(text.as_bytes()).unwrap();
        assert_eq!((file.model.as_str(), file.dimensions), ("m", 2));
        assert_eq!(ids(&file), ["one", "long", "bare"]);
        assert_eq!(file.warnings.len(), 5, "{:?}", file.warnings);
        let [one, long, bare] = &file.chunks[..] else { panic!() };
        assert!(one.vector.is_some() && long.vector.is_none() && bare.vector.is_none());
        assert_eq!((one.kind.as_str(), bare.kind.as_str()), ("data", "symbols"));
        assert_eq!(one.object["created_at"], "2025-10-16T12:35:00Z");
        assert_eq!(bare.object["updated_at"], "2025-10-17T00:00:00Z");
        assert!(one.object.get("embedding").is_none());
    }

    #[test]
    fn invalid_files_are_rejected() {
        for text in
            ["", "{", "[]", "5", "{ \"chunks\": {} }", "{ \"_metadata\": 5, \"chunks\": [] }"]
        {
            assert!(read(text.as_bytes()).is_err(), "{text}");
        }
        assert!(read(b"{ \"chunks\": null }").unwrap().chunks.is_empty());
        assert!(read(b"\xff\xfe").is_err());
    }
}
