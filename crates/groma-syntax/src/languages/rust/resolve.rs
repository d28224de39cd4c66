//! Rust: a path walks the modules of a crate, whose names determine their files.
//!
//! The last parts of a path name items, so the walk ends at the deepest module that has a file. Inline
//! modules are not known here: `super` is relative to the file's own module, except in `super::*`, which
//! is nearly always in an inline test module and means the file itself.

use crate::resolve::{
    Files, ImportRules, Manifests, Resolver, ancestors, join, keep_best, last_part, parent, shared,
};
use groma_core::RelPath;
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use toml::{Table, Value};

pub(super) static RULES: ImportRules = ImportRules {
    manifests: &["Cargo.toml"],
    load: |_, manifests| Box::new(Crates::read(manifests)),
};

/// Endings of the file of a module.
const MODULE: &[&str] = &[".rs", "/mod.rs"];

/// The crates of the project.
#[derive(Default)]
struct Crates {
    at: FxHashMap<String, Crate>,
    /// Folders of crates by the name of their package, `-` written as `_`.
    named: FxHashMap<String, Vec<String>>,
    /// Folders of workspaces and the dependencies that their members inherit.
    workspaces: FxHashMap<String, FxHashMap<String, Dependency>>,
}

/// The package of a `Cargo.toml`.
struct Crate {
    /// The name others import it by.
    name: String,
    /// The root file of the library.
    library: String,
    /// Root files that are named in the manifest.
    roots: Vec<String>,
    /// Before 2018 a path started at the crate's root.
    from_root: bool,
    dependencies: FxHashMap<String, Dependency>,
}

/// A dependency under the name it is used by.
struct Dependency {
    package: String,
    folder: Option<String>,
    inherited: bool,
}

/// The root module of a crate.
struct Root {
    folder: String,
    file: Option<RelPath>,
}

impl Crates {
    fn read(manifests: &Manifests) -> Self {
        let mut crates = Self::default();
        for (path, text) in manifests.iter().filter(|(path, _)| path.file_name() == "Cargo.toml") {
            if let Ok(table) = text.parse::<Table>() {
                crates.read_one(path.folder(), &table);
            }
        }
        crates
    }

    fn read_one(&mut self, folder: &str, table: &Table) {
        if let Some(workspace) = table.get("workspace").and_then(Value::as_table) {
            let mut shared = FxHashMap::default();
            read_dependencies(folder, workspace, &mut shared);
            self.workspaces.insert(folder.to_string(), shared);
        }
        let Some(package) = table.get("package") else { return };
        let Some(package_name) = text_of(package, "name").map(underscored) else { return };
        let library = table.get("lib");
        let named_path = library.and_then(|library| text_of(library, "path"));
        let library_path = join(folder, named_path.unwrap_or("src/lib.rs")).unwrap_or_default();
        let binaries = table.get("bin").and_then(Value::as_array).into_iter().flatten();
        let binaries = binaries.filter_map(|binary| join(folder, text_of(binary, "path")?));
        let mut dependencies = FxHashMap::default();
        read_dependencies(folder, table, &mut dependencies);
        let one = Crate {
            name: library
                .and_then(|library| text_of(library, "name"))
                .map_or_else(|| package_name.clone(), underscored),
            roots: binaries.chain([library_path.clone()]).collect(),
            library: library_path,
            from_root: matches!(package.get("edition"), None | Some(Value::String(_)))
                && text_of(package, "edition").is_none_or(|edition| edition == "2015"),
            dependencies,
        };
        for name in [&package_name, &one.name] {
            let known = self.named.entry(name.clone()).or_default();
            if !known.iter().any(|known| known == folder) {
                known.push(folder.to_string());
            }
        }
        self.at.insert(folder.to_string(), one);
    }

    /// A path that starts with a name in scope: a module declared here, or a crate.
    fn walk_name(
        &self,
        files: &Files,
        from: &RelPath,
        first: &str,
        rest: &[&str],
    ) -> Option<RelPath> {
        let folder = self.children(from);
        if let Some(file) = child(files, &folder, first) {
            return walk(files, below(&folder, first), Some(file), rest);
        }
        if let Some(file) = self.walk_crate(files, from, first, rest) {
            return Some(file);
        }
        if !self.home(from).is_some_and(|(_, home)| home.from_root) {
            return None;
        }
        let root = self.root(files, from).folder;
        let file = child(files, &root, first)?;
        walk(files, below(&root, first), Some(file), rest)
    }

