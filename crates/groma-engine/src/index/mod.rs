//! From a folder to an index: which files there are, what they say, and what of it is new.

pub mod change;
pub(crate) mod commit;
mod gate;
mod names;
pub mod pipeline;
pub mod progress;
pub mod skip;
pub mod source;
mod stamp;
mod terms;
pub(crate) mod tree;
pub(crate) mod trigrams;
mod vectors;
pub(crate) mod version;
pub mod walk;

pub use gate::Gate;
pub(crate) use names::is_sensitive;
pub use stamp::stamp;
pub(crate) use trigrams::trigrams;
