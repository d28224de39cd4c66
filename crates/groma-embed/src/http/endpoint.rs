//! The endpoint of a model: address, key, limits and retry policy.

use super::provider::{Protocol, Provider, known_dimensions};
use groma_core::{EmbedderIdentity, TextKey};
use std::fmt;
use std::net::IpAddr;
use std::time::Duration;
use ureq::http::Uri;

/// The version of the text sent for a passage. Raise it with any change that changes vectors.
const VERSION: u32 = 1;

/// An API key; never shown.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Wraps a key.
    pub fn new(key: impl Into<String>) -> Self {
        Self(key.into())
    }

    pub(super) fn bearer(&self) -> String {
        format!("Bearer {}", self.0)
    }

    /// The text with the key replaced, in case a service echoes it.
    pub(super) fn redact(&self, text: &str) -> String {
        if self.0.is_empty() { text.to_string() } else { text.replace(&self.0, "[key]") }
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[key]")
    }
}

/// Retries and timeouts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RetryPolicy {
    /// The maximum number of attempts.
    pub attempts: u32,
    /// The timeout of one attempt.
    pub timeout: Duration,
    /// The delay before the second attempt; it doubles with each further one.
    pub initial_backoff: Duration,
    /// The timeout of all attempts together.
    pub total_timeout: Duration,
    /// How long a failed service is not used.
    pub cooldown: Duration,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self {
            attempts: 5,
            timeout: Duration::from_secs(60),
            initial_backoff: Duration::from_millis(500),
            total_timeout: Duration::from_secs(120),
            cooldown: Duration::from_secs(15),
        }
    }
}

impl RetryPolicy {
    /// For a query, whose user waits.
    pub(super) fn interactive(self) -> Self {
        let limit = Duration::from_secs(10);
        Self {
            attempts: self.attempts.min(2),
            timeout: self.timeout.min(limit),
            initial_backoff: self.initial_backoff.min(Duration::from_millis(200)),
            total_timeout: self.total_timeout.min(limit),
            ..self
        }
    }

    /// For a check whether the service is available.
    pub(super) fn probe(self) -> Self {
        let limit = Duration::from_secs(3);
        Self { attempts: 1, timeout: self.timeout.min(limit), total_timeout: limit, ..self }
    }
}

/// The address of a model, and how to use it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Endpoint {
    /// The service.
    pub provider: Provider,
    /// Its URL, with or without the path of the request.
    pub base_url: String,
    /// The model; empty for the one the service was started with.
    pub model: String,
    /// The API key.
    pub key: Option<Secret>,
    /// The environment variable of the key, for messages.
    pub key_variable: Option<String>,
    /// The dimensions to request; `None` for the model's default.
    pub dimensions: Option<usize>,
    /// The maximum number of texts in a request.
    pub batch: usize,
    /// The maximum number of concurrent requests.
    pub concurrency: usize,
    /// The prefix of queries.
    pub query_prefix: String,
    /// The prefix of passages.
    pub passage_prefix: String,
    /// The maximum bytes of a text; a longer one is split.
    pub longest: usize,
    /// Retries and timeouts.
    pub retry: RetryPolicy,
    /// The proxy for services on other machines.
    pub proxy: Option<String>,
}

impl Endpoint {
    /// A service with its default settings.
    pub fn of(provider: Provider) -> Self {
        let preset = provider.preset();
        Self {
            provider,
            base_url: preset.base_url.into(),
            model: preset.model.into(),
            key: None,
            key_variable: provider.key_variable().map(String::from),
            dimensions: None,
            batch: preset.batch,
            concurrency: 4,
            query_prefix: String::new(),
            passage_prefix: String::new(),
            longest: preset.longest,
            retry: RetryPolicy::default(),
            proxy: None,
        }
    }

    /// Whether the address is the provider's default.
    pub fn is_own_address(&self) -> bool {
        self.base_url == self.provider.preset().base_url
    }

    /// Validates the settings, without a request.
    pub fn check(&self) -> Result<(), String> {
        self.address()?;
        match self.provider.key_variable() {
            Some(name) if self.key.is_none() && self.is_own_address() => {
                Err(format!("{} needs a key: set {name}", self.provider.name()))
            }
            _ => Ok(()),
        }
    }

    /// The parsed address of the service.
    pub fn address(&self) -> Result<Address, String> {
        Address::parse(&self.base_url, self.provider.protocol())
    }

    /// The dimensions, if they are known without a request.
    pub(super) fn known_dimensions(&self) -> Option<usize> {
        self.dimensions.or_else(|| known_dimensions(&self.model))
    }

    /// The identity of the model with these dimensions. The prefix of queries is not part of it, because stored vectors do not
    /// depend on it.
    pub(super) fn identity(&self, dimensions: usize) -> EmbedderIdentity {
        let host = self.address().map_or(String::new(), |address| address.host);
        let model = if self.model.is_empty() { &host } else { &self.model };
        let prefix = TextKey::new("prefix", &self.passage_prefix);
        let version = if self.passage_prefix.is_empty() {
            VERSION.to_string()
        } else {
            let digits = prefix.as_bytes()[..4].iter().map(|byte| format!("{byte:02x}"));
            format!("{VERSION}-{}", digits.collect::<String>())
        };
        let name = format!("{}/{model}", self.provider.name());
        EmbedderIdentity { name, version, dimensions }
    }
}

/// A parsed address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    /// The URL of requests.
    pub(super) url: String,
    /// The URL without its query string, for messages.
    pub shown: String,
    /// The host, with the port if there is one.
    pub host: String,
    /// Whether it is a loopback address.
    pub is_local: bool,
}

