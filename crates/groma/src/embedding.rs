//! Which model makes a project's vectors: what its settings, the environment and a contract say about it.
//!
//! A project's settings come with its files, and the files may come from a stranger. So they may choose among
//! models on this machine, and nothing else: that code leaves the machine, or a key is sent anywhere, is for the
//! user to say, and the user speaks through the environment.

use crate::environment::Variables;
use groma_embed::{Address, Endpoint, Provider, Secret};
use serde::Deserialize;
use serde::de::{Deserializer, Error};
use serde_json::{Value, json};
use std::time::Duration;

/// The variable that holds the key of a service that has none of its own.
const KEY: &str = "GROMA_EMBEDDING_KEY";

/// The variable that names the hosts to which a project's settings may send code.
const HOSTS: &str = "GROMA_EMBEDDING_HOSTS";

/// What `.groma.toml` says about vectors. Zero and nothing stand for what is usual with the service.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct EmbeddingSettings {
    /// Whether there are any.
    pub enabled: bool,
    /// The service that makes them; `None` for the built-in model.
    #[serde(deserialize_with = "provider")]
    pub provider: Option<Provider>,
    /// Where it is.
    pub base_url: String,
    /// Its model.
    pub model: String,
    /// How many dimensions to ask for.
    pub dimensions: usize,
    /// Texts in one request.
    pub batch: usize,
    /// Requests at the same time.
    pub concurrency: usize,
    /// What stands before a question.
    pub query_prefix: String,
    /// What stands before a passage.
    pub passage_prefix: String,
    /// How long a request may take.
    pub timeout_seconds: u64,
    /// The environment variable that holds the key.
    pub key_variable: String,
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
        }
    }
}

/// A service by its name, or the built-in model.
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
    /// The settings in the form of the file.
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

    /// The first key whose value cannot be, and what is allowed.
    pub fn wrong(&self) -> Option<(&'static str, &'static str)> {
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
        checks.into_iter().find(|(wrong, ..)| *wrong).map(|(_, key, allowed)| (key, allowed))
    }

    /// The service as it is to be asked, without its key.
    fn endpoint(&self, provider: Provider) -> Endpoint {
        let usual = Endpoint::of(provider);
        let text = |own: &String, usual: String| if own.is_empty() { usual } else { own.clone() };
        let number = |own: usize, usual: usize| if own == 0 { usual } else { own };
        let mut retry = usual.retry;
        if self.timeout_seconds > 0 {
            retry.timeout = Duration::from_secs(self.timeout_seconds);
            retry.total_timeout = retry.total_timeout.max(2 * retry.timeout);
        }
        Endpoint {
            base_url: text(&self.base_url, usual.base_url),
            model: text(&self.model, usual.model),
            dimensions: (self.dimensions > 0).then_some(self.dimensions),
            batch: number(self.batch, usual.batch),
            concurrency: number(self.concurrency, usual.concurrency),
            query_prefix: self.query_prefix.clone(),
            passage_prefix: self.passage_prefix.clone(),
            retry,
            ..Endpoint::of(provider)
        }
    }
}

/// Which model makes the vectors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Embedding {
    /// None: words and names are searched.
    Off,
    /// Our own.
    BuiltIn,
    /// A service's.
    Remote(Box<Endpoint>),
    /// A service's that cannot be used, and why; our own answers instead.
    Unusable(String),
}

impl Embedding {
    /// What the settings and the environment say.
    pub fn choose(settings: &EmbeddingSettings, variables: &Variables) -> Self {
        let asked = variables.text("GROMA_EMBEDDING_PROVIDER");
        let url = variables.text("GROMA_EMBEDDING_URL");
        let mut settings = match asked.as_deref() {
            _ if !settings.enabled => return Self::Off,
            Some("off") => return Self::Off,
            Some("builtin") => return Self::BuiltIn,
            Some(name) => match name.parse() {
                Ok(provider) if settings.provider == Some(provider) => settings.clone(),
                // What was said about another service is not for this one.
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

    /// What the variables of a contract say on its surface, and where they say nothing, what counts elsewhere.
    pub fn on_surface(contract: &str, settings: &EmbeddingSettings, variables: &Variables) -> Self {
        let said = if settings.enabled { of_contract(contract, variables) } else { None };
        said.unwrap_or_else(|| Self::choose(settings, variables))
    }
}

/// What the variables of a contract say.
fn of_contract(contract: &str, variables: &Variables) -> Option<Embedding> {
    let usual = EmbeddingSettings::default();
    let service = |provider| Some(remote(provider, &usual, variables, true));
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
        "cortex" => variables.text("CORTEX_EMBEDDING_ENDPOINT").map(|base_url| {
            let there = EmbeddingSettings { base_url, ..usual.clone() };
            remote(Provider::Cortex, &there, variables, true)
        }),
        _ => None,
    }
}

/// A service, if it may be asked and all it needs is there.
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
    let stays_here = address.is_local && settings.key_variable.is_empty();
    if !trusted && !stays_here {
        return Embedding::Unusable(not_allowed(provider, &address));
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

/// Whether the user named the host, with its port or without.
fn is_allowed(address: &Address, variables: &Variables) -> bool {
    let hosts = variables.text(HOSTS).unwrap_or_default().to_ascii_lowercase();
    let bare = address.host.rsplit_once(':').map_or(&*address.host, |(host, _)| host);
    hosts.split(',').map(str::trim).any(|host| host == address.host || host == bare)
}

fn not_allowed(provider: Provider, address: &Address) -> String {
    let host = &address.host;
    let what =
        if address.is_local { "a key would be sent" } else { "code would leave this machine" };
    format!(
        ".groma.toml asks for {} at {host}, and {what}: set {HOSTS}={host} to allow it",
        provider.name()
    )
}

#[cfg(test)]
mod tests;
