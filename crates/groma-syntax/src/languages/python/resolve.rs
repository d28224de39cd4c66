//! Python: a dotted name is a path below a folder that the interpreter would search.
//!
//! The search path is configured outside of the code, so every folder that could be on it is indexed by the top-level
//! names it offers, and an import takes the root that its file most likely runs with.

use crate::resolve::{
    Files, ImportRules, Manifests, Resolver, ancestors, contains, join, last_part, parent, shared,
};
use groma_core::RelPath;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Reverse;
use toml::{Table, Value};

pub(super) static RULES: ImportRules = ImportRules {
    manifests: &["pyproject.toml"],
    load: |files, manifests| Box::new(Roots::read(files, manifests)),
};

/// Endings of the file of a module.
const MODULE: &[&str] = &[".py", "/__init__.py", ".pyi", "/__init__.pyi", ".pyx", ".pyw"];

/// Modules of the standard library, which take precedence over a folder of that name elsewhere in the project.
#[rustfmt::skip]
const STANDARD: &[&str] = &[
    "abc", "argparse", "array", "ast", "asyncio", "base64", "bisect", "builtins", "calendar", "cmd", "code",
    "codecs", "collections", "concurrent", "configparser", "contextlib", "copy", "csv", "ctypes", "curses",
    "dataclasses", "datetime", "decimal", "difflib", "dis", "distutils", "email", "enum", "errno", "fractions",
    "functools", "gc", "getpass", "glob", "graphlib", "gzip", "hashlib", "heapq", "hmac", "html", "http",
    "imaplib", "importlib", "inspect", "io", "itertools", "json", "keyword", "locale", "logging", "math",
    "mimetypes", "mmap", "multiprocessing", "numbers", "operator", "os", "pathlib", "pdb", "pickle", "pkgutil",
    "platform", "pprint", "profile", "queue", "random", "re", "resource", "sched", "secrets", "select",
    "shelve", "shlex", "shutil", "signal", "site", "smtplib", "socket", "sqlite3", "ssl", "stat", "statistics",
    "string", "struct", "subprocess", "symtable", "sys", "tarfile", "tempfile", "textwrap", "threading", "time",
    "timeit", "token", "tokenize", "trace", "traceback", "types", "typing", "unicodedata", "unittest", "urllib",
    "uuid", "venv", "warnings", "wave", "weakref", "xml", "zipfile", "zlib", "zoneinfo",
];

/// Top-level names and the folders that offer them.
struct Roots {
    offered: FxHashMap<String, Vec<String>>,
    /// Folders that a manifest declares to be roots.
    declared: FxHashSet<String>,
}

/// How likely a root is the one a file runs with, worst first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Likelihood {
    /// A folder without `__init__.py` below some folder.
    Anywhere,
    /// A package below some folder.
    Package,
    /// A root by declaration or by its name.
    Usual,
    /// A folder around the file.
    Around,
}

impl Roots {
    fn read(files: &Files, manifests: &Manifests) -> Self {
        let mut declared = FxHashSet::default();
        for (path, text) in
            manifests.iter().filter(|(path, _)| path.file_name() == "pyproject.toml")
        {
            if let Ok(table) = text.parse::<Table>() {
                let roots = declared_roots(&table);
                declared.extend(roots.into_iter().filter_map(|root| join(path.folder(), root)));
            }
        }
        Self { offered: offered(files), declared }
    }

    /// The module below the most likely root that has it.
    fn absolute(&self, files: &Files, from: &RelPath, path: &str) -> Option<RelPath> {
        let first = path.split('/').next().unwrap_or(path);
        let mut best = None;
        for root in self.offered.get(first)? {
            let Some(likelihood) = self.likelihood(files, from, root, first) else { continue };
            let rank = (likelihood, shared(from.folder(), root), Reverse(root.len()));
            if best.as_ref().is_some_and(|(known, _)| *known >= rank) {
                continue;
            }
            if let Some(file) = module(files, root, path) {
                best = Some((rank, file));
            }
        }
        best.map(|(_, file)| file)
    }

    /// How likely the file runs with a root; `None` if it cannot.
    fn likelihood(
        &self,
        files: &Files,
        from: &RelPath,
        root: &str,
        first: &str,
    ) -> Option<Likelihood> {
        if contains(root, from) {
            return Some(Likelihood::Around);
        }
        let usual =
            matches!(last_part(root), "src" | "lib" | "python") && contains(parent(root), from);
        if usual || self.declared.contains(root) {
            return Some(Likelihood::Usual);
        }
        if STANDARD.contains(&first) {
            return None;
        }
        let folder = join(root, first)?;
        if files.has(&format!("{folder}/__init__.py")) {
            return Some(Likelihood::Package);
        }
        files.has_folder(&folder).then_some(Likelihood::Anywhere)
    }
}

impl Resolver for Roots {
    fn resolve(&self, files: &Files, from: &RelPath, import: &str) -> Vec<RelPath> {
        let name = import.trim_start_matches('.').trim_end_matches(".*");
        let path = name.replace('.', "/");
        let dots = import.len() - import.trim_start_matches('.').len();
        let found = match dots {
            0 => self.absolute(files, from, &path),
            _ => ancestors(from.folder())
                .nth(dots - 1)
                .and_then(|folder| relative(files, folder, &path)),
        };
        found.into_iter().collect()
    }
}

/// The module `path`, or the one that holds its last part as a name.
fn module(files: &Files, root: &str, path: &str) -> Option<RelPath> {
    let full = join(root, path)?;
    files.first(&full, MODULE).or_else(|| {
        let outer = parent(path);
        if outer.is_empty() { None } else { files.first(&join(root, outer)?, MODULE) }
    })
}

