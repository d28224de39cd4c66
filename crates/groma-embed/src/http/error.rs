//! Errors of requests to a service, with a hint what to do.

use super::backoff;
use super::endpoint::{Endpoint, Secret};
use super::provider::Provider;
use serde_json::Value;
use std::io::ErrorKind;
use std::time::{Duration, SystemTime};
use ureq::http::HeaderMap;

/// The maximum length of a quoted error message.
const MAX_QUOTED: usize = 200;

/// Phrases by which services report that a request is too large. There is no status code for it.
const TOO_LARGE: [&str; 11] = [
    "too long",
    "too large",
    "too many tokens",
    "context length",
    "maximum context",
    "context window",
    "exceeds",
    "must have less than",
    "token limit",
    "batch size",
    "longer than",
];

/// Why a request failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum RequestError {
    /// The service cannot be used at the moment.
    Unavailable(String),
    /// The request is too large; a smaller one may succeed.
    TooLarge(String),
    /// The request is invalid: either every request of this form, or only one of its texts.
    Rejected(String),
}

/// Why one attempt of a request failed.
#[derive(Debug)]
pub(super) enum AttemptError {
    /// Worth a retry, after the delay that the service asked for, if any.
    Transient(String, Option<Duration>),
    /// The request timed out.
    TimedOut(String),
    /// The service does not accept connections, which seldom changes soon.
    Unreachable(String),
    /// Not worth a retry.
    Permanent(RequestError),
}

/// A service as named in messages.
pub(super) struct Service {
    /// Its name and address.
    name: String,
    start: &'static str,
    /// The hint for a missing or wrong key.
    key_hint: String,
    /// The hint for an unknown model.
    model_hint: String,
    key: Option<Secret>,
}

impl Service {
    pub fn new(endpoint: &Endpoint, shown: &str) -> Self {
        let variable = endpoint.key_variable.as_deref().unwrap_or("GROMA_EMBEDDING_KEY");
        let key_hint = match endpoint.key {
            None => format!("set {variable}"),
            Some(_) => format!("check the key in {variable}"),
        };
        let model_hint = match endpoint.provider {
            Provider::Ollama => format!("`ollama pull {}` fetches the model", endpoint.model),
            _ => "check `model` and `base_url`".to_string(),
        };
        Self {
            name: format!("{} at {shown}", endpoint.provider.name()),
            start: endpoint.provider.preset().start,
            key_hint,
            model_hint,
            key: endpoint.key.clone(),
        }
    }

    /// A message about the service, with its key redacted.
    pub fn message(&self, what: &str) -> String {
        let text = format!("{} {what}", self.name);
        self.key.as_ref().map_or(text.clone(), |key| key.redact(&text))
    }

    fn unavailable(&self, what: &str) -> AttemptError {
        AttemptError::Permanent(RequestError::Unavailable(self.message(what)))
    }

    /// The error of a request without a response.
    pub fn transport_error(&self, error: &ureq::Error, timeout: Duration) -> AttemptError {
        let start = self.start;
        let transient = |what: String| AttemptError::Transient(self.message(&what), None);
        let unreachable =
            |what: &str| AttemptError::Unreachable(self.message(&format!("{what}: {start}")));
        let timed_out = || {
            let what = format!("did not answer within {} s: {start}", seconds(timeout));
            AttemptError::TimedOut(self.message(&what))
        };
        match error {
            ureq::Error::Timeout(_) => timed_out(),
            ureq::Error::HostNotFound => unreachable("has an unknown host name"),
            ureq::Error::ConnectionFailed => unreachable("cannot be reached"),
            ureq::Error::Io(error) => match error.kind() {
                ErrorKind::ConnectionRefused => unreachable("refuses connections"),
                ErrorKind::TimedOut => timed_out(),
                ErrorKind::ConnectionReset
                | ErrorKind::ConnectionAborted
                | ErrorKind::BrokenPipe
                | ErrorKind::UnexpectedEof => transient("closed the connection".into()),
                _ if error.to_string().contains("certificate") => {
                    self.unavailable(&format!("has an untrusted certificate ({error})"))
                }
                _ => unreachable(&format!("cannot be reached ({error})")),
            },
            ureq::Error::Protocol(_) => {
                transient("sent a response that is not HTTP: check `base_url`".into())
            }
            other => self.unavailable(&format!("cannot be used: {other}")),
        }
    }

