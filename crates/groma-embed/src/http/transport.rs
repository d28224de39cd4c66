//! One request to a service, sent again while there is hope, within bounds.
//!
//! All threads share what is known about the service: while it asks for a pause nobody sends anything, and once
//! it has been given up it is left alone for a while, so that whoever comes next is told at once.

use super::clock::{Clock, SystemClock};
use super::endpoint::{Endpoint, Patience, Secret};
use super::fault::{Failure, Fault, Service, seconds};
use super::turns::Turns;
use super::wait::backoff;
use std::io::Read;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use ureq::{Agent, Proxy};

/// Larger answers are not read: 256 vectors of 4,096 numbers in their longest form come to a third of it.
const LARGEST_ANSWER: u64 = 64 << 20;

/// Of a refusal less is enough.
const LARGEST_REFUSAL: u64 = 64 << 10;

/// How often somebody is looked for who does not seem to be there: it may be starting again.
const MOST_KNOCKS: u32 = 3;

/// How long a service that answered is believed to be there.
const FRESH: Duration = Duration::from_secs(30);

/// The way to a service.
pub(super) struct Transport {
    agent: Agent,
    url: String,
    key: Option<Secret>,
    service: Service,
    turns: Turns,
    state: Mutex<State>,
    clock: Arc<dyn Clock>,
}

/// What is known about the service.
#[derive(Default)]
struct State {
    /// When it answered last.
    answered: Option<Instant>,
    /// It asked not to be asked before.
    not_before: Option<Instant>,
    /// It is left alone until then, and why.
    resting: Option<(Instant, String)>,
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
            // A key and somebody's code go where the settings say, and nowhere else.
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
            turns: Turns::new(endpoint.concurrency),
            state: Mutex::default(),
            clock: Arc::new(SystemClock),
        })
    }

    /// Goes by another clock.
    pub fn set_clock(&mut self, clock: Arc<dyn Clock>) {
        self.clock = clock;
    }

    /// Whether the service is there: `Some` when that is known, `None` when it has to be asked.
    pub fn is_there(&self) -> Option<bool> {
        let state = self.state();
        match (&state.resting, state.answered) {
            (Some((until, _)), _) if *until > self.clock.now() => Some(false),
            (_, Some(answered)) if self.clock.now() - answered < FRESH => Some(true),
            _ => None,
        }
    }

    /// Whether it has ever answered.
    pub fn has_answered(&self) -> bool {
        self.state().answered.is_some()
    }

    /// A sentence about the service.
    pub fn says(&self, what: &str) -> String {
        self.service.says(what)
    }

    /// Gives the service up for a while.
    pub fn give_up(&self, message: String, patience: &Patience) -> Fault {
        self.state().resting = Some((self.clock.now() + patience.rest, message.clone()));
        Fault::Down(message)
    }

    /// Sends a request until it is answered. Gives the answer's text.
    pub fn post(
        &self,
        body: &[u8],
        patience: &Patience,
        in_a_hurry: bool,
    ) -> Result<String, Fault> {
        self.check()?;
        let _turn = self.turns.take(in_a_hurry);
        // While this thread waited for its turn, another may have found that nobody is there.
        self.check()?;
        let deadline = self.clock.now() + patience.total;
        let mut attempt = 1;
        loop {
            self.pause(deadline, patience)?;
            let left = deadline.saturating_duration_since(self.clock.now());
            match self.send(body, patience.timeout.min(left)) {
                Ok(text) => {
                    let mut state = self.state();
                    (state.answered, state.resting) = (Some(self.clock.now()), None);
                    return Ok(text);
                }
                Err(failure) => self.bear(failure, attempt, deadline, patience)?,
            }
            attempt += 1;
        }
    }

    /// Waits until another attempt is worth it, or gives up.
    fn bear(
        &self,
        failure: Failure,
        attempt: u32,
        deadline: Instant,
        patience: &Patience,
    ) -> Result<(), Fault> {
        let slow = matches!(failure, Failure::Slow(_));
        let (message, asked, attempts) = match failure {
            Failure::Lasting(Fault::Down(message)) => return Err(self.give_up(message, patience)),
            Failure::Lasting(fault) => return Err(fault),
            Failure::Passing(message, asked) => (message, asked, patience.attempts),
            Failure::Slow(message) => (message, None, patience.attempts),
            Failure::Absent(message) => (message, None, patience.attempts.min(MOST_KNOCKS)),
        };
        let wait = asked.unwrap_or_else(|| backoff(attempt, patience.first_wait));
        if attempt < attempts && self.clock.now() + wait < deadline {
            match asked {
                Some(wait) => self.state().not_before = Some(self.clock.now() + wait),
                None => self.clock.sleep(wait),
            }
            return Ok(());
        }
        // One that answers others is not away but busy: only this request is given up.
        if slow && self.is_there() == Some(true) {
            return Err(Fault::Down(message));
        }
        let asks = asked.map(|wait| format!(" and asks to wait for {} s", seconds(wait)));
        Err(self.give_up(message + &asks.unwrap_or_default(), patience))
    }

    /// Whether the service is to be left alone.
    fn check(&self) -> Result<(), Fault> {
        match &self.state().resting {
            Some((until, message)) if *until > self.clock.now() => {
                Err(Fault::Down(message.clone()))
            }
            _ => Ok(()),
        }
    }

    /// Waits for as long as the service asked, whoever it told.
    fn pause(&self, deadline: Instant, patience: &Patience) -> Result<(), Fault> {
        loop {
            let not_before = self.state().not_before;
            let now = self.clock.now();
            match not_before.filter(|until| *until > now) {
                None => return Ok(()),
                Some(until) if until > deadline => {
                    let wait = seconds(until - now);
                    let message = self.says(&format!("asks to wait for {wait} s"));
                    return Err(self.give_up(message, patience));
                }
                Some(until) => self.clock.sleep(until - now),
            }
        }
    }

    /// Sends a request once.
    fn send(&self, body: &[u8], timeout: Duration) -> Result<String, Failure> {
        let mut request = self.agent.post(&self.url).header("content-type", "application/json");
        if let Some(key) = &self.key {
            request = request.header("authorization", key.bearer());
        }
        let request = request.config().timeout_global(Some(timeout)).build();
        let unanswered = |error: ureq::Error| self.service.unanswered(&error, timeout);
        let response = request.send(body).map_err(unanswered)?;
        let (head, mut body) = response.into_parts();
        let status = head.status.as_u16();
        if !head.status.is_success() {
            let mut text = Vec::new();
            // A refusal whose words cannot be read is a refusal.
            let _ = body.as_reader().take(LARGEST_REFUSAL).read_to_end(&mut text);
            let text = String::from_utf8_lossy(&text);
            return Err(self.service.refusal(status, &head.headers, &text));
        }
        let mut text = Vec::new();
        let mut reader = body.as_reader().take(LARGEST_ANSWER + 1);
        reader.read_to_end(&mut text).map_err(|error| unanswered(error.into()))?;
        if text.len() as u64 > LARGEST_ANSWER {
            return Err(Failure::Lasting(Fault::Down(self.says("answered with too much"))));
        }
        String::from_utf8(text).map_err(|_| {
            Failure::Lasting(Fault::Down(self.says("answered with something unreadable")))
        })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
