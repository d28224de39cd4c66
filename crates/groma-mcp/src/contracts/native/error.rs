//! Errors of the native surface: results with `isError`, which say what to do next.
//!
//! Wrong arguments, too (revision 2025-11-25 asks for it): of a protocol error, clients show a model no more than its
//! code, and it cannot correct itself.

use crate::arguments::ArgumentError;
use crate::host::HostError;
use crate::surface::Answer;
use groma_core::with_causes;
use groma_engine::{EngineError, ErrorKind};

/// Why a call failed, for the model to read.
pub struct Error(String);

impl Error {
    /// An error in these words.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// A wrong argument that the check of its kind lets through.
    pub fn argument(parameter: &str, reason: impl std::fmt::Display) -> Self {
        Self(format!("`{parameter}`: {reason}"))
    }

    /// The answer to the call.
    pub fn answer(self) -> Answer {
        Answer::text(self.0).failed()
    }
}

impl From<ArgumentError> for Error {
    fn from(error: ArgumentError) -> Self {
        Self(error.to_string())
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
            EngineError::Invalid { parameter, reason } => Self(format!("`{parameter}` {reason}")),
            _ => Self(format!("{}{}", with_causes(error), advice(error.kind()))),
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
            other => Self(other.to_string()),
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
