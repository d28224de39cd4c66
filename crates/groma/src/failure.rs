//! Errors for the user: a kind, a message, a next step and an exit code.

use std::fmt;
use std::process::ExitCode;

/// Exit codes, documented in `groma help`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Success.
    Fine = 0,
    /// Nothing was found, or a problem was reported.
    Nothing = 1,
    /// Invalid arguments, settings or request.
    Usage = 2,
    /// There is no such project or index.
    NotFound = 3,
    /// Another process is indexing.
    Busy = 4,
    /// The disk, the index or the program failed.
    Internal = 5,
    /// Interrupted by the user.
    Cancelled = 130,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

/// The kind of an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Usage,
    NotFound,
    Busy,
    Damaged,
    Internal,
    Cancelled,
}

impl Kind {
    /// Its name in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Usage => "usage",
            Self::NotFound => "not_found",
            Self::Busy => "busy",
            Self::Damaged => "damaged",
            Self::Internal => "internal",
            Self::Cancelled => "cancelled",
        }
    }

    /// The exit code of an error of this kind.
    pub fn exit(self) -> Exit {
        match self {
            Self::Usage => Exit::Usage,
            Self::NotFound => Exit::NotFound,
            Self::Busy => Exit::Busy,
            Self::Damaged | Self::Internal => Exit::Internal,
            Self::Cancelled => Exit::Cancelled,
        }
    }
}

/// An error with the next step for the user.
#[derive(Clone, Debug)]
pub struct Failure {
    kind: Kind,
    message: String,
    hint: String,
}

impl Failure {
    /// A failure without a hint.
    pub fn new(kind: Kind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), hint: String::new() }
    }

    /// Adds the next step.
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = hint.into();
        self
    }

    /// Its kind.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// The next step; empty if the message contains it.
    pub fn next_step(&self) -> &str {
        &self.hint
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Failure {}
