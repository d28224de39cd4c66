//! Which languages a folder holds, before there is an index of it.

use crate::error::EngineError;
use crate::index::walk::{WalkOptions, walk};
use std::path::Path;

/// Whether a folder has any file of a language, given by its canonical name. Ignore files apply; vendored, generated
/// and minified files count.
pub fn has_language(root: &Path, language: &str) -> Result<bool, EngineError> {
    let options = WalkOptions {
        languages: vec![language.into()],
        vendored: true,
        generated: true,
        minified: true,
        ..WalkOptions::default()
    };
    Ok(!walk(root, &options)?.files.is_empty())
}
