//! Models behind HTTP: OpenAI's protocol, which most services speak, and cortex-embed's.
//!
//! A text goes the same way whatever the service: what was embedded before is had from the cache, the rest is
//! sent in batches, a batch that is too much is halved, a text that is too much is split. Each answer is kept at
//! once, so that whatever happens later nothing is paid for twice.

mod clock;
mod cortex;
mod endpoint;
mod fault;
mod openai;
mod provider;
mod recent;
mod split;
mod transport;
mod turns;
mod wait;

pub use clock::Clock;
pub use endpoint::{Address, Endpoint, Patience, Secret};
pub use provider::{Protocol, Provider};

use fault::{Fault, first_line};
use groma_core::{
    EmbedError, Embedder, EmbedderIdentity, Remote, TextKey, TextRole, Vector, VectorCache,
};
use recent::Recent;
use serde_json::Value;
use split::{SHORTEST, pieces, together};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};
use transport::Transport;

/// Bytes of text in one request: below what services take for all texts of a request together.
const LARGEST_REQUEST: usize = 200_000;

/// A text that no service has a reason to refuse.
const HARMLESS: &str = "fn main() {}";

/// A model behind HTTP.
pub struct HttpEmbedder {
    endpoint: Endpoint,
    identity: EmbedderIdentity,
    transport: Transport,
    cache: Arc<dyn VectorCache>,
    recent: Recent,
    /// Texts in one request, and bytes of one text, as far as the service was found to take them.
    batch: AtomicUsize,
    longest: AtomicUsize,
}

/// What a service answers to a first question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Probe {
    /// How many dimensions its vectors have.
    pub dimensions: usize,
    /// How long it took.
    pub time: Duration,
}

impl HttpEmbedder {
    /// Opens a model. The service is asked only where nobody knows how many dimensions it has.
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

