//! What can go wrong on the native surface, and how it is said.
//!
//! Wrong arguments are errors of the protocol; whatever else goes wrong is told to the model in the answer, with
//! what to do next, because clients show a model nothing of the protocol's errors but a code.

use crate::arguments::Complaint;
use crate::host::HostError;
use crate::surface::{Answer, Fault};
use groma_engine::core::with_causes;
use groma_engine::{EngineError, ErrorKind};
use serde_json::json;

/// What went wrong.
pub enum Trouble {
    /// An argument is wrong.
    Argument {
        /// Which one.
        parameter: String,
        /// What is wrong, and what is allowed.
        reason: String,
    },
    /// Something the model should read.
    Told(String),
}

impl Trouble {
    /// The answer to a call that ran into it.
    pub fn answer(self) -> Result<Answer, Fault> {
        match self {
            Self::Argument { parameter, reason } => Err(Fault::invalid_params(
                format!("Invalid params: {reason}"),
                Some(json!({ "param": parameter, "reason": reason })),
            )),
            Self::Told(text) => Ok(Answer::text(text).failed()),
        }
    }
}

impl From<Complaint> for Trouble {
    fn from(complaint: Complaint) -> Self {
        let reason = complaint.to_string();
        Self::Argument { parameter: complaint.parameter, reason }
    }
}

impl From<EngineError> for Trouble {
    fn from(error: EngineError) -> Self {
        match &error {
            EngineError::Invalid { parameter, reason } => Self::Argument {
                parameter: parameter.to_string(),
                reason: format!("`{parameter}` {reason}"),
            },
            _ => Self::Told(format!("{}{}", with_causes(&error), advice(error.kind()))),
        }
    }
}

impl From<HostError> for Trouble {
    fn from(error: HostError) -> Self {
        match error {
            HostError::Engine(error) => error.into(),
            other => Self::Told(other.to_string()),
        }
    }
}

fn advice(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::Busy => ". Try again in a moment.",
        ErrorKind::Damaged => ". index_codebase with force=true makes the index anew.",
        ErrorKind::NotFound => ". Name an existing folder with `project`.",
        ErrorKind::Internal => ". `groma doctor` in a terminal looks for the cause.",
        ErrorKind::Input | ErrorKind::Cancelled => "",
    }
}
