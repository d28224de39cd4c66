//! JavaScript and TypeScript: relative paths without their extensions, the aliases of `tsconfig.json`,
//! and the packages of a workspace by the names in their `package.json`.
//!
//! Packages name build output, which is rarely part of the project; its sources are searched for in the usual
//! folders.

use crate::resolve::{
    Files, ImportRules, Manifests, Resolver, ancestors, join, keep_best, parent, shared,
};
use groma_core::RelPath;
use rustc_hash::FxHashMap;
use serde_json::Value;
use std::cmp::Reverse;

pub(in super::super) static IMPORTS: ImportRules = ImportRules {
    manifests: &["package.json", "tsconfig*.json", "jsconfig*.json"],
    load: |_, manifests| Box::new(Packages::read(manifests)),
};

/// Extensions that a path may leave out, in the order they are tried.
const ENDINGS: &[&str] = &[
    ".ts", ".tsx", ".d.ts", ".js", ".jsx", ".mjs", ".cjs", ".mts", ".cts", ".json", ".vue",
    ".svelte",
];

/// Extensions of build output and those of its sources.
const BUILT: &[(&str, &[&str])] = &[
    (".d.ts", &[".ts", ".tsx", ".js"]),
    (".js", &[".ts", ".tsx", ".d.ts", ".jsx"]),
    (".jsx", &[".tsx"]),
    (".mjs", &[".mts", ".ts"]),
    (".cjs", &[".cts", ".ts"]),
];

/// Folders of build output.
const BUILT_FOLDERS: &[&str] = &["dist", "build", "out", "lib", "es", "esm", "cjs", "types"];

/// A pattern with at most one `*`, and its targets.
type Alias = (String, Vec<String>);

/// The packages of the project and the aliases of its folders.
#[derive(Default)]
struct Packages {
    at: FxHashMap<String, Package>,
    named: FxHashMap<String, Vec<String>>,
    configs: FxHashMap<String, Vec<Config>>,
}

/// The entries of a `package.json`, paths as written.
struct Package {
    entries: Vec<String>,
    exports: Vec<Alias>,
    /// The `#names` a package uses for its own files.
    imports: Vec<Alias>,
}

/// The import settings of a `tsconfig.json`, paths relative to the project's root.
#[derive(Clone, Default)]
struct Config {
    base: Option<String>,
    paths: Vec<Alias>,
}

/// Whether a file configures a TypeScript or JavaScript project.
fn is_config(name: &str) -> bool {
    (name.starts_with("tsconfig") || name.starts_with("jsconfig")) && name.ends_with(".json")
}

impl Packages {
    fn read(manifests: &Manifests) -> Self {
        let mut packages = Self::default();
        let mut configs = FxHashMap::default();
        for (path, text) in manifests {
            if path.file_name() == "package.json" {
                if let Ok(value) = serde_json::from_str(text) {
                    packages.add(path.folder(), &value);
                }
            } else if is_config(path.file_name())
                && let Ok(value) = serde_json::from_str::<Value>(&without_comments(text))
            {
                configs.insert(path.as_str(), value);
            }
        }
        let mut names: Vec<&str> = configs.keys().copied().collect();
        // `tsconfig.json` takes precedence over variants beside it.
        names.sort_by_key(|name| (!name.ends_with("config.json"), *name));
        for name in names {
            let config = read_config(&configs, name, 0);
            if config.base.is_some() || !config.paths.is_empty() {
                let folder = parent(name).to_string();
                packages.configs.entry(folder).or_default().push(config);
            }
        }
        packages
    }

    fn add(&mut self, folder: &str, manifest: &Value) {
        let mut entries = Vec::new();
        for key in ["source", "types", "typings", "module", "main", "svelte", "browser"] {
            entries.extend(manifest.get(key).and_then(Value::as_str).map(String::from));
        }
        let (exports, mut first) = read_exports(manifest.get("exports"));
        first.append(&mut entries);
        if let Some(name) = manifest.get("name").and_then(Value::as_str) {
            self.named.entry(name.to_string()).or_default().push(folder.to_string());
        }
        let package =
            Package { entries: first, exports, imports: read_aliases(manifest.get("imports")) };
        self.at.insert(folder.to_string(), package);
    }

    /// The file that a path without its extension, or that of build output, means.
    fn locate(&self, files: &Files, path: &str) -> Option<RelPath> {
        if let Some(file) = files.get(path) {
            return Some(file);
        }
        let built =
            BUILT.iter().find_map(|(ending, sources)| Some((path.strip_suffix(ending)?, sources)));
        if let Some(file) = built.and_then(|(stem, sources)| files.first(stem, sources)) {
            return Some(file);
        }
        if let Some(file) = files.first(path, ENDINGS) {
            return Some(file);
        }
        if !files.has_folder(path) {
            return None;
        }
        match self.at.get(path) {
            Some(package) => self.entry(files, path, package),
            None => files.first(&join(path, "index")?, ENDINGS),
        }
    }

