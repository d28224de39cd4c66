//! Chunk files: a project's chunks with their vectors, in the format of the Cortex contract.

mod library;
mod load;
mod watch;
mod write;

pub use library::Library;
pub use write::{Written, write};

use crate::cortex_settings;
use anyhow::{Context, Result};
use groma_mcp::contracts::cortex::file::GENERATOR_OUTPUT;
use std::fs;
use std::path::{Component, Path, PathBuf};

/// The default folder of a project's chunk files.
const FOLDER: &str = ".cortex/chunks";

/// The folder of a project's chunk files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChunkFolder {
    /// The path.
    pub path: PathBuf,
    /// Whether it was configured. The default folder counts only if it contains chunk files.
    pub is_configured: bool,
}

/// The folder of the chunk files of the project at `root`. A `given` folder takes precedence over the settings, which may
/// name one outside of the project only if the user trusts them.
pub fn folder_of(root: &Path, given: Option<&Path>, is_trusted: bool) -> ChunkFolder {
    let may_name = |folder: &PathBuf| is_trusted || is_inside(root, folder);
    let configured = given
        .map(Path::to_path_buf)
        .or_else(|| cortex_settings::chunk_folder(root).filter(may_name));
    let is_configured = configured.is_some();
    let path = root.join(configured.unwrap_or_else(|| FOLDER.into()));
    ChunkFolder { path, is_configured }
}

/// Whether a folder, followed through symbolic links, is in the project. One that does not exist is if its nearest
/// existing parent is, and the rest does not lead up.
fn is_inside(root: &Path, folder: &Path) -> bool {
    let (Ok(root), path) = (root.canonicalize(), root.join(folder)) else { return false };
    let Some(existing) = path.ancestors().find(|parent| parent.exists()) else { return false };
    let rest = path.strip_prefix(existing).unwrap_or(Path::new(""));
    let is_plain = rest.components().all(|part| matches!(part, Component::Normal(_)));
    is_plain && existing.canonicalize().is_ok_and(|existing| existing.starts_with(&root))
}

/// Whether a folder contains chunk files.
pub fn has_chunks(folder: &Path) -> bool {
    !load::files(folder).is_empty()
}

/// Deletes the chunk files of a folder, and the manifest beside them.
pub fn remove(folder: &Path) -> Result<()> {
    let manifest = folder.join(GENERATOR_OUTPUT);
    for file in load::files(folder).into_iter().chain(manifest.exists().then_some(manifest)) {
        fs::remove_file(&file).with_context(|| format!("cannot delete {}", file.display()))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_configured_by_the_caller_then_by_the_settings() {
        let root = tempfile::tempdir().unwrap();
        let configured = |given: Option<&str>| folder_of(root.path(), given.map(Path::new), false);
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
        fs::create_dir_all(root.path().join("build/chunks")).unwrap();
        assert_eq!(configured(None), expected("build/chunks", true));
        assert_eq!(configured(Some("elsewhere")), expected("elsewhere", true));
        assert_eq!(configured(Some("/tmp/x")).path, Path::new("/tmp/x"));
    }

    #[test]
    fn only_trusted_settings_lead_out_of_the_project() {
        let (root, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        fs::create_dir(root.path().join(".cortex")).unwrap();
        let outside = outside.path().canonicalize().unwrap();
        let up = format!("../{}", outside.file_name().unwrap().to_str().unwrap());
        #[cfg(unix)]
        std::os::unix::fs::symlink(&outside, root.path().join("link")).unwrap();
        for folder in [outside.to_str().unwrap(), &up, "link"] {
            let text = format!("server:\n  chunks_dir: {folder}\n");
            fs::write(root.path().join(".cortex/config.yml"), text).unwrap();
            let found = |is_trusted| folder_of(root.path(), None, is_trusted);
            assert_eq!(found(false).path, root.path().join(FOLDER), "{folder}");
            assert!(found(true).is_configured, "{folder}");
        }
    }
}