    /// A path that starts with the name of a crate.
    fn walk_crate(
        &self,
        files: &Files,
        from: &RelPath,
        name: &str,
        rest: &[&str],
    ) -> Option<RelPath> {
        let folder = match self.home(from) {
            Some((folder, home)) if home.name == name => folder,
            Some((folder, home)) => self.dependency(folder, home.dependencies.get(name)?, name)?,
            None => self.nearest(from.folder(), name)?,
        };
        let library = &self.at.get(folder)?.library;
        walk(files, parent(library).to_string(), files.get(library), rest)
    }

    /// The folder of a dependency that is part of the project.
    fn dependency<'a>(
        &'a self,
        folder: &str,
        wanted: &'a Dependency,
        name: &str,
    ) -> Option<&'a str> {
        let wanted = if wanted.inherited {
            ancestors(folder).find_map(|above| self.workspaces.get(above))?.get(name)?
        } else {
            wanted
        };
        match &wanted.folder {
            Some(folder) => Some(folder),
            None => self.nearest(folder, &wanted.package),
        }
    }

    fn nearest(&self, folder: &str, name: &str) -> Option<&str> {
        let known = self.named.get(name)?.iter();
        let kept = keep_best(known, |other| (shared(folder, other), Reverse(other.len())));
        kept.first().map(|folder| folder.as_str())
    }

    /// The crate a file belongs to and its folder.
    fn home<'a>(&self, from: &'a RelPath) -> Option<(&'a str, &Crate)> {
        ancestors(from.folder()).find_map(|folder| Some((folder, self.at.get(folder)?)))
    }

    /// Follows `super` upwards and the rest downwards.
    fn climb(
        &self,
        files: &Files,
        from: &RelPath,
        folder: String,
        parts: &[&str],
    ) -> Option<RelPath> {
        let ups = parts.iter().take_while(|part| **part == "super").count();
        if ups == 0 {
            return walk(files, folder, Some(from.clone()), parts);
        }
        let root = self.root(files, from);
        let mut folder = folder.as_str();
        for _ in 0..ups {
            if folder == root.folder {
                return None;
            }
            folder = parent(folder);
        }
        let file = if folder == root.folder {
            root.file
        } else {
            child(files, parent(folder), last_part(folder))
        };
        walk(files, folder.to_string(), file, &parts[ups..])
    }

    /// The folder of the modules that a file declares.
    fn children(&self, from: &RelPath) -> String {
        if from.stem() == "mod" || self.is_root(from) {
            return from.folder().to_string();
        }
        from.as_str().trim_end_matches(".rs").to_string()
    }

    /// Whether a file is the root of a crate: a library, a program, a test, an example or a build script.
    fn is_root(&self, from: &RelPath) -> bool {
        if matches!(from.file_name(), "lib.rs" | "main.rs") {
            return true;
        }
        let Some((folder, home)) = self.home(from) else { return false };
        let inside = from.folder()[folder.len()..].trim_start_matches('/');
        matches!(inside, "tests" | "examples" | "benches" | "src/bin")
            || inside.is_empty() && from.file_name() == "build.rs"
            || home.roots.iter().any(|root| root == from.as_str())
    }

    /// The root of the crate that a file is a module of.
    fn root(&self, files: &Files, from: &RelPath) -> Root {
        if self.is_root(from) {
            return Root { folder: from.folder().to_string(), file: Some(from.clone()) };
        }
        let home = self.home(from);
        for folder in ancestors(from.folder()) {
            let declared = home.into_iter().flat_map(|(_, home)| &home.roots);
            let declared =
                declared.rev().find(|root| parent(root) == folder).and_then(|root| files.get(root));
            let file = declared.or_else(|| files.first(&below(folder, ""), &["lib.rs", "main.rs"]));
            if file.is_some() {
                return Root { folder: folder.to_string(), file };
            }
            let top = home.is_some_and(|(top, _)| top == parent(folder));
            if top && matches!(last_part(folder), "tests" | "examples" | "benches") {
                return Root { folder: folder.to_string(), file: None };
            }
            if home.is_some_and(|(top, _)| top == folder) {
                break;
            }
        }
        Root { folder: from.folder().to_string(), file: None }
    }
}

