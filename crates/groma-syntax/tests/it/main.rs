//! What the parsers and queries extract from the fixture of each language, and from hostile input.

mod fastparse;
mod growth;
mod hostile;
mod languages;

use std::fs::read_dir;
use std::path::{Path, PathBuf};

/// The fixture files of all languages, sorted.
fn fixtures() -> Vec<PathBuf> {
    let languages = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/languages");
    let folders = read_dir(languages).unwrap().map(|entry| entry.unwrap().path().join("fixtures"));
    let mut fixtures: Vec<PathBuf> = folders
        .filter(|folder| folder.is_dir())
        .flat_map(|folder| read_dir(folder).unwrap())
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_none_or(|extension| extension != "expect"))
        .collect();
    fixtures.sort();
    fixtures
}
