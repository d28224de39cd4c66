//! Errors as one line, for answers that have room for no more.

use std::error::Error;

/// An error with everything that led to it.
pub fn with_causes(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{PathError, RelPath};

    #[derive(Debug, thiserror::Error)]
    #[error("no such path")]
    struct Outer(#[source] PathError);

    #[test]
    fn every_cause_is_included() {
        let inner = RelPath::new("../up").unwrap_err();
        let whole = format!("no such path: {inner}");
        assert_eq!(with_causes(&Outer(inner)), whole);
    }
}
