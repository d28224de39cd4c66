//! Turns any error into a failure for the user, and prints it.

use crate::args::Global;
use crate::config::ConfigError;
use crate::failure::{Exit, Failure, Kind};
use crate::print;
use groma_core::{CatalogError, StoreError, StoreErrorKind};
use groma_engine::{EngineError, ErrorKind};
use serde_json::json;
use std::io::{self, Write};

/// The failure that an error is to the user.
pub fn failure_of(error: &anyhow::Error) -> Failure {
    if let Some(failure) = error.chain().find_map(|cause| cause.downcast_ref::<Failure>()) {
        return failure.clone();
    }
    let (kind, hint) = error.chain().find_map(known).unwrap_or((Kind::Internal, DOCTOR));
    Failure::new(kind, format!("{error:#}")).hint(hint)
}

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
    let failure = failure_of(error);
    print_failure(&failure, global.json);
    if global.verbose && !global.json {
        for cause in error.chain().skip(1) {
            print::message(&format!("  because: {cause}"));
        }
    }
    failure.kind().exit()
}

/// Prints a failure as text or as JSON.
pub fn print_failure(failure: &Failure, json: bool) {
    let (kind, hint) = (failure.kind().as_str(), failure.next_step());
    if json {
        let message = failure.to_string();
        let value = json!({ "error": { "kind": kind, "message": message, "hint": hint } });
        print::message(&value.to_string());
        return;
    }
    print::message(&format!("error: {failure}"));
    if !hint.is_empty() {
        print::message(&format!("  next: {hint}"));
    }
    let _ = io::stderr().flush();
}
