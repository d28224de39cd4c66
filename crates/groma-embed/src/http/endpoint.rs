//! Where a model is and how it is to be asked: everything that settings may say about it.

use super::provider::{Protocol, Provider, known_dimensions};
use groma_core::{EmbedderIdentity, TextKey};
use std::fmt;
use std::net::IpAddr;
use std::time::Duration;
use ureq::http::Uri;

/// The version of what we send for a passage. Raise it with any change that makes other vectors.
const VERSION: u32 = 1;

/// A key. It is sent, and shown to nobody.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// A key.
    pub fn new(key: impl Into<String>) -> Self {
        Self(key.into())
    }

    pub(super) fn bearer(&self) -> String {
        format!("Bearer {}", self.0)
    }

    /// The text without the key, should a service repeat it.
    pub(super) fn redact(&self, text: &str) -> String {
        if self.0.is_empty() { text.to_string() } else { text.replace(&self.0, "[key]") }
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[key]")
    }
}

/// How long a service that does not answer is tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patience {
    /// How often a request is sent at most.
    pub attempts: u32,
    /// How long one request may take.
    pub timeout: Duration,
    /// The wait before the second attempt; each further one is about twice as long.
    pub first_wait: Duration,
    /// How long it may take in all.
    pub total: Duration,
    /// How long a service that failed is left alone.
    pub rest: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            attempts: 5,
            timeout: Duration::from_secs(60),
            first_wait: Duration::from_millis(500),
            total: Duration::from_secs(120),
            rest: Duration::from_secs(15),
        }
    }
}

impl Patience {
    /// With somebody waiting for an answer.
    pub(super) fn short(self) -> Self {
        let moment = Duration::from_secs(10);
        Self {
            attempts: self.attempts.min(2),
            timeout: self.timeout.min(moment),
            first_wait: self.first_wait.min(Duration::from_millis(200)),
            total: self.total.min(moment),
            ..self
        }
    }

    /// To find out whether anybody is there.
    pub(super) fn glance(self) -> Self {
        let moment = Duration::from_secs(3);
        Self { attempts: 1, timeout: self.timeout.min(moment), total: moment, ..self }
    }
}

/// Where a model is and how it is to be asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Endpoint {
    /// The service.
    pub provider: Provider,
    /// Its address, with or without the path of the request.
    pub base_url: String,
    /// The model; empty for whatever the service was started with.
    pub model: String,
    /// The key.
    pub key: Option<Secret>,
    /// The variable the key is in, or should be; for messages.
    pub key_variable: Option<String>,
    /// How many dimensions to ask for; `None` for as many as the model has.
    pub dimensions: Option<usize>,
    /// Texts in one request.
    pub batch: usize,
    /// Requests at the same time.
    pub concurrency: usize,
    /// What stands before a question.
    pub query_prefix: String,
    /// What stands before a passage.
    pub passage_prefix: String,
    /// Bytes of one text; a longer one is split.
    pub longest: usize,
    /// How long a service that does not answer is tried.
    pub patience: Patience,
    /// A proxy on the way to a service on another machine.
    pub proxy: Option<String>,
}

impl Endpoint {
    /// A service as it is when nothing else is said.
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
            patience: Patience::default(),
            proxy: None,
        }
    }

    /// Whether the address is the service's own, and not one that was set.
    pub fn is_own_address(&self) -> bool {
        self.base_url == self.provider.preset().base_url
    }

    /// What is wrong with it, as far as that can be told without asking.
    pub fn check(&self) -> Result<(), String> {
        self.address()?;
        match self.provider.key_variable() {
            Some(name) if self.key.is_none() && self.is_own_address() => {
                Err(format!("{} needs a key: set {name}", self.provider.name()))
            }
            _ => Ok(()),
        }
    }

    /// The address of the service, read.
    pub fn address(&self) -> Result<Address, String> {
        Address::parse(&self.base_url, self.provider.protocol())
    }

    /// The dimensions, if they are known without asking.
    pub(super) fn known_dimensions(&self) -> Option<usize> {
        self.dimensions.or_else(|| known_dimensions(&self.model))
    }

    /// The identity of the model, should it have so many dimensions. What stands before a question is no part of
    /// it: the vectors that are stored do not depend on it.
    pub(super) fn identity(&self, dimensions: usize) -> EmbedderIdentity {
        let host = self.address().map_or(String::new(), |address| address.host);
        let model = if self.model.is_empty() { &host } else { &self.model };
        let prefix = TextKey::new("prefix", &self.passage_prefix);
        let version = match self.passage_prefix.is_empty() {
            true => VERSION.to_string(),
            false => {
                let digits = prefix.as_bytes()[..4].iter().map(|byte| format!("{byte:02x}"));
                format!("{VERSION}-{}", digits.collect::<String>())
            }
        };
        let name = format!("{}/{model}", self.provider.name());
        EmbedderIdentity { name, version, dimensions }
    }
}

