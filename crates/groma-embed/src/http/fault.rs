//! What a service did instead of answering, and what to do about it.

use super::endpoint::{Endpoint, Secret};
use super::provider::Provider;
use super::wait;
use serde_json::Value;
use std::io::ErrorKind;
use std::time::{Duration, SystemTime};
use ureq::http::HeaderMap;

/// How much of a service's own words is shown.
const SHOWN: usize = 200;

/// How services say that a request is too much for them. There is no code for it.
const TOO_MUCH: [&str; 11] = [
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

/// Why a request gave no vectors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// The service cannot be used now.
    Down(String),
    /// The request is too much at once; half of it may do.
    TooLarge(String),
    /// The request is not accepted: the service is asked in a wrong way, or a text is nothing for it.
    Rejected(String),
}

/// What became of one attempt that failed.
#[derive(Debug)]
pub(super) enum Failure {
    /// It may pass: another attempt is worth it, after so long if the service says how long.
    Passing(String, Option<Duration>),
    /// It took too long.
    Slow(String),
    /// Nobody is there, and that seldom passes soon.
    Absent(String),
    /// It will not.
    Lasting(Fault),
}

/// A service, as messages speak of it.
pub(super) struct Service {
    /// Its name and where it is.
    name: String,
    start: &'static str,
    /// What to do about a key that is missing or wrong.
    key_hint: String,
    /// What to do about a model that is not there.
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

    /// A sentence about the service, in which its key does not stand.
    pub fn says(&self, what: &str) -> String {
        let text = format!("{} {what}", self.name);
        self.key.as_ref().map_or(text.clone(), |key| key.redact(&text))
    }

    fn down(&self, what: &str) -> Failure {
        Failure::Lasting(Fault::Down(self.says(what)))
    }

    /// A request that got no answer.
    pub fn unanswered(&self, error: &ureq::Error, timeout: Duration) -> Failure {
        let start = self.start;
        let passing = |what: String| Failure::Passing(self.says(&what), None);
        let absent = |what: &str| Failure::Absent(self.says(&format!("{what}: {start}")));
        let slow = || {
            let what = format!("did not answer within {} s: {start}", seconds(timeout));
            Failure::Slow(self.says(&what))
        };
        match error {
            ureq::Error::Timeout(_) => slow(),
            ureq::Error::HostNotFound => absent("has no address"),
            ureq::Error::ConnectionFailed => absent("cannot be reached"),
            ureq::Error::Io(error) => match error.kind() {
                ErrorKind::ConnectionRefused => absent("refuses connections"),
                ErrorKind::TimedOut => slow(),
                ErrorKind::ConnectionReset
                | ErrorKind::ConnectionAborted
                | ErrorKind::BrokenPipe
                | ErrorKind::UnexpectedEof => passing("broke the connection off".into()),
                _ if error.to_string().contains("certificate") => {
                    self.down(&format!("has a certificate that is not trusted ({error})"))
                }
                _ => absent(&format!("cannot be reached ({error})")),
            },
            ureq::Error::Protocol(_) => {
                passing("answered with something that is not HTTP: check `base_url`".into())
            }
            other => self.down(&format!("cannot be asked: {other}")),
        }
    }

    /// An answer that is no success.
    pub fn refusal(&self, status: u16, headers: &HeaderMap, body: &str) -> Failure {
        let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
        let words = words(body);
        let shown = if words.is_empty() { String::new() } else { format!(" ({words})") };
        let answered = format!("answered {status}{shown}");
        let lower = body.to_ascii_lowercase();
        let too_much = TOO_MUCH.iter().any(|sign| lower.contains(sign));
        match status {
            300..=399 => {
                let to = header("location").unwrap_or("another address");
                self.down(&format!("redirects to {to}: set `base_url` to that, if it is right"))
            }
            401 | 403 => self.down(&format!("{answered}: {}", self.key_hint)),
            404 | 405 => self.down(&format!("{answered}: {}", self.model_hint)),
            413 => Failure::Lasting(Fault::TooLarge(self.says(&answered))),
            400 | 422 | 500 if too_much => Failure::Lasting(Fault::TooLarge(self.says(&answered))),
            400 | 422 => Failure::Lasting(Fault::Rejected(self.says(&answered))),
            429 if lower.contains("insufficient_quota") => self.down(&answered),
            408 | 425 | 429 | 500 | 502 | 503 | 504 | 529 => {
                Failure::Passing(self.says(&answered), wait::asked_for(header, SystemTime::now()))
            }
            _ => self.down(&answered),
        }
    }
}

