//! Answering a question: plan, retrieve, fuse, rerank, present.

mod analysis;
mod coherence;
mod further;
mod fuse;
mod overlap;
pub(crate) mod path_kind;
pub mod plan;
pub(crate) mod present;
pub mod ranking;
pub mod request;
mod rerank;
mod retrieve;
pub mod scope;
mod search;
mod surroundings;

pub use analysis::{Analysis, Boost, FoundBy};
pub use further::{FurtherFile, FurtherPlace};
pub(crate) use search::{Asked, run};
