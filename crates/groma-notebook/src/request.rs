//! Recall requests and their answers.

use groma_core::{Discovery, DiscoveryKind, SessionRecord};
use groma_search::{Hit, SearchError, SearchRequest};
use std::time::{Duration, SystemTime};

/// Maximum number of results.
const MAX_RESULTS: usize = 100;

/// The kinds of results to return.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Seek {
    /// All.
    #[default]
    All,
    /// Discoveries, of one kind or of all.
    Discoveries(Option<DiscoveryKind>),
    /// Sessions.
    Sessions,
    /// Code.
    Code,
}

impl Seek {
    pub(crate) fn wants_discoveries(self) -> bool {
        matches!(self, Self::All | Self::Discoveries(_))
    }

    pub(crate) fn admits(self, kind: DiscoveryKind) -> bool {
        match self {
            Self::Discoveries(Some(wanted)) => wanted == kind,
            other => other.wants_discoveries(),
        }
    }
}

/// A recall request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecallRequest {
    /// The question.
    pub query: String,
    /// The kinds of results to return.
    pub seek: Seek,
    /// Restricts results to this module, case-insensitively.
    pub module: Option<String>,
    /// Maximum number of results.
    pub limit: usize,
    /// The requesting connection: its own session is not returned, and its current module is boosted.
    pub connection: Option<String>,
}

impl RecallRequest {
    /// A request with the defaults.
    pub fn new(query: impl Into<String>) -> Self {
        Self { query: query.into(), seek: Seek::All, module: None, limit: 5, connection: None }
    }

    /// Validates the request.
    pub fn check(&self) -> Result<(), SearchError> {
        if self.limit == 0 || self.limit > MAX_RESULTS {
            return Err(SearchError::invalid("limit", format!("must be 1 to {MAX_RESULTS}")));
        }
        SearchRequest::new(self.query.clone()).check()
    }

    /// Whether code is wanted.
    pub fn wants_code(&self) -> bool {
        matches!(self.seek, Seek::All | Seek::Code)
    }
}

/// A result of recall.
#[derive(Clone, Debug)]
pub enum Recalled {
    /// A discovery.
    Discovery(Discovery),
    /// A session.
    Session(SessionRecord),
    /// A code hit.
    Code {
        /// The hit.
        hit: Box<Hit>,
        /// When its file was modified.
        modified: SystemTime,
        /// Its module.
        module: Option<String>,
    },
}

impl Recalled {
    /// Its module, if it belongs to one.
    pub fn module(&self) -> Option<&str> {
        match self {
            Self::Discovery(discovery) => discovery.module.as_deref(),
            Self::Session(_) => None,
            Self::Code { module, .. } => module.as_deref(),
        }
    }
}

/// The answer to a recall request.
#[derive(Clone, Debug, Default)]
pub struct RecallAnswer {
    /// The results with their scores, 0..1, best first.
    pub results: Vec<(f32, Recalled)>,
    /// The number of results before the limit.
    pub found: usize,
    /// Whether the project has no file, no discovery and no session.
    pub is_empty_project: bool,
    /// Why the embedder failed, if it did.
    pub embed_failure: Option<String>,
    /// How long it took.
    pub duration: Duration,
    /// Notes for the user.
    pub notes: Vec<String>,
}