impl Address {
    fn parse(base_url: &str, protocol: Protocol) -> Result<Self, String> {
        let invalid = |what: &str| format!("`{base_url}` is not a valid service URL: {what}");
        let uri: Uri =
            base_url.parse().map_err(|_| invalid("write it as http://HOST:PORT/PATH"))?;
        if !matches!(uri.scheme_str(), Some("http" | "https")) {
            return Err(invalid("it must begin with http:// or https://"));
        }
        let authority = uri.authority().ok_or_else(|| invalid("it has no host"))?;
        if authority.as_str().contains('@') {
            // Without the URL, because it contains a password.
            return Err(
                "a URL must not contain a password; set the key in an environment variable".into(),
            );
        }
        let (path, query) = (uri.path().trim_end_matches('/'), uri.query());
        let path = request_path(path, protocol);
        let shown = format!("{}://{authority}{path}", uri.scheme_str().unwrap_or("http"));
        let query = query.map_or(String::new(), |query| format!("?{query}"));
        Ok(Self {
            url: format!("{shown}{query}"),
            shown,
            host: authority.as_str().to_ascii_lowercase(),
            is_local: is_local(authority.host()),
        })
    }
}

/// The path of requests; the given path may be the service's, that of its API version, or the full path.
fn request_path(path: &str, protocol: Protocol) -> String {
    let (last, missing) = match protocol {
        Protocol::OpenAi if path.is_empty() => ("/embeddings", "/v1/embeddings"),
        Protocol::OpenAi => ("/embeddings", "/embeddings"),
        Protocol::Cortex => ("/embed", "/embed"),
    };
    if path.ends_with(last) { path.to_string() } else { format!("{path}{missing}") }
}

/// Whether a host is a loopback address.
fn is_local(host: &str) -> bool {
    let host = host.trim_start_matches('[').trim_end_matches(']').to_ascii_lowercase();
    match host.parse::<IpAddr>() {
        Ok(address) => address.is_loopback(),
        Err(_) => host == "localhost" || host.ends_with(".localhost"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(base_url: &str, protocol: Protocol) -> Address {
        Address::parse(base_url, protocol).unwrap()
    }

    #[test]
    fn a_missing_request_path_is_added() {
        let url = |base_url: &str| address(base_url, Protocol::OpenAi).url;
        assert_eq!(url("http://localhost:11434"), "http://localhost:11434/v1/embeddings");
        assert_eq!(url("https://api.openai.com/v1/"), "https://api.openai.com/v1/embeddings");
        assert_eq!(url("http://h/v1/embeddings?v=2"), "http://h/v1/embeddings?v=2");
        let cortex = |base_url: &str| address(base_url, Protocol::Cortex).url;
        assert_eq!(cortex("http://localhost:8121"), "http://localhost:8121/embed");
        assert_eq!(cortex("http://localhost:8121/embed"), "http://localhost:8121/embed");
    }

    #[test]
    fn only_loopback_addresses_are_local() {
        let local = |base_url: &str| address(base_url, Protocol::OpenAi).is_local;
        for ours in
            ["http://localhost", "http://127.0.0.1:9", "http://[::1]:9/v1", "http://LOCALHOST"]
        {
            assert!(local(ours), "{ours}");
        }
        for remote in [
            "http://localhost.evil.com",
            "http://10.0.0.1",
            "http://127.0.0.1.evil.com",
            "https://api.openai.com/v1",
            "http://[::2]",
            "http://0.0.0.0",
        ] {
            assert!(!local(remote), "{remote}");
        }
    }

    #[test]
    fn invalid_urls_are_rejected() {
        for wrong in ["", "localhost", "ftp://host", "http://", "http://a b", "file:///etc/passwd"]
        {
            assert!(Address::parse(wrong, Protocol::OpenAi).is_err(), "{wrong}");
        }
        let error = Address::parse("http://me:secret@host", Protocol::OpenAi).unwrap_err();
        assert!(error.contains("password") && !error.contains("secret"), "{error}");
    }

    #[test]
    fn a_key_is_never_shown() {
        let endpoint =
            Endpoint { key: Some(Secret::new("sk-123")), ..Endpoint::of(Provider::OpenAi) };
        assert!(!format!("{endpoint:?}").contains("sk-123"));
        assert_eq!(Secret::new("sk-123").redact("bad key sk-123!"), "bad key [key]!");
        assert_eq!(Secret::new("").redact("all"), "all");
    }

    #[test]
    fn a_missing_key_names_its_variable() {
        let openai = Endpoint::of(Provider::OpenAi);
        assert_eq!(openai.check().unwrap_err(), "openai needs a key: set OPENAI_API_KEY");
        assert!(Endpoint { base_url: "http://localhost:1".into(), ..openai }.check().is_ok());
        assert!(Endpoint::of(Provider::Ollama).check().is_ok());
    }

    #[test]
    fn the_identity_covers_what_changes_vectors() {
        let ollama = Endpoint::of(Provider::Ollama);
        let identity = |endpoint: &Endpoint| endpoint.identity(768).to_string();
        assert_eq!(identity(&ollama), "ollama/nomic-embed-text@1/768");
        let query = Endpoint { query_prefix: "query: ".into(), ..ollama.clone() };
        assert_eq!(identity(&query), identity(&ollama));
        let passage = Endpoint { passage_prefix: "passage: ".into(), ..ollama.clone() };
        assert_ne!(identity(&passage), identity(&ollama));
        let moved = Endpoint { base_url: "http://localhost:9".into(), ..ollama };
        assert_eq!(identity(&moved), "ollama/nomic-embed-text@1/768");
        assert_eq!(Endpoint::of(Provider::Tei).identity(8).name, "tei/localhost:8080");
    }
}
