//! Cargo metadata of this workspace.

use anyhow::{Context, Result, ensure};
use serde_json::Value;
use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The folder of the workspace.
pub fn root() -> PathBuf {
    let xtask = Path::new(env!("CARGO_MANIFEST_DIR"));
    xtask.parent().expect("xtask lies in the workspace").to_path_buf()
}

/// `cargo metadata`: of all packages with `deps`, otherwise of the workspace's own.
pub fn metadata(deps: bool) -> Result<Value> {
    let mut command = cargo();
    command.args(["metadata", "--locked", "--format-version", "1"]);
    if !deps {
        command.arg("--no-deps");
    }
    let output = command.output().context("cannot run cargo")?;
    ensure!(output.status.success(), "cargo metadata: {}", String::from_utf8_lossy(&output.stderr));
    Ok(serde_json::from_slice(&output.stdout)?)
}

/// The folders of the packages this project is built from, as cargo has fetched them.
pub fn dependency_sources() -> Result<Vec<PathBuf>> {
    let metadata = metadata(true)?;
    let packages = metadata["packages"].as_array().context("cargo lists no packages")?;
    let folder = |package: &Value| {
        Some(Path::new(package["manifest_path"].as_str()?).parent()?.to_path_buf())
    };
    Ok(packages.iter().filter(|one| !one["source"].is_null()).filter_map(folder).collect())
}

/// The programs that are measured, built for release.
pub struct Programs {
    /// The product.
    pub groma: PathBuf,
    /// This program, for what is measured within one process.
    pub xtask: PathBuf,
    /// Where corpora, indexes and other programs' files go.
    pub scratch: PathBuf,
}

impl Programs {
    /// Builds them, both at once so that they share what is compiled.
    pub fn build() -> Result<Self> {
        let status = cargo()
            .args(["build", "--locked", "--release", "-p", "groma", "-p", "xtask"])
            .status()?;
        ensure!(status.success(), "the release build failed");
        let (target, suffix) = (target()?, env::consts::EXE_SUFFIX);
        let program = |name: &str| target.join("release").join(format!("{name}{suffix}"));
        Ok(Self { groma: program("groma"), xtask: program("xtask"), scratch: scratch()? })
    }
}

/// Where corpora, indexes and other programs' files go.
pub fn scratch() -> Result<PathBuf> {
    Ok(target()?.join("bench"))
}

fn target() -> Result<PathBuf> {
    let metadata = metadata(false)?;
    let target = metadata["target_directory"].as_str();
    Ok(target.context("cargo names no target directory")?.into())
}

fn cargo() -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root());
    command
}
