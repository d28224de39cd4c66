//! The parts of a project that have an index of their own: where they live, and which counts.
//!
//! They lie inside the project's folder, so that they come and go with it and are no project of their own.

use crate::project::Project;
use anyhow::{Context, Result};
use groma_mcp::SubIndex;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// The file in a scope's folder that says which files it is about.
pub const CARD: &str = "scope.json";

/// The folder in a project's that holds those of its scopes.
const FOLDER: &str = "scopes";

/// What `scope.json` says.
#[derive(Deserialize, Serialize)]
struct Card {
    /// The project's root, where that can be written down.
    root: Option<String>,
    scope: SubIndex,
}

/// The project as a scope sees it.
pub fn narrow(project: &Project, scope: &SubIndex) -> Project {
    let mut narrow = project.clone();
    narrow.folder = folder(&project.folder, &scope.name);
    let walk = &mut narrow.config.index;
    walk.languages = scope.languages.clone();
    walk.vendored = scope.vendored;
    walk.exclude.extend(scope.exclude.iter().cloned());
    (walk.tests, walk.generated, walk.minified) = (true, true, true);
    narrow
}

/// Writes down that `scope` is the one that counts, for the project at `root` whose folder is `project`.
pub fn keep(root: &Path, project: &Path, scope: &SubIndex) -> Result<()> {
    let path = folder(project, &scope.name).join(CARD);
    let card = Card { root: root.to_str().map(str::to_string), scope: scope.clone() };
    let text = serde_json::to_string_pretty(&card)?;
    // Renamed into place, so that nobody reads half of it.
    let draft = path.with_extension(format!("{}.tmp", std::process::id()));
    std::fs::write(&draft, text + "\n")
        .and_then(|()| std::fs::rename(&draft, &path))
        .with_context(|| format!("cannot write {}", path.display()))
}

/// The scope of that name that was kept last.
pub fn kept(project: &Path, name: &str) -> Option<SubIndex> {
    card(&folder(project, name)).map(|card| card.scope)
}

/// The project whose scope a folder holds.
pub fn root(folder: &Path) -> Option<PathBuf> {
    card(folder)?.root.map(PathBuf::from)
}

fn card(folder: &Path) -> Option<Card> {
    let text = std::fs::read_to_string(folder.join(CARD)).ok()?;
    serde_json::from_str(&text).ok()
}

/// The folders of all scopes, in order of name.
pub fn folders(project: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(project.join(FOLDER));
    let mut folders: Vec<PathBuf> =
        entries.into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    folders.sort();
    folders
}

fn folder(project: &Path, name: &str) -> PathBuf {
    project.join(FOLDER).join(name)
}
