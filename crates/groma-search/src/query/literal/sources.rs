//! The files in which a text may occur, read within a limit.

use crate::path_kind::{PathKind, kind as path_kind};
use crate::reader::Reader;
use crate::text::Text;
use groma_core::{RelPath, StoreError, trigrams};
use rayon::prelude::*;

/// Maximum number of files read for one literal.
pub(super) const MAX_FILES: usize = 24;

/// Maximum size of a file that is looked into, in bytes. Larger ones are generated.
const MAX_FILE_SIZE: usize = 2 << 20;

/// A file with its text.
pub(super) struct Source {
    pub path: RelPath,
    pub text: Text,
    /// The text in ASCII lower case; offsets are those of the text.
    pub lower: String,
}

impl Source {
    /// The line of a byte offset, from 1.
    pub fn line_at(&self, offset: usize) -> u32 {
        self.text.starts.partition_point(|start| *start <= offset) as u32
    }

    /// The byte offsets at which a lower-case text occurs, at most `limit`.
    pub fn offsets(&self, lower: &str, limit: usize) -> Vec<usize> {
        memchr::memmem::find_iter(self.lower.as_bytes(), lower).take(limit).collect()
    }
}

/// The files whose text may contain all of `text`, ignoring ASCII case.
pub(super) fn candidates(reader: &Reader, text: &str) -> Result<Vec<RelPath>, StoreError> {
    let line = text.lines().max_by_key(|line| line.len()).unwrap_or("");
    let grams = trigrams(line);
    if grams.is_empty() { Ok(Vec::new()) } else { reader.snapshot.candidates(&[grams]) }
}

/// Reads files in parallel, in their order; those that changed or are too large are left out.
pub(super) fn read(reader: &Reader, paths: &[RelPath]) -> Vec<Source> {
    let read = |path: &RelPath| {
        let text = reader.text(path).filter(|text| text.len() <= MAX_FILE_SIZE)?;
        let lower = text.to_ascii_lowercase();
        Some(Source { path: path.clone(), text: Text::new(text), lower })
    };
    paths.par_iter().take(MAX_FILES).filter_map(read).collect()
}

/// Sorts code of the product first, records last, so that a limit drops the least likely files.
pub(super) fn likeliest_first(paths: &mut [RelPath]) {
    paths.sort_by_cached_key(|path| (kind_order(path), path.clone()));
}

/// The order of the kinds of files: code, documents and examples, tests, records.
pub(super) fn kind_order(path: &RelPath) -> u8 {
    match path_kind(path) {
        PathKind::Source => 0,
        PathKind::Stub => 1,
        PathKind::Example => 2,
        PathKind::Test => 3,
        PathKind::Record => 4,
    }
}
