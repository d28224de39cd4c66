//! Why a store could not do what was asked.

use std::error::Error;
use std::fmt;

/// What went wrong, by what a caller can do about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoreErrorKind {
    /// Another process holds a lease or a lock that this call needs. Try again later.
    Busy,
    /// Stored bytes are missing, truncated or altered. The index is derived, so rebuild it.
    Damaged,
    /// The call asks for something impossible, such as committing a version that was never stored. A bug of the
    /// caller; the index is unchanged.
    Refused,
    /// Another writer published first. Read the new head and compare again.
    Superseded,
    /// The storage cannot be reached or fails for a reason of its own. What was read before stays valid.
    Unavailable,
    /// No space is left.
    Full,
    /// The storage may not be accessed: permissions, or a read-only file system.
    Denied,
}

/// Why a store could not do what was asked.
///
/// Callers match on [`kind`](Self::kind). The text is for people and may name a file; no decision may depend on it.
#[derive(Debug)]
pub struct StoreError {
    kind: StoreErrorKind,
    text: String,
    source: Option<Box<dyn Error + Send + Sync>>,
}

impl StoreError {
    /// An error of a kind with its whole text.
    pub fn new(kind: StoreErrorKind, text: impl Into<String>) -> Self {
        Self { kind, text: text.into(), source: None }
    }

    /// The same with its cause.
    pub fn with_source(self, source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self { source: Some(source.into()), ..self }
    }

    /// Another process writes to this project.
    pub fn busy() -> Self {
        Self::new(StoreErrorKind::Busy, "another process is indexing this project")
    }

    /// Stored bytes are missing or altered; `detail` says which.
    pub fn damaged(detail: impl Into<String>) -> Self {
        Self::new(StoreErrorKind::Damaged, detail)
    }

    /// The caller asked for something impossible.
    pub fn refused(detail: impl Into<String>) -> Self {
        Self::new(StoreErrorKind::Refused, detail)
    }

    /// Another writer published a generation of the same ref first.
    pub fn superseded() -> Self {
        let text = "another process has committed a newer generation";
        Self::new(StoreErrorKind::Superseded, text)
    }

    /// The storage failed for a reason of its own.
    pub fn unavailable(source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self::new(StoreErrorKind::Unavailable, "the index database failed").with_source(source)
    }

    /// What went wrong.
    pub fn kind(&self) -> StoreErrorKind {
        self.kind
    }

    /// Whether it is of this kind.
    pub fn is(&self, kind: StoreErrorKind) -> bool {
        self.kind == kind
    }

    /// Whether the same call may succeed later without any change by the caller.
    pub fn is_retryable(&self) -> bool {
        use StoreErrorKind::{Busy, Superseded, Unavailable};
        matches!(self.kind, Busy | Superseded | Unavailable)
    }

    /// What is damaged, refused or inaccessible, without the words of the kind.
    pub fn detail(&self) -> &str {
        &self.text
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            StoreErrorKind::Damaged => write!(f, "the index is damaged: {}", self.text),
            StoreErrorKind::Refused => write!(f, "the store refused: {}", self.text),
            _ => f.write_str(&self.text),
        }
    }
}

impl Error for StoreError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.source.as_deref().map(|source| source as &(dyn Error + 'static))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kind_decides_and_the_text_explains() {
        let error = StoreError::damaged("a segment is missing");
        assert_eq!(error.kind(), StoreErrorKind::Damaged);
        assert_eq!(error.to_string(), "the index is damaged: a segment is missing");
        assert_eq!(error.detail(), "a segment is missing");
        assert!(!error.is_retryable() && StoreError::superseded().is_retryable());
        let failed = StoreError::unavailable(std::io::Error::other("gone"));
        assert_eq!(crate::with_causes(&failed), "the index database failed: gone");
    }
}
