//! Models behind HTTP: OpenAI's protocol, which most services speak, and cortex-embed's.
//!
//! For every service: vectors come from the cache if possible, other texts are sent in batches, a batch that is too large
//! is halved, a text that is too long is split. Each response is cached at once, so that after a failure no text is sent
//! (and paid for) again.

mod backoff;
mod clock;
mod cortex;
mod endpoint;
mod error;
mod openai;
mod permits;
mod provider;
mod query_cache;
mod split;
mod transport;

pub use clock::Clock;
pub use endpoint::{Address, Endpoint, RetryPolicy, Secret};
pub use provider::{Protocol, Provider};

use error::{RequestError, first_line};
use groma_core::{
    EmbedError, Embedder, EmbedderIdentity, Remote, TextKey, TextRole, Vector, VectorCache,
};
use query_cache::QueryCache;
use serde_json::Value;
use split::{MIN_PIECE_BYTES, pieces, weighted_mean};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};
use transport::Transport;

/// The maximum bytes of text in one request, below the limits of the known services.
const MAX_REQUEST_BYTES: usize = 200_000;

/// The text of probes, which every service accepts.
const PROBE_TEXT: &str = "fn main() {}";

/// A model behind HTTP.
pub struct HttpEmbedder {
    endpoint: Endpoint,
    identity: EmbedderIdentity,
    transport: Transport,
    cache: Arc<dyn VectorCache>,
    queries: QueryCache,
    /// The maximum number of texts in a request and bytes of a text, lowered when the service rejects more.
    batch: AtomicUsize,
    longest: AtomicUsize,
}

/// The result of a probe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Probe {
    /// The dimensions of the vectors.
    pub dimensions: usize,
    /// The round-trip time.
    pub time: Duration,
}

impl HttpEmbedder {
    /// Opens a model. Sends a request only if the dimensions are not known.
    pub fn open(endpoint: Endpoint, cache: Arc<dyn VectorCache>) -> Result<Self, EmbedError> {
        if let Some(known) = Self::open_known(&endpoint, &cache)? {
            return Ok(known);
        }
        let unknown = Self::new(endpoint, cache, 0)?;
        let dimensions = unknown.probe(1)?.dimensions;
        let identity = unknown.endpoint.identity(dimensions);
        unknown.cache.keep_dimensions(&model_of(&unknown.endpoint), dimensions);
        Ok(Self { identity, ..unknown })
    }

    /// Opens a model without a request; `None` if its dimensions are not known.
    pub fn open_known(
        endpoint: &Endpoint,
        cache: &Arc<dyn VectorCache>,
    ) -> Result<Option<Self>, EmbedError> {
        let known = endpoint.known_dimensions().or_else(|| cache.dimensions(&model_of(endpoint)));
        known.map(|known| Self::new(endpoint.clone(), cache.clone(), known)).transpose()
    }

    fn new(
        endpoint: Endpoint,
        cache: Arc<dyn VectorCache>,
        dimensions: usize,
    ) -> Result<Self, EmbedError> {
        endpoint.check().map_err(EmbedError::Unavailable)?;
        Ok(Self {
            identity: endpoint.identity(dimensions),
            transport: Transport::new(&endpoint).map_err(EmbedError::Unavailable)?,
            cache,
            queries: QueryCache::default(),
            batch: AtomicUsize::new(endpoint.batch.max(1)),
            longest: AtomicUsize::new(endpoint.longest.max(MIN_PIECE_BYTES)),
            endpoint,
        })
    }

