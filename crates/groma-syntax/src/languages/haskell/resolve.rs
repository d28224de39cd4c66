//! Haskell: `A.B` is `A/B.hs` below a source root, which is any folder that is itself no module's.

use crate::resolve::{Files, ImportRules, last_part, only_nearest, root_of};
use groma_core::RelPath;

pub(super) static RULES: ImportRules =
    ImportRules { manifests: &[], load: |_, _| Box::new(resolve) };

fn resolve(files: &Files, from: &RelPath, import: &str) -> Vec<RelPath> {
    let path = import.replace('.', "/");
    let suffixes = ["hs", "lhs", "hsc"].map(|ending| format!("{path}.{ending}"));
    let rooted = suffixes.iter().flat_map(|suffix| {
        files.ending(suffix).filter(|path| !is_module(root_of(path.as_str(), suffix)))
    });
    only_nearest(from, rooted).into_iter().collect()
}

/// Folders of modules start with a capital.
fn is_module(folder: &str) -> bool {
    last_part(folder).starts_with(|first: char| first.is_uppercase())
}