/// As [`module`], but the import may also name a member of the package that the folder is.
fn relative(files: &Files, folder: &str, path: &str) -> Option<RelPath> {
    let inside = if path.is_empty() { None } else { module(files, folder, path) };
    inside.or_else(|| {
        let direct = !path.contains('/');
        direct.then(|| files.first(folder, &["/__init__.py", "/__init__.pyi"])).flatten()
    })
}

/// The folders that are no packages, by the modules and folders with modules in them.
fn offered(files: &Files) -> FxHashMap<String, Vec<String>> {
    let mut offered: FxHashMap<String, Vec<String>> = FxHashMap::default();
    let mut seen = FxHashSet::default();
    let is_package = |folder: &str| {
        !folder.is_empty() && files.first(folder, &["/__init__.py", "/__init__.pyi"]).is_some()
    };
    for (folder, inside) in files.folders() {
        let mut modules = inside
            .iter()
            .filter(|path| matches!(path.extension(), Some("py" | "pyi" | "pyx" | "pyw")));
        let Some(first) = modules.next() else { continue };
        if !is_package(folder) {
            for path in std::iter::once(first).chain(modules) {
                offered.entry(path.stem().to_string()).or_default().push(folder.to_string());
            }
        }
        for folder in ancestors(folder).filter(|folder| !folder.is_empty()) {
            if !seen.insert(folder) {
                break;
            }
            if !is_package(parent(folder)) {
                offered
                    .entry(last_part(folder).to_string())
                    .or_default()
                    .push(parent(folder).to_string());
            }
        }
    }
    // Folders come in the order of a hash map.
    offered.values_mut().for_each(|roots| {
        roots.sort_unstable();
        roots.dedup();
    });
    offered
}

/// The source roots that build tools and test runners are configured with.
fn declared_roots(table: &Table) -> Vec<&str> {
    let at = |keys: &[&str]| keys.iter().try_fold(table.get("tool")?, |value, key| value.get(*key));
    let mut roots = Vec::new();
    for keys in [
        &["setuptools", "packages", "find", "where"][..],
        &["setuptools", "package-dir", ""],
        &["pytest", "ini_options", "pythonpath"],
        &["maturin", "python-source"],
        &["hatch", "build", "targets", "wheel", "sources"],
    ] {
        match at(keys) {
            Some(Value::String(root)) => roots.push(root.as_str()),
            Some(Value::Array(list)) => roots.extend(list.iter().filter_map(Value::as_str)),
            _ => {}
        }
    }
    let packages = at(&["poetry", "packages"]).and_then(Value::as_array).into_iter().flatten();
    roots.extend(packages.filter_map(|package| package.get("from")?.as_str()));
    roots
}

#[cfg(test)]
mod tests {
    use crate::import_map::tests::check;

    #[test]
    fn imports_resolve() {
        check(
        "python",
        "src/shop/__init__.py src/shop/cart.py src/shop/net/__init__.py src/shop/net/pool.py
         src/shop/net/_speed.pyi src/shop/json.py tests/test_cart.py tests/helpers.py
         scripts/run.py scripts/common.py services/billing/billing/__init__.py services/billing/billing/tax.py
         services/billing/tests/test_tax.py vendor/json/__init__.py ns/tool/main.py code/extra.py",
        &[
            ("pyproject.toml", "[tool.setuptools.packages.find]\nwhere = [\"src\"]\n[tool.pytest.ini_options]\npythonpath = [\"code\"]\n"),
            ("services/billing/pyproject.toml", "not toml"),
        ],
        &[
            ("src/shop/cart.py", "shop.net.pool", "src/shop/net/pool.py"),
            ("src/shop/cart.py", "shop.net.pool.Pool", "src/shop/net/pool.py"),
            ("src/shop/cart.py", "shop.net", "src/shop/net/__init__.py"),
            ("src/shop/cart.py", "shop.net.Thing", "src/shop/net/__init__.py"),
            ("src/shop/cart.py", "shop.Thing", "src/shop/__init__.py"),
            ("src/shop/cart.py", "shop.net._speed.fast", "src/shop/net/_speed.pyi"),
            ("src/shop/cart.py", "shop.a.b.c", ""),
            ("src/shop/net/pool.py", ".", "src/shop/net/__init__.py"),
            ("src/shop/net/pool.py", ".Thing", "src/shop/net/__init__.py"),
            ("src/shop/net/__init__.py", ".pool", "src/shop/net/pool.py"),
            ("src/shop/net/__init__.py", ".pool.Pool", "src/shop/net/pool.py"),
            ("src/shop/net/__init__.py", ".own_name", ""),
            ("src/shop/net/pool.py", "..cart.Cart", "src/shop/cart.py"),
            ("src/shop/net/pool.py", "..cart", "src/shop/cart.py"),
            ("src/shop/net/pool.py", ".....cart", ""),
            ("tests/test_cart.py", "shop.cart.Cart", "src/shop/cart.py"),
            ("tests/test_cart.py", "helpers.make", "tests/helpers.py"),
            ("tests/test_cart.py", "extra", "code/extra.py"),
            ("scripts/run.py", "common", "scripts/common.py"),
            ("tests/test_cart.py", "common", ""),
            ("scripts/run.py", "ns.tool.main", "ns/tool/main.py"),
            ("services/billing/tests/test_tax.py", "billing.tax.rate", "services/billing/billing/tax.py"),
            ("scripts/run.py", "billing.tax", "services/billing/billing/tax.py"),
            ("src/shop/cart.py", "json", ""),
            ("src/shop/cart.py", "os.path.join", ""),
            ("src/shop/cart.py", "requests", ""),
        ],
    );
    }
}