impl Resolver for Crates {
    fn resolve(&self, files: &Files, from: &RelPath, import: &str) -> Vec<RelPath> {
        let global = import.starts_with("::");
        let parts = import.split("::").map(|part| part.trim().trim_start_matches("r#"));
        let mut parts: Vec<&str> = parts.filter(|part| !part.is_empty()).collect();
        if parts == ["super", "*"] && !matches!(from.stem(), "tests" | "test") {
            return Vec::new();
        }
        parts.retain(|part| *part != "*");
        let found = match parts.split_first() {
            None => None,
            Some((first, rest)) if global => self.walk_crate(files, from, first, rest),
            Some((&"crate", rest)) => {
                let root = self.root(files, from);
                walk(files, root.folder, root.file, rest)
            }
            Some((&"self", rest)) => {
                let folder = self.children(from);
                self.climb(files, from, folder, rest)
            }
            Some((&"super", _)) => self.climb(files, from, self.children(from), &parts),
            Some((first, rest)) => self.walk_name(files, from, first, rest),
        };
        found.into_iter().collect()
    }
}

/// Walks down from the module in `file`, whose children are in `folder`, as far as there are files.
fn walk(
    files: &Files,
    mut folder: String,
    mut file: Option<RelPath>,
    parts: &[&str],
) -> Option<RelPath> {
    for part in parts {
        let next = below(&folder, part);
        match files.first(&next, MODULE) {
            Some(found) => file = Some(found),
            // An inline module may have children in files.
            None if files.has_folder(&next) => {}
            None => break,
        }
        folder = next;
    }
    file
}

/// The file of the module `name` among the children in `folder`.
fn child(files: &Files, folder: &str, name: &str) -> Option<RelPath> {
    files.first(&below(folder, name), MODULE)
}

fn below(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_string() } else { format!("{folder}/{name}") }
}

/// All tables of dependencies, those for a target included.
fn read_dependencies(folder: &str, table: &Table, out: &mut FxHashMap<String, Dependency>) {
    for kind in ["dependencies", "dev-dependencies", "build-dependencies"] {
        let entries = table.get(kind).and_then(Value::as_table).into_iter().flatten();
        for (name, value) in entries {
            let dependency = Dependency {
                package: underscored(text_of(value, "package").unwrap_or(name)),
                folder: text_of(value, "path").and_then(|path| join(folder, path)),
                inherited: value.get("workspace").and_then(Value::as_bool).unwrap_or(false),
            };
            out.insert(underscored(name), dependency);
        }
    }
    for target in table.get("target").and_then(Value::as_table).into_iter().flat_map(Table::values)
    {
        if let Some(target) = target.as_table() {
            read_dependencies(folder, target, out);
        }
    }
}

fn text_of<'a>(value: &'a Value, key: &str) -> Option<&'a str> {
    value.get(key)?.as_str()
}

fn underscored(name: &str) -> String {
    name.replace('-', "_")
}

#[cfg(test)]
mod tests {
    use crate::import_map::tests::{Manifests, check};