    /// Retries and pauses by another clock than the system's.
    pub fn with_clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.transport.set_clock(clock);
        self
    }

    /// The endpoint of the model.
    pub fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    /// Requests `count` vectors from the service, bypassing the cache.
    pub fn probe(&self, count: usize) -> Result<Probe, EmbedError> {
        self.send_probe(count, &self.endpoint.retry.interactive())
    }

    fn send_probe(&self, count: usize, retry: &RetryPolicy) -> Result<Probe, EmbedError> {
        let started = Instant::now();
        let texts: Vec<&str> = vec![PROBE_TEXT; count];
        let vectors = self.request(TextRole::Query, &texts, retry).map_err(unavailable)?;
        let dimensions = vectors.first().map_or(0, Vec::len);
        Ok(Probe { dimensions, time: started.elapsed() })
    }

    /// One vector for each text, from the cache or from the service.
    fn vectors(&self, role: TextRole, texts: &[&str]) -> Result<Vec<Vector>, EmbedError> {
        let mut found = self.cached(role, texts);
        let mut missing: Vec<&str> = Vec::new();
        for (text, vector) in texts.iter().zip(&mut found) {
            if vector.is_none() && text.trim().is_empty() {
                *vector = Some(Vector::quantise(&vec![0.0; self.identity.dimensions]));
            } else if vector.is_none() && !missing.contains(text) {
                missing.push(text);
            }
        }
        while !missing.is_empty() {
            let batch: Vec<&str> = missing.drain(..self.next_batch(&missing)).collect();
            let made = self.embed_batch(role, &batch)?;
            self.store(role, &batch, &made);
            for (text, vector) in texts.iter().zip(&mut found) {
                if let Some(at) = batch.iter().position(|sent| vector.is_none() && sent == text) {
                    *vector = Some(made[at].clone());
                }
            }
        }
        Ok(found.into_iter().flatten().collect())
    }

    /// The number of texts in the next request. A text that has to be split goes alone.
    fn next_batch(&self, texts: &[&str]) -> usize {
        let (most, longest) = (self.batch.load(Relaxed), self.longest.load(Relaxed));
        let mut bytes = 0;
        let fits = |text: &&&str| {
            bytes += text.len();
            text.len() <= longest && bytes <= MAX_REQUEST_BYTES
        };
        texts.iter().take(most).take_while(fits).count().max(1)
    }

    /// Embeds a batch, in smaller requests if the service rejects it as too large.
    fn embed_batch(&self, role: TextRole, texts: &[&str]) -> Result<Vec<Vector>, EmbedError> {
        if let [text] = texts
            && text.len() > self.longest.load(Relaxed)
        {
            return Ok(vec![self.embed_long(role, text)?]);
        }
        let error = match self.request(role, texts, &self.retry(role)) {
            Ok(vectors) => return self.quantise(&vectors),
            Err(error) => error,
        };
        match (error, texts) {
            (RequestError::TooLarge(_), [text]) if text.len() > MIN_PIECE_BYTES => {
                self.longest.fetch_min((text.len() / 2 + 1).max(MIN_PIECE_BYTES), Relaxed);
                Ok(vec![self.embed_long(role, text)?])
            }
            (RequestError::TooLarge(message), [_]) => Err(EmbedError::Refused(message)),
            (RequestError::TooLarge(_), _) => {
                let longest = self.longest.load(Relaxed);
                let halves = self.embed_halves(role, texts)?;
                // Both halves succeeded and no text was split, so there were too many texts.
                if self.longest.load(Relaxed) == longest {
                    self.batch.fetch_min(texts.len().div_ceil(2), Relaxed);
                }
                Ok(halves)
            }
            (RequestError::Rejected(message), _) => self.rejected(role, texts, message),
            (error, _) => Err(unavailable(error)),
        }
    }

    /// Handles an invalid request: if the service accepts other requests, one of the texts is the cause.
    fn rejected(
        &self,
        role: TextRole,
        texts: &[&str],
        message: String,
    ) -> Result<Vec<Vector>, EmbedError> {
        let retry = self.endpoint.retry;
        if !self.transport.has_responded() && self.send_probe(1, &retry.probe()).is_err() {
            return Err(unavailable(self.transport.give_up(message, &retry)));
        }
        if texts.len() > 1 {
            self.embed_halves(role, texts)
        } else {
            Err(EmbedError::Refused(message))
        }
    }

    fn embed_halves(&self, role: TextRole, texts: &[&str]) -> Result<Vec<Vector>, EmbedError> {
        let (first, second) = texts.split_at(texts.len() / 2);
        Ok([self.vectors(role, first)?, self.vectors(role, second)?].concat())
    }

    /// Embeds a text that is too long, in pieces.
    fn embed_long(&self, role: TextRole, text: &str) -> Result<Vector, EmbedError> {
        let pieces = pieces(text, self.longest.load(Relaxed));
        let vectors = self.vectors(role, &pieces)?;
        Ok(weighted_mean(&pieces, &vectors))
    }

    /// Sends one request and parses the response; does not check the dimensions.
    fn request(
        &self,
        role: TextRole,
        texts: &[&str],
        retry: &RetryPolicy,
    ) -> Result<Vec<Vec<f32>>, RequestError> {
        let endpoint = &self.endpoint;
        let prefix = match role {
            TextRole::Query => &endpoint.query_prefix,
            TextRole::Passage => &endpoint.passage_prefix,
        };
        let texts: Vec<String> = texts.iter().map(|text| format!("{prefix}{text}")).collect();
        let protocol = endpoint.provider.protocol();
        let body = match protocol {
            Protocol::OpenAi => openai::body(endpoint, role, &texts),
            Protocol::Cortex => cortex::body(role, &texts),
        };
        let (body, urgent) = (body.to_string(), role == TextRole::Query);
        let text = self.transport.post(body.as_bytes(), retry, urgent)?;
        read(&text, texts.len(), protocol).map_err(|what| {
            self.transport
                .give_up(self.transport.message(&format!("sent a response that {what}")), retry)
        })
    }

    /// Checks the dimensions and quantises.
    fn quantise(&self, vectors: &[Vec<f32>]) -> Result<Vec<Vector>, EmbedError> {
        let wanted = self.identity.dimensions;
        if let Some(wrong) = vectors.iter().find(|vector| vector.len() != wanted) {
            let found = format!("gives {} dimensions, and {wanted} were expected", wrong.len());
            let next = format!("set `dimensions = {}`, or correct `model`", wrong.len());
            let message = self.transport.message(&format!("{found}: {next}"));
            return Err(unavailable(self.transport.give_up(message, &self.endpoint.retry)));
        }
        Ok(vectors.iter().map(|vector| Vector::quantise(vector)).collect())
    }

    fn retry(&self, role: TextRole) -> RetryPolicy {
        match role {
            TextRole::Query => self.endpoint.retry.interactive(),
            TextRole::Passage => self.endpoint.retry,
        }
    }

    fn cached(&self, role: TextRole, texts: &[&str]) -> Vec<Option<Vector>> {
        match role {
            TextRole::Query => texts.iter().map(|text| self.queries.get(text)).collect(),
            TextRole::Passage => {
                let found = self.cache.find(&self.keys(texts));
                let fits = |vector: &Vector| vector.values.len() == self.identity.dimensions;
                found.into_iter().map(|vector| vector.filter(fits)).collect()
            }
        }
    }

    fn store(&self, role: TextRole, texts: &[&str], vectors: &[Vector]) {
        match role {
            TextRole::Query => {
                texts
                    .iter()
                    .zip(vectors)
                    .for_each(|(text, vector)| self.queries.insert(text, vector));
            }
            TextRole::Passage => {
                let kept: Vec<_> = self.keys(texts).into_iter().zip(vectors).collect();
                self.cache.keep(&kept);
            }
        }
    }

    fn keys(&self, texts: &[&str]) -> Vec<TextKey> {
        let model = self.identity.to_string();
        texts.iter().map(|text| TextKey::new(&model, text)).collect()
    }
}

