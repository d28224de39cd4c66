//! Which project a path means.

use super::{Project, index_name};
use crate::config;
use crate::environment::Environment;
use crate::failure::{Failure, Kind};
use anyhow::Result;
use std::path::Path;

impl Project {
    /// The project a command is about: the given folder, else `GROMA_PROJECT`, else the project that encloses the
    /// working directory.
    pub fn choose(given: Option<&Path>, environment: &Environment) -> Result<Self> {
        environment.data()?;
        if let Some(path) = given.or(environment.project.as_deref()) {
            return Self::find(path, environment);
        }
        let folder = environment.folder.as_deref().ok_or_else(|| {
            Failure::new(Kind::NotFound, "the working directory no longer exists")
                .hint("change to a folder that exists, or name one with --project")
        })?;
        let root = enclosing_root(folder).unwrap_or(folder);
        if environment.is_too_much(root) {
            let message = format!(
                "{} is not a project; indexing all of it is rarely intended",
                root.display()
            );
            let hint = "change to the project's folder, or pass it as an argument; passing this folder works, too";
            return Err(Failure::new(Kind::Usage, message).hint(hint).into());
        }
        Self::find(root, environment)
    }

    /// The project rooted exactly at `path`.
    pub fn find(path: &Path, environment: &Environment) -> Result<Self> {
        let root = path.canonicalize().map_err(|error| {
            Failure::new(Kind::NotFound, format!("cannot open {}: {error}", path.display()))
                .hint("give a folder that exists")
        })?;
        if !root.is_dir() {
            let message = format!("{} is not a folder", path.display());
            return Err(Failure::new(Kind::Usage, message)
                .hint("give the folder that contains it")
                .into());
        }
        std::fs::read_dir(&root).map_err(|error| {
            Failure::new(Kind::NotFound, format!("cannot read {}: {error}", path.display()))
                .hint("check its permissions")
        })?;
        let config = environment.config(&root)?;
        Self::new(root, config, environment)
    }
}

/// The nearest enclosing folder, or the folder itself, that is a repository or has settings.
pub fn enclosing_root(folder: &Path) -> Option<&Path> {
    let markers = [".git", config::FILE_NAME, index_name::SETTINGS];
    let is_marked = |folder: &&Path| markers.iter().any(|name| folder.join(name).exists());
    folder.ancestors().find(is_marked)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_enclosing_repository_is_found() {
        let tree = tempfile::TempDir::new().unwrap();
        let deep = tree.path().join("repo/src/net");
        std::fs::create_dir_all(&deep).unwrap();
        std::fs::create_dir(tree.path().join("repo/.git")).unwrap();
        assert_eq!(enclosing_root(&deep), Some(&*tree.path().join("repo")));
        std::fs::write(tree.path().join("repo/src/.groma.toml"), "").unwrap();
        assert_eq!(enclosing_root(&deep), Some(&*tree.path().join("repo/src")));
        std::fs::write(deep.join("cocosearch.yaml"), "").unwrap();
        assert_eq!(enclosing_root(&deep), Some(&*deep));
    }
}