    const WORKSPACE: Manifests<'_> = &[
        (
            "Cargo.toml",
            "[workspace]\nmembers = [\"crates/*\"]\n[workspace.dependencies]\nshop-core = { path = \"crates/shop-core\" }\nserde = \"1\"\n",
        ),
        ("crates/shop-core/Cargo.toml", "[package]\nname = \"shop-core\"\nedition = \"2024\"\n"),
        (
            "crates/shop/Cargo.toml",
            "[package]\nname = \"shop\"\nedition.workspace = true\n[dependencies]\nshop-core.workspace = true\nserde.workspace = true\nold = { package = \"legacy\", path = \"../../legacy\" }\n",
        ),
        ("legacy/Cargo.toml", "[package]\nname = \"legacy\"\n[lib]\npath = \"source/root.rs\"\n"),
        ("fixtures/serde/Cargo.toml", "[package]\nname = \"rand\"\n"),
        ("broken/Cargo.toml", "[package\n"),
    ];

    #[test]
    fn imports_resolve() {
        check(
        "rust",
        "crates/shop-core/src/lib.rs crates/shop-core/src/path.rs crates/shop-core/src/store/mod.rs
         crates/shop-core/src/store/disk.rs crates/shop-core/src/store/disk/page.rs
         crates/shop-core/src/store/tests.rs crates/shop-core/src/memory.rs
         crates/shop/src/main.rs crates/shop/src/args.rs crates/shop/src/bin/extra.rs
         crates/shop/tests/it/main.rs crates/shop/tests/it/cart.rs crates/shop/tests/common/mod.rs
         crates/shop/tests/smoke.rs crates/shop/build.rs fixtures/serde/src/lib.rs
         legacy/source/root.rs legacy/source/util.rs legacy/source/log.rs",
        WORKSPACE,
        &[
            ("crates/shop-core/src/lib.rs", "self::path", "crates/shop-core/src/path.rs"),
            ("crates/shop-core/src/lib.rs", "self::store", "crates/shop-core/src/store/mod.rs"),
            (
                "crates/shop-core/src/lib.rs",
                "store::disk::Disk",
                "crates/shop-core/src/store/disk.rs",
            ),
            (
                "crates/shop-core/src/store/mod.rs",
                "self::disk",
                "crates/shop-core/src/store/disk.rs",
            ),
            (
                "crates/shop-core/src/store/disk.rs",
                "self::page",
                "crates/shop-core/src/store/disk/page.rs",
            ),
            (
                "crates/shop-core/src/store/disk.rs",
                "super::Store",
                "crates/shop-core/src/store/mod.rs",
            ),
            (
                "crates/shop-core/src/store/disk.rs",
                "super::super::memory::Memory",
                "crates/shop-core/src/memory.rs",
            ),
            (
                "crates/shop-core/src/store/disk/page.rs",
                "super::super::Store",
                "crates/shop-core/src/store/mod.rs",
            ),
            (
                "crates/shop-core/src/store/disk/page.rs",
                "crate::path::RelPath",
                "crates/shop-core/src/path.rs",
            ),
            ("crates/shop-core/src/store/disk.rs", "crate::Error", "crates/shop-core/src/lib.rs"),
            (
                "crates/shop-core/src/path.rs",
                "crate::store::disk::page::Page::new",
                "crates/shop-core/src/store/disk/page.rs",
            ),
            (
                "crates/shop-core/src/path.rs",
                "crate::r#store::*",
                "crates/shop-core/src/store/mod.rs",
            ),
            ("crates/shop-core/src/path.rs", "super::*", ""),
            (
                "crates/shop-core/src/store/tests.rs",
                "super::*",
                "crates/shop-core/src/store/mod.rs",
            ),
            ("crates/shop-core/src/path.rs", "std::path::Path", ""),
            ("crates/shop/src/main.rs", "self::args", "crates/shop/src/args.rs"),
            ("crates/shop/src/args.rs", "crate::Config", "crates/shop/src/main.rs"),
            ("crates/shop/src/main.rs", "shop_core::path::RelPath", "crates/shop-core/src/path.rs"),
            ("crates/shop/src/main.rs", "::shop_core::RelPath", "crates/shop-core/src/lib.rs"),
            ("crates/shop/src/main.rs", "shop_core", "crates/shop-core/src/lib.rs"),
            ("crates/shop/src/main.rs", "old::util::Thing", "legacy/source/util.rs"),
            ("crates/shop/src/main.rs", "serde::Serialize", ""),
            ("crates/shop/src/main.rs", "rand::Rng", ""),
            (
                "crates/shop/src/bin/extra.rs",
                "shop_core::store",
                "crates/shop-core/src/store/mod.rs",
            ),
            ("crates/shop/tests/it/main.rs", "self::cart", "crates/shop/tests/it/cart.rs"),
            ("crates/shop/tests/it/cart.rs", "crate::Fixture", "crates/shop/tests/it/main.rs"),
            ("crates/shop/tests/smoke.rs", "self::common", "crates/shop/tests/common/mod.rs"),
            ("legacy/source/root.rs", "self::util", "legacy/source/util.rs"),
            ("legacy/source/util.rs", "crate::Thing", "legacy/source/root.rs"),
            ("legacy/source/util.rs", "log::Line", "legacy/source/log.rs"),
        ],
    );
    }

    #[test]
    fn imports_resolve_without_manifests() {
        check(
            "rust",
            "src/lib.rs src/a.rs src/a/b.rs",
            &[],
            &[
                ("src/lib.rs", "self::a", "src/a.rs"),
                ("src/a/b.rs", "crate::Root", "src/lib.rs"),
                ("src/a/b.rs", "super::A", "src/a.rs"),
                ("src/a.rs", "b::B", "src/a/b.rs"),
                ("src/a.rs", "serde::Serialize", ""),
            ],
        );
    }
}
