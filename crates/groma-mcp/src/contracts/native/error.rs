//! Errors of the native surface: results with `isError`, which say what to do next.
//!
//! Wrong arguments, too (revision 2025-11-25 asks for it): of a protocol error, clients show a model no more than its
//! code, and it cannot correct itself.

use crate::arguments::ArgumentError;
use crate::host::HostError;
use crate::metrics::{FAILED, INTERNAL, INVALID_PARAMS, NOT_FOUND};
use crate::surface::Answer;
use groma_core::with_causes;
use groma_engine::{EngineError, ErrorKind};

/// Why a call failed, for the model to read.
pub struct Error {
    text: String,
    /// The type of the error, for the metrics.
    kind: &'static str,
}

impl Error {
    /// An error in these words.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), kind: FAILED }
    }

    /// Wrong arguments, in these words.
    pub fn invalid(text: impl Into<String>) -> Self {
        Self { text: text.into(), kind: INVALID_PARAMS }
    }

    /// A wrong argument that the check of its kind lets through.
    pub fn argument(parameter: &str, reason: impl std::fmt::Display) -> Self {
        Self::invalid(format!("`{parameter}`: {reason}"))
    }

    /// The answer to the call.
    pub fn answer(self) -> Answer {
        Answer::text(self.text).failed().with_error(self.kind)
    }
}

impl From<ArgumentError> for Error {
    fn from(error: ArgumentError) -> Self {
        Self::invalid(error.to_string())
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
            EngineError::Invalid { parameter, reason } => {
                Self::invalid(format!("`{parameter}` {reason}"))
            }
            _ => {
                let text = format!("{}{}", with_causes(error), advice(error.kind()));
                Self { text, kind: counted_as(error.kind()) }
            }
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
            HostError::NotFound { .. } => Self { text: error.to_string(), kind: NOT_FOUND },
            HostError::Refused { .. } | HostError::Failed { .. } => Self::new(error.to_string()),
        }
    }
}

/// The type of an error, for the metrics.
fn counted_as(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::Input => INVALID_PARAMS,
        ErrorKind::NotFound => NOT_FOUND,
        ErrorKind::Busy => "busy",
        ErrorKind::Damaged => "damaged",
        ErrorKind::Internal => INTERNAL,
        ErrorKind::Cancelled => "cancelled",
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
