//! HTTP: one listener for all surfaces.
//!
//! Streamable HTTP comes from the protocol library, one mount for each surface; the older HTTP+SSE transport is in
//! `sse`. A guard stands before all of them: a web page that a user happens to visit must not be able to talk to a
//! server on the same machine, so Host must be this machine and Origin, if there is one, too.

use super::sse;
use crate::contracts::Contract;
use crate::host::Host;
use crate::server::Server;
use crate::surface::Surface;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode, Uri, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use serde_json::json;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

/// The longest request, in bytes.
const LONGEST_REQUEST: usize = 16 << 20;

/// How long a connection may go on after the server was told to stop.
const GRACE: Duration = Duration::from_secs(2);

/// How a listener is to be guarded.
#[derive(Clone)]
pub struct Door {
    /// The address it is bound to.
    pub address: SocketAddr,
    /// What a client must show; always there when the address is not of this machine alone.
    pub token: Option<String>,
}

impl Door {
    /// Whether only this machine can come in.
    fn is_local(&self) -> bool {
        self.address.ip().is_loopback()
    }
}

/// Serves every surface until told to stop; `first` is the one at `/mcp`.
pub async fn serve(
    listener: TcpListener,
    first: Contract,
    host: Arc<dyn Host>,
    door: Door,
    stop: CancellationToken,
) -> io::Result<()> {
    let router = router(first, host, door, stop.clone());
    let wait = stop.clone();
    let serving =
        axum::serve(listener, router).with_graceful_shutdown(async move { wait.cancelled().await });
    tokio::select! {
        done = serving => done,
        () = async { stop.cancelled().await; tokio::time::sleep(GRACE).await } => Ok(()),
    }
}

fn router(first: Contract, host: Arc<dyn Host>, door: Door, stop: CancellationToken) -> Router {
    let mut router = Router::new();
    for contract in Contract::ALL {
        let surface = contract.surface();
        let path = format!("/mcp/{contract}");
        router = mount(router, &path, &surface, &host, &stop);
        router = router.merge(sse::routes(&format!("/sse/{contract}"), &surface, &host, &stop));
        if *contract == first {
            router = mount(router, "/mcp", &surface, &host, &stop);
            router = router.merge(sse::routes("/sse", &surface, &host, &stop));
        }
    }
    router
        .route("/health", get(health))
        .layer(middleware::from_fn_with_state(Arc::new(door), guard))
}

fn mount(
    router: Router,
    path: &str,
    surface: &Arc<dyn Surface>,
    host: &Arc<dyn Host>,
    stop: &CancellationToken,
) -> Router {
    let (surface, host) = (surface.clone(), host.clone());
    // The guard has looked at Host and Origin already.
    let config = StreamableHttpServerConfig::default()
        .disable_allowed_hosts()
        .with_max_request_body_bytes(LONGEST_REQUEST)
        .with_cancellation_token(stop.child_token());
    let service = StreamableHttpService::new(
        move || Ok(Server::new(surface.clone(), host.clone())),
        Arc::new(LocalSessionManager::default()),
        config,
    );
    router.route_service(path, service)
}

async fn health() -> Json<serde_json::Value> {
    Json(json!({ "status": "ok", "name": "groma", "version": env!("CARGO_PKG_VERSION") }))
}

/// Lets in who may come in.
async fn guard(State(door): State<Arc<Door>>, request: Request, next: Next) -> Response {
    match refusal(&door, request.headers(), request.uri()) {
        None => next.run(request).await,
        Some((status, reason)) => (status, Json(json!({ "error": reason }))).into_response(),
    }
}

/// Why a request is not let in.
fn refusal(door: &Door, headers: &HeaderMap, uri: &Uri) -> Option<(StatusCode, &'static str)> {
    let text = |name| headers.get(name).map(|value| value.to_str().unwrap_or("?"));
    let host = text(header::HOST).or_else(|| uri.authority().map(|authority| authority.as_str()));
    if door.is_local() && !host.is_some_and(is_this_machine) {
        return Some((StatusCode::FORBIDDEN, "Host is not this machine"));
    }
    if let Some(origin) = text(header::ORIGIN)
        && !is_welcome(origin, host)
    {
        return Some((StatusCode::FORBIDDEN, "requests from other web pages are refused"));
    }
    if let Some(token) = &door.token
        && uri.path() != "/health"
        && !text(header::AUTHORIZATION).is_some_and(|given| shows(given, token))
    {
        let reason = "a bearer token is needed: Authorization: Bearer <token>";
        return Some((StatusCode::UNAUTHORIZED, reason));
    }
    None
}

/// An origin on this machine, or the one the server itself is reached by.
fn is_welcome(origin: &str, host: Option<&str>) -> bool {
    let Some((_, authority)) = origin.split_once("://") else { return false };
    is_this_machine(authority) || host == Some(authority)
}

fn is_this_machine(authority: &str) -> bool {
    let name = match authority.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or(rest),
        None => authority.rsplit_once(':').map_or(authority, |(name, _)| name),
    };
    name.eq_ignore_ascii_case("localhost")
        || name.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// Whether the header shows the token. Hashes are compared, so that the time it takes tells nothing.
fn shows(given: &str, token: &str) -> bool {
    let scheme = given.get(..7).is_some_and(|scheme| scheme.eq_ignore_ascii_case("bearer "));
    scheme && blake3::hash(given[7..].trim().as_bytes()) == blake3::hash(token.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(token: Option<&str>, headers: &[(&'static str, &str)], path: &str) -> Option<u16> {
        let address = match token {
            Some(_) => ([0, 0, 0, 0], 80).into(),
            None => ([127, 0, 0, 1], 80).into(),
        };
        let door = Door { address, token: token.map(str::to_string) };
        let headers =
            headers.iter().map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap()));
        refusal(&door, &headers.collect(), &path.parse().unwrap())
            .map(|(status, _)| status.as_u16())
    }

    #[test]
    fn only_this_machine_comes_in_without_a_token() {
        assert_eq!(check(None, &[("host", "127.0.0.1:4766")], "/mcp"), None);
        assert_eq!(check(None, &[("host", "[::1]:4766")], "/mcp"), None);
        assert_eq!(check(None, &[("host", "LOCALHOST")], "/mcp"), None);
        assert_eq!(check(None, &[("host", "evil.example")], "/mcp"), Some(403));
        assert_eq!(check(None, &[], "/mcp"), Some(403));
        let page = |origin| [("host", "localhost:4766"), ("origin", origin)];
        assert_eq!(check(None, &page("http://localhost:3000"), "/mcp"), None);
        assert_eq!(check(None, &page("https://evil.example"), "/mcp"), Some(403));
        assert_eq!(check(None, &page("null"), "/mcp"), Some(403));
    }

    #[test]
    fn others_must_show_the_token() {
        let with = |value| [("host", "box:80"), ("authorization", value)];
        assert_eq!(check(Some("secret"), &with("Bearer secret"), "/mcp"), None);
        assert_eq!(check(Some("secret"), &with("bearer secret"), "/mcp"), None);
        assert_eq!(check(Some("secret"), &with("Bearer secre"), "/mcp"), Some(401));
        assert_eq!(check(Some("secret"), &with("secret"), "/mcp"), Some(401));
        assert_eq!(check(Some("secret"), &[("host", "box:80")], "/mcp"), Some(401));
        assert_eq!(check(Some("secret"), &[("host", "box:80")], "/health"), None);
    }
}
