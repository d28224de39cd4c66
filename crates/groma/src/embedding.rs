//! Which embedding model a project uses, by its settings, the environment and the contract.
//!
//! A project's settings come with its files, which may not be trusted. They may therefore select a service only if the
//! user trusts them, and then one on this machine. Sending code or a key to another machine needs the user's consent,
//! given in the environment.

use crate::variables::Variables;
use groma_embed::{Address, Endpoint, Provider, Secret};
use serde::Deserialize;
use serde::de::{Deserializer, Error};
use serde_json::{Value, json};
use std::time::Duration;

/// The variable with the key of a service that has no variable of its own.
const KEY: &str = "GROMA_EMBEDDING_KEY";

/// The variable with the hosts to which a project's settings may send code.
const HOSTS: &str = "GROMA_EMBEDDING_HOSTS";

/// The `[embeddings]` table of `.groma.toml`. Zero and empty mean the service's default.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct EmbeddingSettings {
    /// Whether vectors are computed.
    pub enabled: bool,
    /// The service; `None` for the built-in model.
    #[serde(deserialize_with = "provider")]
    pub provider: Option<Provider>,
    /// Its address.
    pub base_url: String,
    /// Its model.
    pub model: String,
    /// Dimensions to request.
    pub dimensions: usize,
    /// Texts per request.
    pub batch: usize,
    /// Concurrent requests.
    pub concurrency: usize,
    /// The prefix of queries.
    pub query_prefix: String,
    /// The prefix of passages.
    pub passage_prefix: String,
    /// The timeout of a request.
    pub timeout_seconds: u64,
    /// The environment variable with the key.
    pub key_variable: String,
    /// Whether the user trusts them: see `trust`.
    #[serde(skip)]
    pub is_trusted: bool,
}

impl Default for EmbeddingSettings {
    fn default() -> Self {
        Self {
            enabled: true,
            provider: None,
            base_url: String::new(),
            model: String::new(),
            dimensions: 0,
            batch: 0,
            concurrency: 0,
            query_prefix: String::new(),
            passage_prefix: String::new(),
            timeout_seconds: 0,
            key_variable: String::new(),
            is_trusted: false,
        }
    }
}

/// Parses the name of a service or of the built-in model.
fn provider<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Provider>, D::Error> {
    const NAMES: &[&str] =
        &["builtin", "openai", "jina", "voyage", "ollama", "lmstudio", "tei", "vllm", "cortex"];
    let name = String::deserialize(deserializer)?;
    if name == "builtin" {
        return Ok(None);
    }
    name.parse().map(Some).map_err(|_| D::Error::unknown_variant(&name, NAMES))
}

impl EmbeddingSettings {
    /// The settings in the structure of the file.
    pub fn to_json(&self) -> Value {
        json!({
            "enabled": self.enabled,
            "provider": self.provider.map_or("builtin", Provider::name),
            "base_url": self.base_url,
            "model": self.model,
            "dimensions": self.dimensions,
            "batch": self.batch,
            "concurrency": self.concurrency,
            "query_prefix": self.query_prefix,
            "passage_prefix": self.passage_prefix,
            "timeout_seconds": self.timeout_seconds,
            "key_variable": self.key_variable,
        })
    }

    /// The first key with an invalid value, and the allowed values.
    pub fn invalid(&self) -> Option<(&'static str, &'static str)> {
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let address = Endpoint {
            base_url: self.base_url.clone(),
            ..Endpoint::of(self.provider.unwrap_or(Provider::OpenAi))
        };
        let checks = [
            (
                !self.base_url.is_empty() && address.address().is_err(),
                "embeddings.base_url",
                "an address such as \"http://localhost:11434/v1\", without a password",
            ),
            (
                self.provider.is_none() && !(self.base_url.is_empty() && self.model.is_empty()),
                "embeddings.provider",
                "a service where `base_url` or `model` is set; \"openai\" is the protocol of most",
            ),
            (self.dimensions > 16_384, "embeddings.dimensions", "at most 16384"),
            (self.batch > 2048, "embeddings.batch", "at most 2048"),
            (self.concurrency > 64, "embeddings.concurrency", "at most 64"),
            (self.timeout_seconds > 3600, "embeddings.timeout_seconds", "at most 3600"),
            (
                !self.key_variable.chars().all(is_name),
                "embeddings.key_variable",
                "the name of an environment variable, never the key itself",
            ),
        ];
        checks
            .into_iter()
            .find(|(is_invalid, ..)| *is_invalid)
            .map(|(_, key, allowed)| (key, allowed))
    }

