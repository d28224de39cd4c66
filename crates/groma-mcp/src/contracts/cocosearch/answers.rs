//! The shapes of answers, and of what stands in their way.
//!
//! A list is one text block for each element and an array in the structured form; an object is one block and itself.
//! Trouble takes the shape of the tool: an array of one object with no results, an object, or `success: false`.

use crate::arguments::Complaint;
use crate::host::HostError;
use crate::surface::{Answer, Fault};
use groma_engine::core::with_causes;
use groma_engine::{EngineError, ErrorKind};
use serde_json::{Value, json};
use std::path::PathBuf;

/// A list, as this contract's clients read it.
pub fn list(elements: Vec<Value>) -> Answer {
    let blocks = elements.iter().map(|element| format!("{element:#}")).collect();
    Answer { blocks, structured: Some(json!({ "result": elements })), is_error: false }
}

/// An object.
pub fn object(value: Value) -> Answer {
    Answer { structured: Some(value.clone()), ..Answer::text(format!("{value:#}")) }
}

/// What stands in the way of an answer.
#[derive(Debug)]
pub enum Trouble {
    /// An argument does not fit the schema.
    Argument(Complaint),
    /// Something to be told in the answer.
    Told(Told),
}

/// Something to be told in an answer.
#[derive(Debug)]
pub struct Told {
    /// What it is, in a few words that stay the same.
    error: String,
    /// More, and what to do.
    message: String,
    /// What a program can read besides.
    details: Vec<(&'static str, Option<String>)>,
}

/// The error of a name that could mean several projects.
const COLLISION: &str = "Index name collision";

impl Trouble {
    /// Something to be told.
    pub fn told(error: impl Into<String>, message: impl Into<String>) -> Self {
        Self::Told(Told { error: error.into(), message: message.into(), details: Vec::new() })
    }

    /// There is no such index; `project` is where the client works, and what an index of it would be called.
    pub fn not_found(message: impl Into<String>, project: Option<(PathBuf, String)>) -> Self {
        let (path, name) = project.unzip();
        let path = path.map(|path| path.to_string_lossy().into_owned());
        Self::Told(Told {
            error: "Index not found".into(),
            message: message.into(),
            details: vec![("detected_path", path), ("suggested_index_name", name)],
        })
    }

    /// A name could mean several projects.
    pub fn collision(message: impl Into<String>) -> Self {
        Self::told(COLLISION, message)
    }

    /// A value that fits the schema and cannot be used.
    pub fn invalid(parameter: &str, reason: impl std::fmt::Display) -> Self {
        Self::told(format!("Invalid {parameter}"), format!("{parameter} {reason}"))
    }

    /// The same, said of something larger that failed.
    pub fn during(self, work: &str) -> Self {
        match self {
            Self::Told(told) => Self::told(work, format!("{work}: {}", told.sentence())),
            argument => argument,
        }
    }

    /// What is wrong, in one sentence.
    pub fn reason(&self) -> String {
        match self {
            Self::Told(told) => told.sentence(),
            Self::Argument(complaint) => complaint.to_string(),
        }
    }

    /// The answer of a tool that ran into it.
    pub fn answer(self, tool: &str) -> Result<Answer, Fault> {
        let told = match self {
            Self::Told(told) => told,
            Self::Argument(complaint) => return Err(fault(&complaint)),
        };
        Ok(match tool {
            "search_code" => {
                let mut entry = told.entry();
                entry["results"] = json!([]);
                list(vec![entry])
            }
            "analyze_query" => object(told.entry()),
            _ => object(json!({ "success": false, "error": told.sentence() })),
        })
    }
}

impl Told {
    fn entry(&self) -> Value {
        let mut entry = json!({ "error": self.error, "message": self.message });
        for (name, value) in &self.details {
            entry[*name] = json!(value);
        }
        entry
    }

    fn sentence(&self) -> String {
        match self.error == COLLISION {
            true => format!("{COLLISION}: {}", self.message),
            false => self.message.clone(),
        }
    }
}

fn fault(complaint: &Complaint) -> Fault {
    let reason = complaint.to_string();
    let data = json!({ "param": complaint.parameter, "reason": reason });
    Fault::invalid_params(format!("Invalid params: {reason}"), Some(data))
}

impl From<Complaint> for Trouble {
    fn from(complaint: Complaint) -> Self {
        Self::Argument(complaint)
    }
}

impl From<EngineError> for Trouble {
    fn from(error: EngineError) -> Self {
        if let EngineError::Invalid { parameter, reason } = &error {
            return Self::invalid(parameter, reason);
        }
        let (kind, next) = match error.kind() {
            ErrorKind::Busy => ("Index busy", ". Try again in a moment"),
            ErrorKind::Damaged => {
                ("Index damaged", ". clear_index and index_codebase make it anew")
            }
            ErrorKind::NotFound => ("Project folder not found", ""),
            ErrorKind::Cancelled => ("Cancelled", ""),
            ErrorKind::Internal => {
                ("Index failed", ". `groma doctor` in a terminal looks for the cause")
            }
            ErrorKind::Input => ("Invalid request", ""),
        };
        Self::told(kind, format!("{}{next}", with_causes(&error)))
    }
}

impl From<HostError> for Trouble {
    fn from(error: HostError) -> Self {
        match error {
            HostError::Engine(error) => error.into(),
            HostError::NotFound { message } => Self::told("Project folder not found", message),
            HostError::Refused { message } | HostError::Failed { message } => {
                Self::told("Index failed", message)
            }
        }
    }
}
