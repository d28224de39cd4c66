//! From an import as written to the files of the project it names.

#[cfg(test)]
pub(crate) mod tests;

use crate::languages::LANGUAGES;
use crate::resolve::{Files, ImportRules, Resolver};
use groma_core::{Import, RelPath};
use rustc_hash::FxHashMap;
use std::ptr;
use std::sync::LazyLock;

/// Names of manifests, of all languages.
static MANIFESTS: LazyLock<Vec<&str>> = LazyLock::new(|| {
    let rules = LANGUAGES.iter().filter_map(|language| language.imports);
    let mut names: Vec<&str> = rules.flat_map(|rules| rules.manifests).copied().collect();
    names.sort_unstable();
    names.dedup();
    names
});

/// The files of a project and the resolvers of its languages.
pub struct ImportMap {
    files: Files,
    resolvers: Vec<Box<dyn Resolver>>,
    /// Indices into `resolvers`, by the name of the language.
    by_language: FxHashMap<&'static str, usize>,
}

impl ImportMap {
    /// Indexes all paths of a project and the texts of its manifests: the files for which
    /// [`is_manifest`](Self::is_manifest) holds. A manifest that cannot be parsed is ignored.
    pub fn new(paths: impl IntoIterator<Item = RelPath>, manifests: &[(RelPath, String)]) -> Self {
        let files = Files::new(paths);
        let mut loaded: Vec<&'static ImportRules> = Vec::new();
        let mut resolvers = Vec::new();
        let mut by_language = FxHashMap::default();
        for language in LANGUAGES {
            let Some(rules) = language.imports else { continue };
            let known = loaded.iter().position(|other| ptr::eq(*other, rules));
            let index = known.unwrap_or_else(|| {
                loaded.push(rules);
                resolvers.push((rules.load)(&files, manifests));
                resolvers.len() - 1
            });
            by_language.insert(language.name, index);
        }
        Self { files, resolvers, by_language }
    }

    /// Whether a file maps import names to folders, packages or aliases.
    pub fn is_manifest(path: &RelPath) -> bool {
        let name = path.file_name();
        MANIFESTS.iter().any(|pattern| matches(pattern, name))
            && !path.folders().any(|folder| folder == "node_modules")
    }

    /// The files that `import` in the file `from` means: sorted, without duplicates and without `from` itself;
    /// empty for anything outside the project.
    pub fn resolve(&self, from: &RelPath, language: &str, import: &Import) -> Vec<RelPath> {
        let mut found = Vec::new();
        for path in expand_braces(import.path.trim()) {
            found.extend(self.module(from, language, &path));
        }
        found.retain(|path| path != from);
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The files that a module's path means in the file `from`, which may be one of them; in any order.
    pub fn module(&self, from: &RelPath, language: &str, path: &str) -> Vec<RelPath> {
        let Some(index) = self.by_language.get(language) else { return Vec::new() };
        self.resolvers[*index].resolve(&self.files, from, path)
    }
}

/// Whether a file name is `pattern`, in which a `*` matches any text.
fn matches(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        Some((start, end)) => name.strip_prefix(start).is_some_and(|rest| rest.ends_with(end)),
        None => pattern == name,
    }
}

/// `a.{b, c as d}` is `a.b` and `a.c`. Handles one level of braces: nested ones of Rust are expanded before.
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
