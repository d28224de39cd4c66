//! Go: an import names a package, which is a folder below the module that `go.mod` names.

use crate::resolve::{
    Files, ImportRules, Manifests, Resolver, ancestors, contains, join, keep_best, root_of, shared,
};
use groma_core::RelPath;
use rustc_hash::FxHashMap;
use std::cmp::Reverse;

pub(super) static RULES: ImportRules =
    ImportRules { manifests: &["go.mod"], load: |_, manifests| Box::new(Modules::read(manifests)) };

/// The modules of the project, and those replaced by a folder of it.
#[derive(Default)]
struct Modules {
    /// Module paths and the folders that hold them; examples and tests may repeat a name.
    folders: FxHashMap<String, Vec<String>>,
}

impl Modules {
    fn read(manifests: &Manifests) -> Self {
        let mut modules = Self::default();
        for (path, text) in manifests.iter().filter(|(path, _)| path.file_name() == "go.mod") {
            modules.read_one(path.folder(), text);
        }
        modules
    }

    fn read_one(&mut self, folder: &str, text: &str) {
        let mut block = "";
        for line in text.lines() {
            let line = line.split("//").next().unwrap_or(line);
            let mut words: Vec<&str> =
                line.split_whitespace().map(|word| word.trim_matches(['"', '`'])).collect();
            match words.as_slice() {
                [")"] => block = "",
                [directive, "("] => block = directive,
                _ => {
                    if !block.is_empty() {
                        words.insert(0, block);
                    }
                    self.read_directive(folder, &words);
                }
            }
        }
    }

    fn read_directive(&mut self, folder: &str, words: &[&str]) {
        match words {
            ["module", name] => self.add(name, folder.to_string()),
            ["replace", name, "=>", target] | ["replace", name, _, "=>", target]
                if target.starts_with('.') =>
            {
                if let Some(target) = join(folder, target) {
                    self.add(name, target);
                }
            }
            _ => {}
        }
    }

    fn add(&mut self, name: &str, folder: String) {
        let known = self.folders.entry(name.to_string()).or_default();
        if !known.contains(&folder) {
            known.push(folder);
        }
    }
}

impl Resolver for Modules {
    fn resolve(&self, files: &Files, from: &RelPath, import: &str) -> Vec<RelPath> {
        let module = ancestors(import).find_map(|prefix| Some((prefix, self.folders.get(prefix)?)));
        if let Some((prefix, folders)) = module {
            let nearest = keep_best(folders.iter(), |folder| {
                (shared(from.folder(), folder), Reverse(folder.len()))
            });
            let rest = &import[prefix.len()..];
            let folder = nearest.first().and_then(|folder| join(folder, rest));
            return folder.map_or_else(Vec::new, |folder| package(files, &folder));
        }
        let vendored = format!("vendor/{import}");
        let around = |folder: &&str| contains(root_of(folder, &vendored), from);
        let nearest =
            files.folders_ending(&vendored).filter(around).max_by_key(|folder| folder.len());
        nearest.map_or_else(Vec::new, |folder| package(files, folder))
    }
}

/// The files of a package that its importers see.
fn package(files: &Files, folder: &str) -> Vec<RelPath> {
    let seen =
        |path: &&RelPath| path.extension() == Some("go") && !path.as_str().ends_with("_test.go");
    files.inside(folder).iter().filter(seen).cloned().collect()
}
