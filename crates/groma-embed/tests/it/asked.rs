//! An embedder at a test service, with short timeouts.

use groma_core::{EmbedError, TextKey, Vector, VectorCache};
use groma_embed::{Endpoint, HttpEmbedder, Provider, RetryPolicy};
use groma_testkit::Service;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Dimensions of the service's vectors.
pub const DIMENSIONS: usize = 16;

pub fn milliseconds(count: u64) -> Duration {
    Duration::from_millis(count)
}

/// The service, with the protocol of Ollama.
pub fn endpoint(service: &Service) -> Endpoint {
    Endpoint {
        base_url: service.url(),
        dimensions: Some(DIMENSIONS),
        retry: RetryPolicy {
            attempts: 3,
            timeout: milliseconds(400),
            initial_backoff: milliseconds(10),
            total_timeout: milliseconds(1500),
            cooldown: milliseconds(60),
        },
        ..Endpoint::of(Provider::Ollama)
    }
}

/// The model at the service, without a cache.
pub fn model(service: &Service) -> HttpEmbedder {
    opened(endpoint(service))
}

pub fn opened(endpoint: Endpoint) -> HttpEmbedder {
    HttpEmbedder::open(endpoint, Arc::new(())).unwrap()
}

/// The message of an error.
pub fn message<T>(failed: Result<T, EmbedError>) -> String {
    failed.map(drop).unwrap_err().to_string()
}

/// A cache in memory.
#[derive(Default)]
pub struct MemoryCache {
    vectors: Mutex<HashMap<TextKey, Vector>>,
    dimensions: Mutex<HashMap<String, usize>>,
}

impl VectorCache for MemoryCache {
    fn find(&self, keys: &[TextKey]) -> Vec<Option<Vector>> {
        let vectors = self.vectors.lock().unwrap();
        keys.iter().map(|key| vectors.get(key).cloned()).collect()
    }

    fn keep(&self, vectors: &[(TextKey, &Vector)]) {
        let kept = vectors.iter().map(|(key, vector)| (*key, (*vector).clone()));
        self.vectors.lock().unwrap().extend(kept);
    }

    fn dimensions(&self, model: &str) -> Option<usize> {
        self.dimensions.lock().unwrap().get(model).copied()
    }

    fn keep_dimensions(&self, model: &str, dimensions: usize) {
        self.dimensions.lock().unwrap().insert(model.to_string(), dimensions);
    }
}
