//! From a folder to an index: which files there are, what they say, and what of it is new.

pub mod walk;
mod gate;
mod names;
pub mod skip;
pub mod source;
pub mod change;
pub mod pipeline;
pub mod progress;
mod terms;
mod trigrams;

pub use gate::{Gate, stamp};