/// An address that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    /// What a request is sent to.
    pub(super) url: String,
    /// The same for showing, without a query.
    pub shown: String,
    /// The host with its port, if one is given.
    pub host: String,
    /// Whether it is this machine.
    pub is_local: bool,
}

impl Address {
    fn parse(base_url: &str, protocol: Protocol) -> Result<Self, String> {
        let wrong = |what: &str| format!("`{base_url}` is no address of a service: {what}");
        let uri: Uri = base_url.parse().map_err(|_| wrong("write it as http://HOST:PORT/PATH"))?;
        if !matches!(uri.scheme_str(), Some("http" | "https")) {
            return Err(wrong("it must begin with http:// or https://"));
        }
        let authority = uri.authority().ok_or_else(|| wrong("it has no host"))?;
        if authority.as_str().contains('@') {
            // Without the address: what stands there is a password.
            return Err("an address must not hold a password; a key comes from a variable".into());
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

/// The path of a request: what is given may be the service, its version, or the request itself.
fn request_path(path: &str, protocol: Protocol) -> String {
    let (last, missing) = match protocol {
        Protocol::OpenAi if path.is_empty() => ("/embeddings", "/v1/embeddings"),
        Protocol::OpenAi => ("/embeddings", "/embeddings"),
        Protocol::Cortex => ("/embed", "/embed"),
    };
    if path.ends_with(last) { path.to_string() } else { format!("{path}{missing}") }
}

/// Whether a host is this machine.
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
    fn the_path_of_the_request_is_added_where_it_is_missing() {
        let url = |base_url: &str| address(base_url, Protocol::OpenAi).url;
        assert_eq!(url("http://localhost:11434"), "http://localhost:11434/v1/embeddings");
        assert_eq!(url("https://api.openai.com/v1/"), "https://api.openai.com/v1/embeddings");
        assert_eq!(url("http://h/v1/embeddings?v=2"), "http://h/v1/embeddings?v=2");
        let cortex = |base_url: &str| address(base_url, Protocol::Cortex).url;
        assert_eq!(cortex("http://localhost:8121"), "http://localhost:8121/embed");
        assert_eq!(cortex("http://localhost:8121/embed"), "http://localhost:8121/embed");
    }

    #[test]
    fn only_this_machine_is_local() {
        let local = |base_url: &str| address(base_url, Protocol::OpenAi).is_local;
        for ours in
            ["http://localhost", "http://127.0.0.1:9", "http://[::1]:9/v1", "http://LOCALHOST"]
        {
            assert!(local(ours), "{ours}");
        }
        for theirs in [
            "http://localhost.evil.com",
            "http://10.0.0.1",
            "http://127.0.0.1.evil.com",
            "https://api.openai.com/v1",
            "http://[::2]",
            "http://0.0.0.0",
        ] {
            assert!(!local(theirs), "{theirs}");
        }
    }

    #[test]
    fn what_is_no_address_is_told_so() {
        for wrong in ["", "localhost", "ftp://host", "http://", "http://a b", "file:///etc/passwd"]
        {
            assert!(Address::parse(wrong, Protocol::OpenAi).is_err(), "{wrong}");
        }
        let told = Address::parse("http://me:secret@host", Protocol::OpenAi).unwrap_err();
        assert!(told.contains("password") && !told.contains("secret"), "{told}");
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
    fn a_service_without_its_key_is_told_which_variable_to_set() {
        let openai = Endpoint::of(Provider::OpenAi);
        assert_eq!(openai.check().unwrap_err(), "openai needs a key: set OPENAI_API_KEY");
        assert!(Endpoint { base_url: "http://localhost:1".into(), ..openai }.check().is_ok());
        assert!(Endpoint::of(Provider::Ollama).check().is_ok());
    }

    #[test]
    fn what_makes_other_vectors_is_part_of_the_identity() {
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
