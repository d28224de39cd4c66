//! What went wrong with a call, as the contract tells it: an ordinary answer with `error` beside `metadata`.

use super::errors::{Code, Entry};
use super::metadata::Metadata;
use crate::arguments::Complaint;
use crate::host::HostError;
use groma_engine::WalkError;
use groma_engine::core::{JobTask, StoreErrorKind, with_causes};
use groma_engine::{EngineError, JobError};
use serde_json::{Value, json};

/// A call that was not answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    code: Code,
    details: String,
    remediation: Option<String>,
}

impl Failure {
    /// A failure with what is special about this one.
    pub fn new(code: Code, details: impl Into<String>) -> Self {
        Self { code, details: details.into(), remediation: None }
    }

    /// What to do about it, where the registry's advice is not the best.
    pub fn remedy(self, remediation: impl Into<String>) -> Self {
        Self { remediation: Some(remediation.into()), ..self }
    }

    /// The whole answer.
    pub fn answer(&self, metadata: &Metadata) -> Value {
        let Entry { code, message, remediation, .. } = self.code.entry();
        let remediation = self.remediation.as_deref().unwrap_or(remediation);
        json!({
            "error": {
                "code": code,
                "message": format!("{}: {}", message.trim_end_matches('.'), self.details),
                "data": { "details": self.details, "remediation": remediation },
            },
            "metadata": metadata.value(),
        })
    }

    /// A job that was not started by a tool of this task.
    pub fn of_job(error: JobError, task: JobTask) -> Self {
        let job = match error {
            JobError::Running(job) => job,
            JobError::Thread(_) => return Self::new(Code::InternalError, with_causes(&error)),
            JobError::Engine(error) => return error.into(),
        };
        let is_sync = job.as_ref().is_some_and(|job| job.record.task == JobTask::Sync);
        let code = match task {
            JobTask::Sync if is_sync => Code::SyncInProgress,
            _ => Code::IndexInProgress,
        };
        let details = match job {
            Some(job) => format!("job {} is {}", job.record.id, job.record.state),
            None => "another process has just begun".into(),
        };
        Self::new(code, details)
    }
}

impl From<Complaint> for Failure {
    fn from(complaint: Complaint) -> Self {
        Self::new(Code::InvalidInput, complaint.to_string())
    }
}

impl From<EngineError> for Failure {
    fn from(error: EngineError) -> Self {
        Self::of(&error)
    }
}

impl Failure {
    fn of(error: &EngineError) -> Self {
        match error {
            EngineError::Shared(error) => Self::of(error),
            // Its index was cleared between two looks at it.
            EngineError::Invalid { parameter: "project", .. } => {
                Self::new(Code::IndexNotReady, "the index was cleared meanwhile")
            }
            EngineError::Invalid { parameter, reason } => {
                Self::new(Code::InvalidInput, format!("`{parameter}` {reason}"))
            }
            EngineError::Ref { .. } => Self::new(Code::RefNotIndexed, error.to_string()),
            EngineError::Walk(
                WalkError::Missing { .. }
                | WalkError::NotAFolder { .. }
                | WalkError::Unreadable { .. },
            ) => Self::new(Code::ProjectNotFound, with_causes(error)),
            EngineError::Store(error) if error.is(StoreErrorKind::Busy) => {
                Self::new(Code::IndexInProgress, error.to_string())
            }
            EngineError::Store(error) if error.is(StoreErrorKind::Damaged) => {
                Self::new(Code::IndexIncompatible, error.to_string())
            }
            _ => Self::new(Code::InternalError, with_causes(error)),
        }
    }
}

impl From<HostError> for Failure {
    fn from(error: HostError) -> Self {
        match error {
            HostError::NotFound { message } | HostError::Refused { message } => {
                Self::new(Code::ProjectNotFound, message)
            }
            HostError::Engine(error) => error.into(),
            HostError::Failed { message } => Self::new(Code::InternalError, message),
        }
    }
}
