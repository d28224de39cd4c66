//! PHP: class names by the autoloading rules of `composer.json`, included files by their paths.

use crate::resolve::{
    Files, ImportRules, Manifests, Resolver, ancestors, join, last_part, only_nearest,
};
use groma_core::RelPath;
use rustc_hash::FxHashMap;
use serde_json::Value;

pub(super) static RULES: ImportRules = ImportRules {
    manifests: &["composer.json"],
    load: |_, manifests| Box::new(Autoload::read(manifests)),
};

/// Namespaces and the folders that hold them, the trailing backslash left out.
#[derive(Default)]
struct Autoload {
    folders: FxHashMap<String, Vec<String>>,
}

impl Autoload {
    fn read(manifests: &Manifests) -> Self {
        let mut autoload = Self::default();
        for (path, text) in manifests.iter().filter(|(path, _)| path.file_name() == "composer.json")
        {
            let Ok(manifest) = serde_json::from_str::<Value>(text) else { continue };
            for key in ["autoload", "autoload-dev"] {
                let rules = manifest
                    .get(key)
                    .and_then(|rules| rules.get("psr-4"))
                    .and_then(Value::as_object);
                for (namespace, folders) in rules.into_iter().flatten() {
                    autoload.add(path.folder(), namespace, folders);
                }
            }
        }
        autoload
    }

    fn add(&mut self, home: &str, namespace: &str, folders: &Value) {
        let listed = folders.as_array().into_iter().flatten().chain(std::iter::once(folders));
        let folders = listed.filter_map(|folder| join(home, folder.as_str()?));
        self.folders
            .entry(namespace.trim_end_matches('\\').to_string())
            .or_default()
            .extend(folders);
    }

    fn class(&self, files: &Files, from: &RelPath, import: &str) -> Option<RelPath> {
        let name = ["function ", "const "]
            .iter()
            .find_map(|word| import.strip_prefix(word))
            .unwrap_or(import);
        // A group's members may have been joined to it by a dot.
        let name = name.trim().trim_start_matches('\\').replace('.', "\\");
        let ends = name.rmatch_indices('\\').map(|(at, _)| at).chain([0]);
        for end in ends {
            let inside = name[end..].trim_start_matches('\\').replace('\\', "/");
            let folders = self.folders.get(&name[..end]).into_iter().flatten();
            let file = folders
                .filter_map(|folder| files.get(&format!("{}.php", join(folder, &inside)?)))
                .next();
            if file.is_some() {
                return file;
            }
        }
        if !name.contains('\\') {
            return None;
        }
        // Folders are often in lower case where namespaces are not.
        let path = format!("{}.php", name.replace('\\', "/"));
        let file_name = last_part(&path);
        only_nearest(
            from,
            files.ending(file_name).filter(|candidate| ends_alike(candidate.as_str(), &path)),
        )
    }
}

impl Resolver for Autoload {
    fn resolve(&self, files: &Files, from: &RelPath, import: &str) -> Vec<RelPath> {
        let is_file = import.contains('/') || import.ends_with(".php") || import.ends_with(".inc");
        let found =
            if is_file { included(files, from, import) } else { self.class(files, from, import) };
        found.into_iter().collect()
    }
}

/// The file at a path relative to the including one or to a folder above it, or with a path that ends so.
fn included(files: &Files, from: &RelPath, path: &str) -> Option<RelPath> {
    let beside = ancestors(from.folder()).find_map(|folder| files.get(&join(folder, path)?));
    beside.or_else(|| {
        let suffix = path.trim_start_matches('/').trim_start_matches("./");
        only_nearest(from, files.ending(suffix))
    })
}

/// Whether a path ends with these components, ignoring case.
fn ends_alike(path: &str, suffix: &str) -> bool {
    let Some(start) = path.len().checked_sub(suffix.len()) else { return false };
    let whole = start == 0 || path.as_bytes()[start - 1] == b'/';
    whole && path.as_bytes()[start..].eq_ignore_ascii_case(suffix.as_bytes())
}

#[cfg(test)]
mod tests {
    use crate::import_map::tests::check;

    #[test]
    fn imports_resolve() {
        check(
        "php",
        "app/Http/Kernel.php app/Models/User.php packages/pay/src/Gateway.php packages/pay/tests/GatewayTest.php
         public/index.php bootstrap/app.php inc/db.inc web/modules/Shop/Cart.php",
        &[
            ("composer.json", "{\"autoload\": {\"psr-4\": {\"Acme\\\\\": \"app/\"}}}"),
            ("packages/pay/composer.json", "{\"autoload\": {\"psr-4\": {\"Acme\\\\Pay\\\\\": [\"src/\"]}}, \"autoload-dev\": {\"psr-4\": {\"Acme\\\\Pay\\\\Tests\\\\\": \"tests\"}}}"),
        ],
        &[
            ("public/index.php", "Acme\\Http\\Kernel", "app/Http/Kernel.php"),
            ("public/index.php", "\\Acme\\Models\\User as U", "app/Models/User.php"),
            ("public/index.php", "Acme\\{Http\\Kernel, Models\\User}", "app/Http/Kernel.php app/Models/User.php"),
            ("public/index.php", "Acme\\Models.User", "app/Models/User.php"),
            ("public/index.php", "Acme\\Pay\\Gateway", "packages/pay/src/Gateway.php"),
            ("public/index.php", "Acme\\Pay\\Tests\\GatewayTest", "packages/pay/tests/GatewayTest.php"),
            ("public/index.php", "App\\Http\\Kernel", "app/Http/Kernel.php"),
            ("public/index.php", "Shop\\Cart", "web/modules/Shop/Cart.php"),
            ("public/index.php", "../bootstrap/app.php", "bootstrap/app.php"),
            ("public/index.php", "/../bootstrap/app.php", "bootstrap/app.php"),
            ("public/index.php", "inc/db.inc", "inc/db.inc"),
            ("public/index.php", "Symfony\\Component\\Kernel", ""),
            ("public/index.php", "Exception", ""),
        ],
    );
    }
}
