//! Models that turn texts into vectors.
//!
//! [`StaticEmbedder`] is the default: a table of sub-word vectors, compiled into the binary, so that semantic
//! search works offline from the first command on. [`HttpEmbedder`] sends texts to a service with a larger model.
#![deny(missing_docs)]
#![deny(unsafe_code)]

mod http;
mod model;
mod table;
mod tokens;

pub use http::{
    Address, Clock, Endpoint, HttpEmbedder, Probe, Protocol, Provider, RetryPolicy, Secret,
};
pub use model::StaticEmbedder;
