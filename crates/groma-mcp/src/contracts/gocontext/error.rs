//! Errors of this contract: protocol errors with the document's codes and messages.

use crate::arguments::{ArgumentError, Problem};
use crate::host::HostError;
use crate::parameter::Kind;
use crate::surface::ProtocolError;
use groma_core::with_causes;
use groma_engine::{EngineError, ErrorKind};
use serde_json::json;

/// A wrong argument.
pub fn invalid(parameter: &str, reason: impl Into<String>) -> ProtocolError {
    let data = json!({ "param": parameter, "reason": reason.into() });
    ProtocolError::invalid_params("Invalid params", Some(data))
}

/// A wrong argument, with the allowed values if there is a list of them.
pub fn argument(error: ArgumentError) -> ProtocolError {
    let mut answer = invalid(&error.parameter, error.to_string());
    if let (Some(data), Some(Kind::Choice(choices) | Kind::Choices(choices))) =
        (&mut answer.data, error.kind)
        && error.problem != Problem::Missing
    {
        data["allowed"] = json!(choices);
    }
    answer
}

/// The path does not exist.
fn no_path(detail: &str) -> ProtocolError {
    let reason = "Path does not exist or is not accessible";
    let data = json!({ "param": "path", "reason": reason, "detail": detail });
    ProtocolError::invalid_params("Invalid params", Some(data))
}

/// The folder holds no Go.
pub fn no_project() -> ProtocolError {
    let reason = "Path contains neither a go.mod nor any .go file";
    ProtocolError::new(
        -32001,
        "Project not found",
        Some(json!({ "param": "path", "reason": reason })),
    )
}

/// Another process is indexing.
fn in_progress() -> ProtocolError {
    let reason = "Another indexing operation is already running for this project. \
                  Call index_codebase again when it is done.";
    ProtocolError::new(
        -32002,
        "Indexing in progress",
        Some(json!({ "param": "path", "reason": reason })),
    )
}

/// There is no index.
pub fn not_indexed() -> ProtocolError {
    let reason = "Project not indexed. Run index_codebase first.";
    ProtocolError::new(
        -32003,
        "Project not indexed",
        Some(json!({ "param": "path", "reason": reason })),
    )
}

/// The query is blank.
pub fn empty_query() -> ProtocolError {
    let reason = "Query is empty or whitespace-only";
    ProtocolError::new(-32004, "Empty query", Some(json!({ "param": "query", "reason": reason })))
}

/// An error inside the server.
fn internal(reason: &str) -> ProtocolError {
    ProtocolError::new(-32603, "Internal error", Some(json!({ "reason": reason })))
}

/// An error of the host.
pub fn host(error: HostError) -> ProtocolError {
    match error {
        HostError::NotFound { message } => no_path(&message),
        HostError::Refused { message } => invalid("path", message),
        HostError::Engine(error) => engine(error),
        HostError::Failed { message } => internal(&message),
    }
}

/// An error of an index run.
pub fn run(error: EngineError) -> ProtocolError {
    match error.kind() {
        ErrorKind::Busy => in_progress(),
        _ => engine(error),
    }
}

/// An error of the engine.
pub fn engine(error: EngineError) -> ProtocolError {
    match (error.kind(), &error) {
        (ErrorKind::NotFound, _) => no_path(&with_causes(&error)),
        (_, EngineError::Invalid { parameter, reason }) => {
            invalid(parameter, format!("`{parameter}` {reason}"))
        }
        (ErrorKind::Damaged, _) => internal(&format!(
            "{}. Run index_codebase with force_reindex to rebuild it.",
            with_causes(&error)
        )),
        _ => internal(&with_causes(&error)),
    }
}
