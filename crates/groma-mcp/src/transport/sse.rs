//! HTTP+SSE, the transport of clients from before 2025-03-26.
//!
//! rmcp no longer has it. A client opens a stream of events with GET; the first event names the URL to POST messages to,
//! and answers are sent on the stream.

use super::http::{MAX_SESSIONS, Served, too_many_sessions};
use crate::surface::Surface;
use axum::Router;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, Query, State};
use axum::http::StatusCode;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use futures::channel::mpsc;
use futures::{SinkExt, Stream, StreamExt, stream};
use groma_core::Locked;
use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};
use std::collections::HashMap;
use std::convert::Infallible;
use std::path::PathBuf;
use std::sync::Arc;
use tokio_util::sync::DropGuard;

/// Capacity of the message queue in each direction.
const QUEUE: usize = 64;

/// Maximum bytes of a message.
const MAX_MESSAGE: usize = 16 << 20;

type Parameters = Query<HashMap<String, String>>;

/// The open streams of one mount.
struct Streams {
    path: String,
    surface: Arc<dyn Surface>,
    served: Served,
    open: Locked<HashMap<String, mpsc::Sender<ClientJsonRpcMessage>>>,
}

/// The routes of a surface: GET opens a stream, POST sends a message.
pub fn routes(path: &str, surface: &Arc<dyn Surface>, served: &Served) -> Router<Served> {
    let streams = Arc::new(Streams {
        path: path.to_string(),
        surface: surface.clone(),
        served: served.clone(),
        open: Locked::default(),
    });
    Router::new()
        .route(path, get(open).post(post))
        .layer(DefaultBodyLimit::max(MAX_MESSAGE))
        .with_state(streams)
}

/// Opens a stream and serves it until the client disconnects.
async fn open(State(streams): State<Arc<Streams>>, Query(parameters): Parameters) -> Response {
    if streams.open.lock().len() >= MAX_SESSIONS {
        return too_many_sessions();
    }
    opened(&streams, &parameters).into_response()
}

/// A new stream.
fn opened(
    streams: &Arc<Streams>,
    parameters: &HashMap<String, String>,
) -> Sse<impl Stream<Item = Result<Event, Infallible>> + use<>> {
    let folder = parameters.get("project").or_else(|| parameters.get("project_path"));
    let server = streams.served.connect(&streams.surface).at(folder.map(PathBuf::from));
    let id = server.session_id().to_string();
    let (to_server, from_client) = mpsc::channel(QUEUE);
    let (to_client, from_server) = mpsc::channel::<ServerJsonRpcMessage>(QUEUE);
    let address = format!("{}?session_id={id}", streams.path);
    let ended = streams.served.stop.child_token();
    let guard =
        StreamGuard { streams: streams.clone(), id: id.clone(), _end: ended.clone().drop_guard() };
    streams.open.lock().insert(id, to_server);
    tokio::spawn(async move {
        let transport = (to_client, from_client);
        if let Ok(running) = rmcp::service::serve_server_with_ct(server, transport, ended).await {
            let _ = running.waiting().await;
        }
    });
    let first = stream::iter([Ok(Event::default().event("endpoint").data(address))]);
    let rest = from_server.filter_map(move |message| {
        let _until_disconnect = &guard;
        let event = serde_json::to_string(&message).ok();
        async move { event.map(|data| Ok(Event::default().event("message").data(data))) }
    });
    Sse::new(first.chain(rest)).keep_alive(KeepAlive::default())
}

/// Ends the session when its stream is dropped.
struct StreamGuard {
    streams: Arc<Streams>,
    id: String,
    _end: DropGuard,
}

impl Drop for StreamGuard {
    fn drop(&mut self) {
        self.streams.open.lock().remove(&self.id);
    }
}

/// Passes a message to its session.
async fn post(
    State(streams): State<Arc<Streams>>,
    Query(parameters): Parameters,
    body: Bytes,
) -> Response {
    let Some(id) = parameters.get("session_id") else {
        return (StatusCode::BAD_REQUEST, "session_id is missing").into_response();
    };
    let open = streams.open.lock().get(id).cloned();
    let Some(mut session) = open else {
        return (StatusCode::NOT_FOUND, "no such session; open a new stream").into_response();
    };
    match super::message::read(&body) {
        super::message::Read::Message(message) => match session.send(*message).await {
            Ok(()) => StatusCode::ACCEPTED.into_response(),
            Err(_) => (StatusCode::NOT_FOUND, "the session has ended").into_response(),
        },
        super::message::Read::Nothing => StatusCode::ACCEPTED.into_response(),
        super::message::Read::Invalid(error, id) => {
            let answer = super::message::error_response(&error, id, None);
            (StatusCode::BAD_REQUEST, axum::Json(answer)).into_response()
        }
    }
}
