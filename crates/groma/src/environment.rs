//! What the process was given: environment variables, home, working directory and terminals.
//!
//! Read here once and nowhere else, so that a command depends on nothing but its arguments.

use crate::failure::{Failure, Kind};
use anyhow::Result;
use std::env;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

/// What the process was given.
#[derive(Clone, Debug)]
pub struct Environment {
    /// Where the indexes of all projects live, if that is known.
    data: Option<PathBuf>,
    /// The working directory; `None` when it was removed under us.
    pub folder: Option<PathBuf>,
    /// The user's home.
    pub home: Option<PathBuf>,
    /// `GROMA_PROJECT`.
    pub project: Option<PathBuf>,
    /// `COCOSEARCH_PROJECT_PATH`: the project a server is for, as configurations written for CocoSearch name it.
    pub served: Option<PathBuf>,
    /// `GROMA_TOKEN`.
    pub token: Option<String>,
    /// `CORTEX_CHUNKS_DIR`.
    pub chunks: Option<PathBuf>,
    /// `NO_COLOR` is set, or the terminal can do no colours.
    pub no_color: bool,
    /// Whether a person reads standard output.
    pub stdout_is_terminal: bool,
    /// Whether a person can answer a question.
    pub can_ask: bool,
}

impl Environment {
    /// Reads it.
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
        }
    }

    /// Where the indexes of all projects live.
    pub fn data(&self) -> Result<&Path> {
        self.data.as_deref().ok_or_else(|| {
            Failure::new(
                Kind::NotFound,
                "no data directory: neither GROMA_HOME nor a home folder is set",
            )
            .hint("set GROMA_HOME to a folder that may hold indexes")
            .into()
        })
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
