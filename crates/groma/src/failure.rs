//! Errors for the user: a kind, a message, a next step and an exit code.

use crate::args::Global;
use crate::config::ConfigError;
use crate::print;
use groma_core::{CatalogError, StoreError, StoreErrorKind};
use groma_engine::{EngineError, ErrorKind};
use serde_json::json;
use std::fmt;
use std::io::{self, Write};
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
    fn as_str(self) -> &'static str {
        match self {
            Self::Usage => "usage",
            Self::NotFound => "not_found",
            Self::Busy => "busy",
            Self::Damaged => "damaged",
            Self::Internal => "internal",
            Self::Cancelled => "cancelled",
        }
    }

    fn exit(self) -> Exit {
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

    /// The next step; empty if the message contains it.
    pub fn next_step(&self) -> &str {
        &self.hint
    }

    /// Converts any error.
    pub fn of(error: &anyhow::Error) -> Self {
        if let Some(failure) = error.chain().find_map(|cause| cause.downcast_ref::<Self>()) {
            return failure.clone();
        }
        let (kind, hint) = error
            .chain()
            .find_map(known)
            .unwrap_or((Kind::Internal, "`groma doctor` looks for the cause"));
        Self::new(kind, format!("{error:#}")).hint(hint)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Failure {}

/// The kind and the next step of errors of other crates.
fn known(cause: &(dyn std::error::Error + 'static)) -> Option<(Kind, &'static str)> {
    if let Some(error) = cause.downcast_ref::<EngineError>() {
        if let Some(error) = store_error(error) {
            return Some(of_store(error));
        }
        return Some(match error.kind() {
            ErrorKind::Input => (Kind::Usage, ""),
            ErrorKind::NotFound => (Kind::NotFound, ""),
            ErrorKind::Busy => (Kind::Busy, BUSY),
            ErrorKind::Damaged => (Kind::Damaged, DAMAGED),
            ErrorKind::Cancelled => (Kind::Cancelled, "run the command again to continue"),
            ErrorKind::Internal => (Kind::Internal, DOCTOR),
        });
    }
    if cause.is::<ConfigError>() {
        return Some((Kind::Usage, "correct the file; `groma config check` validates it"));
    }
    if let Some(CatalogError::Store(error)) = cause.downcast_ref::<CatalogError>() {
        return Some(of_store(error));
    }
    cause.downcast_ref::<StoreError>().map(of_store)
}

/// The store's error behind an engine's.
fn store_error(error: &EngineError) -> Option<&StoreError> {
    match error {
        EngineError::Store(error) => Some(error),
        EngineError::Shared(error) => store_error(error),
        _ => None,
    }
}

/// The kind and the next step of a store's error.
fn of_store(error: &StoreError) -> (Kind, &'static str) {
    match error.kind() {
        StoreErrorKind::Busy | StoreErrorKind::Superseded => (Kind::Busy, BUSY),
        StoreErrorKind::Damaged => (Kind::Damaged, DAMAGED),
        StoreErrorKind::Full => {
            (Kind::Internal, "free some space, or set GROMA_HOME to another disk")
        }
        StoreErrorKind::Denied => {
            (Kind::Internal, "correct its permissions, or set GROMA_HOME to another folder")
        }
        _ => (Kind::Internal, DOCTOR),
    }
}

const BUSY: &str = "try again when it has finished; `groma doctor` shows the process";
const DAMAGED: &str = "`groma index --force` rebuilds the index";
const DOCTOR: &str = "`groma doctor` looks for the cause";

/// Prints an error on standard error and returns the exit code.
pub fn report(error: &anyhow::Error, global: &Global) -> Exit {
    let is_pipe = |cause: &(dyn std::error::Error + 'static)| {
        cause
            .downcast_ref::<io::Error>()
            .is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
    };
    if error.chain().any(is_pipe) {
        // The reader closed the pipe, as `head` does.
        return Exit::Fine;
    }
    let failure = Failure::of(error);
    print_failure(&failure, global.json);
    if global.verbose && !global.json {
        for cause in error.chain().skip(1) {
            print::message(&format!("  because: {cause}"));
        }
    }
    failure.kind.exit()
}

/// Prints a failure as text or as JSON.
pub fn print_failure(failure: &Failure, json: bool) {
    let Failure { kind, message, hint } = failure;
    if json {
        let value = json!({ "error": { "kind": kind.as_str(), "message": message, "hint": hint } });
        print::message(&value.to_string());
        return;
    }
    print::message(&format!("error: {message}"));
    if !hint.is_empty() {
        print::message(&format!("  next: {hint}"));
    }
    let _ = io::stderr().flush();
}
