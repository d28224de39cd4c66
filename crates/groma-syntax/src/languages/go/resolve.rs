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

#[cfg(test)]
mod tests {
    use crate::import_map::tests::check;

    #[test]
    fn imports_resolve() {
        check(
        "go",
        "main.go net/pool.go net/conn.go net/pool_test.go net/deep/a.go tools/gen/gen.go tools/main.go
         forked/log/log.go vendor/github.com/pkg/errors/errors.go other/x/x.go",
        &[
            ("go.mod", "module example.com/app // the app\n\ngo 1.22\n\nreplace (\n\texample.com/log v1.0.0 => ./forked/log\n)\nreplace example.com/x => ./other/x\n"),
            ("tools/go.mod", "module example.com/app/tools\n"),
        ],
        &[
            ("main.go", "example.com/app/net", "net/conn.go net/pool.go"),
            ("main.go", "example.com/app/net/deep", "net/deep/a.go"),
            ("net/pool.go", "example.com/app", "main.go"),
            ("net/pool_test.go", "example.com/app/net", "net/conn.go net/pool.go"),
            ("main.go", "example.com/app/tools/gen", "tools/gen/gen.go"),
            ("tools/main.go", "example.com/app/tools/gen", "tools/gen/gen.go"),
            ("main.go", "example.com/log", "forked/log/log.go"),
            ("main.go", "example.com/x", "other/x/x.go"),
            ("main.go", "github.com/pkg/errors", "vendor/github.com/pkg/errors/errors.go"),
            ("main.go", "example.com/application", ""),
            ("main.go", "fmt", ""),
            ("main.go", "net", ""),
        ],
    );
    }

    #[test]
    fn modules_of_one_name_resolve_to_the_nearest() {
        check(
            "go",
            "a/main.go a/x/x.go b/main.go b/x/x.go",
            &[("a/go.mod", "module demo"), ("b/go.mod", "module demo")],
            &[("a/main.go", "demo/x", "a/x/x.go"), ("b/main.go", "demo/x", "b/x/x.go")],
        );
    }
}
