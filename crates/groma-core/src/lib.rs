//! The vocabulary every crate of Groma speaks, and the ports that storage and embedders implement.
//!
//! Nothing here does IO and nothing here depends on another crate of the workspace: both
//! sides of every boundary use these types.
#![deny(missing_docs)]
#![forbid(unsafe_code)]

mod catalog;
mod causes;
mod chunk;
mod discovery;
mod file;
mod filter;
mod links;
mod locked;
mod names;
mod path;
mod ports;
mod progress;
mod session;
mod span;
mod symbol;
mod terms;
mod time;
mod trigrams;
mod vector;
mod words;

pub use catalog::{
    Catalog, CatalogError, IndexId, OpenOptions, ProjectId, ProjectRecord, Rename, SubIndex,
    VectorSource,
};
pub use causes::with_causes;
pub use chunk::{Chunk, ChunkKind};
pub use discovery::{Discovery, DiscoveryKind, Evidence, Origin};
pub use file::{
    FileFacts, Import, ParseHealth, ParseStatus, Reference, ReferenceKind, SymbolsByLine,
    VersionKey,
};
pub use filter::{ChunkFilter, FilterSubject, NameGlob, SymbolPredicate};
pub use links::{Binding, Expression, ExpressionId, Links};
pub use locked::Locked;
pub use names::{NameLike, Nearness, edits, folded};
pub use path::{PathError, RelPath};
pub use ports::*;
pub use progress::{Cancel, Observer, Progress, StageTimes};
pub use session::SessionRecord;
pub use span::Lines;
pub use symbol::{Symbol, SymbolKind, SymbolOutline, Visibility};
pub use terms::{Field, TermBag, TermPosting};
pub use time::{from_iso, from_unix_nanos, iso, iso_exact};
pub use trigrams::{TrigramSet, trigrams};
pub use vector::Vector;
pub use words::{Word, is_identifier_byte, parts, stem, words};
