//! What can go wrong on this contract: errors of the protocol with the document's codes and messages.

use crate::arguments::{Complaint, Problem};
use crate::host::HostError;
use crate::surface::Fault;
use crate::tool::{Kind, Parameter};
use groma_engine::core::with_causes;
use groma_engine::{EngineError, ErrorKind};
use serde_json::{Value, json};

/// A wrong argument.
pub fn invalid(parameter: &str, reason: impl Into<String>) -> Fault {
    let data = json!({ "param": parameter, "reason": reason.into() });
    Fault::invalid_params("Invalid params", Some(data))
}

/// A wrong argument, with what is allowed where that can be listed.
pub fn complaint(complaint: &Complaint, parameters: &[Parameter]) -> Fault {
    let mut fault = invalid(&complaint.parameter, complaint.to_string());
    let listed = allowed(&complaint.parameter, parameters);
    if let (Some(data), Some(listed)) = (&mut fault.data, listed)
        && complaint.problem != Problem::Missing
    {
        data["allowed"] = listed;
    }
    fault
}

fn allowed(name: &str, parameters: &[Parameter]) -> Option<Value> {
    let (first, rest) = name.split_once('.').unwrap_or((name, ""));
    match parameters.iter().find(|one| one.name == first)?.kind {
        Kind::Choice(choices) | Kind::Choices(choices) => Some(json!(choices)),
        Kind::Object(fields) => allowed(rest, fields),
        _ => None,
    }
}

/// The path leads nowhere.
fn no_path(detail: &str) -> Fault {
    let reason = "Path does not exist or is not accessible";
    let data = json!({ "param": "path", "reason": reason, "detail": detail });
    Fault::invalid_params("Invalid params", Some(data))
}

/// The folder holds no Go.
pub fn no_project() -> Fault {
    let reason = "Path contains neither a go.mod nor any .go file";
    Fault::new(-32001, "Project not found", Some(json!({ "param": "path", "reason": reason })))
}

/// Another run is at work.
fn in_progress() -> Fault {
    let reason = "Another indexing operation is already running for this project. \
                  Call index_codebase again when it is done.";
    Fault::new(-32002, "Indexing in progress", Some(json!({ "param": "path", "reason": reason })))
}

/// Nobody indexed it.
pub fn not_indexed() -> Fault {
    let reason = "Project not indexed. Run index_codebase first.";
    Fault::new(-32003, "Project not indexed", Some(json!({ "param": "path", "reason": reason })))
}

/// There is no question.
pub fn empty_query() -> Fault {
    let reason = "Query is empty or whitespace-only";
    Fault::new(-32004, "Empty query", Some(json!({ "param": "query", "reason": reason })))
}

/// Something of ours went wrong.
fn internal(reason: &str) -> Fault {
    Fault::new(-32603, "Internal error", Some(json!({ "reason": reason })))
}

/// What the program could not give.
pub fn host(error: HostError) -> Fault {
    match error {
        HostError::NotFound { message } => no_path(&message),
        HostError::Refused { message } => invalid("path", message),
        HostError::Engine(error) => engine(error),
        HostError::Failed { message } => internal(&message),
    }
}

/// Why an index run was not done.
pub fn run(error: EngineError) -> Fault {
    match error.kind() {
        ErrorKind::Busy => in_progress(),
        _ => engine(error),
    }
}

/// What the engine could not do.
pub fn engine(error: EngineError) -> Fault {
    match (error.kind(), &error) {
        (ErrorKind::NotFound, _) => no_path(&with_causes(&error)),
        (_, EngineError::Invalid { parameter, reason }) => {
            invalid(parameter, format!("`{parameter}` {reason}"))
        }
        (ErrorKind::Damaged, _) => internal(&format!(
            "{}. Run index_codebase with force_reindex to make it anew.",
            with_causes(&error)
        )),
        _ => internal(&with_causes(&error)),
    }
}
