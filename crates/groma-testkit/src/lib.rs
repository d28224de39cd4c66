//! What the tests of several crates share: trees written as text, projects in temporary folders, a client of MCP
//! servers, a service that embeds, and the suite that every store and every notebook must pass.
//!
//! Nothing here is part of the product; crates depend on it for their tests only.
#![deny(missing_docs)]
#![forbid(unsafe_code)]

pub mod answers;
mod calls;
mod client;
mod commits;
pub mod conformance;
mod cortex;
mod failures;
mod fixture;
mod gate;
mod git;
mod jobs;
pub mod notebook;
mod sample;
mod sandbox;
mod service;

pub use calls::Calls;
pub use client::{ANSWER_TIMEOUT, Client, Connection};
pub use commits::Commits;
pub use cortex::CORTEX_FILES;
pub use failures::failure;
pub use fixture::{Tree, embed, indexed, pipeline, trigrams};
pub use gate::Gate;
pub use git::{git, git_commit, git_init};
pub use sample::{ProjectFolder, SAMPLE_FILES, write_file};
pub use sandbox::{Keep, Sandbox, Setup, WordEmbedder};
pub use service::{Misbehaviour, Received, Service, Takes};
