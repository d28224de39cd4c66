//! Chunk files: a project's chunks with their vectors, in the format of the Cortex contract.

mod library;
mod load;
mod watch;
mod write;

pub use library::Library;
pub use write::{Written, write};

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

/// The default folder of a project's chunk files.
const FOLDER: &str = ".cortex/chunks";

/// Cortex's settings file of a project.
const SETTINGS: &str = ".cortex/config.yml";

/// The largest settings file, in bytes.
const MAX_SETTINGS: u64 = 1 << 20;

/// The folder of a project's chunk files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChunkFolder {
    /// The path.
    pub path: PathBuf,
    /// Whether it was configured. The default folder counts only if it contains chunk files.
    pub is_configured: bool,
}

/// The folder of the chunk files of the project at `root`. A `given` folder takes precedence over the settings.
pub fn folder_of(root: &Path, given: Option<&Path>) -> ChunkFolder {
    let configured = given.map(Path::to_path_buf).or_else(|| in_settings(root));
    let is_configured = configured.is_some();
    let path = root.join(configured.unwrap_or_else(|| FOLDER.into()));
    ChunkFolder { path, is_configured }
}

/// Whether a folder contains chunk files.
pub fn has_chunks(folder: &Path) -> bool {
    !load::files(folder).is_empty()
}

/// The folder in the project's Cortex settings.
fn in_settings(root: &Path) -> Option<PathBuf> {
    let path = root.join(SETTINGS);
    if !fs::metadata(&path).ok()?.is_file() {
        return None;
    }
    let mut text = String::new();
    fs::File::open(path).ok()?.take(MAX_SETTINGS).read_to_string(&mut text).ok()?;
    setting(&text, "server", "chunks_dir").map(PathBuf::from)
}

/// The value of a key in a section of a YAML file; nothing else of YAML is needed.
fn setting(text: &str, section: &str, key: &str) -> Option<String> {
    let mut inside = false;
    for line in text.lines() {
        let line = line.split(" #").next().unwrap_or(line).trim_end();
        let is_nested = line.starts_with([' ', '\t']);
        let Some((name, value)) = line.split_once(':') else { continue };
        let (name, value) = (name.trim(), value.trim().trim_matches(['"', '\'']));
        if !is_nested {
            inside = name == section;
        } else if inside && name == key && !value.is_empty() {
            return Some(value.to_string());
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_configured_by_the_caller_then_by_the_settings() {
        let root = tempfile::tempdir().unwrap();
        let configured = |given: Option<&str>| folder_of(root.path(), given.map(Path::new));
        let expected = |folder: &str, is_configured| ChunkFolder {
            path: root.path().join(folder),
            is_configured,
        };
        assert_eq!(configured(None), expected(".cortex/chunks", false));
        fs::create_dir(root.path().join(".cortex")).unwrap();
        fs::write(
            root.path().join(".cortex/config.yml"),
            "embedding:\n  endpoint: \"http://localhost:8121/embed\"\n  chunks_dir: wrong\n\n\
             server:\n  # where they are\n  chunks_dir: \"build/chunks\" # not the default\nother:\n  chunks_dir: x\n",
        )
        .unwrap();
        assert_eq!(configured(None), expected("build/chunks", true));
        assert_eq!(configured(Some("elsewhere")), expected("elsewhere", true));
        assert_eq!(configured(Some("/tmp/x")).path, Path::new("/tmp/x"));
    }

    #[test]
    fn invalid_settings_configure_nothing() {
        for text in
            ["", "server", "server:\n", "server:\n  chunks_dir:\n", "\u{0}:\n :::\n", "- a\n- b\n"]
        {
            assert_eq!(setting(text, "server", "chunks_dir"), None, "{text:?}");
        }
    }
}