    /// The folders of the packages around a file, innermost first, and the project's root.
    fn homes<'a>(&'a self, from: &'a RelPath) -> impl Iterator<Item = &'a str> {
        ancestors(from.folder()).filter(|folder| folder.is_empty() || self.at.contains_key(*folder))
    }

    /// `#name`, as the package around the file defines it.
    fn own_name(&self, files: &Files, from: &RelPath, path: &str) -> Option<RelPath> {
        let home = self.homes(from).next()?;
        let imports = &self.at.get(home)?.imports;
        targets(imports, path).find_map(|target| self.target(files, home, &target))
    }

    /// The file that a name is an alias of, by a `tsconfig.json` in the file's folder or above.
    fn alias(&self, files: &Files, from: &RelPath, path: &str) -> Option<RelPath> {
        let configs =
            ancestors(from.folder()).filter_map(|folder| self.configs.get(folder)).flatten();
        configs.into_iter().find_map(|config| {
            let named = targets(&config.paths, path).find_map(|target| self.locate(files, &target));
            named.or_else(|| self.locate(files, &join(config.base.as_deref()?, path)?))
        })
    }

    /// A package of the workspace, or a file in it.
    fn package(&self, files: &Files, from: &RelPath, path: &str) -> Option<RelPath> {
        let slashes = path.match_indices('/').map(|(at, _)| at).chain([path.len()]);
        let end = slashes.into_iter().nth(usize::from(path.starts_with('@')))?;
        let folders = self.named.get(&path[..end])?;
        let nearest = keep_best(folders.iter(), |folder| {
            (shared(from.folder(), folder), Reverse(folder.len()))
        });
        let folder = nearest.first()?.as_str();
        let package = self.at.get(folder)?;
        let inside = path[end..].trim_start_matches('/');
        if inside.is_empty() {
            return self.entry(files, folder, package);
        }
        targets(&package.exports, &format!("./{inside}"))
            .find_map(|target| self.target(files, folder, &target))
            .or_else(|| {
                ["", "src"].iter().find_map(|root| {
                    self.locate(files, &join(folder, &format!("{root}/{inside}"))?)
                })
            })
    }

    /// The entry file of a package.
    fn entry(&self, files: &Files, folder: &str, package: &Package) -> Option<RelPath> {
        let named = package.entries.iter().find_map(|entry| self.target(files, folder, entry));
        named.or_else(|| {
            ["src/index", "index", "lib/index", "src/main", "src/lib/index"]
                .iter()
                .find_map(|entry| files.first(&join(folder, entry)?, ENDINGS))
        })
    }

    /// The file at a path in a package, or its source if the path names build output.
    fn target(&self, files: &Files, folder: &str, target: &str) -> Option<RelPath> {
        let target = target.trim_start_matches("./");
        let path = join(folder, target)?;
        // A package that names itself or a folder above it would recurse forever.
        if !path.starts_with(folder) || path.len() == folder.len() {
            return None;
        }
        self.locate(files, &path).or_else(|| {
            let folders = target.split('/').take_while(|part| BUILT_FOLDERS.contains(part));
            let built: usize = folders.map(|part| part.len() + 1).sum();
            let inside = target.get(built..).filter(|_| built > 0)?;
            self.locate(files, &join(folder, &format!("src/{inside}"))?)
        })
    }

    /// `@/` and `~/` are never packages; bundlers map them to the sources of the package around the file.
    fn usual_alias(&self, files: &Files, from: &RelPath, path: &str) -> Option<RelPath> {
        let inside = path.strip_prefix("@/").or_else(|| path.strip_prefix("~/"))?;
        self.homes(from).find_map(|home| {
            ["src", "", "app"]
                .iter()
                .find_map(|root| self.locate(files, &join(home, &format!("{root}/{inside}"))?))
        })
    }
}

impl Resolver for Packages {
    fn resolve(&self, files: &Files, from: &RelPath, import: &str) -> Vec<RelPath> {
        let path = import.rsplit('!').next().unwrap_or(import);
        let path = path.split('?').next().unwrap_or(path);
        if path.is_empty() {
            return Vec::new();
        }
        let found =
            if path == "." || path == ".." || path.starts_with("./") || path.starts_with("../") {
                join(from.folder(), path).and_then(|path| self.locate(files, &path))
            } else if path.starts_with('/') {
                self.homes(from).find_map(|home| self.locate(files, &join(home, path)?))
            } else if path.starts_with('#') {
                self.own_name(files, from, path).or_else(|| self.alias(files, from, path))
            } else {
                self.alias(files, from, path)
                    .or_else(|| self.package(files, from, path))
                    .or_else(|| self.usual_alias(files, from, path))
            };
        found.into_iter().collect()
    }
}

