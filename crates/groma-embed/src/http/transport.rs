//! Requests to a service with retries, rate limiting and a circuit breaker.
//!
//! All threads share what is known about the service: while it asks for a delay no thread sends a request, and after a
//! failure it is not used for a cooldown, during which every request fails at once.

use super::backoff::backoff;
use super::clock::{Clock, SystemClock};
use super::endpoint::{Endpoint, RetryPolicy, Secret};
use super::error::{AttemptError, RequestError, Service, seconds};
use super::permits::Permits;
use groma_core::Locked;
use std::io::Read;
use std::sync::Arc;
use std::time::{Duration, Instant};
use ureq::{Agent, Proxy};

/// Larger responses are rejected: 256 vectors of 4,096 numbers in their longest form are a third of it.
const MAX_RESPONSE_BYTES: u64 = 64 << 20;

/// How much of an error response is read.
const MAX_ERROR_BYTES: u64 = 64 << 10;

/// Connection attempts before giving up; the service may be restarting.
const CONNECT_ATTEMPTS: u32 = 3;

/// How long a service counts as available after a response.
const LIVENESS_TTL: Duration = Duration::from_secs(30);

/// The connection to a service.
pub(super) struct Transport {
    agent: Agent,
    url: String,
    key: Option<Secret>,
    service: Service,
    permits: Permits,
    state: Locked<State>,
    clock: Arc<dyn Clock>,
}

/// What is known about the service.
#[derive(Default)]
struct State {
    /// When it last responded.
    responded: Option<Instant>,
    /// The service asked for no request before.
    retry_after: Option<Instant>,
    /// It is not used until then, and why.
    cooldown: Option<(Instant, String)>,
}

impl Transport {
    pub fn new(endpoint: &Endpoint) -> Result<Self, String> {
        let address = endpoint.address()?;
        let proxy = match &endpoint.proxy {
            Some(url) if !address.is_local => Some(
                Proxy::new(url).map_err(|error| format!("the proxy cannot be used: {error}"))?,
            ),
            _ => None,
        };
        let config = Agent::config_builder()
            .http_status_as_error(false)
            // Keys and source code are sent to the configured address only.
            .max_redirects(0)
            .proxy(proxy)
            .max_idle_connections_per_host(endpoint.concurrency.max(1))
            .user_agent(concat!("groma/", env!("CARGO_PKG_VERSION")))
            .build();
        Ok(Self {
            agent: config.into(),
            service: Service::new(endpoint, &address.shown),
            url: address.url,
            key: endpoint.key.clone(),
            permits: Permits::new(endpoint.concurrency),
            state: Locked::default(),
            clock: Arc::new(SystemClock),
        })
    }

    /// Goes by another clock.
    pub fn set_clock(&mut self, clock: Arc<dyn Clock>) {
        self.clock = clock;
    }

    /// Whether the service is available; `None` if that is unknown without a request.
    pub fn availability(&self) -> Option<bool> {
        let state = self.state.lock();
        match (&state.cooldown, state.responded) {
            (Some((until, _)), _) if *until > self.clock.now() => Some(false),
            (_, Some(answered)) if self.clock.now() - answered < LIVENESS_TTL => Some(true),
            _ => None,
        }
    }

    /// Whether it has ever responded.
    pub fn has_responded(&self) -> bool {
        self.state.lock().responded.is_some()
    }

    /// A message about the service.
    pub fn message(&self, what: &str) -> String {
        self.service.message(what)
    }

    /// Starts the cooldown.
    pub fn give_up(&self, message: String, retry: &RetryPolicy) -> RequestError {
        tracing::warn!(message, "the embedding service is left alone for a while");
        self.state.lock().cooldown = Some((self.clock.now() + retry.cooldown, message.clone()));
        RequestError::Unavailable(message)
    }

    /// Sends a request, with retries; returns the text of the response.
    pub fn post(
        &self,
        body: &[u8],
        retry: &RetryPolicy,
        urgent: bool,
    ) -> Result<String, RequestError> {
        self.check()?;
        let _permit = self.permits.acquire(urgent);
        // While this thread waited, another may have started a cooldown.
        self.check()?;
        let deadline = self.clock.now() + retry.total_timeout;
        let mut attempt = 1;
        loop {
            self.wait_until_allowed(deadline, retry)?;
            let left = deadline.saturating_duration_since(self.clock.now());
            match self.send(body, retry.timeout.min(left)) {
                Ok(text) => {
                    let mut state = self.state.lock();
                    (state.responded, state.cooldown) = (Some(self.clock.now()), None);
                    return Ok(text);
                }
                Err(failure) => self.handle_error(failure, attempt, deadline, retry)?,
            }
            attempt += 1;
        }
    }

