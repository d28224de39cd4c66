//! The environment of the process: variables, home, working directory and terminals.
//!
//! Read here and nowhere else, so that commands depend on their arguments only.

use crate::config::{Config, ConfigError};
use crate::failure::{Failure, Kind};
use crate::variables::Variables;
use anyhow::Result;
use groma_core::Catalog;
use groma_store::{CatalogAdmin, EmbeddedCatalog};
use std::env;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Where home folders are.
const HOMES: [&str; 2] = ["/home", "/Users"];

/// Folders of the system. What is inside of them may be a project.
const SYSTEM_FOLDERS: [&str; 22] = [
    "/Applications",
    "/Library",
    "/System",
    "/Users",
    "/Volumes",
    "/bin",
    "/boot",
    "/etc",
    "/home",
    "/lib",
    "/lib64",
    "/media",
    "/mnt",
    "/opt",
    "/private",
    "/run",
    "/sbin",
    "/tmp",
    "/usr",
    "/usr/lib",
    "/usr/share",
    "/var",
];

/// Folders of the kernel, with everything inside of them.
const KERNEL_FOLDERS: [&str; 3] = ["/dev", "/proc", "/sys"];

/// The environment of the process.
#[derive(Clone, Debug)]
pub struct Environment {
    /// The data directory, if there is one.
    data: Option<PathBuf>,
    /// The working directory; `None` if it was deleted.
    pub folder: Option<PathBuf>,
    /// The program's own file.
    pub program: Option<PathBuf>,
    /// The settings file that `--config` names, for all projects of this process.
    pub settings: Option<PathBuf>,
    /// The user's home.
    pub home: Option<PathBuf>,
    /// `GROMA_PROJECT`.
    pub project: Option<PathBuf>,
    /// `COCOSEARCH_PROJECT_PATH`: the project of a server, set by configurations for CocoSearch.
    pub served: Option<PathBuf>,
    /// `GROMA_TOKEN`, or the content of the file that `GROMA_TOKEN_FILE` names.
    pub token: Option<String>,
    /// `CORTEX_CHUNKS_DIR`.
    pub chunks: Option<PathBuf>,
    /// `NO_COLOR` is set, or the terminal has no colours.
    pub no_color: bool,
    /// Whether standard output is a terminal.
    pub stdout_is_terminal: bool,
    /// Whether a confirmation can be asked for.
    pub can_ask: bool,
    /// Whether standard input is a terminal.
    pub stdin_is_terminal: bool,
    /// All variables that are UTF-8.
    pub variables: Variables,
}

/// The running program. On Linux the one that was started, even if its file was replaced since.
pub fn program() -> Option<PathBuf> {
    let itself = PathBuf::from("/proc/self/exe");
    if cfg!(target_os = "linux") && itself.exists() {
        Some(itself)
    } else {
        env::current_exe().ok()
    }
}

impl Environment {
    /// Reads the environment.
    pub fn read() -> Self {
        let home = env::home_dir().filter(|home| !home.as_os_str().is_empty());
        Self {
            data: path("GROMA_HOME").or_else(|| platform_data(home.as_deref())),
            folder: env::current_dir().ok(),
            program: env::current_exe().ok(),
            settings: None,
            home,
            project: path("GROMA_PROJECT"),
            served: path("COCOSEARCH_PROJECT_PATH"),
            token: env::var("GROMA_TOKEN")
                .ok()
                .or_else(token_file)
                .filter(|token| !token.is_empty()),
            chunks: path("CORTEX_CHUNKS_DIR"),
            no_color: path("NO_COLOR").is_some()
                || env::var_os("TERM").is_some_and(|t| t == "dumb"),
            stdout_is_terminal: io::stdout().is_terminal(),
            can_ask: io::stdin().is_terminal() && io::stderr().is_terminal(),
            stdin_is_terminal: io::stdin().is_terminal(),
            variables: Variables::read(),
        }
    }

    /// An environment with a data directory and nothing else.
    #[cfg(test)]
    pub fn of_test(data: &Path) -> Self {
        Self {
            data: Some(data.to_path_buf()),
            folder: None,
            program: None,
            settings: None,
            home: None,
            project: None,
            served: None,
            token: None,
            chunks: None,
            no_color: true,
            stdout_is_terminal: false,
            can_ask: false,
            stdin_is_terminal: false,
            variables: Variables::default(),
        }
    }

