//! What one file holds, and which files of the project it imports.

use crate::error::SearchError;
use crate::reader::Reader;
use groma_core::{FileFacts, Import, RelPath};
use groma_files::source;
use std::sync::Arc;

/// An import and the files of the project it means; none for a library.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResolvedImport {
    /// The import as written.
    pub import: Import,
    /// The files it means.
    pub files: Vec<RelPath>,
}

/// What one file holds.
#[derive(Clone, Debug)]
pub struct Outline {
    /// The file.
    pub path: RelPath,
    /// Its symbols, references, chunks and health.
    pub facts: Arc<FileFacts>,
    /// Its imports.
    pub imports: Vec<ResolvedImport>,
    /// What to know about the answer.
    pub notes: Vec<String>,
}

/// What a file holds, as it was indexed, or parsed by itself where the index does not hold its present version; `None`
/// for a file that is not indexed. The count is 1 where the index is outdated.
pub fn outline(reader: &Reader, path: &RelPath) -> Result<(Option<Outline>, usize), SearchError> {
    let is_current = reader.is_current(path);
    let mut notes = Vec::new();
    let facts = if is_current {
        reader.snapshot.file_facts(path)?
    } else {
        notes.push(format!("{path} is not indexed as it is now; it was parsed by itself"));
        parse_alone(reader, path)?.map(Arc::new)
    };
    let Some(facts) = facts else { return Ok((None, 0)) };
    let map = reader.import_map();
    let resolve = |import: &Import| ResolvedImport {
        import: import.clone(),
        files: map.resolve(path, &facts.language, import),
    };
    let imports = facts.imports.iter().map(resolve).collect();
    let outline = Outline { path: path.clone(), facts, imports, notes };
    Ok((Some(outline), usize::from(!is_current)))
}

/// The facts of a file that belongs into the index; `None` for one that does not.
fn parse_alone(reader: &Reader, path: &RelPath) -> Result<Option<FileFacts>, SearchError> {
    let listing = reader.source.listing()?;
    if !listing.walked.files.iter().any(|file| file.path == *path) {
        return Ok(None);
    }
    let tree = &reader.source;
    let read = source::read(tree.tree(), path, tree.options()).ok();
    Ok(read.map(|read| groma_syntax::parse(path, &read.text).facts))
}
