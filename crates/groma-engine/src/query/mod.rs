//! Answering a question: plan, retrieve, fuse, rerank, present.

mod analysis;
mod fuse;
mod place;
pub mod plan;
mod present;
pub mod ranking;
pub mod request;
mod rerank;
mod retrieve;
mod search;

pub use analysis::{Analysis, Boost, FoundBy};
pub(crate) use search::{Asked, search};
