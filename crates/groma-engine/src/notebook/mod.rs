//! The notebook: what a project knows about itself besides its code.
//!
//! Discoveries come from two sides. What people and sessions told is original: it is kept in the store's notebook.
//! What comments, documents and commits state is derived: it is read from the files of the newest generation and
//! from the history of the commit that is checked out, and goes with them.

mod access;
mod blocks;
mod comment;
mod commit;
mod derive;
mod document;
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
mod session;
mod statement;
mod transcript;

use std::sync::Mutex;

pub use access::access_score;
pub use judge::session_text;
pub use module::{FileRole, Modules};
pub use overview::{ModuleView, Overview};
pub use recall::{RecallAnswer, RecallRequest, Recalled, Seek};
pub use redact::redact;
pub use remember::{Change, Imported, Remembered, Replacement, Telling};
pub use session::Activity;
pub use transcript::{Ingested, Listener, Speaker};

/// What an engine keeps of its notebook in memory.
#[derive(Default)]
pub(crate) struct NoteCaches {
    stated: derive::StatedCache,
    history: history::HistoryCache,
    derived: derive::DerivedCache,
    nearness: nearness::NearnessCache,
    reads: access::ReadsCache,
    /// Held while a session is read, changed and kept.
    session: Mutex<()>,
}
