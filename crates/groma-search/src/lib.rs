//! Answers from one generation of an index and the files it describes.
//!
//! A [`Reader`] is resolved once for each request: a snapshot, the file tree, and their caches. Every operation is a
//! function over it: [`search`] (plan, retrieve, fuse, rerank, present), [`locate`], [`outline`], [`export`]. [`grep`]
//! and [`read`] work without an index, too. This crate never writes to an index and does not depend on the indexer.
#![deny(missing_docs)]
#![forbid(unsafe_code)]

mod answer;
mod error;
mod export;
mod graph;
mod grep;
mod imports;
mod locate;
mod map;
mod outline;
mod path_kind;
mod place;
mod query;
mod read;
mod reader;
mod snippet;
mod suggest;
mod text;

pub use answer::{EmbeddedQuery, MAX_HITS, embed_query, search};
pub use error::{ReadRefusal, SearchError};
pub use export::{Exported, FileChunks, export};
pub use grep::grep;
pub use grep::request::{Case, GrepAnswer, GrepMatch, GrepRequest};
pub use grep::spans::MatchSpans;
pub use imports::ImportCache;
pub use locate::{
    Definition, Dependent, Enclosing, ImpactAnswer, ImpactOf, ImpactRequest, LocateAnswer,
    LocateRequest, Location, MAX_STEPS, NameMatch, Relation, Usage, UsageKind, impact, locate,
};
pub use map::{FolderMap, MappedFile, files_named, map};
pub use outline::{Outline, ResolvedImport, outline};
pub use path_kind::{PathKind, kind as path_kind};
pub use place::{PlaceSpec, PlaceView, enclosing_place, outline_places, place_of, view_place};
pub use query::breadth::Breadth;
pub use query::plan::{Plan, QueryKind, RequestedKinds, plan};
pub use query::ranking::Ranking;
pub use query::request::{
    Context, Hit, HitSymbol, MORE_RESULTS, MatchType, SearchAnswer, SearchMode, SearchRequest,
    Stage,
};
pub use query::{Analysis, Boost, FoundBy, MoreFile, MoreResult};
pub use read::{Dependency, FileView, ReadFrom, ReadRequest, read};
pub use reader::Reader;
pub use snippet::{
    AbsentName, Confidence, Excerpt, FilePlaces, FileSnippets, MAX_LINE, Place, Snippet,
    SnippetOptions, Snippets, Tests, is_test, snippets, widen,
};
pub use suggest::{similar_names, similar_paths};