    /// The error of a response whose status is not success.
    pub fn http_error(&self, status: u16, headers: &HeaderMap, body: &str) -> AttemptError {
        let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
        let quoted = error_message(body);
        let shown = if quoted.is_empty() { String::new() } else { format!(" ({quoted})") };
        let answered = format!("answered {status}{shown}");
        let lower = body.to_ascii_lowercase();
        let too_large = TOO_LARGE.iter().any(|sign| lower.contains(sign));
        match status {
            300..=399 => {
                let to = header("location").unwrap_or("another address");
                self.unavailable(&format!(
                    "redirects to {to}: set `base_url` to that address if it is right"
                ))
            }
            401 | 403 => self.unavailable(&format!("{answered}: {}", self.key_hint)),
            404 | 405 => self.unavailable(&format!("{answered}: {}", self.model_hint)),
            413 => AttemptError::Permanent(RequestError::TooLarge(self.message(&answered))),
            400 | 422 | 500 if too_large => {
                AttemptError::Permanent(RequestError::TooLarge(self.message(&answered)))
            }
            400 | 422 => AttemptError::Permanent(RequestError::Rejected(self.message(&answered))),
            429 if lower.contains("insufficient_quota") => self.unavailable(&answered),
            408 | 425 | 429 | 500 | 502 | 503 | 504 | 529 => AttemptError::Transient(
                self.message(&answered),
                backoff::requested_delay(header, SystemTime::now()),
            ),
            _ => self.unavailable(&answered),
        }
    }
}

/// The error message in a response body, on one line.
fn error_message(body: &str) -> String {
    let message = serde_json::from_str::<Value>(body).ok().and_then(|json| {
        let pointers = ["/error/message", "/error", "/message", "/detail"];
        pointers.iter().find_map(|pointer| Some(json.pointer(pointer)?.as_str()?.to_string()))
    });
    first_line(message.as_deref().unwrap_or(body))
}

/// The first non-empty line of any text, truncated, without control characters.
pub(super) fn first_line(text: &str) -> String {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    let line: String = line.chars().filter(|c| !c.is_control()).collect();
    match line.char_indices().nth(MAX_QUOTED) {
        Some((end, _)) => format!("{}...", &line[..end]),
        None => line,
    }
}

/// Seconds with at most one decimal.
pub(super) fn seconds(time: Duration) -> String {
    let text = format!("{:.1}", time.as_secs_f32());
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn service() -> Service {
        let endpoint =
            Endpoint { key: Some(Secret::new("sk-1")), ..Endpoint::of(Provider::OpenAi) };
        Service::new(&endpoint, "https://api.openai.com/v1/embeddings")
    }

    fn error(status: u16, body: &str) -> String {
        match service().http_error(status, &HeaderMap::new(), body) {
            AttemptError::Transient(message, _)
            | AttemptError::TimedOut(message)
            | AttemptError::Unreachable(message) => {
                format!("transient: {message}")
            }
            AttemptError::Permanent(RequestError::Unavailable(message)) => {
                format!("unavailable: {message}")
            }
            AttemptError::Permanent(RequestError::TooLarge(message)) => {
                format!("too large: {message}")
            }
            AttemptError::Permanent(RequestError::Rejected(message)) => {
                format!("rejected: {message}")
            }
        }
    }

    #[test]
    fn every_http_error_has_a_hint() {
        let at = "openai at https://api.openai.com/v1/embeddings";
        assert_eq!(
            error(401, r#"{"error":{"message":"Incorrect API key provided: sk-1"}}"#),
            format!(
                "unavailable: {at} answered 401 (Incorrect API key provided: [key]): \
                 check the key in OPENAI_API_KEY"
            )
        );
        assert_eq!(
            error(404, ""),
            format!("unavailable: {at} answered 404: check `model` and `base_url`")
        );
        assert_eq!(error(503, "busy\nmore"), format!("transient: {at} answered 503 (busy)"));
        let quota =
            r#"{"error":{"message":"You exceeded your quota","code":"insufficient_quota"}}"#;
        assert!(error(429, quota).starts_with("unavailable: "));
        assert!(error(302, "").contains("redirects to another address"));
        assert!(error(418, "").starts_with("unavailable: "));
    }

    #[test]
    fn a_request_that_is_too_large_is_recognised_by_the_message() {
        for (status, body) in [
            (413, ""),
            (400, r#"{"error":{"message":"This model's maximum context length is 8192 tokens"}}"#),
            (400, r#"{"error":"the input length exceeds the context length"}"#),
            (422, r#"{"error":"Input validation error: `inputs` must have less than 512 tokens"}"#),
            (422, r#"{"error":"batch size 64 > maximum allowed batch size 32"}"#),
            (500, "input is too large to process. increase the physical batch size"),
        ] {
            assert!(error(status, body).starts_with("too large: "), "{status} {body}");
        }
        assert!(error(400, "no such parameter").starts_with("rejected: "));
        assert!(error(500, "oops").starts_with("transient: "));
    }

    #[test]
    fn quoted_messages_are_one_short_line() {
        assert_eq!(error_message("\n\n  <ht\u{7}ml> \nmore"), "<html>");
        assert!(error_message(&"x".repeat(1000)).len() < 250);
        assert_eq!(error_message(r#"{"detail":"Not Found"}"#), "Not Found");
        assert_eq!(seconds(Duration::from_millis(300)), "0.3");
        assert_eq!(seconds(Duration::from_secs(60)), "60");
    }
}