/// The targets of the aliases that match a path, the most specific first.
fn targets<'a>(aliases: &'a [Alias], path: &'a str) -> impl Iterator<Item = String> + 'a {
    aliases.iter().flat_map(move |(pattern, targets)| {
        let middle = match pattern.split_once('*') {
            None => (pattern == path).then_some(""),
            Some((start, end)) => path.strip_prefix(start).and_then(|rest| rest.strip_suffix(end)),
        };
        middle.into_iter().flat_map(move |middle| {
            targets.iter().map(move |target| target.replacen('*', middle, 1))
        })
    })
}

/// An object of patterns, the most specific first.
fn read_aliases(value: Option<&Value>) -> Vec<Alias> {
    let entries = value.and_then(Value::as_object).into_iter().flatten();
    let mut aliases: Vec<Alias> =
        entries.map(|(pattern, value)| (pattern.clone(), strings(value))).collect();
    aliases.sort_by_key(|(pattern, _)| (pattern.contains('*'), Reverse(pattern.len())));
    aliases
}

/// The subpaths that a package exports, and the entry files of the package itself.
fn read_exports(value: Option<&Value>) -> (Vec<Alias>, Vec<String>) {
    let Some(value) = value else { return (Vec::new(), Vec::new()) };
    let by_path =
        value.as_object().is_some_and(|object| object.keys().any(|key| key.starts_with('.')));
    if !by_path {
        return (Vec::new(), strings(value));
    }
    (read_aliases(Some(value)), value.get(".").map_or_else(Vec::new, strings))
}

/// All strings in a value. Conditions are not evaluated: the first string that is a file wins.
fn strings(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) => vec![text.clone()],
        Value::Array(list) => list.iter().flat_map(strings).collect(),
        Value::Object(object) => object.values().flat_map(strings).collect(),
        _ => Vec::new(),
    }
}

/// A configuration with the settings that it inherits.
fn read_config(configs: &FxHashMap<&str, Value>, path: &str, depth: usize) -> Config {
    let Some(value) = configs.get(path).filter(|_| depth < 8) else { return Config::default() };
    let folder = parent(path);
    let mut config = Config::default();
    for base in value
        .get("extends")
        .map_or_else(Vec::new, strings)
        .iter()
        .filter(|base| base.starts_with('.'))
    {
        let Some(base) = join(folder, base) else { continue };
        let base = if base.ends_with(".json") { base } else { format!("{base}.json") };
        let inherited = read_config(configs, &base, depth + 1);
        config.base = inherited.base.or(config.base);
        if !inherited.paths.is_empty() {
            config.paths = inherited.paths;
        }
    }
    let Some(options) = value.get("compilerOptions") else { return config };
    if let Some(base) = options.get("baseUrl").and_then(Value::as_str) {
        config.base = join(folder, base);
    }
    if options.get("paths").is_some() {
        let base = config.base.clone().unwrap_or_else(|| folder.to_string());
        config.paths = read_aliases(options.get("paths"));
        for (_, targets) in &mut config.paths {
            *targets = targets.iter().filter_map(|target| join(&base, target)).collect();
        }
    }
    config
}

