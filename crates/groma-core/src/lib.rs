//! The vocabulary every crate of Groma speaks, and the ports that storage and embedders implement.
//!
//! Nothing here does IO and nothing here depends on another crate of the workspace: this is the one
//! place both sides of every boundary can name.
#![deny(missing_docs)]
#![forbid(unsafe_code)]

mod path;
mod span;
mod symbol;
mod chunk;
mod file;
mod words;
mod terms;
mod vector;
mod filter;
mod embedder;
mod store;

pub use chunk::{Chunk, ChunkKind};
pub use embedder::{EmbedError, Embedder, EmbedderIdentity, TextRole};
pub use file::{
    FileFacts, Import, ParseHealth, ParseStatus, Reference, ReferenceKind, VersionKey,
};
pub use filter::{ChunkFilter, FilterSubject, NameGlob};
pub use path::{PathError, RelPath};
pub use span::Lines;
pub use store::{
    ChunkId, ChunkOutline, CommitReport, FileStamp, Generation, GenerationInfo, IndexedFile, Manifest,
    ManifestEntry, Pipeline, RefName, Scored, SkippedFile, Snapshot, Store, StoreError, StoredChunk,
    StoreSize, TermQuery, Writer, KeywordHit, KeywordQuery, FieldWeights,
};
pub use symbol::{DddPattern, DddPatterns, Symbol, SymbolKind, Visibility};
pub use terms::{Field, TermBag, TermPosting};
pub use vector::Vector;
pub use words::{Word, is_identifier_byte, stem, words};
