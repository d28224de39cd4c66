//! Models that turn texts into vectors.
//!
//! [`StaticEmbedder`] is the default: a table of sub-word vectors, compiled into the binary, so that semantic
//! search works offline from the first command on.
#![deny(missing_docs)]
#![forbid(unsafe_code)]

mod model;
mod table;
mod tokens;

pub use model::StaticEmbedder;
