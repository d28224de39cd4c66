//! The module and the role of a file, derived from its path unless the project configures its modules.

use groma_core::RelPath;
use groma_search::{PathKind, path_kind};
use groma_syntax::ImportMap;
use std::sync::Arc;

/// Folders whose subfolders are modules.
const MEMBERS: &[&str] = &[
    "apps",
    "crates",
    "domains",
    "extensions",
    "features",
    "modules",
    "packages",
    "plugins",
    "projects",
    "services",
    "workspaces",
];

/// Folders of all code or of one layer, which name no module.
const LAYERS: &[&str] = &[
    "app",
    "application",
    "backend",
    "client",
    "cmd",
    "common",
    "domain",
    "frontend",
    "infrastructure",
    "internal",
    "lib",
    "libs",
    "pkg",
    "server",
    "shared",
    "source",
    "sources",
    "src",
];

/// Folders with one folder per component of a package name, as in Java.
const JVM: &[&str] = &["java", "kotlin", "scala", "groovy"];

/// The role of a file in its module.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FileRole {
    /// The entry point of a program or module.
    Entry,
    /// Configuration.
    Config,
    /// Any other code.
    Core,
    /// A test.
    Test,
}

impl FileRole {
    /// The role of a file, by its name.
    pub fn of(path: &RelPath) -> Self {
        let name = path.file_name().to_ascii_lowercase();
        let stem = name.split('.').next().unwrap_or_default();
        let is_entry = matches!(stem, "index" | "main" | "__main__") || name == "lib.rs";
        if path_kind(path) == PathKind::Test {
            Self::Test
        } else if is_entry {
            Self::Entry
        } else if name.contains("config")
            || name.contains("settings")
            || ImportMap::is_manifest(path)
        {
            Self::Config
        } else {
            Self::Core
        }
    }

    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Entry => "entry",
            Self::Config => "config",
            Self::Core => "core",
            Self::Test => "test",
        }
    }
}

/// The modules of a project: the configured ones with their folders, and for all other files those named by folders.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Modules(Arc<[(RelPath, String)]>);

impl Modules {
    /// Folders or files with the module each belongs to. The longest match wins.
    pub fn new(mut configured: Vec<(RelPath, String)>) -> Self {
        configured.sort_by(|(a, x), (b, y)| {
            b.as_str().len().cmp(&a.as_str().len()).then((a, x).cmp(&(b, y)))
        });
        Self(configured.into())
    }

    /// The module a file belongs to; `None` for a file that belongs to the project as a whole.
    pub fn of<'a>(&'a self, path: &'a RelPath) -> Option<&'a str> {
        let contains = |folder: &RelPath| {
            let rest = path.as_str().strip_prefix(folder.as_str());
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        let configured = self.0.iter().find(|(folder, _)| contains(folder));
        configured.map(|(_, module)| module.as_str()).or_else(|| module_of(path))
    }

    /// The module that a text mentions: as `the X module`, or by the path of a file in it.
    pub(crate) fn named_in(&self, text: &str) -> Option<String> {
        let words: Vec<&str> = text.split_whitespace().map(trimmed).collect();
        let named = words.windows(2).find(|pair| pair[1] == "module" && is_name(pair[0]));
        let by_path = || {
            let paths = words.iter().filter(|word| word.contains('/') && !word.contains("://"));
            paths.filter_map(|word| RelPath::new(word).ok()).find_map(|path| {
                path.extension()?;
                self.of(&path).map(str::to_string)
            })
        };
        named.map(|pair| pair[0].to_string()).or_else(by_path)
    }
}

/// The module of a file: the first folder of its path that names one. `None` for a file of the project as a whole.
fn module_of(path: &RelPath) -> Option<&str> {
    let mut folders = path.folders().peekable();
    let mut layer = None;
    while let Some(folder) = folders.next() {
        if MEMBERS.contains(&folder) {
            match folders.next() {
                Some(member) => return Some(member),
                None => return Some(folder),
            }
        }
        let next = folders.peek();
        if matches!(folder, "main" | "test") && next.is_some_and(|next| JVM.contains(next)) {
            return folders.last();
        }
        if !LAYERS.contains(&folder) {
            return Some(folder);
        }
        layer = Some(folder).filter(|folder| !matches!(*folder, "src" | "source" | "sources"));
    }
    layer
}

fn trimmed(word: &str) -> &str {
    word.trim_matches(|c: char| !c.is_alphanumeric())
}

/// Whether a word before `module` is a name and not a determiner.
fn is_name(word: &str) -> bool {
    const DETERMINERS: &[&str] = &[
        "a", "an", "another", "any", "each", "every", "its", "my", "new", "no", "one", "other",
        "our", "same", "some", "that", "the", "their", "this", "which", "whole", "your",
    ];
    !word.is_empty() && !DETERMINERS.contains(&&*word.to_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_name_modules() {
        let cases = [
            ("src/server/auth/AuthService.ts", Some("auth")),
            ("src/auth/handlers/login.ts", Some("auth")),
            ("src/features/billing/a/b.ts", Some("billing")),
            ("src/server/index.ts", Some("server")),
            ("crates/groma-engine/src/query/plan.rs", Some("groma-engine")),
            ("packages/server/src/index.ts", Some("server")),
            ("backend/src/users/user.py", Some("users")),
            ("internal/auth/jwt.go", Some("auth")),
            ("core/src/main/java/com/acme/orders/Order.java", Some("core")),
            ("src/main/java/com/acme/orders/Order.java", Some("orders")),
            ("docs/guide.md", Some("docs")),
            ("src/index.ts", None),
            ("README.md", None),
        ];
        for (path, module) in cases {
            assert_eq!(module_of(&RelPath::new(path).unwrap()), module, "{path}");
        }
    }

    #[test]
    fn configured_modules_win_over_folders() {
        let path = |text: &str| RelPath::new(text).unwrap();
        let modules = Modules::new(vec![
            (path("src/server"), "backend".into()),
            (path("src/server/auth"), "login".into()),
            (path("tools/run.py"), "operations".into()),
        ]);
        for (file, module) in [
            ("src/server/auth/token.ts", Some("login")),
            ("src/server/authors/a.ts", Some("backend")),
            ("src/server/index.ts", Some("backend")),
            ("src/servers/a.ts", Some("servers")),
            ("tools/run.py", Some("operations")),
            ("tools/other.py", Some("tools")),
            ("README.md", None),
        ] {
            assert_eq!(modules.of(&path(file)), module, "{file}");
        }
        assert_eq!(modules.named_in("see src/server/auth/token.ts").as_deref(), Some("login"));
    }

    #[test]
    fn texts_name_modules() {
        let modules = Modules::default();
        let named = |text| modules.named_in(text);
        assert_eq!(named("in the auth module, tokens expire").as_deref(), Some("auth"));
        assert_eq!(named("see `src/server/auth/AuthService.ts`.").as_deref(), Some("auth"));
        assert_eq!(named("each module has and/or https://a.b/c/d.html"), None);
    }

    #[test]
    fn roles_follow_names() {
        let cases = [
            ("src/index.ts", "entry"),
            ("src/main.rs", "entry"),
            ("src/lib.rs", "entry"),
            ("src/index.test.ts", "test"),
            ("tests/it/main.rs", "test"),
            ("src/appConfig.ts", "config"),
            ("app/settings.py", "config"),
            ("package.json", "config"),
            ("src/server/auth/AuthService.ts", "core"),
        ];
        for (path, role) in cases {
            assert_eq!(FileRole::of(&RelPath::new(path).unwrap()).as_str(), role, "{path}");
        }
    }
}
