//! The boundary: one [`Engine`] for each project, plain requests in, plain answers out.
//!
//! Nothing here knows a protocol, a terminal or a storage format. Stores and embedders come in through the
//! traits of `groma-core`; the binary picks which.
#![deny(missing_docs)]
#![forbid(unsafe_code)]

mod cache;
mod engine;
mod error;
mod fresh;
pub mod index;
mod locate;
mod outline;
pub mod query;
mod read;
mod status;
mod suggest;
mod update;

pub use engine::{Engine, IndexReport, Parts};
pub use error::{EngineError, ErrorKind};
pub use groma_core as core;
pub use groma_syntax as syntax;
pub use index::pipeline::{PIPELINE_VERSION, ParseTrouble};
pub use index::progress::{Cancel, Observer, Progress, StageTimes};
pub use index::walk::WalkOptions;
pub use locate::{
    Definition, Enclosing, LocateAnswer, LocateRequest, NameMatch, Place, Relation, Usage,
    UsageKind,
};
pub use outline::{Outline, ResolvedImport};
pub use query::plan::{Intent, Plan, Wants};
pub use query::ranking::Ranking;
pub use query::request::{
    Context, Hit, HitSymbol, MatchType, SearchAnswer, SearchMode, SearchRequest, Stage,
};
pub use query::scope::Scope;
pub use read::{Dependency, FileView, ReadRequest, Refusal};
pub use status::{LanguageCount, Statistics, Status};
