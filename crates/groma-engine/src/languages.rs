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

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn vendored_files_count_and_ignored_ones_do_not() {
        let root = tempfile::tempdir().unwrap();
        let has_go = || has_language(root.path(), "go").unwrap();
        fs::write(root.path().join("a.py"), "x = 1\n").unwrap();
        fs::write(root.path().join("a.go"), "package a\n").unwrap();
        assert!(has_go());
        fs::write(root.path().join(".gitignore"), "a.go\n").unwrap();
        assert!(!has_go());
        fs::create_dir(root.path().join("vendor")).unwrap();
        fs::write(root.path().join("vendor/b.go"), "package b\n").unwrap();
        assert!(has_go());
    }

    #[test]
    fn a_missing_folder_is_a_missing_project() {
        let root = tempfile::tempdir().unwrap();
        let error = has_language(&root.path().join("none"), "go").unwrap_err();
        assert!(error.is_project_missing(), "{error}");
        let invalid = EngineError::invalid("limit", "must be 1 or more");
        assert!(!invalid.is_project_missing());
    }
}
