//! The embedding models of a project: the chosen one, and the built-in one.

use crate::embedding::{Embedding, EmbeddingSettings};
use crate::environment::Environment;
use crate::failure::{Failure, Kind};
use anyhow::Result;
use groma_core::{Catalog, EmbedError, Embedder, VectorCache};
use groma_embed::{HttpEmbedder, StaticEmbedder};
use std::sync::Arc;

/// The embedding models of a project.
#[derive(Clone)]
pub struct Models {
    /// The chosen model.
    pub embedding: Embedding,
    settings: EmbeddingSettings,
    /// Owns the vector cache; `None` without a data directory.
    catalog: Option<Arc<dyn Catalog>>,
}

impl Models {
    /// The models that settings and environment choose.
    pub fn new(settings: &EmbeddingSettings, environment: &Environment) -> Self {
        Self {
            embedding: Embedding::choose(settings, &environment.variables),
            settings: settings.clone(),
            catalog: environment.catalog().ok(),
        }
    }

    /// The models that count on the surface of a contract, which has environment variables and, in the project, settings
    /// of its own.
    pub fn on_surface(
        mut self,
        contract: &str,
        own: &EmbeddingSettings,
        environment: &Environment,
    ) -> Self {
        self.embedding =
            Embedding::on_surface(contract, &self.settings, own, &environment.variables);
        self
    }

    /// Fails if a service is configured that does not answer, or makes vectors of other dimensions than configured.
    pub fn check_service(&self) -> Result<()> {
        let endpoint = match &self.embedding {
            Embedding::Unusable(reason) => {
                return Err(Failure::new(Kind::Usage, reason.clone()).into());
            }
            Embedding::Remote(endpoint) => endpoint,
            Embedding::Off | Embedding::BuiltIn => return Ok(()),
        };
        let url = &endpoint.base_url;
        let opened = HttpEmbedder::open((**endpoint).clone(), self.vector_cache());
        let answered = opened.and_then(|service| Ok((service.probe(1)?.dimensions, service)));
        let (found, service) = answered.map_err(|error| {
            Failure::new(Kind::NotFound, format!("the embedding service at {url} fails: {error}"))
                .hint("start the service, or remove it from the settings and the environment")
        })?;
        let wanted = service.identity().dimensions;
        if found == wanted {
            return Ok(());
        }
        let message = format!(
            "the embedding service at {url} makes vectors of {found} dimensions, not {wanted}"
        );
        let hint = "set embedding.dimensions in .cortex/config.yml, or serve the model it is for";
        Err(Failure::new(Kind::Usage, message).hint(hint).into())
    }

    /// The chosen model; `None` if embeddings are off. Sends a request to a service only if the dimensions of its
    /// vectors are unknown.
    pub fn embedder(&self) -> Result<Option<Box<dyn Embedder>>> {
        Ok(match &self.embedding {
            Embedding::Unusable(reason) => {
                return Err(Failure::new(Kind::Usage, reason.clone()).into());
            }
            Embedding::Remote(_) => self.service()?.map(|service| Box::new(service) as _),
            Embedding::Off | Embedding::BuiltIn => self.built_in(),
        })
    }

    /// The model of a service, if one is chosen and can be used.
    pub fn service(&self) -> Result<Option<HttpEmbedder>, EmbedError> {
        let Embedding::Remote(endpoint) = &self.embedding else { return Ok(None) };
        HttpEmbedder::open((**endpoint).clone(), self.vector_cache()).map(Some)
    }

    /// As [`service`](Self::service), without a request: `None` if its dimensions are unknown.
    pub fn known_service(&self) -> Result<Option<HttpEmbedder>, EmbedError> {
        let Embedding::Remote(endpoint) = &self.embedding else { return Ok(None) };
        HttpEmbedder::open_known(endpoint, &self.vector_cache())
    }

    /// The name of the chosen model, without a request.
    pub fn name(&self) -> Option<String> {
        match &self.embedding {
            Embedding::Remote(endpoint) => match self.known_service() {
                Ok(Some(known)) => Some(known.identity().to_string()),
                _ => Some(format!("{}/{}", endpoint.provider.name(), endpoint.model)),
            },
            _ => self.built_in().map(|embedder| embedder.identity().to_string()),
        }
    }

    /// The built-in model, which needs no external service; `None` if embeddings are off.
    pub fn built_in(&self) -> Option<Box<dyn Embedder>> {
        let is_off = self.embedding == Embedding::Off;
        (!is_off).then(|| Box::new(StaticEmbedder::default()) as _)
    }

    /// The cache of vectors that services were paid for.
    fn vector_cache(&self) -> Arc<dyn VectorCache> {
        self.catalog.as_ref().map_or_else(|| Arc::new(()) as _, |catalog| catalog.vector_cache())
    }
}
