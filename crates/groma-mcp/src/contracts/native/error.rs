//! Errors of the native surface.
//!
//! Wrong arguments are protocol errors. Every other error is part of the answer and says what to do next, because
//! clients show a model no more of a protocol error than its code.

use crate::arguments::ArgumentError;
use crate::host::HostError;
use crate::surface::{Answer, ProtocolError};
use groma_core::with_causes;
use groma_engine::{EngineError, ErrorKind};
use serde_json::json;

/// Why a call failed.
pub enum Error {
    /// An argument is wrong.
    Argument {
        /// Which one.
        parameter: String,
        /// What is wrong, and what is allowed.
        reason: String,
    },
    /// An error that the model should read.
    Message(String),
}

impl Error {
    /// A wrong argument that the check of its kind lets through.
    pub fn argument(parameter: &str, reason: impl std::fmt::Display) -> Self {
        Self::Argument {
            parameter: parameter.to_string(),
            reason: format!("`{parameter}`: {reason}"),
        }
    }

    /// The answer to the call.
    pub fn answer(self) -> Result<Answer, ProtocolError> {
        match self {
            Self::Argument { parameter, reason } => Err(ProtocolError::invalid_params(
                format!("Invalid params: {reason}"),
                Some(json!({ "param": parameter, "reason": reason })),
            )),
            Self::Message(text) => Ok(Answer::text(text).failed()),
        }
    }
}

impl From<ArgumentError> for Error {
    fn from(error: ArgumentError) -> Self {
        let reason = error.to_string();
        Self::Argument { parameter: error.parameter, reason }
    }
}

impl From<EngineError> for Error {
    fn from(error: EngineError) -> Self {
        Self::from(&error)
    }
}

impl From<&EngineError> for Error {
    fn from(error: &EngineError) -> Self {
        match error {
            EngineError::Invalid { parameter, reason } => Self::Argument {
                parameter: parameter.to_string(),
                reason: format!("`{parameter}` {reason}"),
            },
            _ => Self::Message(format!("{}{}", with_causes(error), advice(error.kind()))),
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
            HostError::Engine(error) => error.into(),
            other => Self::Message(other.to_string()),
        }
    }
}

fn advice(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::Busy => ". Try again in a moment.",
        ErrorKind::Damaged => ". `groma index --force` in a terminal rebuilds the index.",
        ErrorKind::NotFound => ". Name an existing folder with `project`.",
        ErrorKind::Internal => ". Run `groma doctor` in a terminal to find the cause.",
        ErrorKind::Input | ErrorKind::Cancelled => "",
    }
}
