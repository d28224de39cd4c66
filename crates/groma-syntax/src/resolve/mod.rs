//! From an import as written to the files of the project it names.
//!
//! A project is taken as it lies on disk: its paths, and the few files that say which name stands for which
//! folder (`go.mod`, `Cargo.toml`, `package.json` and their like). No build tool is asked and nothing is
//! read, so the answer is a good guess where a language leaves the choice to its build: the nearest file
//! whose path ends as the import demands. What lies outside the project resolves to nothing, and where two
//! files are equally likely and only one can be meant, nothing is better than a wrong edge.

mod by_path;
mod c;
mod csharp;
mod elixir;
mod files;
mod go;
mod haskell;
mod jvm;
mod lua;
mod php;
mod python;
mod ruby;
mod rust;
mod script;
#[cfg(test)]
mod tests;

use files::Files;
use groma_core::{Import, RelPath};

/// The files of a project, as far as resolving imports needs to know them.
pub struct ImportMap {
    files: Files,
    go: go::Modules,
    rust: rust::Crates,
    python: python::Roots,
    script: script::Packages,
    csharp: csharp::Namespaces,
    php: php::Autoload,
    dart: by_path::DartPackages,
}

impl ImportMap {
    /// Indexes all paths of a project and the texts of its manifests, which [`is_manifest`](Self::is_manifest)
    /// tells from other files. A manifest that cannot be read as such is ignored.
    pub fn new(paths: impl IntoIterator<Item = RelPath>, manifests: &[(RelPath, String)]) -> Self {
        let files = Files::new(paths);
        Self {
            go: go::Modules::read(manifests),
            rust: rust::Crates::read(manifests),
            python: python::Roots::read(&files, manifests),
            script: script::Packages::read(manifests),
            csharp: csharp::Namespaces::new(&files),
            php: php::Autoload::read(manifests),
            dart: by_path::DartPackages::read(manifests),
            files,
        }
    }

    /// Whether a file names roots, packages or aliases that imports are resolved by.
    pub fn is_manifest(path: &RelPath) -> bool {
        let name = path.file_name();
        let known = matches!(
            name,
            "go.mod"
                | "Cargo.toml"
                | "package.json"
                | "composer.json"
                | "pyproject.toml"
                | "pubspec.yaml"
        );
        (known || script::is_config(name)) && !path.folders().any(|folder| folder == "node_modules")
    }

    /// The files that `import` in the file `from` stands for: sorted, without duplicates and without `from`
    /// itself; empty for anything outside the project.
    pub fn resolve(&self, from: &RelPath, language: &str, import: &Import) -> Vec<RelPath> {
        let files = &self.files;
        let mut found = Vec::new();
        for path in expand_braces(import.path.trim()) {
            found.extend(match language {
                "go" => self.go.resolve(files, from, &path),
                "rust" => self.rust.resolve(files, from, &path),
                "python" => self.python.resolve(files, from, &path),
                "javascript" | "typescript" | "tsx" | "vue" | "svelte" | "astro" => {
                    self.script.resolve(files, from, &path)
                }
                "java" => jvm::resolve_class(files, from, &path),
                "kotlin" | "scala" | "groovy" => jvm::resolve_member(files, from, &path),
                "c" | "cpp" | "objective-c" => c::resolve(files, from, &path),
                "csharp" => self.csharp.resolve(files, from, &path),
                "php" => self.php.resolve(files, from, &path),
                "ruby" => ruby::resolve(files, from, &path),
                "lua" => lua::resolve(files, from, &path),
                "elixir" => elixir::resolve(files, from, &path),
                "haskell" => haskell::resolve(files, from, &path),
                "dart" => self.dart.resolve(files, from, &path),
                "zig" | "bash" | "css" | "html" | "julia" | "make" | "nix" | "r" => {
                    by_path::resolve_relative(files, from, &path)
                }
                "protobuf" => by_path::resolve_proto(files, from, &path),
                _ => Vec::new(),
            });
        }
        found.retain(|path| path != from);
        found.sort_unstable();
        found.dedup();
        found
    }
}

/// `a.{b, c as d}` is `a.b` and `a.c`. One level is enough: Rust, which nests them, arrives expanded.
fn expand_braces(path: &str) -> Vec<String> {
    let plain = |text: &str| {
        let end =
            [" as ", "=>"].iter().filter_map(|word| text.find(word)).min().unwrap_or(text.len());
        text[..end].trim().to_string()
    };
    match (path.find('{'), path.rfind('}')) {
        (Some(open), Some(close)) if open < close => {
            let (prefix, items) = (path[..open].trim(), &path[open + 1..close]);
            items.split(',').map(|item| format!("{prefix}{}", plain(item))).collect()
        }
        _ => vec![plain(path)],
    }
}
