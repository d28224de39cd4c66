//! HTTP: one listener for all surfaces.
//!
//! Streamable HTTP comes from rmcp, one mount for each surface; the older HTTP+SSE transport is in `sse`. A middleware
//! protects all of them from DNS rebinding: a web page must not be able to reach a server on the user's machine, so the
//! Host header must name this machine, and the Origin header, if there is one, too.

use super::{sse, streamable};
use crate::contracts::{Contract, ToolSet};
use crate::host::Host;
use crate::metrics::Metrics;
use crate::server::Server;
use crate::surface::Surface;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode, Uri, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::{any, get};
use axum::serve::ListenerExt;
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

/// Maximum bytes of a request.
const MAX_REQUEST: usize = 16 << 20;

/// How long connections may continue after a shutdown request.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(2);

/// How long the health check may take.
const HEALTH_TIMEOUT: Duration = Duration::from_secs(2);

/// Which requests a listener accepts.
#[derive(Clone)]
pub struct AccessPolicy {
    /// The address it is bound to.
    pub address: SocketAddr,
    /// The bearer token a client must send; required unless the address is a loopback address.
    pub token: Option<String>,
}

impl AccessPolicy {
    /// Whether only this machine can connect.
    fn is_local(&self) -> bool {
        self.address.ip().is_loopback()
    }
}

/// The surfaces of a listener. Each is at `/mcp/NAME`.
pub struct Surfaces {
    /// The one that is at `/mcp` and `/`, too.
    pub first: Arc<dyn Surface>,
    /// The others.
    pub others: Vec<Arc<dyn Surface>>,
}

impl Surfaces {
    /// All contracts; the native one has these tools.
    pub fn all(first: Contract, tools: ToolSet) -> Self {
        let others = Contract::ALL.iter().filter(|contract| **contract != first);
        Self {
            first: first.surface(tools),
            others: others.map(|contract| contract.surface(tools)).collect(),
        }
    }
}

/// Serves every surface until `stop` is cancelled.
pub async fn serve(
    listener: TcpListener,
    surfaces: Surfaces,
    host: Arc<dyn Host>,
    policy: AccessPolicy,
    stop: CancellationToken,
) -> io::Result<()> {
    let router = router(surfaces, host, policy, stop.clone());
    let wait = stop.clone();
    // Without it, Nagle's algorithm holds a short answer back for 40 ms. A connection that refuses it works, too.
    let listener = listener.tap_io(|connection| {
        let _ = connection.set_nodelay(true);
    });
    let serving =
        axum::serve(listener, router).with_graceful_shutdown(async move { wait.cancelled().await });
    tokio::select! {
        done = serving => done,
        () = async { stop.cancelled().await; tokio::time::sleep(SHUTDOWN_TIMEOUT).await } => Ok(()),
    }
}

fn router(
    surfaces: Surfaces,
    host: Arc<dyn Host>,
    policy: AccessPolicy,
    stop: CancellationToken,
) -> Router {
    let metrics = Arc::new(Metrics::default());
    let served = Served { host, metrics, stop };
    let first = &surfaces.first;
    // CodeCompass is reached at the root.
    let mut router = mount(Router::new(), "/", first, &served);
    router = mount(router, "/mcp", first, &served);
    router = router.merge(sse::routes("/sse", first, &served));
    for surface in surfaces.others.iter().chain([first]) {
        let name = surface.name();
        router = mount(router, &format!("/mcp/{name}"), surface, &served);
        router = router.merge(sse::routes(&format!("/sse/{name}"), surface, &served));
    }
    router
        .route("/health", get(health))
        .route("/metrics", get(show_metrics))
        .with_state(served)
        .layer(middleware::from_fn_with_state(Arc::new(policy), authorize))
}

/// What the surfaces of a listener share.
#[derive(Clone)]
pub(super) struct Served {
    pub host: Arc<dyn Host>,
    pub metrics: Arc<Metrics>,
    pub stop: CancellationToken,
}

impl Served {
    /// A new connection to a surface.
    pub fn connect(&self, surface: &Arc<dyn Surface>) -> Server {
        Server::counted(surface.clone(), self.host.clone(), self.metrics.clone())
    }
}

fn mount(
    router: Router<Served>,
    path: &str,
    surface: &Arc<dyn Surface>,
    served: &Served,
) -> Router<Served> {
    let (surface, served) = (surface.clone(), served.clone());
    // `authorize` has checked Host and Origin already.
    let config = StreamableHttpServerConfig::default()
        .disable_allowed_hosts()
        .with_max_request_body_bytes(MAX_REQUEST)
        .with_cancellation_token(served.stop.child_token());
    let service = StreamableHttpService::new(
        move || Ok(served.connect(&surface)),
        Arc::new(LocalSessionManager::default()),
        config,
    );
    let handle = move |request| streamable::handle(service.clone(), request, MAX_REQUEST);
    router.route(path, any(handle))
}

/// Whether requests can be answered: 503 with the reason if not.
async fn health(State(served): State<Served>) -> Response {
    let asked = tokio::task::spawn_blocking(move || served.host.problem());
    let problem = match tokio::time::timeout(HEALTH_TIMEOUT, asked).await {
        Ok(Ok(problem)) => problem,
        Ok(Err(_)) => Some("the check failed inside the server".to_string()),
        Err(_) => Some(format!("no answer within {} s", HEALTH_TIMEOUT.as_secs())),
    };
    let (name, version) = ("groma", env!("CARGO_PKG_VERSION"));
    match problem {
        None => Json(json!({ "status": "ok", "name": name, "version": version })).into_response(),
        Some(problem) => {
            let body = json!({
                "status": "failing", "name": name, "version": version, "problem": problem
            });
            (StatusCode::SERVICE_UNAVAILABLE, Json(body)).into_response()
        }
    }
}

