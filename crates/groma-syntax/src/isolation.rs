//! Where grammars run.
//!
//! A scanner is C, and a repository's text can make it abort or write out of bounds. A program that must survive that
//! sets a host once, as it sets an allocator; from then on no grammar reads a text in its process. Without one, as in
//! tests and libraries, they do.

use crate::parsed::Parsed;
use groma_core::{ParseHealth, ParseStatus, RelPath};
use std::sync::OnceLock;

/// Parses files by their grammars outside of this process.
pub trait GrammarHost: Sync {
    /// As [`parse`](crate::parse()), which calls this for texts that only a grammar can parse.
    fn parse(&self, path: &RelPath, text: &str) -> Result<Parsed, HostError>;
}

/// Why a host has no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HostError {
    /// The grammar crashed on this text, and would again.
    Crashed(String),
    /// A limit or an accident ended the parse, or there is no process to parse in; another attempt may succeed.
    Interrupted(String),
}

impl HostError {
    /// The health of a file that the host did not parse.
    pub(crate) fn health(self) -> ParseHealth {
        match self {
            Self::Crashed(reason) => ParseHealth::because(ParseStatus::Crashed, reason),
            Self::Interrupted(reason) => ParseHealth::because(ParseStatus::Interrupted, reason),
        }
    }
}

static HOST: OnceLock<&'static dyn GrammarHost> = OnceLock::new();

/// Makes `host` parse whatever needs a grammar. The first call counts.
pub fn set_grammar_host(host: &'static dyn GrammarHost) {
    let _ = HOST.set(host);
}

/// The host, if there is one.
pub(crate) fn host() -> Option<&'static dyn GrammarHost> {
    HOST.get().copied()
}
