//! Protocol Buffers: an import is a path relative to a folder above the importing file, or the end of a path.

use crate::resolve::{Files, ImportRules, ancestors, join, only_nearest};
use groma_core::RelPath;

pub(super) static RULES: ImportRules =
    ImportRules { manifests: &[], load: |_, _| Box::new(resolve) };

fn resolve(files: &Files, from: &RelPath, import: &str) -> Vec<RelPath> {
    let above = ancestors(from.folder()).find_map(|folder| files.get(&join(folder, import)?));
    above.or_else(|| only_nearest(from, files.ending(import))).into_iter().collect()
}
