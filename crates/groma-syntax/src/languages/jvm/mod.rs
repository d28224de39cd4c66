//! Java, Kotlin, Scala and Groovy: a dotted name is a path below some source root.
//!
//! Source roots are not listed anywhere that can be read without the build, so any folder may be one. Of
//! several files with the same name those of the nearest module are meant; what stands before `src` is taken
//! for the module, so that tests see the main sources beside them.

use crate::resolve::{Files, ImportRules, keep_best, last_part, parent, root_of, shared};
use groma_core::RelPath;

/// Imports that name classes.
pub(super) static CLASSES: ImportRules =
    ImportRules { manifests: &[], load: |_, _| Box::new(resolve_class) };

/// Imports that name classes or members of a package.
pub(super) static MEMBERS: ImportRules =
    ImportRules { manifests: &[], load: |_, _| Box::new(resolve_member) };

const ENDINGS: &[&str] = &["java", "kt", "scala", "groovy", "kts"];

/// Below these a source root begins, also where the folders leave out the first parts of the package.
const ROOT_NAMES: &[&str] = &["kotlin", "scala", "java", "groovy", "src"];

/// Java: a class, a member of a class, or all of a package.
fn resolve_class(files: &Files, from: &RelPath, import: &str) -> Vec<RelPath> {
    let path = dotted_path(import);
    let found = class(files, from, &path);
    if found.is_empty() { package(files, from, &path) } else { found }
}

/// Kotlin and Scala: as in Java, but names need not stand in a file named like them, so a name that has no
/// file of its own is one of its package.
fn resolve_member(files: &Files, from: &RelPath, import: &str) -> Vec<RelPath> {
    let found = resolve_class(files, from, import);
    if !found.is_empty() {
        return found;
    }
    let path = dotted_path(import);
    let short = class_below_root(files, from, &path);
    match path.rfind('/') {
        Some(slash) if short.is_empty() && !import.ends_with('*') => {
            package(files, from, &path[..slash])
        }
        _ => short,
    }
}

fn dotted_path(import: &str) -> String {
    let import = import.trim_start_matches("static ").trim();
    let import =
        [".*", "._", ".given"].iter().find_map(|end| import.strip_suffix(end)).unwrap_or(import);
    import.trim_end_matches('.').replace('.', "/").replace('`', "")
}

/// The file of a class; members and nested classes are in that of the outer one.
fn class(files: &Files, from: &RelPath, path: &str) -> Vec<RelPath> {
    let mut name = path;
    while name.contains('/') {
        let found = sources(files, from, name, |root| is_root(root, path));
        if !found.is_empty() {
            return found;
        }
        name = parent(name);
        if !last_part(name).starts_with(char::is_uppercase) {
            break;
        }
    }
    Vec::new()
}

/// The file of a class below a root whose folders leave out the first parts of the package.
fn class_below_root(files: &Files, from: &RelPath, path: &str) -> Vec<RelPath> {
    let outer = parent(parent(path));
    if outer.is_empty() || is_library(path) {
        return Vec::new();
    }
    sources(files, from, &path[outer.len() + 1..], |root| {
        let mut folders = root.rsplit('/').zip(outer.rsplit('/'));
        let different = folders.find(|(folder, part)| folder != part);
        different.is_some_and(|(folder, _)| ROOT_NAMES.contains(&folder))
    })
}

/// The files whose path ends with `name` and a known ending, below a root that fits.
fn sources(files: &Files, from: &RelPath, name: &str, fits: impl Fn(&str) -> bool) -> Vec<RelPath> {
    let suffixes = ENDINGS.iter().map(|ending| format!("{name}.{ending}")).collect::<Vec<_>>();
    let candidates = suffixes
        .iter()
        .flat_map(|suffix| files.ending(suffix).map(|path| (path, root_of(path.as_str(), suffix))));
    let found = nearest_module(from, candidates.filter(|(_, root)| fits(root)));
    found.into_iter().cloned().collect()
}

/// All files of a package.
fn package(files: &Files, from: &RelPath, path: &str) -> Vec<RelPath> {
    let folders = files.folders_ending(path).map(|folder| (folder, root_of(folder, path)));
    nearest_module(from, folders.filter(|(_, root)| is_root(root, path)))
        .into_iter()
        .flat_map(|folder| files.inside(folder))
        .filter(|path| path.extension().is_some_and(|extension| ENDINGS.contains(&extension)))
        .cloned()
        .collect()
}

/// `java.util` is not the folder `util` in `src/main/java`.
fn is_root(root: &str, path: &str) -> bool {
    !(is_library(path) && matches!(last_part(root), "main" | "test" | "src" | ""))
}

/// Whether a name starts as those of the languages' own libraries do.
fn is_library(path: &str) -> bool {
    let first = path.split('/').next().unwrap_or(path);
    matches!(first, "java" | "javax" | "kotlin" | "scala" | "groovy")
}

/// The candidates in the module nearest to `from`, given with the root each was found below.
fn nearest_module<'a, T>(from: &RelPath, candidates: impl Iterator<Item = (T, &'a str)>) -> Vec<T> {
    let kept = keep_best(candidates, |(_, root)| shared(from.folder(), module(root)));
    kept.into_iter().map(|(candidate, _)| candidate).collect()
}

/// A source root without its `src` and what follows it.
fn module(root: &str) -> &str {
    let mut start = 0;
    for part in root.split('/') {
        if part == "src" {
            return root[..start].trim_end_matches('/');
        }
        start += part.len() + 1;
    }
    root
}
