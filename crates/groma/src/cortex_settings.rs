//! Cortex's settings file of a project: its embedding service and its folder of chunk files.

use crate::embedding::EmbeddingSettings;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

/// The settings file, from the project's root.
const SETTINGS: &str = ".cortex/config.yml";

/// The largest settings file, in bytes.
const MAX_SETTINGS: u64 = 1 << 20;

/// The embedding service in the project's Cortex settings.
pub fn embedding_settings(root: &Path) -> EmbeddingSettings {
    let text = settings(root).unwrap_or_default();
    let number = setting(&text, "embedding", "dimensions").and_then(|number| number.parse().ok());
    EmbeddingSettings {
        base_url: setting(&text, "embedding", "endpoint").unwrap_or_default(),
        dimensions: number.unwrap_or(0),
        ..EmbeddingSettings::default()
    }
}

/// The folder of chunk files in the project's Cortex settings.
pub fn chunk_folder(root: &Path) -> Option<PathBuf> {
    setting(&settings(root)?, "server", "chunks_dir").map(PathBuf::from)
}

/// The project's Cortex settings.
fn settings(root: &Path) -> Option<String> {
    let path = root.join(SETTINGS);
    if !fs::metadata(&path).ok()?.is_file() {
        return None;
    }
    let mut text = String::new();
    fs::File::open(path).ok()?.take(MAX_SETTINGS).read_to_string(&mut text).ok()?;
    Some(text)
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

    /// "embedding: endpoint: "http://localhost:8121/embed" dimensions: 384"
    #[test]
    fn the_embedding_service_is_configured_by_the_settings() {
        let root = tempfile::tempdir().unwrap();
        assert_eq!(embedding_settings(root.path()), EmbeddingSettings::default());
        fs::create_dir(root.path().join(".cortex")).unwrap();
        let text = "embedding:\n  endpoint: \"http://localhost:8121/embed\"\n  dimensions: 384\n\n\
             server:\n  chunks_dir: \".cortex/chunks\"\n";
        fs::write(root.path().join(".cortex/config.yml"), text).unwrap();
        let found = embedding_settings(root.path());
        assert_eq!(found.base_url, "http://localhost:8121/embed");
        assert_eq!(found.dimensions, 384);
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
