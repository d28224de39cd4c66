//! Answering a question: plan, retrieve, fuse, rerank, present.

mod coherence;
mod fuse;
pub(crate) mod place;
pub mod plan;
pub(crate) mod present;
pub mod ranking;
pub mod request;
mod rerank;
mod retrieve;
pub mod scope;
mod search;

pub(crate) use search::{Asked, search};
