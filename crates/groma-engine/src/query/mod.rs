//! Answering a question: plan, retrieve, fuse, rerank, present.

pub mod plan;
pub mod ranking;
pub mod request;
mod fuse;
mod place;
mod present;
mod rerank;
mod retrieve;
mod search;

pub(crate) use search::{Asked, search};