/// What a service says in the body of a refusal, on one line.
fn words(body: &str) -> String {
    let told = serde_json::from_str::<Value>(body).ok().and_then(|json| {
        let places = ["/error/message", "/error", "/message", "/detail"];
        places.iter().find_map(|place| Some(json.pointer(place)?.as_str()?.to_string()))
    });
    let told = told.unwrap_or_else(|| body.to_string());
    first_line(&told)
}

/// The first line of a text that may be anything, short enough to be shown.
pub(super) fn first_line(text: &str) -> String {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    let line: String = line.chars().filter(|c| !c.is_control()).collect();
    match line.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}...", &line[..end]),
        None => line,
    }
}

/// Seconds as people write them.
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

    fn told(status: u16, body: &str) -> String {
        match service().refusal(status, &HeaderMap::new(), body) {
            Failure::Passing(message, _) | Failure::Slow(message) | Failure::Absent(message) => {
                format!("passing: {message}")
            }
            Failure::Lasting(Fault::Down(message)) => format!("down: {message}"),
            Failure::Lasting(Fault::TooLarge(message)) => format!("too large: {message}"),
            Failure::Lasting(Fault::Rejected(message)) => format!("rejected: {message}"),
        }
    }

    #[test]
    fn every_refusal_says_what_to_do() {
        let at = "openai at https://api.openai.com/v1/embeddings";
        assert_eq!(
            told(401, r#"{"error":{"message":"Incorrect API key provided: sk-1"}}"#),
            format!(
                "down: {at} answered 401 (Incorrect API key provided: [key]): \
                 check the key in OPENAI_API_KEY"
            )
        );
        assert_eq!(told(404, ""), format!("down: {at} answered 404: check `model` and `base_url`"));
        assert_eq!(told(503, "busy\nmore"), format!("passing: {at} answered 503 (busy)"));
        let quota =
            r#"{"error":{"message":"You exceeded your quota","code":"insufficient_quota"}}"#;
        assert!(told(429, quota).starts_with("down: "));
        assert!(told(302, "").contains("redirects to another address"));
        assert!(told(418, "").starts_with("down: "));
    }

    #[test]
    fn too_much_is_known_by_its_words() {
        for (status, body) in [
            (413, ""),
            (400, r#"{"error":{"message":"This model's maximum context length is 8192 tokens"}}"#),
            (400, r#"{"error":"the input length exceeds the context length"}"#),
            (422, r#"{"error":"Input validation error: `inputs` must have less than 512 tokens"}"#),
            (422, r#"{"error":"batch size 64 > maximum allowed batch size 32"}"#),
            (500, "input is too large to process. increase the physical batch size"),
        ] {
            assert!(told(status, body).starts_with("too large: "), "{status} {body}");
        }
        assert!(told(400, "no such parameter").starts_with("rejected: "));
        assert!(told(500, "oops").starts_with("passing: "));
    }

    #[test]
    fn words_of_a_service_are_one_short_line() {
        assert_eq!(words("\n\n  <ht\u{7}ml> \nmore"), "<html>");
        assert!(words(&"x".repeat(1000)).len() < 250);
        assert_eq!(words(r#"{"detail":"Not Found"}"#), "Not Found");
        assert_eq!(seconds(Duration::from_millis(300)), "0.3");
        assert_eq!(seconds(Duration::from_secs(60)), "60");
    }
}
