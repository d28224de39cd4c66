//! Chunks of chunk files as documents of an index.
//!
//! A document's content is the object that is served. Its path is the number of the chunk and its type: equal scores
//! keep the order of the chunks, and a path filter selects types, unknown ones being none of them.

use super::names::{chunk_kind, chunk_type};
use groma_core::{ChunkFilter, RelPath, Vector};
use groma_engine::Document;
use serde_json::Value;

/// A chunk of a chunk file.
pub struct FileChunk {
    /// Its id.
    pub id: String,
    /// Its vector, as the file has it.
    pub vector: Option<Vector>,
    /// Its type, as its producer names it.
    pub(super) kind: String,
    pub(super) tags: Vec<String>,
    /// What is searched.
    pub(super) searched: String,
    /// What is served.
    pub(super) object: Value,
}

impl FileChunk {
    /// The document of the chunk with this number.
    pub fn into_document(self, number: usize) -> Document {
        let kind = chunk_kind(&self.kind).map_or("other", chunk_type);
        let path = RelPath::new(format!("{number:08}/{kind}")).expect("a number and a word");
        let tags = self.tags.iter().chain([&self.kind]).map(|tag| stored_tag(tag)).collect();
        let content = self.object.to_string();
        Document { path, searched: self.searched, content, tags, vector: self.vector }
    }
}

/// A tag in an index. Without the prefix, one that is named like a kind of chunk would be compared with that kind.
fn stored_tag(tag: &str) -> String {
    format!("tag:{tag}")
}

/// Admits the documents of chunks with all of the tags and any of the types.
pub fn filter(tags: &[String], kinds: &[String]) -> Result<ChunkFilter, String> {
    let mut filter = ChunkFilter::default();
    filter.tags = tags.iter().map(|tag| stored_tag(tag)).collect();
    let globs: Vec<String> = kinds.iter().map(|kind| format!("*/{kind}")).collect();
    filter.set_paths(&globs)?;
    Ok(filter)
}