    /// The endpoint of the service, without its key.
    fn endpoint(&self, provider: Provider) -> Endpoint {
        let default = Endpoint::of(provider);
        let text =
            |own: &String, default: String| if own.is_empty() { default } else { own.clone() };
        let number = |own: usize, default: usize| if own == 0 { default } else { own };
        let mut retry = default.retry;
        if self.timeout_seconds > 0 {
            retry.timeout = Duration::from_secs(self.timeout_seconds);
            retry.total_timeout = retry.total_timeout.max(2 * retry.timeout);
        }
        Endpoint {
            base_url: text(&self.base_url, default.base_url),
            model: text(&self.model, default.model),
            dimensions: (self.dimensions > 0).then_some(self.dimensions),
            batch: number(self.batch, default.batch),
            concurrency: number(self.concurrency, default.concurrency),
            query_prefix: self.query_prefix.clone(),
            passage_prefix: self.passage_prefix.clone(),
            retry,
            ..Endpoint::of(provider)
        }
    }
}

/// The chosen embedding model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Embedding {
    /// None: search uses keywords and names.
    Off,
    /// The built-in model.
    BuiltIn,
    /// A model of a service.
    Remote(Box<Endpoint>),
    /// A service that cannot be used, with the reason; the built-in model is used instead.
    Unusable(String),
}

impl Embedding {
    /// The model that settings and environment select.
    pub fn choose(settings: &EmbeddingSettings, variables: &Variables) -> Self {
        let asked = variables.text("GROMA_EMBEDDING_PROVIDER");
        let url = variables.text("GROMA_EMBEDDING_URL");
        let mut settings = match asked.as_deref() {
            _ if !settings.enabled => return Self::Off,
            Some("off") => return Self::Off,
            Some("builtin") => return Self::BuiltIn,
            Some(name) => match name.parse() {
                Ok(provider) if settings.provider == Some(provider) => settings.clone(),
                // Settings of another service do not apply.
                Ok(provider) => {
                    EmbeddingSettings { provider: Some(provider), ..EmbeddingSettings::default() }
                }
                Err(reason) => {
                    return Self::Unusable(format!(
                        "GROMA_EMBEDDING_PROVIDER is `{name}`: {reason}"
                    ));
                }
            },
            None => settings.clone(),
        };
        let by_user = url.is_some() || (asked.is_some() && settings.base_url.is_empty());
        if let Some(url) = url {
            settings.base_url = url;
            settings.provider.get_or_insert(Provider::OpenAi);
        }
        if let Some(model) = variables.text("GROMA_EMBEDDING_MODEL") {
            settings.model = model;
        }
        match settings.provider {
            None => Self::BuiltIn,
            Some(provider) => remote(provider, &settings, variables, by_user),
        }
    }

    /// The contracts that have a surface.
    pub const CONTRACTS: [&str; 6] =
        ["native", "gocontext", "context", "codecompass", "cocosearch", "cortex"];

    /// The model that a contract's environment variables and its `own` settings of the project select; without any, as
    /// [`choose`](Self::choose).
    pub fn on_surface(
        contract: &str,
        settings: &EmbeddingSettings,
        own: &EmbeddingSettings,
        variables: &Variables,
    ) -> Self {
        let selected = if settings.enabled { of_contract(contract, own, variables) } else { None };
        selected.unwrap_or_else(|| Self::choose(settings, variables))
    }
}

