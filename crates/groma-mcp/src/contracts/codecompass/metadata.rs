//! The metadata of an answer: the state of the index.

use groma_core::{JobRecord, JobState};
use groma_engine::{Job, Readiness};
use serde_json::{Map, Value, json};

/// The version of the contract's protocol.
const PROTOCOL: &str = "1.0";

/// How the index compares with the files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Freshness {
    /// It matches the files.
    Fresh,
    /// Files have changed since, or there is no index.
    Stale,
    /// It is being brought up to date.
    Syncing,
}

/// The state of an index.
#[derive(Clone, Debug)]
pub struct IndexState {
    /// Whether there is an index to answer from.
    pub readiness: Readiness,
    /// The running job.
    pub active: Option<Job>,
    /// A process is writing the index, with or without a job.
    pub is_written: bool,
    /// The last job.
    pub last: Option<JobRecord>,
}

impl IndexState {
    /// The state of a project or a ref that was never indexed.
    pub fn missing() -> Self {
        Self { readiness: Readiness::Missing, active: None, is_written: false, last: None }
    }

    /// `indexing_status`.
    pub fn indexing(&self) -> &'static str {
        let went_wrong =
            |job: &JobRecord| matches!(job.state, JobState::Failed | JobState::Interrupted);
        match (&self.active, &self.readiness) {
            (Some(_), _) => "indexing",
            (None, Readiness::Ready) => "ready",
            // Whatever happened to the last job, another run has begun.
            (None, _) if self.is_written => "indexing",
            (None, _) if self.last.as_ref().is_some_and(went_wrong) => "failed",
            (None, _) => "not_indexed",
        }
    }

    /// `schema_status`.
    pub fn schema(&self) -> &'static str {
        match self.readiness {
            Readiness::Ready => "compatible",
            Readiness::Missing => "not_indexed",
            Readiness::Outdated => "reindex_required",
            Readiness::Damaged(_) => "corrupt_manifest",
        }
    }

    /// Whether every file is indexed.
    fn is_whole(&self) -> bool {
        self.readiness.is_ready() && self.active.is_none()
    }
}

/// The metadata of an answer.
#[derive(Clone, Debug)]
pub struct Metadata {
    freshness: Freshness,
    indexing: &'static str,
    completeness: &'static str,
    reference: String,
    schema: &'static str,
    /// Deviations from what was requested.
    pub warnings: Vec<String>,
}

impl Metadata {
    /// The metadata of an answer from an index in this state.
    pub fn new(state: &IndexState, freshness: Freshness, reference: &str) -> Self {
        Self {
            freshness,
            indexing: state.indexing(),
            completeness: if state.is_whole() { "complete" } else { "partial" },
            reference: reference.to_string(),
            schema: state.schema(),
            warnings: Vec::new(),
        }
    }

    /// The metadata for a workspace that is not a project.
    pub fn missing() -> Self {
        Self::new(&IndexState::missing(), Freshness::Stale, "live")
    }

    /// Results may be missing because indexing is not complete.
    pub fn partial(self) -> Self {
        Self { completeness: "partial", ..self }
    }

    /// Results were omitted to keep within the size limit.
    pub fn truncated(self) -> Self {
        Self { completeness: "truncated", ..self }
    }

    /// The JSON of the answer.
    pub fn value(&self) -> Value {
        let freshness = match self.freshness {
            Freshness::Fresh => "fresh",
            Freshness::Stale => "stale",
            Freshness::Syncing => "syncing",
        };
        let mut fields = Map::new();
        let mut add = |name: &str, value: Value| fields.insert(name.into(), value);
        add("codecompass_protocol_version", PROTOCOL.into());
        add("freshness_status", freshness.into());
        add("indexing_status", self.indexing.into());
        add("result_completeness", self.completeness.into());
        add("ref", self.reference.as_str().into());
        add("schema_status", self.schema.into());
        if self.completeness == "truncated" {
            add("safety_limit_applied", true.into());
        }
        if !self.warnings.is_empty() {
            add("warnings", json!(self.warnings));
        }
        Value::Object(fields)
    }
}
