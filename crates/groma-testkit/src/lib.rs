//! What the tests of several crates share: trees written as text, projects in temporary folders, a service that
//! embeds, and the suite that every store and every notebook must pass.
//!
//! Nothing here is part of the product; crates depend on it for their tests only.
#![deny(missing_docs)]
#![forbid(unsafe_code)]

pub mod answers;
mod calls;
mod commits;
pub mod conformance;
mod failures;
mod fixture;
mod gate;
mod git;
mod jobs;
pub mod notebook;
mod sandbox;
mod service;

pub use calls::Calls;
pub use commits::Commits;
pub use failures::failure;
pub use fixture::{Tree, embed, indexed, pipeline, trigrams};
pub use gate::Gate;
pub use git::{git, git_commit, git_init};
pub use sandbox::{Keep, Sandbox, Setup, WordEmbedder};
pub use service::{Misbehaviour, Received, Service, Takes};
