//! Errors in the contract's words: always in the result, as one JSON text block with `isError`.

use crate::arguments::{ArgumentError, Problem};
use crate::host::HostError;
use crate::metrics::{FAILED, INVALID_PARAMS, NOT_FOUND, RATE_LIMITED, UNKNOWN_TOOL};
use crate::parameter::Kind;
use crate::surface::Answer;
use groma_core::with_causes;
use groma_engine::{EngineError, ReadRefusal as Refusal};
use serde_json::{Value, json};

/// How the error of a call over a limit begins.
const RATE_LIMIT: &str = "Rate limit exceeded";

/// Why a call failed: the content of the text block.
#[derive(Debug, PartialEq)]
pub struct Error(Value);

impl Error {
    /// One of the contract's own errors.
    pub fn of(error: Value) -> Self {
        Self(error)
    }

    /// Any other error: a message, and the tool.
    pub fn message(message: impl Into<String>, tool: &str) -> Self {
        Self(json!({ "error": message.into(), "tool": tool }))
    }

    /// A call over the limit of its tool.
    pub fn rate_limit(tool: &str) -> Self {
        Self::message(format!("{RATE_LIMIT} for {tool}"), tool)
    }

    /// Wrong arguments, with all errors.
    pub fn arguments(errors: &[ArgumentError]) -> Self {
        if let [one] = errors
            && one.parameter == "query"
            && is_too_short(one)
        {
            return Self(json!({ "error": "Query must be at least 3 characters" }));
        }
        let details: Vec<Value> = errors.iter().map(issue).collect();
        Self(json!({ "error": "Invalid parameters", "details": details }))
    }

    /// An argument that the engine rejected.
    pub fn argument(parameter: &str, reason: &str) -> Self {
        let issue = json!({ "code": "custom", "message": reason, "path": [parameter] });
        Self(json!({ "error": "Invalid parameters", "details": [issue] }))
    }

    /// A file that could not be read.
    pub fn reading(error: EngineError) -> Self {
        let tool = "read_file";
        match error {
            EngineError::FileNotFound { path, .. } => {
                Self(json!({ "error": "File not found", "path": path }))
            }
            EngineError::Refused { path, refusal } => refused(&path, &refusal),
            EngineError::Invalid { parameter, reason } => Self::argument(parameter, &reason),
            other => Self::message(with_causes(&other), tool),
        }
    }

    /// A search that failed.
    pub fn searching(error: &EngineError) -> Self {
        Self(json!({
            "error": "Search failed",
            "message": with_causes(error),
            "fallback": "Try using grep_codebase for text search",
        }))
    }

    /// A project that cannot be opened.
    pub fn project(error: &HostError, tool: &str) -> Self {
        Self::message(with_causes(error), tool)
    }

    /// The answer to the call.
    pub fn answer(self) -> Answer {
        let kind = self.kind();
        Answer::json(&self.0).failed().with_error(kind)
    }

    /// The type of the error, for the metrics.
    fn kind(&self) -> &'static str {
        match self.0["error"].as_str().unwrap_or_default() {
            "Invalid parameters"
            | "Query must be at least 3 characters"
            | "Invalid regex pattern" => INVALID_PARAMS,
            "File not found" | "Not a file" => NOT_FOUND,
            "Permission denied" | "Absolute paths not allowed" | "Path traversal not allowed" => {
                "permission"
            }
            "Failed to parse imports" => "parse",
            "Failed to generate query embedding" => "embedding",
            text if text.starts_with("No embeddings") => "embedding",
            text if text.starts_with(RATE_LIMIT) => RATE_LIMITED,
            text if text.starts_with("Unknown tool") => UNKNOWN_TOOL,
            _ => FAILED,
        }
    }
}

