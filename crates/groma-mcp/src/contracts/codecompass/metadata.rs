//! What every answer tells of the index behind it.

use groma_engine::core::{JobRecord, JobState};
use groma_engine::{Job, Readiness};
use serde_json::{Map, Value, json};

/// The version of the contract's protocol.
const PROTOCOL: &str = "1.0";

/// How the index compares with the files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Freshness {
    /// It is what the files are now.
    Fresh,
    /// Files changed since, or nothing is indexed.
    Stale,
    /// It is being brought up to date.
    Syncing,
}

/// How the index of a project stands.
#[derive(Clone, Debug)]
pub struct Standing {
    /// Whether there is an index to answer from.
    pub readiness: Readiness,
    /// The job that runs.
    pub active: Option<Job>,
    /// Some process writes the index, job or not.
    pub is_written: bool,
    /// The job started last.
    pub last: Option<JobRecord>,
}

impl Standing {
    /// Of a project, or a ref of it, that was never indexed.
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
            // Whatever became of the last job, somebody is at it again.
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

    /// Whether all that is to be indexed is.
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
    /// What was done otherwise than asked.
    pub warnings: Vec<String>,
}

impl Metadata {
    /// The metadata of an answer from an index that stands so.
    pub fn new(standing: &Standing, freshness: Freshness, reference: &str) -> Self {
        Self {
            freshness,
            indexing: standing.indexing(),
            completeness: if standing.is_whole() { "complete" } else { "partial" },
            reference: reference.to_string(),
            schema: standing.schema(),
            warnings: Vec::new(),
        }
    }

    /// Of a workspace that is no project.
    pub fn nowhere() -> Self {
        Self::new(&Standing::missing(), Freshness::Stale, "live")
    }

    /// Something is missing that is not indexed yet.
    pub fn partial(self) -> Self {
        Self { completeness: "partial", ..self }
    }

    /// Something had to be left out because an answer may not be larger.
    pub fn truncated(self) -> Self {
        Self { completeness: "truncated", ..self }
    }

    /// As it stands in the answer.
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
