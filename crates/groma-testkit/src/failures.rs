//! What kind of error a call to a store ended with.

use groma_core::{StoreError, StoreErrorKind};

/// The kind of error; `None` for success.
pub fn failure<T>(result: &Result<T, StoreError>) -> Option<StoreErrorKind> {
    result.as_ref().err().map(StoreError::kind)
}
