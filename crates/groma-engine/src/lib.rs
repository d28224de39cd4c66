//! The boundary: one [`Engine`] for each project, plain requests in, plain answers out.
//!
//! Nothing here knows a protocol, a terminal or a storage format. Stores and embedders come in through the
//! traits of `groma-core`; the binary picks which.
#![deny(missing_docs)]
#![forbid(unsafe_code)]

mod cache;
mod collection;
mod engine;
mod error;
mod export;
mod fresh;
mod git;
mod go_module;
mod grep;
pub mod index;
mod jobs;
mod languages;
mod locate;
pub mod notebook;
mod outline;
pub mod query;
mod read;
mod refs;
mod status;
mod suggest;
mod text;
mod update;
mod watch;

pub use collection::{Collection, CollectionEntry, CollectionQuery};
pub use engine::{Engine, IndexReport, Kept, MOST_HITS, Parts};
pub use error::{EngineError, ErrorKind};
pub use export::{Exported, FileChunks};
pub use git::{GitError, Head, Repository};
pub use go_module::GoModule;
pub use grep::request::{Case, GrepAnswer, GrepMatch, GrepRequest};
pub use grep::spans::MatchSpans;
pub use groma_core as core;
pub use groma_syntax as syntax;
pub use index::pipeline::{PIPELINE_VERSION, ParseTrouble};
pub use index::progress::{Cancel, Observer, Progress, StageTimes};
pub use index::walk::WalkOptions;
pub use jobs::{Job, JobError, JobRequest, Jobs};
pub use languages::has_language;
pub use locate::{
    Definition, Enclosing, LocateAnswer, LocateRequest, NameMatch, Place, Relation, Usage,
    UsageKind,
};
pub use notebook::access_score;
pub use outline::{Outline, ResolvedImport};
pub use query::plan::{Intent, Plan, Wants};
pub use query::ranking::Ranking;
pub use query::request::{
    Context, FURTHER_PLACES, Hit, HitSymbol, MatchType, SearchAnswer, SearchMode, SearchRequest,
    Stage,
};
pub use query::scope::Scope;
pub use query::{Analysis, Boost, FoundBy, FurtherFile, FurtherPlace};
pub use read::{Dependency, FileView, ReadRequest, Refusal};
pub use refs::{Meaning, Target, View};
pub use status::{LanguageCount, Readiness, Standing, Statistics, Status};