    /// Opens a model without asking anybody; `None` where its dimensions are not known.
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
            recent: Recent::default(),
            batch: AtomicUsize::new(endpoint.batch.max(1)),
            longest: AtomicUsize::new(endpoint.longest.max(SHORTEST)),
            endpoint,
        })
    }

    /// Retries and pauses by another clock than the system's.
    pub fn with_clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.transport.set_clock(clock);
        self
    }

    /// Where the model is.
    pub fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    /// Asks the service for so many vectors in one request, whatever is in a cache.
    pub fn probe(&self, count: usize) -> Result<Probe, EmbedError> {
        self.ask_harmless(count, &self.endpoint.patience.short())
    }

    fn ask_harmless(&self, count: usize, patience: &Patience) -> Result<Probe, EmbedError> {
        let started = Instant::now();
        let texts: Vec<&str> = vec![HARMLESS; count];
        let vectors = self.request(TextRole::Query, &texts, patience).map_err(unavailable)?;
        let dimensions = vectors.first().map_or(0, Vec::len);
        Ok(Probe { dimensions, time: started.elapsed() })
    }

    /// One vector for each text, from the cache or from the service.
    fn vectors(&self, role: TextRole, texts: &[&str]) -> Result<Vec<Vector>, EmbedError> {
        let mut found = self.recall(role, texts);
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
            let made = self.make(role, &batch)?;
            self.keep(role, &batch, &made);
            for (text, vector) in texts.iter().zip(&mut found) {
                if let Some(place) = batch.iter().position(|own| vector.is_none() && own == text) {
                    *vector = Some(made[place].clone());
                }
            }
        }
        Ok(found.into_iter().flatten().collect())
    }

    /// How many of the texts make the next request. One that has to be split goes by itself.
    fn next_batch(&self, texts: &[&str]) -> usize {
        let (most, longest) = (self.batch.load(Relaxed), self.longest.load(Relaxed));
        let mut bytes = 0;
        let fits = |text: &&&str| {
            bytes += text.len();
            text.len() <= longest && bytes <= LARGEST_REQUEST
        };
        texts.iter().take(most).take_while(fits).count().max(1)
    }

    /// Makes the vectors of a batch, in smaller parts where the service does not take it whole.
    fn make(&self, role: TextRole, texts: &[&str]) -> Result<Vec<Vector>, EmbedError> {
        if let [text] = texts
            && text.len() > self.longest.load(Relaxed)
        {
            return Ok(vec![self.joined(role, text)?]);
        }
        let fault = match self.request(role, texts, &self.patience(role)) {
            Ok(vectors) => return self.checked(&vectors),
            Err(fault) => fault,
        };
        match (fault, texts) {
            (Fault::TooLarge(_), [text]) if text.len() > SHORTEST => {
                self.longest.fetch_min((text.len() / 2 + 1).max(SHORTEST), Relaxed);
                Ok(vec![self.joined(role, text)?])
            }
            (Fault::TooLarge(message), [_]) => Err(EmbedError::Refused(message)),
            (Fault::TooLarge(_), _) => {
                let longest = self.longest.load(Relaxed);
                let halves = self.halves(role, texts)?;
                // Both halves passed and no text was split: there were too many of them.
                if self.longest.load(Relaxed) == longest {
                    self.batch.fetch_min(texts.len().div_ceil(2), Relaxed);
                }
                Ok(halves)
            }
            (Fault::Rejected(message), _) => self.rejected(role, texts, message),
            (fault, _) => Err(unavailable(fault)),
        }
    }

    /// A request that is not accepted: if the service takes another, it is about a text.
    fn rejected(
        &self,
        role: TextRole,
        texts: &[&str],
        message: String,
    ) -> Result<Vec<Vector>, EmbedError> {
        let patience = self.endpoint.patience;
        if !self.transport.has_answered() && self.ask_harmless(1, &patience.glance()).is_err() {
            return Err(unavailable(self.transport.give_up(message, &patience)));
        }
        if texts.len() > 1 { self.halves(role, texts) } else { Err(EmbedError::Refused(message)) }
    }

    fn halves(&self, role: TextRole, texts: &[&str]) -> Result<Vec<Vector>, EmbedError> {
        let (first, second) = texts.split_at(texts.len() / 2);
        Ok([self.vectors(role, first)?, self.vectors(role, second)?].concat())
    }

    /// The vector of a text that is too long, from those of its pieces.
    fn joined(&self, role: TextRole, text: &str) -> Result<Vector, EmbedError> {
        let pieces = pieces(text, self.longest.load(Relaxed));
        let vectors = self.vectors(role, &pieces)?;
        Ok(together(&pieces, &vectors))
    }

    /// Sends one request and reads its answer, without judging the vectors.
    fn request(
        &self,
        role: TextRole,
        texts: &[&str],
        patience: &Patience,
    ) -> Result<Vec<Vec<f32>>, Fault> {
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
        let (body, in_a_hurry) = (body.to_string(), role == TextRole::Query);
        let text = self.transport.post(body.as_bytes(), patience, in_a_hurry)?;
        read(&text, texts.len(), protocol).map_err(|what| {
            self.transport
                .give_up(self.transport.says(&format!("gave an answer that {what}")), patience)
        })
    }

    /// Vectors of the right length, ready to be compared.
    fn checked(&self, vectors: &[Vec<f32>]) -> Result<Vec<Vector>, EmbedError> {
        let wanted = self.identity.dimensions;
        if let Some(wrong) = vectors.iter().find(|vector| vector.len() != wanted) {
            let told = format!("gives {} dimensions, and {wanted} were expected", wrong.len());
            let next = format!("set `dimensions = {}`, or correct `model`", wrong.len());
            let message = self.transport.says(&format!("{told}: {next}"));
            return Err(unavailable(self.transport.give_up(message, &self.endpoint.patience)));
        }
        Ok(vectors.iter().map(|vector| Vector::quantise(vector)).collect())
    }

    fn patience(&self, role: TextRole) -> Patience {
        match role {
            TextRole::Query => self.endpoint.patience.short(),
            TextRole::Passage => self.endpoint.patience,
        }
    }

    fn recall(&self, role: TextRole, texts: &[&str]) -> Vec<Option<Vector>> {
        match role {
            TextRole::Query => texts.iter().map(|text| self.recent.find(text)).collect(),
            TextRole::Passage => {
                let found = self.cache.find(&self.keys(texts));
                let fits = |vector: &Vector| vector.values.len() == self.identity.dimensions;
                found.into_iter().map(|vector| vector.filter(fits)).collect()
            }
        }
    }

    fn keep(&self, role: TextRole, texts: &[&str], vectors: &[Vector]) {
        match role {
            TextRole::Query => {
                texts.iter().zip(vectors).for_each(|(text, vector)| self.recent.keep(text, vector));
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
        let asked = || self.ask_harmless(1, &self.endpoint.patience.glance()).is_ok();
        self.transport.is_there().unwrap_or_else(asked)
    }
}

/// The model whose dimensions are remembered.
fn model_of(endpoint: &Endpoint) -> String {
    let EmbedderIdentity { name, version, .. } = endpoint.identity(0);
    format!("{name}@{version}")
}

fn unavailable(fault: Fault) -> EmbedError {
    let (Fault::Down(message) | Fault::TooLarge(message) | Fault::Rejected(message)) = fault;
    EmbedError::Unavailable(message)
}

/// The numbers of an answer, or what is wrong with it.
fn read(text: &str, count: usize, protocol: Protocol) -> Result<Vec<Vec<f32>>, String> {
    if text.trim().is_empty() {
        return Err("is empty".into());
    }
    let answer: Value = serde_json::from_str(text)
        .map_err(|error| format!("is no JSON ({error}): {}", first_line(text)))?;
    let vectors = match protocol {
        Protocol::OpenAi => openai::vectors(&answer, count),
        Protocol::Cortex => cortex::vectors(&answer, count),
    }?;
    vectors.into_iter().map(numbers).collect()
}

fn numbers(vector: &Value) -> Result<Vec<f32>, String> {
    let numbers = vector.as_array().filter(|numbers| !numbers.is_empty());
    let numbers = numbers.ok_or("has something that is no vector")?;
    let number = |value: &Value| value.as_f64().map(|x| x as f32).filter(|x| x.is_finite());
    let read: Option<Vec<f32>> = numbers.iter().map(number).collect();
    read.ok_or_else(|| "has a component that is no number".to_string())
}
