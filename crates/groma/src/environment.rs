//! The environment of the process: variables, home, working directory and terminals.
//!
//! Read here and nowhere else, so that commands depend on their arguments only.

use crate::failure::{Failure, Kind};
use anyhow::Result;
use groma_core::Catalog;
use groma_embed::Address;
use groma_store::{CatalogAdmin, EmbeddedCatalog};
use std::collections::BTreeMap;
use std::env;
use std::fmt;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The environment of the process.
#[derive(Clone, Debug)]
pub struct Environment {
    /// The data directory, if there is one.
    data: Option<PathBuf>,
    /// The working directory; `None` if it was deleted.
    pub folder: Option<PathBuf>,
    /// The user's home.
    pub home: Option<PathBuf>,
    /// `GROMA_PROJECT`.
    pub project: Option<PathBuf>,
    /// `COCOSEARCH_PROJECT_PATH`: the project of a server, set by configurations for CocoSearch.
    pub served: Option<PathBuf>,
    /// `GROMA_TOKEN`.
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

impl Environment {
    /// Reads the environment.
    pub fn read() -> Self {
        let home = env::home_dir().filter(|home| !home.as_os_str().is_empty());
        Self {
            data: path("GROMA_HOME").or_else(|| platform_data(home.as_deref())),
            folder: env::current_dir().ok(),
            home,
            project: path("GROMA_PROJECT"),
            served: path("COCOSEARCH_PROJECT_PATH"),
            token: env::var("GROMA_TOKEN").ok().filter(|token| !token.is_empty()),
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

    /// The catalog of projects. The one place that picks its implementation.
    pub fn catalog(&self) -> Result<Arc<dyn Catalog>> {
        Ok(Arc::new(EmbeddedCatalog::new(self.data()?)))
    }

    /// The maintenance of that catalog.
    pub fn catalog_admin(&self) -> Result<Arc<dyn CatalogAdmin>> {
        Ok(Arc::new(EmbeddedCatalog::new(self.data()?)))
    }

    /// Whether a folder is the user's home or the root of the file system: too much to be a project.
    pub fn is_home_or_filesystem_root(&self, folder: &Path) -> bool {
        folder.parent().is_none() || self.home.as_deref() == Some(folder)
    }
}

/// Environment variables. Some contain keys, so `Debug` shows none.
#[derive(Clone, Default)]
pub struct Variables(BTreeMap<String, String>);

impl fmt::Debug for Variables {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} variables", self.0.len())
    }
}

impl Variables {
    fn read() -> Self {
        let texts = env::vars_os();
        let texts = texts.filter_map(|(name, value)| {
            Some((name.into_string().ok()?, value.into_string().ok()?))
        });
        Self(texts.collect())
    }

    /// Variables for a test.
    #[cfg(test)]
    pub fn of(pairs: &[(&str, &str)]) -> Self {
        Self(pairs.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect())
    }

    /// A variable that is set and not empty.
    pub fn text(&self, name: &str) -> Option<String> {
        self.0
            .get(name)
            .map(|value| value.trim())
            .filter(|value| !value.is_empty())
            .map(String::from)
    }

    /// The proxy for an address, by `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and `NO_PROXY`; none for local addresses.
    pub fn proxy(&self, address: &Address) -> Option<String> {
        let either = |name: &str| self.text(name).or_else(|| self.text(&name.to_lowercase()));
        let host = address.host.rsplit_once(':').map_or(&*address.host, |(host, _)| host);
        let direct = either("NO_PROXY").unwrap_or_default().to_ascii_lowercase();
        let goes_direct = direct.split(',').map(|entry| entry.trim().trim_start_matches("*."));
        let is_direct = |entry: &str| {
            let entry = entry.trim_start_matches('.');
            entry == "*"
                || entry == host
                || (!entry.is_empty() && host.ends_with(&format!(".{entry}")))
        };
        if address.is_local || goes_direct.into_iter().any(is_direct) {
            return None;
        }
        let scheme = if address.shown.starts_with("https:") { "HTTPS_PROXY" } else { "HTTP_PROXY" };
        either(scheme).or_else(|| either("ALL_PROXY"))
    }
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