/// The model that a contract's environment variables and its own settings of the project select.
fn of_contract(
    contract: &str,
    own: &EmbeddingSettings,
    variables: &Variables,
) -> Option<Embedding> {
    let default = EmbeddingSettings::default();
    let service = |provider| Some(remote(provider, &default, variables, true));
    let has_key = |provider: &Provider| {
        provider.key_variable().is_some_and(|name| variables.text(name).is_some())
    };
    match contract {
        "gocontext" => match variables.text("GOCONTEXT_EMBEDDING_PROVIDER").as_deref() {
            Some("local") => Some(Embedding::BuiltIn),
            Some("jina") => service(Provider::Jina),
            Some("openai") => service(Provider::OpenAi),
            Some(other) => Some(Embedding::Unusable(format!(
                "GOCONTEXT_EMBEDDING_PROVIDER is `{other}`: it may be jina, openai or local"
            ))),
            None => {
                let found = [Provider::Jina, Provider::OpenAi].into_iter().find(has_key);
                found.and_then(service)
            }
        },
        "context" => Some(Provider::OpenAi).filter(has_key).and_then(service),
        "cortex" => {
            let by_user = variables.text("CORTEX_EMBEDDING_ENDPOINT");
            let is_by_user = by_user.is_some();
            let base_url = by_user.unwrap_or_else(|| own.base_url.clone());
            let there = EmbeddingSettings { base_url, ..own.clone() };
            let is_configured = !there.base_url.is_empty();
            is_configured.then(|| remote(Provider::Cortex, &there, variables, is_by_user))
        }
        _ => None,
    }
}

/// A service, if it is allowed and completely configured.
fn remote(
    provider: Provider,
    settings: &EmbeddingSettings,
    variables: &Variables,
    by_user: bool,
) -> Embedding {
    let mut endpoint = settings.endpoint(provider);
    let address = match endpoint.address() {
        Ok(address) => address,
        Err(reason) => return Embedding::Unusable(reason),
    };
    let trusted = by_user || is_allowed(&address, variables);
    // Serving the Cortex contract is consent to the service that its settings name on this machine.
    let may_be_local = settings.is_trusted || provider == Provider::Cortex;
    let stays_here = address.is_local && settings.key_variable.is_empty() && may_be_local;
    if !trusted && !stays_here {
        return Embedding::Unusable(not_allowed(provider, &address, settings));
    }
    let own = provider.key_variable().filter(|_| endpoint.is_own_address());
    let named = Some(settings.key_variable.as_str()).filter(|name| !name.is_empty());
    let variable = named.or(own).unwrap_or(KEY);
    endpoint.key = variables.text(variable).filter(|_| trusted).map(Secret::new);
    endpoint.key_variable = Some(variable.to_string());
    endpoint.proxy = variables.proxy(&address);
    match endpoint.check() {
        Ok(()) => Embedding::Remote(Box::new(endpoint)),
        Err(reason) => Embedding::Unusable(reason),
    }
}

/// Whether the user allowed the host, with or without its port.
fn is_allowed(address: &Address, variables: &Variables) -> bool {
    let hosts = variables.text(HOSTS).unwrap_or_default().to_ascii_lowercase();
    let bare = address.host.rsplit_once(':').map_or(&*address.host, |(host, _)| host);
    hosts.split(',').map(str::trim).any(|host| host == address.host || host == bare)
}

fn not_allowed(provider: Provider, address: &Address, settings: &EmbeddingSettings) -> String {
    let host = &address.host;
    let (what, then) = match (address.is_local, settings.key_variable.is_empty()) {
        (true, true) => ("code would be sent there", "`groma trust` allows it".to_string()),
        (true, false) => ("a key would be sent", format!("set {HOSTS}={host} to allow it")),
        (false, _) => ("code would leave this machine", format!("set {HOSTS}={host} to allow it")),
    };
    format!("the project's settings ask for {} at {host}, and {what}: {then}", provider.name())
}

#[cfg(test)]
mod tests;