/// The metrics in Prometheus' text format.
async fn show_metrics(State(served): State<Served>) -> Response {
    let text = tokio::task::spawn_blocking(move || served.metrics.text(&*served.host)).await;
    let format = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    match text {
        Ok(text) => ([(header::CONTENT_TYPE, format)], text).into_response(),
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

/// Rejects requests that fail the Host, Origin or token check.
async fn authorize(
    State(policy): State<Arc<AccessPolicy>>,
    request: Request,
    next: Next,
) -> Response {
    match rejection(&policy, request.headers(), request.uri()) {
        None => next.run(request).await,
        Some((status, reason)) => (status, Json(json!({ "error": reason }))).into_response(),
    }
}

/// Why a request is rejected.
fn rejection(
    policy: &AccessPolicy,
    headers: &HeaderMap,
    uri: &Uri,
) -> Option<(StatusCode, &'static str)> {
    let text = |name| headers.get(name).map(|value| value.to_str().unwrap_or("?"));
    let host = text(header::HOST).or_else(|| uri.authority().map(|authority| authority.as_str()));
    if policy.is_local() && !host.is_some_and(is_this_machine) {
        return Some((StatusCode::FORBIDDEN, "Host is not this machine"));
    }
    if let Some(origin) = text(header::ORIGIN)
        && !is_allowed_origin(origin, host)
    {
        return Some((StatusCode::FORBIDDEN, "requests from other web pages are refused"));
    }
    if let Some(token) = &policy.token
        && uri.path() != "/health"
        && !text(header::AUTHORIZATION).is_some_and(|given| is_authorized(given, token))
    {
        let reason = "a bearer token is needed: Authorization: Bearer <token>";
        return Some((StatusCode::UNAUTHORIZED, reason));
    }
    None
}

/// Whether an origin is on this machine or is the server's own.
fn is_allowed_origin(origin: &str, host: Option<&str>) -> bool {
    let Some((_, authority)) = origin.split_once("://") else { return false };
    is_this_machine(authority) || host == Some(authority)
}

/// Whether an authority names this machine: a host and possibly a port, nothing else.
fn is_this_machine(authority: &str) -> bool {
    let (name, port) = match authority.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((name, "")) if name.contains(':') => (name, None),
        Some((name, port)) if name.contains(':') && port.starts_with(':') => {
            (name, Some(&port[1..]))
        }
        Some(_) => return false,
        None => match authority.split_once(':') {
            Some((name, port)) => (name, Some(port)),
            None => (authority, None),
        },
    };
    let is_port =
        |port: &str| port.bytes().all(|byte| byte.is_ascii_digit()) && port.parse::<u16>().is_ok();
    port.is_none_or(is_port)
        && (name.eq_ignore_ascii_case("localhost")
            || name.parse::<IpAddr>().is_ok_and(|address| address.is_loopback()))
}

/// Whether the header holds the token. Hashes are compared, so that timing reveals nothing of the token.
fn is_authorized(given: &str, token: &str) -> bool {
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
        let policy = AccessPolicy { address, token: token.map(str::to_string) };
        let headers =
            headers.iter().map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap()));
        rejection(&policy, &headers.collect(), &path.parse().unwrap())
            .map(|(status, _)| status.as_u16())
    }

    #[test]
    fn without_a_token_only_this_machine_is_accepted() {
        assert_eq!(check(None, &[("host", "127.0.0.1:4766")], "/mcp"), None);
        assert_eq!(check(None, &[("host", "[::1]:4766")], "/mcp"), None);
        assert_eq!(check(None, &[("host", "LOCALHOST")], "/mcp"), None);
        assert_eq!(check(None, &[("host", "evil.example")], "/mcp"), Some(403));
        assert_eq!(check(None, &[], "/mcp"), Some(403));
        let page = |origin| [("host", "localhost:4766"), ("origin", origin)];
        assert_eq!(check(None, &page("http://localhost:3000"), "/mcp"), None);
        assert_eq!(check(None, &page("https://evil.example"), "/mcp"), Some(403));
        assert_eq!(check(None, &page("null"), "/mcp"), Some(403));
        for authority in [
            "[::1].evil.com",
            "[::1]evil.com:80",
            "localhost:1@evil.com",
            "localhost:80:80",
            "localhost:",
            "127.0.0.1:99999",
            "[localhost]",
            "localhost/x",
            "::1",
        ] {
            let origin = format!("http://{authority}");
            let page = [("host", "localhost:4766"), ("origin", origin.as_str())];
            assert_eq!(check(None, &page, "/mcp"), Some(403), "{authority}");
            assert_eq!(check(None, &[("host", authority)], "/mcp"), Some(403), "{authority}");
        }
    }

    #[test]
    fn other_machines_need_the_token() {
        let with = |value| [("host", "box:80"), ("authorization", value)];
        assert_eq!(check(Some("secret"), &with("Bearer secret"), "/mcp"), None);
        assert_eq!(check(Some("secret"), &with("bearer secret"), "/mcp"), None);
        assert_eq!(check(Some("secret"), &with("Bearer secre"), "/mcp"), Some(401));
        assert_eq!(check(Some("secret"), &with("secret"), "/mcp"), Some(401));
        assert_eq!(check(Some("secret"), &[("host", "box:80")], "/mcp"), Some(401));
        assert_eq!(check(Some("secret"), &[("host", "box:80")], "/health"), None);
    }
}
