//! Languages whose imports are paths already: Dart, Zig, Protocol Buffers and the likes of shell and CSS.

use super::files::{Files, ancestors, join, keep_best, only_nearest, shared};
use groma_core::RelPath;
use rustc_hash::FxHashMap;

/// The packages of the project by the names in their `pubspec.yaml`.
#[derive(Default)]
pub(super) struct DartPackages {
    folders: FxHashMap<String, Vec<String>>,
}

impl DartPackages {
    pub fn read(manifests: &[(RelPath, String)]) -> Self {
        let mut packages = Self::default();
        for (path, text) in manifests.iter().filter(|(path, _)| path.file_name() == "pubspec.yaml")
        {
            let name = text.lines().find_map(|line| line.strip_prefix("name:"));
            if let Some(name) = name.map(|name| name.split('#').next().unwrap_or(name).trim()) {
                let name = name.trim_matches(['"', '\'']).to_string();
                packages.folders.entry(name).or_default().push(path.folder().to_string());
            }
        }
        packages
    }

    pub fn resolve(&self, files: &Files, from: &RelPath, import: &str) -> Vec<RelPath> {
        let Some(path) = import.strip_prefix("package:") else {
            return if import.contains(':') {
                Vec::new()
            } else {
                resolve_relative(files, from, import)
            };
        };
        let Some((name, inside)) = path.split_once('/') else { return Vec::new() };
        let known = self.folders.get(name).into_iter().flatten();
        let nearest = keep_best(known, |folder| shared(from.folder(), folder));
        let found =
            nearest.iter().find_map(|folder| files.get(&join(folder, &format!("lib/{inside}"))?));
        found.into_iter().collect()
    }
}

/// The file at a path as seen from the importing one.
pub(super) fn resolve_relative(files: &Files, from: &RelPath, import: &str) -> Vec<RelPath> {
    join(from.folder(), import).and_then(|path| files.get(&path)).into_iter().collect()
}

/// The file at a path as seen from a folder above the importing one, or from any other.
pub(super) fn resolve_proto(files: &Files, from: &RelPath, import: &str) -> Vec<RelPath> {
    let above = ancestors(from.folder()).find_map(|folder| files.get(&join(folder, import)?));
    above.or_else(|| only_nearest(from, files.ending(import))).into_iter().collect()
}
