//! Indexes texts that are not files: what is searched, and perhaps a vector, is given, so nothing is parsed.

use crate::error::IndexError;
use crate::terms::prose_terms;
use groma_core::{
    Chunk, ChunkKind, FileFacts, FileStamp, IndexedFile, Lines, Manifest, ManifestEntry, RefName,
    RelPath, Store, Vector,
};
use groma_files::version;

/// Maximum number of documents stored with one call.
const BATCH: usize = 256;

/// A text that another program made.
#[derive(Clone, Debug)]
pub struct Document {
    /// Identifies it. Equal scores are ordered by it.
    pub path: RelPath,
    /// What is searched.
    pub searched: String,
    /// What a hit returns.
    pub content: String,
    /// Its tags.
    pub tags: Vec<String>,
    /// Its vector.
    pub vector: Option<Vector>,
}

/// Commits documents as the live tree of a store. Each is a file with one chunk.
pub fn index_documents(store: &dyn Store, documents: &[Document]) -> Result<(), IndexError> {
    let mut writer = store.writer()?;
    let mut manifest = Manifest::default();
    for batch in documents.chunks(BATCH) {
        let files: Vec<IndexedFile> = batch.iter().map(indexed).collect();
        for (document, file) in batch.iter().zip(&files) {
            let size = document.content.len() as u64;
            let stamp = FileStamp { size, ..FileStamp::default() };
            manifest.files.insert(file.path.clone(), ManifestEntry { key: file.key, stamp });
        }
        writer.add(files)?;
    }
    writer.commit(&RefName::live(), &manifest)?;
    Ok(())
}

fn indexed(document: &Document) -> IndexedFile {
    let Document { path, searched, content, tags, vector } = document;
    let line_count = (content.lines().count() as u32).max(1);
    let chunk = Chunk {
        kind: ChunkKind::Prose,
        lines: Lines::new(1, line_count),
        symbol: None,
        title: String::new(),
    };
    let facts =
        FileFacts { line_count, chunks: vec![chunk], tags: tags.clone(), ..FileFacts::empty() };
    IndexedFile {
        path: path.clone(),
        key: version::of_bytes(path, content.as_bytes()),
        facts,
        terms: prose_terms(searched),
        vectors: vector.iter().cloned().collect(),
        // Documents are ranked, never searched by line.
        trigrams: Vec::new(),
    }
}
