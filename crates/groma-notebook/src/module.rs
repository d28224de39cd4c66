//! Which part of the project a file belongs to, and what it is there for. Told by its path, unless the project says
//! otherwise.

use groma_core::RelPath;
use groma_search::{PathKind, path_kind};
use groma_syntax::ImportMap;
use std::sync::Arc;

/// Folders that hold one part of the project each.
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

/// Folders that hold all code, or all of one layer of it, and so say nothing of what it is about.
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

/// Folders below which Java and its kin keep one folder for each part of a package's name.
const JVM: &[&str] = &["java", "kotlin", "scala", "groovy"];

/// What a file is there for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FileRole {
    /// Where a program or a module begins.
    Entry,
    /// Settings.
    Config,
    /// The code itself.
    Core,
    /// A test.
    Test,
}

impl FileRole {
    /// What a file is there for.
    pub fn of(path: &RelPath) -> Self {
        let name = path.file_name().to_ascii_lowercase();
        let stem = name.split('.').next().unwrap_or_default();
        let begins = matches!(stem, "index" | "main" | "__main__") || name == "lib.rs";
        if path_kind(path) == PathKind::Test {
            Self::Test
        } else if begins {
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

/// The modules of a project: those that were given, each by its folders, and for all other files what paths tell.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Modules(Arc<[(RelPath, String)]>);

impl Modules {
    /// Folders or files with the module each belongs to. What lies deeper counts more.
    pub fn new(mut given: Vec<(RelPath, String)>) -> Self {
        given.sort_by(|(a, x), (b, y)| {
            b.as_str().len().cmp(&a.as_str().len()).then((a, x).cmp(&(b, y)))
        });
        Self(given.into())
    }

    /// The module a file belongs to; `None` for a file that belongs to the project as a whole.
    pub fn of<'a>(&'a self, path: &'a RelPath) -> Option<&'a str> {
        let holds = |folder: &RelPath| {
            let rest = path.as_str().strip_prefix(folder.as_str());
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        let given = self.0.iter().find(|(folder, _)| holds(folder));
        given.map(|(_, module)| module.as_str()).or_else(|| module_of(path))
    }

    /// The module a text names: as `the X module`, or by the path of a file in it.
    pub(crate) fn told(&self, text: &str) -> Option<String> {
        let words: Vec<&str> = text.split_whitespace().map(plain).collect();
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

/// The module a file belongs to: the first folder on its way that says what it is about. `None` for a file that
/// belongs to the project as a whole.
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

fn plain(word: &str) -> &str {
    word.trim_matches(|c: char| !c.is_alphanumeric())
}

/// Whether a word before `module` is its name and no part of the sentence.
fn is_name(word: &str) -> bool {
    const NO_NAMES: &[&str] = &[
        "a", "an", "another", "any", "each", "every", "its", "my", "new", "no", "one", "other",
        "our", "same", "some", "that", "the", "their", "this", "which", "whole", "your",
    ];
    !word.is_empty() && !NO_NAMES.contains(&&*word.to_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_are_what_folders_are_about() {
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
    fn modules_that_are_given_count_more_than_folders() {
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
        assert_eq!(modules.told("see src/server/auth/token.ts").as_deref(), Some("login"));
    }

    #[test]
    fn texts_name_modules() {
        let modules = Modules::default();
        let told = |text| modules.told(text);
        assert_eq!(told("in the auth module, tokens expire").as_deref(), Some("auth"));
        assert_eq!(told("see `src/server/auth/AuthService.ts`.").as_deref(), Some("auth"));
        assert_eq!(told("each module has and/or https://a.b/c/d.html"), None);
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
