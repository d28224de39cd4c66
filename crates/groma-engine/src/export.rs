//! Everything in an index, file by file, for who wants to keep it in another form.

use crate::engine::Engine;
use crate::error::EngineError;
use crate::index::source;
use crate::query::present::{chunk_text, modified};
use groma_core::{FileFacts, GenerationInfo, RelPath, Snapshot, Vector};
use std::sync::Arc;
use std::time::SystemTime;

/// How many files' vectors are asked for at once.
const BATCH: usize = 256;

/// A file with its chunks.
#[derive(Clone, Debug)]
pub struct FileChunks {
    /// The file.
    pub path: RelPath,
    /// Everything that is known of it.
    pub facts: Arc<FileFacts>,
    /// As it is on disk.
    pub bytes: Vec<u8>,
    /// When it was changed last.
    pub modified: SystemTime,
    /// The texts of its chunks, in the order of [`FileFacts::chunks`].
    pub texts: Vec<String>,
    /// Their vectors; `None` for a chunk without one.
    pub vectors: Vec<Option<Vector>>,
}

/// What was handed over.
#[derive(Clone, Debug)]
pub struct Exported {
    /// The generation it is of.
    pub generation: GenerationInfo,
    /// Files that changed since they were indexed, and were left out.
    pub outdated: usize,
}

impl Engine {
    /// Hands every file of the newest generation to `take`, in order of path; `None` when there is none.
    pub fn export<E: From<EngineError>>(
        &self,
        mut take: impl FnMut(&GenerationInfo, FileChunks) -> Result<(), E>,
    ) -> Result<Option<Exported>, E> {
        let Some(snapshot) = self.newest()? else { return Ok(None) };
        let generation = snapshot.info();
        let mut outdated = 0;
        for batch in self.indexed_paths()?.chunks(BATCH) {
            let vectors = snapshot.vectors(batch).map_err(EngineError::from)?;
            for (path, vectors) in batch.iter().zip(vectors) {
                match self.file_chunks(&*snapshot, path, vectors)? {
                    Some(file) => take(&generation, file)?,
                    None => outdated += 1,
                }
            }
        }
        Ok(Some(Exported { generation, outdated }))
    }

    /// The paths of the newest generation, in order.
    pub fn indexed_paths(&self) -> Result<Vec<RelPath>, EngineError> {
        let snapshot = self.newest()?;
        let paths = snapshot.map(|snapshot| snapshot.manifest().files.keys().cloned().collect());
        Ok(paths.unwrap_or_default())
    }

    fn file_chunks(
        &self,
        snapshot: &dyn Snapshot,
        path: &RelPath,
        vectors: Vec<Option<Vector>>,
    ) -> Result<Option<FileChunks>, EngineError> {
        let Some(entry) = snapshot.manifest().files.get(path) else { return Ok(None) };
        let Some(facts) = snapshot.file_facts(path)? else { return Ok(None) };
        let Some(bytes) = self.current_bytes(snapshot.manifest(), path, &entry.key) else {
            return Ok(None);
        };
        let Some(text) = source::text_again(bytes.clone()) else { return Ok(None) };
        let starts = groma_syntax::line_starts(&text);
        let chunks = 0..facts.chunks.len() as u32;
        let texts = chunks.map(|chunk| chunk_text(&facts, chunk, &text, &starts)).collect();
        let modified = modified(&entry.stamp);
        Ok(Some(FileChunks { path: path.clone(), facts, bytes, modified, texts, vectors }))
    }
}
