//! The Rust sources of the repository, parsed.

use anyhow::{Context, Result};
use ignore::WalkBuilder;
use std::fs;
use std::path::{Path, PathBuf};

/// A parsed file.
pub struct Source {
    /// Its path from the root of the repository.
    pub path: PathBuf,
    /// Its items.
    pub file: syn::File,
}

/// Every Rust file below a folder of the repository but fixtures, which are data.
pub fn rust_files(root: &Path, folder: &str) -> Result<Vec<Source>> {
    let mut sources = Vec::new();
    for entry in WalkBuilder::new(root.join(folder)).require_git(false).build().flatten() {
        let path = entry.path().strip_prefix(root)?.to_path_buf();
        let is_rust = path.extension().is_some_and(|extension| extension == "rs");
        let is_data =
            path.iter().any(|part| part == "fixtures" || part == "corpus" || part == "fixture");
        if !is_rust || is_data || entry.path().is_dir() {
            continue;
        }
        let text = fs::read_to_string(entry.path())?;
        let file = syn::parse_file(&text).with_context(|| format!("{}", path.display()))?;
        sources.push(Source { path, file });
    }
    sources.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(sources)
}

/// The folders with a crate each.
pub fn crates(root: &Path) -> Result<Vec<String>> {
    let mut folders = vec!["xtask".to_string()];
    for entry in fs::read_dir(root.join("crates"))? {
        let entry = entry?;
        if entry.path().join("Cargo.toml").is_file() {
            folders.push(format!("crates/{}", entry.file_name().to_string_lossy()));
        }
    }
    folders.sort();
    Ok(folders)
}

/// Whether an item is compiled for tests only.
pub fn is_test_only(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("cfg")
            && attribute.parse_args::<syn::Path>().is_ok_and(|condition| condition.is_ident("test"))
    })
}
