//! Decoding of JSON-RPC messages.

use rmcp::ErrorData;
use rmcp::model::{ClientJsonRpcMessage, ErrorCode, RequestId};
use serde_json::{Value, json};

/// The result of decoding.
pub enum Read {
    /// A message.
    Message(Box<ClientJsonRpcMessage>),
    /// An empty line, or an unknown notification, which the protocol leaves unanswered.
    Nothing,
    /// Not a valid message: the error to answer with, and the request's id.
    Invalid(ErrorData, Option<RequestId>),
}

/// The messages of an array, which may be a batch.
pub fn array(bytes: &[u8]) -> Option<Vec<Value>> {
    let is_array = bytes.trim_ascii_start().starts_with(b"[");
    is_array.then(|| serde_json::from_slice(bytes).ok()).flatten()
}

/// Decodes a message.
pub fn read(bytes: &[u8]) -> Read {
    let bytes = bytes.trim_ascii();
    if bytes.is_empty() {
        return Read::Nothing;
    }
    if let Some(invalid) = invalid_cursor(bytes) {
        return invalid;
    }
    if let Ok(message) = serde_json::from_slice(bytes) {
        return Read::Message(Box::new(message));
    }
    match serde_json::from_slice::<Value>(bytes) {
        Err(error) => {
            let message = format!("Parse error: the message is not JSON: {error}");
            Read::Invalid(ErrorData::new(ErrorCode::PARSE_ERROR, message, None), None)
        }
        Ok(value) => invalid(&value),
    }
}

/// The error of a cursor that is not a string, which rmcp decodes as a request without one.
fn invalid_cursor(bytes: &[u8]) -> Option<Read> {
    const FIELD: &[u8] = b"\"cursor\"";
    if !bytes.windows(FIELD.len()).any(|window| window == FIELD) {
        return None;
    }
    let message: Value = serde_json::from_slice(bytes).ok()?;
    let is_list = message["method"].as_str()?.ends_with("/list");
    let cursor = message["params"].get("cursor").filter(|_| is_list)?;
    let id = serde_json::from_value(message["id"].clone()).ok()?;
    let text = "Invalid params: `cursor`, if given, must be a string";
    let error = ErrorData::new(ErrorCode::INVALID_PARAMS, text, None);
    (!cursor.is_string() && !cursor.is_null()).then_some(Read::Invalid(error, Some(id)))
}

/// The first revision in which an error without a request has no id, instead of null.
const NO_NULL_ID: &str = "2025-11-25";

/// An error as a message, for a client of a revision.
pub fn error_response(error: &ErrorData, id: Option<RequestId>, version: Option<&str>) -> Value {
    let mut response = json!({ "jsonrpc": "2.0", "error": error });
    // Revisions are dates, so they compare as text.
    if id.is_some() || version.is_none_or(|version| version < NO_NULL_ID) {
        response["id"] = json!(id);
    }
    response
}

/// The error of JSON that is not a valid message.
fn invalid(value: &Value) -> Read {
    let Some(object) = value.as_object() else {
        let message = "Invalid Request: a message is a JSON object";
        return Read::Invalid(ErrorData::new(ErrorCode::INVALID_REQUEST, message, None), None);
    };
    let is_request = object.contains_key("id");
    let id = object.get("id").and_then(|id| serde_json::from_value(id.clone()).ok());
    if !is_request && object.get("method").is_some_and(Value::is_string) {
        return Read::Nothing;
    }
    let message = if object.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        "Invalid Request: `jsonrpc` must be \"2.0\""
    } else if is_request && id.is_none() {
        "Invalid Request: `id` must be a string or a whole number"
    } else if !object.get("method").is_some_and(Value::is_string) {
        "Invalid Request: `method` must be a string"
    } else {
        "Invalid Request: `params`, if given, must be an object"
    };
    Read::Invalid(ErrorData::new(ErrorCode::INVALID_REQUEST, message, None), id)
}