    /// Waits before the next attempt, or gives up.
    fn handle_error(
        &self,
        failure: AttemptError,
        attempt: u32,
        deadline: Instant,
        retry: &RetryPolicy,
    ) -> Result<(), RequestError> {
        let timed_out = matches!(failure, AttemptError::TimedOut(_));
        let (message, requested, attempts) = match failure {
            AttemptError::Permanent(RequestError::Unavailable(message)) => {
                return Err(self.give_up(message, retry));
            }
            AttemptError::Permanent(fault) => return Err(fault),
            AttemptError::Transient(message, requested) => (message, requested, retry.attempts),
            AttemptError::TimedOut(message) => (message, None, retry.attempts),
            AttemptError::Unreachable(message) => {
                (message, None, retry.attempts.min(CONNECT_ATTEMPTS))
            }
        };
        let wait = requested.unwrap_or_else(|| backoff(attempt, retry.initial_backoff));
        if attempt < attempts && self.clock.now() + wait < deadline {
            match requested {
                Some(wait) => self.state.lock().retry_after = Some(self.clock.now() + wait),
                None => self.clock.sleep(wait),
            }
            return Ok(());
        }
        // A service that answers other requests is busy, not unavailable: only this request fails.
        if timed_out && self.availability() == Some(true) {
            return Err(RequestError::Unavailable(message));
        }
        let asks = requested.map(|wait| format!(" and asks to wait for {} s", seconds(wait)));
        Err(self.give_up(message + &asks.unwrap_or_default(), retry))
    }

    /// Fails during a cooldown.
    fn check(&self) -> Result<(), RequestError> {
        match &self.state.lock().cooldown {
            Some((until, message)) if *until > self.clock.now() => {
                Err(RequestError::Unavailable(message.clone()))
            }
            _ => Ok(()),
        }
    }

    /// Waits as long as the service asked, in response to any request.
    fn wait_until_allowed(
        &self,
        deadline: Instant,
        retry: &RetryPolicy,
    ) -> Result<(), RequestError> {
        loop {
            let retry_after = self.state.lock().retry_after;
            let now = self.clock.now();
            match retry_after.filter(|until| *until > now) {
                None => return Ok(()),
                Some(until) if until > deadline => {
                    let wait = seconds(until - now);
                    let message = self.message(&format!("asks to wait for {wait} s"));
                    return Err(self.give_up(message, retry));
                }
                Some(until) => self.clock.sleep(until - now),
            }
        }
    }

    /// Sends a request once.
    fn send(&self, body: &[u8], timeout: Duration) -> Result<String, AttemptError> {
        let mut request = self.agent.post(&self.url).header("content-type", "application/json");
        if let Some(key) = &self.key {
            request = request.header("authorization", key.bearer());
        }
        let request = request.config().timeout_global(Some(timeout)).build();
        let transport_error = |error: ureq::Error| self.service.transport_error(&error, timeout);
        let response = request.send(body).map_err(transport_error)?;
        let (head, mut body) = response.into_parts();
        let status = head.status.as_u16();
        if !head.status.is_success() {
            let mut text = Vec::new();
            // The status alone is an error, too.
            let _ = body.as_reader().take(MAX_ERROR_BYTES).read_to_end(&mut text);
            let text = String::from_utf8_lossy(&text);
            return Err(self.service.http_error(status, &head.headers, &text));
        }
        let mut text = Vec::new();
        let mut reader = body.as_reader().take(MAX_RESPONSE_BYTES + 1);
        reader.read_to_end(&mut text).map_err(|error| transport_error(error.into()))?;
        if text.len() as u64 > MAX_RESPONSE_BYTES {
            return Err(AttemptError::Permanent(RequestError::Unavailable(
                self.message("sent too large a response"),
            )));
        }
        String::from_utf8(text).map_err(|_| {
            AttemptError::Permanent(RequestError::Unavailable(
                self.message("sent a response that is not UTF-8"),
            ))
        })
    }
}
