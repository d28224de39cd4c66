//! Exports an index, file by file.

use crate::error::SearchError;
use crate::query::present::chunk_text;
use crate::reader::Reader;
use groma_core::{FileFacts, GenerationInfo, RelPath, Vector, from_unix_nanos};
use groma_files::source;
use std::sync::Arc;
use std::time::SystemTime;

/// Number of files whose vectors are read with one call.
const BATCH: usize = 256;

/// A file with its chunks.
#[derive(Clone, Debug)]
pub struct FileChunks {
    /// The file.
    pub path: RelPath,
    /// The facts of the file.
    pub facts: Arc<FileFacts>,
    /// Its content.
    pub bytes: Vec<u8>,
    /// Modification time.
    pub modified: SystemTime,
    /// The texts of its chunks, in the order of [`FileFacts::chunks`].
    pub texts: Vec<String>,
    /// Their vectors; `None` for a chunk without one.
    pub vectors: Vec<Option<Vector>>,
}

/// The result of an export.
#[derive(Clone, Debug)]
pub struct Exported {
    /// The exported generation.
    pub generation: GenerationInfo,
    /// Number of files left out because they changed since they were indexed.
    pub outdated: usize,
}

/// Passes every file of a generation to `take`, in path order.
pub fn export<E: From<SearchError>>(
    reader: &Reader,
    mut take: impl FnMut(&GenerationInfo, FileChunks) -> Result<(), E>,
) -> Result<Exported, E> {
    let generation = reader.snapshot.info();
    let mut outdated = 0;
    let paths: Vec<RelPath> = reader.manifest().files.keys().cloned().collect();
    for batch in paths.chunks(BATCH) {
        let vectors = reader.snapshot.vectors(batch).map_err(SearchError::from)?;
        for (path, vectors) in batch.iter().zip(vectors) {
            match file_chunks(reader, path, vectors)? {
                Some(file) => take(&generation, file)?,
                None => outdated += 1,
            }
        }
    }
    Ok(Exported { generation, outdated })
}

fn file_chunks(
    reader: &Reader,
    path: &RelPath,
    vectors: Vec<Option<Vector>>,
) -> Result<Option<FileChunks>, SearchError> {
    let manifest = reader.manifest();
    let Some(entry) = manifest.files.get(path) else { return Ok(None) };
    let Some(facts) = reader.snapshot.file_facts(path)? else { return Ok(None) };
    let Some(bytes) = reader.source.current_bytes(manifest, path, &entry.key) else {
        return Ok(None);
    };
    let Some(text) = source::decode_accepted(path, bytes.clone()) else { return Ok(None) };
    let starts = groma_syntax::line_starts(&text);
    let chunks = 0..facts.chunks.len() as u32;
    let texts = chunks.map(|chunk| chunk_text(&facts, chunk, &text, &starts)).collect();
    let modified = from_unix_nanos(entry.stamp.modified);
    Ok(Some(FileChunks { path: path.clone(), facts, bytes, modified, texts, vectors }))
}