/// JSON without the comments and trailing commas that configurations may have.
fn without_comments(text: &str) -> String {
    let mut plain: Vec<u8> = Vec::with_capacity(text.len());
    let bytes = text.trim_start_matches('\u{feff}').as_bytes();
    let mut at = 0;
    let mut in_string = false;
    while at < bytes.len() {
        let rest = &bytes[at..];
        match rest[0] {
            b'\\' if in_string && rest.len() > 1 => {
                plain.push(rest[0]);
                at += 1;
            }
            b'"' => in_string = !in_string,
            b'/' if !in_string && rest.starts_with(b"//") => {
                at += memchr::memchr(b'\n', rest).unwrap_or(rest.len());
                continue;
            }
            b'/' if !in_string && rest.starts_with(b"/*") => {
                at += memchr::memmem::find(rest, b"*/").map_or(rest.len(), |end| end + 2);
                continue;
            }
            b']' | b'}' if !in_string => {
                while plain.last().is_some_and(u8::is_ascii_whitespace) {
                    plain.pop();
                }
                if plain.last() == Some(&b',') {
                    plain.pop();
                }
            }
            _ => {}
        }
        plain.push(bytes[at]);
        at += 1;
    }
    String::from_utf8(plain).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use crate::import_map::tests::check;

    #[test]
    fn imports_resolve() {
        check(
        "typescript",
        "web/src/main.ts web/src/app.tsx web/src/util/index.ts web/src/util/date.ts web/src/data.json
         web/src/view.vue web/src/types.d.ts web/src/old.js web/src/conf.cjs web/src/style.css
         web/src/lib/own.ts packages/core/src/index.ts packages/core/src/net.ts packages/core/deep/file.js
         packages/ui/source/entry.ts packages/ui/source/button.tsx packages/plain/index.js
         packages/named/lib/start.js shared/src/a.ts index.js",
        &[
            ("web/tsconfig.json", "{\n  // where\n  \"extends\": \"../tsconfig.base.json\",\n  \"compilerOptions\": { /* all */ \"baseUrl\": \".\", \"paths\": { \"@/*\": [\"./src/*\"], \"@/special\": [\"src/old.js\"], }, },\n}"),
            ("web/package.json", "{\"name\": \"web\", \"imports\": {\"#own/*\": \"./src/lib/*.js\"}}"),
            ("tsconfig.base.json", "{\"compilerOptions\": {\"paths\": {\"shared/*\": [\"shared/src/*\"]}}}"),
            ("packages/core/package.json", "{\"name\": \"@shop/core\", \"main\": \"dist/index.js\", \"exports\": {\".\": {\"import\": \"./dist/index.js\"}, \"./network\": \"./dist/net.js\"}}"),
            ("packages/ui/package.json", "{\"name\": \"ui\", \"source\": \"source/entry.ts\", \"exports\": {\".\": \"./dist/entry.js\", \"./*\": {\"default\": \"./source/*.tsx\"}}}"),
            ("packages/plain/package.json", "{\"name\": \"plain\", \"main\": \".\"}"),
            ("packages/named/package.json", "{\"name\": \"named\", \"main\": \"./lib/start\"}"),
            ("packages/broken/package.json", "{"),
        ],
        &[
            ("web/src/main.ts", "./app", "web/src/app.tsx"),
            ("web/src/main.ts", "./app.js", "web/src/app.tsx"),
            ("web/src/main.ts", "./util", "web/src/util/index.ts"),
            ("web/src/main.ts", "./util/", "web/src/util/index.ts"),
            ("web/src/main.ts", "./util/date.js", "web/src/util/date.ts"),
            ("web/src/util/date.ts", ".", "web/src/util/index.ts"),
            ("web/src/util/date.ts", "../app", "web/src/app.tsx"),
            ("web/src/main.ts", "./data.json", "web/src/data.json"),
            ("web/src/main.ts", "./view", "web/src/view.vue"),
            ("web/src/main.ts", "./types", "web/src/types.d.ts"),
            ("web/src/main.ts", "./old", "web/src/old.js"),
            ("web/src/main.ts", "./conf", "web/src/conf.cjs"),
            ("web/src/main.ts", "./style.css?inline", "web/src/style.css"),
            ("web/src/main.ts", "../..", "index.js"),
            ("web/src/main.ts", "../../../outside", ""),
            ("web/src/main.ts", "@/util/date", "web/src/util/date.ts"),
            ("web/src/main.ts", "@/special", "web/src/old.js"),
            ("web/src/main.ts", "src/app", "web/src/app.tsx"),
            ("web/src/main.ts", "#own/own", "web/src/lib/own.ts"),
            ("web/src/main.ts", "shared/a", "shared/src/a.ts"),
            ("web/src/main.ts", "@shop/core", "packages/core/src/index.ts"),
            ("web/src/main.ts", "@shop/core/network", "packages/core/src/net.ts"),
            ("web/src/main.ts", "@shop/core/deep/file", "packages/core/deep/file.js"),
            ("web/src/main.ts", "@shop/core/net", "packages/core/src/net.ts"),
            ("web/src/main.ts", "ui", "packages/ui/source/entry.ts"),
            ("web/src/main.ts", "ui/button", "packages/ui/source/button.tsx"),
            ("web/src/main.ts", "plain", "packages/plain/index.js"),
            ("web/src/main.ts", "named", "packages/named/lib/start.js"),
            ("packages/core/src/net.ts", "../../named", "packages/named/lib/start.js"),
            ("web/src/main.ts", "react", ""),
            ("web/src/main.ts", "@scope/other", ""),
            ("web/src/main.ts", "node:fs", ""),
        ],
    );
    }

    #[test]
    fn imports_resolve_without_manifests() {
        check(
            "javascript",
            "src/a.js src/pages/b.jsx public/x.js",
            &[],
            &[
                ("src/pages/b.jsx", "@/a", "src/a.js"),
                ("src/pages/b.jsx", "~/a", "src/a.js"),
                ("src/pages/b.jsx", "/src/a.js", "src/a.js"),
                ("src/pages/b.jsx", "a", ""),
            ],
        );
    }
}
