//! The outline of a file: its symbols, and the files of the project it imports.

use crate::error::SearchError;
use crate::reader::Reader;
use groma_core::{FileFacts, Import, RelPath};
use groma_files::source;
use std::sync::Arc;

/// An import and the files of the project it resolves to; none for a library.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResolvedImport {
    /// The import as written.
    pub import: Import,
    /// The files it resolves to.
    pub files: Vec<RelPath>,
}

/// The outline of a file.
#[derive(Clone, Debug)]
pub struct Outline {
    /// The file.
    pub path: RelPath,
    /// Its symbols, references, chunks and health.
    pub facts: Arc<FileFacts>,
    /// Its imports.
    pub imports: Vec<ResolvedImport>,
    /// Notes for the reader.
    pub notes: Vec<String>,
}

/// The outline of a file, from the index or, if the index lacks its current version, by parsing it; `None` for a file
/// that is not indexed. The count of outdated files is returned beside it, 0 or 1.
pub fn outline(reader: &Reader, path: &RelPath) -> Result<(Option<Outline>, usize), SearchError> {
    let is_current = reader.is_current(path);
    let mut notes = Vec::new();
    let facts = if is_current {
        reader.snapshot.file_facts(path)?
    } else {
        notes.push(format!("the index is outdated for {path}; the file was parsed directly"));
        parse_directly(reader, path)?.map(Arc::new)
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

/// Parses a file that is to be indexed; `None` for one that is excluded.
fn parse_directly(reader: &Reader, path: &RelPath) -> Result<Option<FileFacts>, SearchError> {
    let listing = reader.source.listing()?;
    if !listing.walked.files.iter().any(|file| file.path == *path) {
        return Ok(None);
    }
    let tree = &reader.source;
    let read = source::read(tree.tree(), path, tree.options()).ok();
    Ok(read.map(|read| groma_syntax::parse(path, &read.text).facts))
}
