//! What a snapshot is queried with, and what it answers.

use crate::{Chunk, ChunkKind, Field, FileFacts, Lines, RelPath, Symbol, SymbolKind, VersionKey};
use std::sync::Arc;

/// A chunk in one snapshot. Ids of different snapshots are not comparable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ChunkId(pub u64);

/// A chunk with a retriever's score.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scored {
    /// The chunk.
    pub chunk: ChunkId,
    /// The score; larger is better.
    pub score: f32,
}

/// A term of a keyword query.
#[derive(Clone, Debug, PartialEq)]
pub struct TermQuery {
    /// The term as indexed.
    pub term: String,
    /// How much it counts.
    pub weight: f32,
}

/// How much a term counts in each field, and how strongly a long field is discounted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FieldWeights {
    /// Weights, by [`Field`].
    pub weights: [f32; Field::COUNT],
    /// Length normalisation (BM25's b), by [`Field`].
    pub length: [f32; Field::COUNT],
    /// Saturation (BM25's k1).
    pub saturation: f32,
}

/// A keyword query: BM25F over the admitted chunks of one manifest, with exact statistics.
#[derive(Clone, Debug)]
pub struct KeywordQuery {
    /// The terms.
    pub terms: Vec<TermQuery>,
    /// Fields of a chunk.
    pub chunk_fields: FieldWeights,
    /// Fields of a file: the sum of its chunks, with its overview.
    pub file_fields: FieldWeights,
    /// How much a chunk's file adds to the chunk's score.
    pub file_share: f32,
    /// How many hits are wanted.
    pub limit: usize,
}

/// A chunk found by keyword.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KeywordHit {
    /// The chunk.
    pub chunk: ChunkId,
    /// The whole score: the chunk's own and its file's share.
    pub score: f32,
    /// The chunk's own score.
    pub own: f32,
    /// Its file's score.
    pub file: f32,
    /// The share of the query's weight whose terms occur in the chunk or in its file's path and names.
    pub coverage: f32,
}

/// A chunk with what is needed to rank it; cheap enough for hundreds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChunkOutline {
    /// Its id.
    pub id: ChunkId,
    /// The file it belongs to.
    pub path: RelPath,
    /// Its index in [`FileFacts::chunks`].
    pub ordinal: u32,
    /// Its lines.
    pub lines: Lines,
    /// What it is made of.
    pub kind: ChunkKind,
    /// The names it defines, as written.
    pub names: Vec<String>,
    /// The kinds of what it defines, as bits by [`SymbolKind::code`].
    pub symbol_kinds: u32,
}

impl ChunkOutline {
    /// Whether one of the definitions is of a kind that fits.
    pub fn defines(&self, fits: impl Fn(SymbolKind) -> bool) -> bool {
        SymbolKind::ALL.iter().any(|kind| self.symbol_kinds & 1 << kind.code() != 0 && fits(*kind))
    }
}

/// A chunk with what is needed to show it.
#[derive(Clone, Debug)]
pub struct StoredChunk {
    /// Its id.
    pub id: ChunkId,
    /// The file it belongs to.
    pub path: RelPath,
    /// The version of that file.
    pub key: VersionKey,
    /// Its index in [`FileFacts::chunks`].
    pub ordinal: u32,
    /// The facts of its file.
    pub file: Arc<FileFacts>,
}

impl StoredChunk {
    /// The chunk itself.
    pub fn chunk(&self) -> &Chunk {
        &self.file.chunks[self.ordinal as usize]
    }

    /// The definition it shows.
    pub fn symbol(&self) -> Option<&Symbol> {
        self.chunk().symbol.map(|index| &self.file.symbols[index as usize])
    }

    /// All definitions whose name is in its lines.
    pub fn symbols(&self) -> impl Iterator<Item = &Symbol> {
        let lines = self.chunk().lines;
        self.file.symbols.iter().filter(move |symbol| lines.contains(symbol.name_line))
    }
}
