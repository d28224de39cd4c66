//! The vocabulary every crate of Groma speaks, and the ports that storage and embedders implement.
//!
//! Nothing here does IO and nothing here depends on another crate of the workspace: this is the one
//! place both sides of every boundary can name.
#![deny(missing_docs)]
#![forbid(unsafe_code)]

mod causes;
mod chunk;
mod discovery;
mod embedder;
mod file;
mod filter;
mod job;
mod names;
mod notebook;
mod path;
mod progress;
mod session;
mod span;
mod store;
mod symbol;
mod terms;
mod time;
mod trigrams;
mod turn;
mod vector;
mod vector_cache;
mod words;

pub use causes::with_causes;
pub use chunk::{Chunk, ChunkKind};
pub use discovery::{Discovery, DiscoveryKind, Evidence, Origin};
pub use embedder::{EmbedError, Embedder, EmbedderIdentity, Remote, TextRole};
pub use file::{FileFacts, Import, ParseHealth, ParseStatus, Reference, ReferenceKind, VersionKey};
pub use filter::{ChunkFilter, FilterSubject, NameGlob};
pub use job::{JobMode, JobRecord, JobState, JobTask};
pub use names::{NameLike, Nearness, edits, folded};
pub use notebook::{Access, History, MOST_SESSIONS, Notebook, NotebookError, TranscriptMark};
pub use path::{PathError, RelPath};
pub use progress::{Cancel, Observer, Progress, StageTimes};
pub use session::SessionRecord;
pub use span::Lines;
pub use store::{
    ChunkId, ChunkOutline, CommitReport, FieldWeights, FileStamp, Generation, GenerationInfo,
    IndexedFile, IndexedRef, KeywordHit, KeywordQuery, Manifest, ManifestEntry, Pipeline,
    Predecessor, RefName, Scored, SkippedFile, Snapshot, Store, StoreError, StoreSize, StoredChunk,
    TermQuery, Writer,
};
pub use symbol::{DddPattern, DddPatterns, Symbol, SymbolKind, Visibility};
pub use terms::{Field, TermBag, TermPosting};
pub use time::{from_iso, iso, iso_exact};
pub use trigrams::{TrigramSet, trigrams};
pub use turn::{Role, Turn};
pub use vector::Vector;
pub use vector_cache::{TextKey, VectorCache};
pub use words::{Word, is_identifier_byte, parts, stem, words};
