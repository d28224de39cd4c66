//! Dart: an import is a path, relative to the file or to a package that a `pubspec.yaml` names.

use crate::resolve::{
    Files, ImportRules, Manifests, Resolver, join, keep_best, resolve_relative, shared,
};
use groma_core::RelPath;
use rustc_hash::FxHashMap;

pub(super) static RULES: ImportRules = ImportRules {
    manifests: &["pubspec.yaml"],
    load: |_, manifests| Box::new(Packages::read(manifests)),
};

/// The packages of the project by the names in their `pubspec.yaml`.
#[derive(Default)]
struct Packages {
    folders: FxHashMap<String, Vec<String>>,
}

impl Packages {
    fn read(manifests: &Manifests) -> Self {
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
}

impl Resolver for Packages {
    fn resolve(&self, files: &Files, from: &RelPath, import: &str) -> Vec<RelPath> {
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

#[cfg(test)]
mod tests {
    use crate::import_map::tests::check;

    #[test]
    fn imports_resolve() {
        check(
            "dart",
            "lib/main.dart lib/src/cart.dart packages/ui/lib/ui.dart",
            &[
                ("pubspec.yaml", "# app\nname: shop # ours\n"),
                ("packages/ui/pubspec.yaml", "name: 'ui'\n"),
            ],
            &[
                ("lib/main.dart", "package:shop/src/cart.dart", "lib/src/cart.dart"),
                ("lib/main.dart", "package:ui/ui.dart", "packages/ui/lib/ui.dart"),
                ("lib/main.dart", "src/cart.dart", "lib/src/cart.dart"),
                ("lib/src/cart.dart", "../main.dart", "lib/main.dart"),
                ("lib/main.dart", "package:flutter/material.dart", ""),
                ("lib/main.dart", "dart:io", ""),
            ],
        );
    }
}
