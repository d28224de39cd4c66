//! The knowledge about a project besides its code: patterns, rules, decisions and issues.
//!
//! Discoveries are recorded or derived. Those recorded by people and sessions are original data, stored behind the
//! `Notebook` port. Those derived from comments, documents and commits are extracted from the files of a generation and
//! from the history of HEAD, and change with them.
#![deny(missing_docs)]
#![forbid(unsafe_code)]

mod access;
mod book;
mod comment;
mod commit;
mod derive;
mod document;
mod error;
mod history;
mod isolation;
mod markdown;
mod module;
mod near_duplicate;
mod overview;
mod recall;
mod relevance;
mod remember;
mod request;
mod score;
mod session;
mod similarity;
mod statement;
mod transcript;
mod worth;

pub use access::{Reads, access_score};
pub use book::ProjectNotebook;
pub use error::Error;
pub use groma_secrets::redact;
pub use module::{FileRole, Modules};
pub use overview::{ModuleView, Overview};
pub use remember::{Change, Imported, NewDiscovery, Remembered, Replacement};
pub use request::{RecallAnswer, RecallRequest, Recalled, Seek};
pub use score::session_text;
pub use session::Activity;
pub use transcript::{Ingested, Speaker, TranscriptBuilder};
