//! The engine of a project: opens its parts, decides about freshness, runs the indexer, and answers requests.
//!
//! Nothing here knows a protocol, a terminal or a storage format. Stores and embedders come in through the ports of
//! `groma-core`; the binary picks which. Requests and answers of the boundary are re-exported here.
#![deny(missing_docs)]
#![forbid(unsafe_code)]

/// What the project knows besides its code: requests and answers of the notebook.
pub mod notebook {
    pub use groma_notebook::{
        Activity, Change, Error, FileRole, Imported, Ingested, ModuleView, Modules, NewDiscovery,
        Overview, RecallAnswer, RecallRequest, Recalled, Remembered, Replacement, Seek, Speaker,
        TranscriptBuilder, redact, session_text,
    };
}

mod background;
mod cache;
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
pub use enclosing::EnclosingPlaces;
pub use engine::{Engine, Fallback, Parts};
pub use error::{EngineError, ErrorKind};
pub use groma_core::{Cancel, Observer, Progress, StageTimes};
pub use groma_files::version::PIPELINE_VERSION;
pub use groma_files::{
    FileFilter, GitError, GoModule, Head, Repository, SkipReason, WalkError, WalkOptions,
    WalkResult, WalkedFile,
};
pub use groma_index::{Goal, IndexReport, ParseFailure, Run};
pub use groma_notebook::{ProjectNotebook, access_score};
pub use groma_search::{
    AbsentName, Analysis, Boost, Breadth, Case, Collection, CollectionEntry, CollectionQuery,
    Confidence, Context, Definition, Dependency, Enclosing, Excerpt, Exported, FileChunks,
    FilePlaces, FileSnippets, FileView, FolderMap, FoundBy, GrepAnswer, GrepMatch, GrepRequest,
    Hit, HitSymbol, Intent, LocateAnswer, LocateRequest, Location, MAX_HITS, MAX_LINE,
    MORE_RESULTS, MappedFile, MatchSpans, MatchType, MoreFile, MoreResult, NameMatch, Outline,
    PathKind, Place, PlaceSpec, PlaceView, Plan, Ranking, ReadRefusal, ReadRequest, Relation,
    RequestedKinds, ResolvedImport, SearchAnswer, SearchMode, SearchRequest, Snippet,
    SnippetOptions, Snippets, Stage, Tests, Usage, UsageKind, is_test, path_kind, plan,
};
pub use groma_syntax::{LANGUAGES, find_language, name_in_file, overview, parse};
pub use jobs::{Job, JobError, JobRequest, Jobs};
pub use outlined::Outlined;
pub use refs::{RefEngine, ResolvedRef, Target};
pub use status::{IndexState, LanguageCount, Readiness, Statistics, Status, has_language, walk};
pub use symbol::{SymbolAnswer, SymbolRequest};
