//! What a project knows about itself besides its code.
//!
//! Discoveries come from two sides. What people and sessions told is original and is stored behind the `Notebook` port.
//! What comments, documents and commits state is derived: it is read from the files of a generation and from the
//! history of the commit that is checked out, and changes with them.
#![deny(missing_docs)]
#![forbid(unsafe_code)]

mod access;
mod blocks;
mod book;
mod comment;
mod commit;
mod derive;
mod document;
mod error;
mod history;
mod judge;
mod module;
mod nearness;
mod overlap;
mod overview;
mod recall;
mod redact;
mod relevance;
mod remember;
mod request;
mod session;
mod statement;
mod transcript;

pub use access::{Reads, access_score};
pub use book::ProjectNotebook;
pub use error::Error;
pub use judge::session_text;
pub use module::{FileRole, Modules};
pub use overview::{ModuleView, Overview};
pub use redact::redact;
pub use remember::{Change, Imported, Remembered, Replacement, Telling};
pub use request::{RecallAnswer, RecallRequest, Recalled, Seek};
pub use session::Activity;
pub use transcript::{Ingested, Listener, Speaker};
