//! The rules by which imports are resolved to files of the project.
//!
//! The input is the paths of a project and the few files that map names to folders (`go.mod`, `Cargo.toml`,
//! `package.json`). No build tool is run and nothing is read from disk, so where a language leaves the choice to its
//! build, the result is a guess: the nearest file whose path ends as the import demands. An import from outside the
//! project resolves to nothing; so does one with two equally likely files, because a wrong edge is worse than none.
//!
//! Each language that resolves imports has its [`ImportRules`] in its folder.

mod files;

pub(crate) use files::*;

use groma_core::RelPath;

/// The manifests of a project, with their texts.
pub(crate) type Manifests = [(RelPath, String)];

/// Resolves the imports of a language in one project.
pub(crate) trait Resolver: Send + Sync {
    /// The files that `import` in the file `from` may mean, in any order. Braces are expanded already.
    fn resolve(&self, files: &Files, from: &RelPath, import: &str) -> Vec<RelPath>;
}

impl<F: Fn(&Files, &RelPath, &str) -> Vec<RelPath> + Send + Sync> Resolver for F {
    fn resolve(&self, files: &Files, from: &RelPath, import: &str) -> Vec<RelPath> {
        self(files, from, import)
    }
}

/// How the imports of a language, or of several that share one `static`, are resolved.
pub(crate) struct ImportRules {
    /// Names of the files that map import names to folders; a `*` matches any text.
    pub manifests: &'static [&'static str],
    /// Makes the resolver of a project. A manifest that cannot be parsed is ignored.
    pub load: fn(&Files, &Manifests) -> Box<dyn Resolver>,
}

/// Imports that are paths relative to the importing file.
pub(crate) static RELATIVE_PATHS: ImportRules =
    ImportRules { manifests: &[], load: |_, _| Box::new(resolve_relative) };

/// The file at a path relative to the importing one.
pub(crate) fn resolve_relative(files: &Files, from: &RelPath, import: &str) -> Vec<RelPath> {
    join(from.folder(), import).and_then(|path| files.get(&path)).into_iter().collect()
}
