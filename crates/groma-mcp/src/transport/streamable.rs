//! Streamable HTTP as the protocol has it, where rmcp differs.
//!
//! rmcp answers a body that is no message with 415 and plain text, knows no batches, and a DELETE with a status that
//! clients warn about. Here a malformed body is a JSON-RPC error with status 400, a batch of revision 2025-03-26 is
//! taken apart and its answers are sent as one stream, and an ended session is 204.

use super::batch;
use super::message::{self, Read};
use crate::server::Server;
use axum::body::{Body, Bytes};
use axum::extract::Request;
use axum::http::request::Parts;
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use futures::{Stream, StreamExt, stream};
use rmcp::ErrorData;
use rmcp::model::{ErrorCode, RequestId};
use rmcp::transport::StreamableHttpService;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use serde_json::Value;

/// The header with the revision that was negotiated; clients send it from 2025-06-18 on.
const VERSION: &str = "mcp-protocol-version";

/// A surface behind rmcp's transport.
pub type Service = StreamableHttpService<Server, LocalSessionManager>;

/// Answers a request of a client. `max` is the largest body, in bytes.
pub async fn handle(service: Service, request: Request, max: usize) -> Response {
    match *request.method() {
        Method::POST if is_json(request.headers()) => post(service, request, max).await,
        Method::DELETE => {
            let response = forward(&service, request).await;
            if response.status() == StatusCode::ACCEPTED {
                return StatusCode::NO_CONTENT.into_response();
            }
            response
        }
        _ => forward(&service, request).await,
    }
}

/// Whether a request says that it is JSON; rmcp refuses the others.
fn is_json(headers: &HeaderMap) -> bool {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    kind.is_some_and(|kind| kind.starts_with("application/json"))
}

async fn forward(service: &Service, request: Request) -> Response {
    service.handle(request).await.map(Body::new)
}

async fn post(service: Service, request: Request, max: usize) -> Response {
    let (parts, body) = request.into_parts();
    let Ok(body) = axum::body::to_bytes(body, max).await else {
        return StatusCode::PAYLOAD_TOO_LARGE.into_response();
    };
    if let Some(messages) = message::array(&body) {
        return answer_batch(service, parts, messages).await;
    }
    match message::read(&body) {
        Read::Message(_) => forward(&service, Request::from_parts(parts, body.into())).await,
        Read::Nothing if body.trim_ascii().is_empty() => {
            let error =
                ErrorData::new(ErrorCode::PARSE_ERROR, "Parse error: the body is empty", None);
            refused(&parts.headers, &error, None)
        }
        Read::Nothing => StatusCode::ACCEPTED.into_response(),
        Read::Invalid(error, id) => refused(&parts.headers, &error, id),
    }
}

/// Answers the messages of a batch one by one, on one stream; a client may have to answer the server in between.
async fn answer_batch(service: Service, parts: Parts, messages: Vec<Value>) -> Response {
    let version = parts.headers.get(VERSION).and_then(|version| version.to_str().ok());
    if let Some(error) = batch::refusal(&messages, version) {
        return refused(&parts.headers, &error, None);
    }
    let is_request =
        |message: &Value| message.get("id").is_some() && message.get("method").is_some();
    let has_requests = messages.iter().any(is_request);
    let answers = stream::iter(messages).then(move |message| {
        let (service, parts) = (service.clone(), parts.clone());
        async move { answers(service, parts, message).await }
    });
    if has_requests {
        let kind = [(header::CONTENT_TYPE, "text/event-stream")];
        return (kind, Body::from_stream(answers.flatten())).into_response();
    }
    answers.for_each(|answers| answers.for_each(|_| async {})).await;
    StatusCode::ACCEPTED.into_response()
}

/// The events that answer one message of a batch.
async fn answers(
    service: Service,
    parts: Parts,
    message: Value,
) -> impl Stream<Item = Result<Bytes, axum::Error>> {
    let body = message.to_string();
    let response = match message::read(body.as_bytes()) {
        Read::Message(_) => forward(&service, Request::from_parts(parts, body.into())).await,
        Read::Nothing => StatusCode::ACCEPTED.into_response(),
        Read::Invalid(error, id) => refused(&parts.headers, &error, id),
    };
    let kind = response.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    let is_stream = kind.is_some_and(|kind| kind.starts_with("text/event-stream"));
    let is_json = kind.is_some_and(|kind| kind.starts_with("application/json"));
    if is_stream {
        return response.into_body().into_data_stream().boxed();
    }
    let text = axum::body::to_bytes(response.into_body(), usize::MAX).await.unwrap_or_default();
    let event = is_json.then(|| Bytes::from([b"data: ", &*text, b"\n\n"].concat()));
    stream::iter(event.map(Ok)).boxed()
}

/// The error of a request that is not answered by the server.
fn refused(headers: &HeaderMap, error: &ErrorData, id: Option<RequestId>) -> Response {
    let version = headers.get(VERSION).and_then(|version| version.to_str().ok());
    let answer = message::error_response(error, id, version);
    (StatusCode::BAD_REQUEST, axum::Json(answer)).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_error_without_a_request_has_the_id_of_its_revision() {
        let error = ErrorData::new(ErrorCode::PARSE_ERROR, "x", None);
        let id = |version| message::error_response(&error, None, version).get("id").cloned();
        assert_eq!(id(None), Some(Value::Null));
        assert_eq!(id(Some("2025-06-18")), Some(Value::Null));
        assert_eq!(id(Some("2025-11-25")), None);
        let known = message::error_response(&error, Some(RequestId::Number(7)), None);
        assert_eq!((&known["id"], &known["jsonrpc"]), (&json!(7), &json!("2.0")));
    }
}