fn refused(path: &str, refusal: &Refusal) -> Error {
    let error = match refusal {
        Refusal::Absolute => return Error::message("Absolute paths not allowed", "read_file"),
        Refusal::Traversal => return Error::message("Path traversal not allowed", "read_file"),
        Refusal::Sensitive | Refusal::Ignored { .. } | Refusal::Unreadable { .. } => {
            "Permission denied"
        }
        Refusal::TooLarge { .. } => "File too large",
        Refusal::Binary => "Not a text file",
        Refusal::NotAFile => "Not a file",
    };
    match refusal {
        Refusal::Sensitive => Error(json!({ "error": error, "path": path })),
        other => Error(json!({ "error": error, "path": path, "details": other.to_string() })),
    }
}

fn is_too_short(error: &ArgumentError) -> bool {
    let query = error.value.as_deref().and_then(Value::as_str);
    let length = query.map(|query| query.chars().count());
    matches!(error.problem, Problem::NotAllowed { .. }) && length.is_some_and(|length| length < 3)
}

/// An argument error in the words of the contract's validator.
fn issue(error: &ArgumentError) -> Value {
    let name = &*error.parameter;
    let (kind, given) = (error.kind, error.value.as_deref());
    match (&error.problem, kind, given) {
        (Problem::NotAllowed { .. }, Some(Kind::Text { shortest, longest }), Some(given)) => {
            let length = given.as_str().map_or(0, |text| text.chars().count());
            bound(name, "string", length < shortest, (json!(shortest), json!(longest)))
        }
        (Problem::NotAllowed { .. }, Some(Kind::Integer { least, most }), Some(given)) => {
            let small = given.as_f64().is_some_and(|number| number < least as f64);
            bound(name, "number", small, (json!(least), json!(most)))
        }
        (Problem::NotAllowed { .. }, Some(Kind::Choice(choices)), Some(given)) => {
            let options: Vec<String> = choices.iter().map(|choice| format!("'{choice}'")).collect();
            let received = given.as_str().unwrap_or_default();
            json!({
                "received": received,
                "code": "invalid_enum_value",
                "options": choices,
                "path": [name],
                "message": format!("Invalid enum value. Expected {}, received '{received}'", options.join(" | ")),
            })
        }
        _ => wrong_type(name, kind, given),
    }
}

fn bound(name: &str, kind: &str, small: bool, (least, most): (Value, Value)) -> Value {
    let limit = if small { &least } else { &most };
    let message = match (kind, small) {
        ("string", true) => format!("String must contain at least {limit} character(s)"),
        ("string", false) => format!("String must contain at most {limit} character(s)"),
        (_, true) => format!("Number must be greater than or equal to {limit}"),
        (_, false) => format!("Number must be less than or equal to {limit}"),
    };
    let (code, side) = if small { ("too_small", "minimum") } else { ("too_big", "maximum") };
    json!({
        "code": code, side: limit, "type": kind, "inclusive": true, "exact": false,
        "message": message, "path": [name],
    })
}

fn wrong_type(name: &str, kind: Option<Kind>, given: Option<&Value>) -> Value {
    let is_fraction =
        matches!(kind, Some(Kind::Integer { .. })) && given.is_some_and(Value::is_number);
    let expected = match kind {
        Some(Kind::Integer { .. }) if is_fraction => "integer",
        Some(Kind::Integer { .. }) => "number",
        Some(Kind::Flag) => "boolean",
        _ => "string",
    };
    let received = match given {
        None => "undefined",
        Some(Value::Null) => "null",
        Some(Value::Bool(_)) => "boolean",
        Some(Value::Number(_)) if is_fraction => "float",
        Some(Value::Number(_)) => "number",
        Some(Value::String(_)) => "string",
        Some(Value::Array(_)) => "array",
        Some(Value::Object(_)) => "object",
    };
    let message = match given {
        None => "Required".to_string(),
        Some(_) => format!("Expected {expected}, received {received}"),
    };
    json!({
        "code": "invalid_type", "expected": expected, "received": received,
        "path": [name], "message": message,
    })
}
