//! Errors of a call: in this contract an ordinary answer with `error` beside `metadata`.

use super::codes::{Code, Entry};
use super::metadata::Metadata;
use crate::arguments::ArgumentError;
use crate::host::HostError;
use groma_core::{JobTask, with_causes};
use groma_engine::{EngineError, ErrorKind, JobError};
use serde_json::{Value, json};

/// Why a call failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    code: Code,
    details: String,
    remediation: Option<String>,
}

impl Error {
    /// An error with its details.
    pub fn new(code: Code, details: impl Into<String>) -> Self {
        Self { code, details: details.into(), remediation: None }
    }

    /// Replaces the remediation of the registry.
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

    /// The error of a tool of this task that could not start its job.
    pub fn of_job(error: JobError, task: JobTask) -> Self {
        let job = match error {
            JobError::Running(job) => job,
            JobError::Thread(_) => return Self::new(Code::InternalError, with_causes(&error)),
            JobError::Engine(error) => return error.into(),
        };
        let is_sync = job.as_ref().is_some_and(|job| job.record.task == JobTask::Update);
        let code = match task {
            JobTask::Update if is_sync => Code::SyncInProgress,
            _ => Code::IndexInProgress,
        };
        let details = match job {
            Some(job) => format!("job {} is {}", job.record.id, job.record.state),
            None => "another process has just begun".into(),
        };
        Self::new(code, details)
    }
}

impl From<ArgumentError> for Error {
    fn from(error: ArgumentError) -> Self {
        Self::new(Code::InvalidInput, error.to_string())
    }
}

impl From<EngineError> for Error {
    fn from(error: EngineError) -> Self {
        Self::of(&error)
    }
}

impl Error {
    fn of(error: &EngineError) -> Self {
        match error {
            EngineError::Shared(error) => Self::of(error),
            // Another process cleared the index meanwhile.
            EngineError::Invalid { parameter: "project", .. } => {
                Self::new(Code::IndexNotReady, "the index was cleared meanwhile")
            }
            EngineError::Invalid { parameter, reason } => {
                Self::new(Code::InvalidInput, format!("`{parameter}` {reason}"))
            }
            EngineError::Ref { .. } => Self::new(Code::RefNotIndexed, error.to_string()),
            _ if error.is_project_missing() => Self::new(Code::ProjectNotFound, with_causes(error)),
            _ => match error.kind() {
                ErrorKind::Busy => Self::new(Code::IndexInProgress, error.to_string()),
                ErrorKind::Damaged => Self::new(Code::IndexIncompatible, error.to_string()),
                _ => Self::new(Code::InternalError, with_causes(error)),
            },
        }
    }
}

impl From<HostError> for Error {
    fn from(error: HostError) -> Self {
        Self::from(&error)
    }
}

impl From<&HostError> for Error {
    fn from(error: &HostError) -> Self {
        match error {
            HostError::NotFound { message } | HostError::Refused { message } => {
                Self::new(Code::ProjectNotFound, message)
            }
            HostError::Engine(error) => Self::of(error),
            HostError::Failed { message } => Self::new(Code::InternalError, message),
        }
    }
}