    /// The data directory.
    pub fn data(&self) -> Result<&Path> {
        self.data.as_deref().ok_or_else(|| {
            Failure::new(
                Kind::NotFound,
                "no data directory: neither GROMA_HOME nor a home folder is set",
            )
            .hint("set GROMA_HOME to a writable folder")
            .into()
        })
    }

    /// Keeps data in another directory.
    pub fn set_data(&mut self, data: PathBuf) {
        self.data = Some(data);
    }

    /// The settings of the project at `root`.
    pub fn config(&self, root: &Path) -> Result<Config, ConfigError> {
        match &self.settings {
            Some(file) => Config::load_file(file),
            None => Config::load(root),
        }
    }

    /// The catalog of projects. The one place that picks its implementation.
    pub fn catalog(&self) -> Result<Arc<dyn Catalog>> {
        Ok(Arc::new(EmbeddedCatalog::new(self.data()?)))
    }

    /// The maintenance of that catalog.
    pub fn catalog_admin(&self) -> Result<Arc<dyn CatalogAdmin>> {
        Ok(Arc::new(EmbeddedCatalog::new(self.data()?)))
    }

    /// Whether a folder is a home folder, the root of the file system or a folder of the system: too much to be a
    /// project.
    pub fn is_too_much(&self, folder: &Path) -> bool {
        let is_home = self.home.as_deref() == Some(folder)
            || folder
                .parent()
                .is_some_and(|parent| HOMES.iter().any(|home| parent == Path::new(home)));
        let is_system = SYSTEM_FOLDERS.iter().any(|system| folder == Path::new(system))
            || KERNEL_FOLDERS.iter().any(|kernel| folder.starts_with(kernel));
        folder.parent().is_none() || is_home || is_system
    }
}

/// The token in a file: the environment of a process can be read by others of the same user, and is passed on.
fn token_file() -> Option<String> {
    let text = std::fs::read_to_string(path("GROMA_TOKEN_FILE")?).ok()?;
    Some(text.trim().to_string())
}

/// A variable that is set and not empty.
fn path(name: &str) -> Option<PathBuf> {
    env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from)
}

fn platform_data(home: Option<&Path>) -> Option<PathBuf> {
    if let Some(data) = path("XDG_DATA_HOME").filter(|data| data.is_absolute()) {
        return Some(data.join("groma"));
    }
    if cfg!(windows) {
        return path("LOCALAPPDATA").map(|data| data.join("groma"));
    }
    let data =
        if cfg!(target_os = "macos") { "Library/Application Support" } else { ".local/share" };
    home.map(|home| home.join(data).join("groma"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use groma_embed::{Endpoint, Provider};

    fn proxy(url: &str, pairs: &[(&str, &str)]) -> Option<String> {
        let endpoint = Endpoint { base_url: url.into(), ..Endpoint::of(Provider::OpenAi) };
        Variables::of(pairs).proxy(&endpoint.address().unwrap())
    }

    #[test]
    fn a_proxy_is_for_other_machines_that_are_not_excepted() {
        let set =
            [("https_proxy", "http://proxy:1"), ("NO_PROXY", "corp.example, .inner, 10.0.0.1")];
        assert_eq!(proxy("https://api.openai.com/v1", &set).as_deref(), Some("http://proxy:1"));
        for direct in [
            "https://corp.example",
            "https://emb.corp.example:8443",
            "https://x.inner",
            "https://10.0.0.1",
            "https://localhost:9",
            "http://api.openai.com",
        ] {
            assert_eq!(proxy(direct, &set), None, "{direct}");
        }
        let all = ("ALL_PROXY", "http://all:1");
        assert_eq!(proxy("http://other", &[all]).as_deref(), Some("http://all:1"));
        assert_eq!(proxy("http://other", &[all, ("no_proxy", "*")]), None);
    }

    #[test]
    fn values_are_not_shown() {
        assert_eq!(format!("{:?}", Variables::of(&[("KEY", "sk-secret")])), "1 variables");
        assert_eq!(Variables::of(&[("EMPTY", " ")]).text("EMPTY"), None);
    }
}
