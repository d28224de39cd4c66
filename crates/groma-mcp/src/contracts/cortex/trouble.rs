//! What can go wrong on this contract: wrong arguments are -32602, everything else is -32603.

use crate::arguments::Complaint;
use crate::host::HostError;
use crate::surface::Fault;
use groma_engine::EngineError;
use groma_engine::core::EmbedError;
use groma_engine::core::with_causes;
use serde_json::json;

/// A wrong argument.
pub fn invalid(complaint: &Complaint) -> Fault {
    wrong(&complaint.parameter, &complaint.to_string())
}

/// There is no question.
pub fn empty_query() -> Fault {
    wrong("query", "`query` is empty; say what to look for")
}

fn wrong(parameter: &str, reason: &str) -> Fault {
    let data = json!({ "param": parameter, "reason": reason });
    Fault::invalid_params(format!("invalid arguments: {reason}"), Some(data))
}

/// The question has no vector.
pub fn embedding(reason: &str) -> Fault {
    Fault::internal(format!("embedding failed: {reason}"))
}

/// The same, as the embedder says it.
pub fn embedder(error: EmbedError) -> Fault {
    embedding(&error.to_string())
}

/// What the program could not give.
pub fn host(error: HostError) -> Fault {
    match error {
        HostError::Engine(error) => engine(error),
        other => Fault::internal(format!("search failed: {other}")),
    }
}

/// What the engine could not do.
pub fn engine(error: EngineError) -> Fault {
    match &error {
        EngineError::Invalid { parameter, reason } => {
            wrong(parameter, &format!("`{parameter}` {reason}"))
        }
        _ => Fault::internal(format!("search failed: {}", with_causes(&error))),
    }
}
