//! Questions to what a project knows, and their answers.

use groma_core::{Discovery, DiscoveryKind, SessionRecord};
use groma_search::{Hit, SearchError, SearchRequest};
use std::time::{Duration, SystemTime};

/// Maximum number of results.
const MAX_RESULTS: usize = 100;

/// What kind of answer is wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Seek {
    /// Any.
    #[default]
    All,
    /// Discoveries, of one kind or of any.
    Discoveries(Option<DiscoveryKind>),
    /// Sessions.
    Sessions,
    /// Places in code.
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

/// A question to what a project knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecallRequest {
    /// The question.
    pub query: String,
    /// What kind of answer is wanted.
    pub seek: Seek,
    /// Only what is about this module, whatever its case.
    pub module: Option<String>,
    /// Most results.
    pub limit: usize,
    /// The connection that asks: its own session is no answer, and the module it works in comes first.
    pub connection: Option<String>,
}

impl RecallRequest {
    /// A question with the defaults.
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

    /// Whether code may answer.
    pub fn wants_code(&self) -> bool {
        matches!(self.seek, Seek::All | Seek::Code)
    }
}

/// What was recalled.
#[derive(Clone, Debug)]
pub enum Recalled {
    /// A discovery.
    Discovery(Discovery),
    /// A session.
    Session(SessionRecord),
    /// A place in code.
    Code {
        /// The place.
        hit: Box<Hit>,
        /// When its file was changed.
        modified: SystemTime,
        /// The part of the project it belongs to.
        module: Option<String>,
    },
}

impl Recalled {
    /// The part of the project it is about.
    pub fn module(&self) -> Option<&str> {
        match self {
            Self::Discovery(discovery) => discovery.module.as_deref(),
            Self::Session(_) => None,
            Self::Code { module, .. } => module.as_deref(),
        }
    }
}

/// The answer to a question.
#[derive(Clone, Debug, Default)]
pub struct RecallAnswer {
    /// What was recalled with how well it answers, 0..1, best first.
    pub results: Vec<(f32, Recalled)>,
    /// How many answers there were in all.
    pub found: usize,
    /// Whether nothing is known at all: no file, no discovery, no session.
    pub knows_nothing: bool,
    /// Why there were no vectors, where there should have been.
    pub embed_failure: Option<String>,
    /// How long it took.
    pub duration: Duration,
    /// What the reader should know.
    pub notes: Vec<String>,
}
