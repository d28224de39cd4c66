//! The shapes of answers and errors.
//!
//! A list is one text block for each element, and an array as structured content; an object is one block and itself.
//! An error has the shape of the tool: an array of one object with no results, an object, or `success: false`.

use crate::arguments::ArgumentError;
use crate::host::HostError;
use crate::metrics::{FAILED, INVALID_PARAMS, NOT_FOUND};
use crate::surface::Answer;
use groma_core::with_causes;
use groma_engine::{EngineError, ErrorKind};
use serde_json::{Value, json};
use std::path::PathBuf;

/// A list.
pub fn list(elements: Vec<Value>) -> Answer {
    let blocks = elements.iter().map(|element| format!("{element:#}")).collect();
    let structured = Some(json!({ "result": elements }));
    Answer { blocks, structured, ..Answer::default() }
}

/// An object.
pub fn object(value: Value) -> Answer {
    Answer { structured: Some(value.clone()), ..Answer::text(format!("{value:#}")) }
}

/// Why a call failed.
#[derive(Debug)]
pub enum Error {
    /// An argument violates the schema.
    Argument(ArgumentError),
    /// An error that is part of the answer.
    Message(Message),
}

/// An error that is part of the answer.
#[derive(Debug)]
pub struct Message {
    /// A short, stable title.
    error: String,
    /// Details, and what to do.
    message: String,
    /// Further fields.
    details: Vec<(&'static str, Option<String>)>,
}

/// The title of an ambiguous name.
const COLLISION: &str = "Index name collision";

impl Error {
    /// An error that is part of the answer.
    pub fn message(error: impl Into<String>, message: impl Into<String>) -> Self {
        Self::Message(Message { error: error.into(), message: message.into(), details: Vec::new() })
    }

    /// There is no such index; `project` is the client's root and the default name of its index.
    pub fn not_found(message: impl Into<String>, project: Option<(PathBuf, String)>) -> Self {
        let (path, name) = project.unzip();
        let path = path.map(|path| path.to_string_lossy().into_owned());
        Self::Message(Message {
            error: "Index not found".into(),
            message: message.into(),
            details: vec![("detected_path", path), ("suggested_index_name", name)],
        })
    }

    /// A name is ambiguous.
    pub fn collision(message: impl Into<String>) -> Self {
        Self::message(COLLISION, message)
    }

    /// A value that fits the schema and is rejected.
    pub fn invalid(parameter: &str, reason: impl std::fmt::Display) -> Self {
        Self::message(format!("Invalid {parameter}"), format!("{parameter} {reason}"))
    }

    /// The same error as the cause of a failed operation.
    pub fn during(self, work: &str) -> Self {
        match self {
            Self::Message(cause) => Self::message(work, format!("{work}: {}", cause.sentence())),
            argument => argument,
        }
    }

    /// The error in one sentence.
    pub fn sentence(&self) -> String {
        match self {
            Self::Message(message) => message.sentence(),
            Self::Argument(error) => error.to_string(),
        }
    }
}

impl Message {
    /// An answer that is a list, without results.
    pub fn list(&self) -> Answer {
        let mut entry = self.entry();
        entry["results"] = json!([]);
        list(vec![entry]).with_error(self.kind())
    }

    /// An answer that is an object.
    pub fn object(&self) -> Answer {
        object(self.entry()).with_error(self.kind())
    }

    /// An answer that says whether the call succeeded.
    pub fn status(&self) -> Answer {
        object(json!({ "success": false, "error": self.sentence() })).with_error(self.kind())
    }

    /// The type of the error, for the metrics.
    fn kind(&self) -> &'static str {
        match &*self.error {
            title if title.ends_with("not found") => NOT_FOUND,
            title if title.starts_with("Invalid") => INVALID_PARAMS,
            "Symbol filter error" => INVALID_PARAMS,
            _ => FAILED,
        }
    }

    fn entry(&self) -> Value {
        let mut entry = json!({ "error": self.error, "message": self.message });
        for (name, value) in &self.details {
            entry[*name] = json!(value);
        }
        entry
    }

    fn sentence(&self) -> String {
        if self.error == COLLISION {
            format!("{COLLISION}: {}", self.message)
        } else {
            self.message.clone()
        }
    }
}

/// The answer to a call with a wrong argument.
pub fn invalid_argument(tool: &str, error: &ArgumentError) -> Answer {
    Answer::text(format!("Error executing tool {tool}: {error}"))
        .failed()
        .with_error(INVALID_PARAMS)
}

impl From<ArgumentError> for Error {
    fn from(error: ArgumentError) -> Self {
        Self::Argument(error)
    }
}

impl From<EngineError> for Error {
    fn from(error: EngineError) -> Self {
        if let EngineError::Invalid { parameter, reason } = &error {
            return Self::invalid(parameter, reason);
        }
        let (kind, next) = match error.kind() {
            ErrorKind::Busy => ("Index busy", ". Try again in a moment"),
            ErrorKind::Damaged => ("Index damaged", ". clear_index and index_codebase rebuild it"),
            ErrorKind::NotFound => ("Project folder not found", ""),
            ErrorKind::Cancelled => ("Cancelled", ""),
            ErrorKind::Internal => {
                ("Index failed", ". `groma doctor` in a terminal looks for the cause")
            }
            ErrorKind::Input => ("Invalid request", ""),
        };
        Self::message(kind, format!("{}{next}", with_causes(&error)))
    }
}

impl From<HostError> for Error {
    fn from(error: HostError) -> Self {
        match error {
            HostError::Engine(error) => error.into(),
            HostError::NotFound { message } => Self::message("Project folder not found", message),
            HostError::Refused { message } | HostError::Failed { message } => {
                Self::message("Index failed", message)
            }
        }
    }
}
