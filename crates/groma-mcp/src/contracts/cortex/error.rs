//! Errors of this contract: wrong arguments are -32602, everything else is -32603.

use crate::arguments::ArgumentError;
use crate::host::HostError;
use crate::surface::ProtocolError;
use groma_core::with_causes;
use groma_engine::EngineError;
use serde_json::json;

/// A wrong argument.
pub fn invalid(error: ArgumentError) -> ProtocolError {
    wrong(&error.parameter, &error.to_string())
}

/// The query is blank.
pub fn empty_query() -> ProtocolError {
    wrong("query", "`query` is empty; say what to look for")
}

fn wrong(parameter: &str, reason: &str) -> ProtocolError {
    let data = json!({ "param": parameter, "reason": reason });
    ProtocolError::invalid_params(format!("invalid arguments: {reason}"), Some(data))
}

/// The query could not be embedded.
pub fn embedding(reason: &str) -> ProtocolError {
    ProtocolError::internal(format!("embedding failed: {reason}"))
}

/// The search failed.
pub fn search(reason: &str) -> ProtocolError {
    ProtocolError::internal(format!("search failed: {reason}"))
}

/// An error of the host.
pub fn host(error: &HostError) -> ProtocolError {
    match error {
        HostError::Engine(error) => engine(error),
        other => search(&other.to_string()),
    }
}

/// An error of the engine.
pub fn engine(error: &EngineError) -> ProtocolError {
    match error {
        EngineError::Invalid { parameter, reason } => {
            wrong(parameter, &format!("`{parameter}` {reason}"))
        }
        _ => search(&with_causes(error)),
    }
}
