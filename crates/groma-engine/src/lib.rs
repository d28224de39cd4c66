//! The engine of a project: opens its parts, decides about freshness, runs the indexer, and answers requests.
//!
//! Nothing here knows a protocol, a terminal or a storage format. Stores and embedders come in through the ports of
//! `groma-core`; the binary picks which. Requests and answers of the boundary are re-exported here.
#![deny(missing_docs)]
#![forbid(unsafe_code)]

/// What the project knows besides its code: requests and answers of the notebook.
pub mod notebook {
    pub use groma_notebook::{
        Activity, Change, Error, FileRole, Ingested, ModuleView, Modules, NewDiscovery, Overview,
        RecallAnswer, RecallRequest, Recalled, Remembered, Replacement, Seek, Speaker,
        TranscriptBuilder, session_text,
    };
}

mod background;
mod cache;
mod diff;
mod documents;
mod embedding;
mod enclosing;
mod engine;
mod error;
mod freshness;
mod jobs;
mod open_refs;
mod outlined;
mod refs;
mod runs;
mod status;
mod symbol;
mod verbs;

pub use background::BackgroundEvent;
pub use diff::DiffRange;
pub use documents::DocumentIndex;
pub use enclosing::EnclosingPlaces;
pub use engine::{Counts, Engine, Fallback, Parts};
pub use error::{EngineError, ErrorKind};
pub use groma_core::{Cancel, Observer, Progress};
pub use groma_files::version::PIPELINE_VERSION;
pub use groma_files::{
    GoModule, Head, Repository, SkipReason, WalkError, WalkOptions, WalkResult, is_sensitive,
};
pub use groma_index::{Document, Goal, IndexReport, Run};
pub use groma_notebook::access_score;
pub use groma_search::{
    AbsentName, Analysis, Boost, Case, Confidence, Context, Definition, Dependency, Dependent,
    Enclosing, Excerpt, FileChunks, FilePlaces, FileSnippets, FileView, FolderMap, FoundBy,
    GrepAnswer, GrepMatch, GrepRequest, Hit, HitSymbol, ImpactAnswer, ImpactOf, ImpactRequest,
    LocateAnswer, LocateRequest, Location, MAX_HITS, MAX_LINE, MORE_RESULTS, MappedFile,
    MatchSpans, MatchType, MoreFile, MoreResult, NameMatch, Outline, PathKind, Place, PlaceSpec,
    PlaceView, Plan, QueryKind, Ranking, ReadRefusal, ReadRequest, Relation, SearchAnswer,
    SearchMode, SearchRequest, Snippet, SnippetOptions, Snippets, Stage, Tests, Usage,
    enclosing_place, is_test, outline_places, path_kind,
};
pub use groma_syntax::{LANGUAGES, find_language, name_in_file, overview, parse};
pub use jobs::{Job, JobError, JobRequest, Jobs};
pub use outlined::Outlined;
pub use refs::{RefEngine, ResolvedRef, Target};
pub use status::{IndexState, LanguageCount, Readiness, Statistics, Status, has_language, walk};
pub use symbol::{FurtherUsage, SymbolAnswer, SymbolRequest};
