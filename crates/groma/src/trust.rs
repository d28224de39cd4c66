//! Which projects the user trusts.
//!
//! Settings come with a repository's files, so the author of the files is the author of the settings. They may narrow what Groma
//! does; what widens it (a service on this machine, a raised limit, a folder outside of the project) counts only if the
//! user has said so with `groma trust`. That is kept in the data directory with a hash of the settings: other settings
//! have to be trusted again.

use crate::config;
use crate::environment::Environment;
use anyhow::{Context, Result};
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// The files of a project whose content is trusted.
pub const SETTINGS: [&str; 2] = [config::FILE_NAME, ".cortex/config.yml"];

/// Whether the user trusts the current settings of the project at `root`.
pub fn is_trusted(root: &Path, environment: &Environment) -> bool {
    let recorded = record(root, environment).ok().and_then(|path| fs::read_to_string(path).ok());
    recorded.is_some_and(|recorded| recorded == fingerprint(root))
}

/// Trusts the current settings of a project.
pub fn grant(root: &Path, environment: &Environment) -> Result<()> {
    let path = record(root, environment)?;
    let failed = || format!("cannot write {}", path.display());
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).with_context(failed)?;
    }
    fs::write(&path, fingerprint(root)).with_context(failed)
}

/// Trusts a project no more; whether it was trusted.
pub fn revoke(root: &Path, environment: &Environment) -> Result<bool> {
    let path = record(root, environment)?;
    match fs::remove_file(&path) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error).with_context(|| format!("cannot remove {}", path.display())),
    }
}

/// The file that records the trust in a project.
pub fn record(root: &Path, environment: &Environment) -> Result<PathBuf> {
    let name = blake3::hash(root.as_os_str().as_encoded_bytes()).to_hex();
    Ok(environment.data()?.join("trusted").join(&name.as_str()[..32]))
}

/// A hash of the settings, unreadable ones included.
fn fingerprint(root: &Path) -> String {
    let mut hasher = blake3::Hasher::new();
    for name in SETTINGS {
        let text = config::read(&root.join(name)).map_err(|error| error.kind());
        hasher.update(format!("{name}\0{text:?}\0").as_bytes());
    }
    hasher.finalize().to_hex().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trust_ends_with_the_settings_it_was_given_for() {
        let folder = tempfile::tempdir().unwrap();
        let environment = Environment::of_test(&folder.path().join("data"));
        let (root, other) = (folder.path().join("a"), folder.path().join("b"));
        [&root, &other].iter().for_each(|root| fs::create_dir(root).unwrap());
        fs::write(root.join(".groma.toml"), "[search]\n").unwrap();
        assert!(!is_trusted(&root, &environment));
        grant(&root, &environment).unwrap();
        assert!(is_trusted(&root, &environment) && !is_trusted(&other, &environment));
        fs::write(root.join(".groma.toml"), "[search]\nlimit = 5\n").unwrap();
        assert!(!is_trusted(&root, &environment), "the settings have changed");
        grant(&root, &environment).unwrap();
        fs::create_dir(root.join(".cortex")).unwrap();
        fs::write(root.join(".cortex/config.yml"), "server:\n").unwrap();
        assert!(!is_trusted(&root, &environment), "there are more settings");
        assert!(revoke(&root, &environment).unwrap() && !revoke(&root, &environment).unwrap());
    }
}
