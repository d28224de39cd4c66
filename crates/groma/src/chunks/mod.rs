//! Chunk files: a project's chunks with their vectors, as the Cortex contract writes and reads them.

mod library;
mod load;
mod watch;
mod write;

pub use library::Library;
pub use write::{Written, write};

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Where the chunk files of a project are unless somebody says otherwise.
const FOLDER: &str = ".cortex/chunks";

/// The settings of a project for Cortex.
const SETTINGS: &str = ".cortex/config.yml";

/// More is no settings file.
const LARGEST_SETTINGS: u64 = 1 << 20;

/// Where the chunk files of a project are to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The folder.
    pub folder: PathBuf,
    /// Whether somebody named it. One that nobody named counts only where it holds something.
    pub is_named: bool,
}

/// Where the chunk files of the project at `root` are: what was `given` counts before the project's settings.
pub fn place(root: &Path, given: Option<&Path>) -> Place {
    let named = given.map(Path::to_path_buf).or_else(|| in_settings(root));
    let is_named = named.is_some();
    let folder = root.join(named.unwrap_or_else(|| FOLDER.into()));
    Place { folder, is_named }
}

/// Whether a folder holds a chunk file.
pub fn is_there(folder: &Path) -> bool {
    !load::files(folder).is_empty()
}

/// The folder that the project's settings name.
fn in_settings(root: &Path) -> Option<PathBuf> {
    let path = root.join(SETTINGS);
    if !fs::metadata(&path).ok()?.is_file() {
        return None;
    }
    let mut text = String::new();
    fs::File::open(path).ok()?.take(LARGEST_SETTINGS).read_to_string(&mut text).ok()?;
    setting(&text, "server", "chunks_dir").map(PathBuf::from)
}

/// The value of a key in a section of a YAML file, which is all that is needed of it.
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
    fn a_folder_is_named_by_the_caller_then_by_the_settings() {
        let root = tempfile::tempdir().unwrap();
        let place_of = |given: Option<&str>| place(root.path(), given.map(Path::new));
        let expected =
            |folder: &str, is_named| Place { folder: root.path().join(folder), is_named };
        assert_eq!(place_of(None), expected(".cortex/chunks", false));
        fs::create_dir(root.path().join(".cortex")).unwrap();
        fs::write(
            root.path().join(".cortex/config.yml"),
            "embedding:\n  endpoint: \"http://localhost:8121/embed\"\n  chunks_dir: wrong\n\n\
             server:\n  # where they are\n  chunks_dir: \"build/chunks\" # not the default\nother:\n  chunks_dir: x\n",
        )
        .unwrap();
        assert_eq!(place_of(None), expected("build/chunks", true));
        assert_eq!(place_of(Some("elsewhere")), expected("elsewhere", true));
        assert_eq!(place_of(Some("/tmp/x")).folder, Path::new("/tmp/x"));
    }

    #[test]
    fn settings_that_are_none_name_nothing() {
        for text in
            ["", "server", "server:\n", "server:\n  chunks_dir:\n", "\u{0}:\n :::\n", "- a\n- b\n"]
        {
            assert_eq!(setting(text, "server", "chunks_dir"), None, "{text:?}");
        }
    }
}
