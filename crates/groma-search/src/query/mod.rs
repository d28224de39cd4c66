//! The stages of a search: plan, retrieve, fuse, rerank, present.

mod analysis;
pub mod breadth;
mod coherence;
mod copies;
pub(crate) mod evidence;
mod fuse;
pub(crate) mod glossary;
mod literal;
mod member;
mod more_results;
mod overlap;
pub mod plan;
pub(crate) mod present;
pub mod ranking;
pub mod request;
mod rerank;
mod retrieve;
mod search;
mod surroundings;
pub(crate) mod wording;

pub use analysis::{Analysis, Boost, FoundBy};
pub use more_results::{MoreFile, MoreResult};
pub(crate) use search::{QueryContext, run};
