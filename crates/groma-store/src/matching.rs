//! What a stored chunk is to a query: which names it defines, which of its terms speak for its file, what a
//! store accepts.
//!
//! Both stores ask these functions, so that they can only differ in how they find, never in what fits.

use groma_core::{
    Chunk, ChunkKind, Field, FileFacts, IndexedFile, KeywordQuery, NameLike, Nearness, Pipeline,
    StoreError, Symbol, SymbolKind,
};
use std::cmp::Ordering;
use std::collections::BTreeSet;

/// The symbols that a chunk defines. An overview lists those of the other chunks and defines none.
pub(crate) fn defined<'f>(
    facts: &'f FileFacts,
    chunk: &Chunk,
) -> impl Iterator<Item = &'f Symbol> + Clone + use<'f> {
    let (lines, overview) = (chunk.lines, chunk.kind == ChunkKind::Overview);
    facts.symbols.iter().filter(move |symbol| !overview && lines.contains(symbol.name_line))
}

/// The kinds of some symbols, as bits by code.
pub(crate) fn kind_bits(kinds: impl Iterator<Item = SymbolKind>) -> u32 {
    kinds.fold(0, |bits, kind| bits | 1 << kind.code())
}

/// Whether a field of a chunk counts for its file too: a file's names and path are those of its overview,
/// its prose and code are the sum of its other chunks.
pub(crate) fn belongs_to_file(field: usize, kind: ChunkKind) -> bool {
    let overview_field = field == Field::Name as usize || field == Field::Path as usize;
    overview_field == (kind == ChunkKind::Overview)
}

/// Adds a chunk's counts or lengths to those of its file.
pub(crate) fn add_to_file(
    total: &mut [u32; Field::COUNT],
    chunk: [u32; Field::COUNT],
    kind: ChunkKind,
) {
    for (field, number) in chunk.into_iter().enumerate() {
        if belongs_to_file(field, kind) {
            total[field] += number;
        }
    }
}

/// Field lengths as they are stored, capped at two bytes.
pub(crate) fn stored_lengths(lengths: [u32; Field::COUNT]) -> [u16; Field::COUNT] {
    lengths.map(|length| u16::try_from(length).unwrap_or(u16::MAX))
}

/// The share of the query's weight whose terms occur; `occurs` takes the index of a term in the query.
pub(crate) fn coverage(query: &KeywordQuery, occurs: impl Fn(usize) -> bool) -> f32 {
    let total: f32 = query.terms.iter().map(|term| term.weight).sum();
    let found = query.terms.iter().enumerate().filter(|(index, _)| occurs(*index));
    found.map(|(_, term)| term.weight).sum::<f32>() / total
}

/// The names nearest to one, in order, and no more than `limit` of them.
pub(crate) struct Nearest<'a> {
    name: &'a NameLike,
    limit: usize,
    kept: BTreeSet<(Nearness, String)>,
}

impl<'a> Nearest<'a> {
    pub fn new(name: &'a NameLike, limit: usize) -> Self {
        Self { name, limit, kept: BTreeSet::new() }
    }

    /// Considers a folded name; `is_referenced` is called only if the name is near enough.
    pub fn offer<E>(
        &mut self,
        folded: &str,
        is_referenced: impl FnOnce() -> Result<bool, E>,
    ) -> Result<(), E> {
        let Some(nearness) = self.name.nearness(folded) else { return Ok(()) };
        let last = self.kept.last();
        let full = self.kept.len() >= self.limit;
        if full && last.is_none_or(|(far, name)| (*far, name.as_str()) <= (nearness, folded)) {
            return Ok(());
        }
        if is_referenced()? {
            self.kept.insert((nearness, folded.to_string()));
            if self.kept.len() > self.limit {
                self.kept.pop_last();
            }
        }
        Ok(())
    }

    pub fn names(self) -> Vec<String> {
        self.kept.into_iter().map(|(_, name)| name).collect()
    }
}

/// Larger scores first; `sort_keys` orders equal ones.
pub(crate) fn order<P: Ord>(a: f32, b: f32, sort_keys: impl Fn() -> (P, P)) -> Ordering {
    b.total_cmp(&a).then_with(|| {
        let (a, b) = sort_keys();
        a.cmp(&b)
    })
}

/// Refuses a file whose vectors do not fit its chunks or the embedder.
pub(crate) fn check_vectors(pipeline: &Pipeline, file: &IndexedFile) -> Result<(), StoreError> {
    let dimensions = pipeline.embedder.as_ref().map_or(0, |embedder| embedder.dimensions);
    let fits = file.vectors.is_empty() || file.vectors.len() == file.facts.chunks.len();
    if fits && file.vectors.iter().all(|vector| vector.values.len() == dimensions) {
        return Ok(());
    }
    Err(StoreError::refused(format!("the vectors of {} do not fit its chunks", file.path)))
}

/// Refuses a version that a manifest references and that is not stored.
pub(crate) fn never_stored(path: &groma_core::RelPath) -> StoreError {
    StoreError::refused(format!("the version of {path} was never stored"))
}

/// Refuses the id of a chunk of another snapshot.
pub(crate) fn unknown_chunk() -> StoreError {
    StoreError::refused("the chunk belongs to another snapshot")
}