impl Embedder for HttpEmbedder {
    fn identity(&self) -> EmbedderIdentity {
        self.identity.clone()
    }

    fn embed(&self, role: TextRole, texts: &[&str]) -> Result<Vec<Vector>, EmbedError> {
        self.vectors(role, texts)
    }

    fn remote(&self) -> Option<Remote> {
        let Endpoint { batch, concurrency, .. } = self.endpoint;
        Some(Remote { batch, concurrency })
    }

    fn is_ready(&self) -> bool {
        let probe = || self.send_probe(1, &self.endpoint.retry.probe()).is_ok();
        self.transport.availability().unwrap_or_else(probe)
    }
}

/// The key under which the dimensions are cached.
fn model_of(endpoint: &Endpoint) -> String {
    let EmbedderIdentity { name, version, .. } = endpoint.identity(0);
    format!("{name}@{version}")
}

fn unavailable(error: RequestError) -> EmbedError {
    let (RequestError::Unavailable(message)
    | RequestError::TooLarge(message)
    | RequestError::Rejected(message)) = error;
    EmbedError::Unavailable(message)
}

/// The vectors of a response.
fn read(text: &str, count: usize, protocol: Protocol) -> Result<Vec<Vec<f32>>, String> {
    if text.trim().is_empty() {
        return Err("is empty".into());
    }
    let answer: Value = serde_json::from_str(text)
        .map_err(|error| format!("is not JSON ({error}): {}", first_line(text)))?;
    let vectors = match protocol {
        Protocol::OpenAi => openai::vectors(&answer, count),
        Protocol::Cortex => cortex::vectors(&answer, count),
    }?;
    vectors.into_iter().map(numbers).collect()
}

fn numbers(vector: &Value) -> Result<Vec<f32>, String> {
    let numbers = vector.as_array().filter(|numbers| !numbers.is_empty());
    let numbers = numbers.ok_or("contains something that is not a vector")?;
    let number = |value: &Value| value.as_f64().map(|x| x as f32).filter(|x| x.is_finite());
    let read: Option<Vec<f32>> = numbers.iter().map(number).collect();
    read.ok_or_else(|| "contains a component that is not a number".to_string())
}
